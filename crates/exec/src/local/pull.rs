//! Which task comes next: a walk over the outputs that runs first what each of them needs.
//!
//! The walk is a stack of tasks with a cursor over their dependencies. A task whose dependencies are all under way is parked until the
//! last of them is done. Memory grows with tasks under way, not with tasks in the plan: what is done is one bit.

use rustc_hash::FxHashMap;
use voxmill_core::{Idx, Region};
use voxmill_plan::{Home, Plan, TaskId};

/// The state of the walk.
pub(super) struct Pull {
    /// Output stages and their next tile.
    outputs: Vec<(u32, u32, u32)>,
    stack: Vec<Frame>,
    ready: Vec<TaskId>,
    parked: FxHashMap<TaskId, usize>,
    waiters: FxHashMap<TaskId, Vec<TaskId>>,
    begun: Vec<Bits>,
    done: Vec<Bits>,
    unfinished: usize,
    skipped: u64,
}

struct Frame {
    task: TaskId,
    needs: Needs,
    pending: usize,
}

/// The tasks that make what a task reads, one after the other.
struct Needs {
    boxes: Vec<(u32, Region, Idx)>,
    at: usize,
    n: usize,
}

struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Self {
        Bits(vec![0; n.div_ceil(64)])
    }

    fn get(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Sets a bit; true if it was not set.
    fn set(&mut self, i: u32) -> bool {
        let word = &mut self.0[i as usize / 64];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }
}

impl Needs {
    fn new(plan: &Plan, task: TaskId) -> Self {
        let boxes = plan.held_reads(task).into_iter().filter_map(|(node, region)| {
            let (stage, target) = plan.held_target(node)?;
            let tiles = &plan.stages[stage].tiles;
            let mut own = region.relative_to(&target.region.start);
            // An axis that no tile cuts may be longer in this target than in the one the tiles were made for.
            for (k, cuts) in tiles.axes.iter().enumerate().filter(|(_, cuts)| cuts.n_chunks() <= 1) {
                (own.start[k], own.shape[k]) = (0, cuts.len());
            }
            Some((stage as u32, tiles.touching(&own), tiles.counts()))
        });
        Needs { boxes: boxes.collect(), at: 0, n: 0 }
    }

    fn next(&mut self) -> Option<TaskId> {
        loop {
            let (stage, region, counts) = self.boxes.get(self.at)?;
            if self.n >= region.size() {
                (self.at, self.n) = (self.at + 1, 0);
                continue;
            }
            let (mut rest, mut tile, mut step) = (self.n, 0, 1);
            for k in (0..region.rank()).rev() {
                tile += (region.start[k] + rest % region.shape[k]) * step;
                rest /= region.shape[k];
                step *= counts[k];
            }
            self.n += 1;
            return Some(TaskId { stage: *stage, tile: tile as u32 });
        }
    }
}

impl Pull {
    /// A walk over all outputs except the tasks to `skip`.
    pub(super) fn new(plan: &Plan, skip: &dyn Fn(TaskId) -> bool) -> Self {
        let is_output = |s: &voxmill_plan::Stage| s.targets.iter().any(|t| !matches!(t.home, Home::Held(_)));
        let outputs = plan.stages.iter().enumerate().filter(|(_, s)| is_output(s));
        let bits = || plan.stages.iter().map(|s| Bits::new(s.tiles.n_chunks())).collect();
        let mut pull = Pull {
            outputs: outputs.map(|(k, s)| (k as u32, 0, s.tiles.n_chunks() as u32)).rev().collect(),
            stack: Vec::new(),
            ready: Vec::new(),
            parked: FxHashMap::default(),
            waiters: FxHashMap::default(),
            begun: bits(),
            done: bits(),
            unfinished: 0,
            skipped: 0,
        };
        pull.skip(skip);
        pull
    }

    fn skip(&mut self, skip: &dyn Fn(TaskId) -> bool) {
        for &(stage, first, n) in &self.outputs {
            for task in (first..n).map(|tile| TaskId { stage, tile }).filter(|task| skip(*task)) {
                self.begun[stage as usize].set(task.tile);
                self.done[stage as usize].set(task.tile);
                self.skipped += 1;
            }
        }
    }

    /// Number of tasks that are left out.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next task that can run. `None` if all remaining ones wait for tasks under way, or if there are none.
    pub(super) fn next(&mut self, plan: &Plan) -> Option<TaskId> {
        if let Some(task) = self.ready.pop() {
            return Some(task);
        }
        loop {
            let Some(frame) = self.stack.last_mut() else {
                let output = self.next_output()?;
                self.visit(plan, output);
                continue;
            };
            match frame.needs.next() {
                Some(need) if self.done[need.stage as usize].get(need.tile) => {}
                Some(need) => {
                    frame.pending += 1;
                    let waiting = frame.task;
                    self.waiters.entry(need).or_default().push(waiting);
                    self.visit(plan, need);
                }
                None => {
                    let frame = self.stack.pop()?;
                    // Needs that finished while the walk was below this task have been counted down already.
                    let finished = self.parked.remove(&frame.task).unwrap_or(0);
                    if frame.pending == finished {
                        return Some(frame.task);
                    }
                    self.parked.insert(frame.task, frame.pending - finished);
                }
            }
        }
    }

    fn next_output(&mut self) -> Option<TaskId> {
        loop {
            let (stage, next, n) = self.outputs.last_mut()?;
            if next == n {
                self.outputs.pop();
                continue;
            }
            *next += 1;
            return Some(TaskId { stage: *stage, tile: *next - 1 });
        }
    }

    /// Puts a task on the stack unless it is under way.
    fn visit(&mut self, plan: &Plan, task: TaskId) {
        if self.begun[task.stage as usize].set(task.tile) {
            self.unfinished += 1;
            self.stack.push(Frame { task, needs: Needs::new(plan, task), pending: 0 });
        }
    }

    /// Notes that a task is done, and makes those ready that waited for it only.
    pub(super) fn finish(&mut self, task: TaskId) {
        self.done[task.stage as usize].set(task.tile);
        self.unfinished -= 1;
        for waiter in self.waiters.remove(&task).unwrap_or_default() {
            if self.stack.iter().any(|frame| frame.task == waiter) {
                // The walk is still below it: count what is finished until the walk comes back.
                *self.parked.entry(waiter).or_insert(0) += 1;
                continue;
            }
            let left = self.parked.get_mut(&waiter).map(|n| {
                *n -= 1;
                *n
            });
            if left == Some(0) {
                self.parked.remove(&waiter);
                self.ready.push(waiter);
            }
        }
    }

    /// True if every task has been given out and finished.
    pub(super) fn is_over(&self) -> bool {
        self.unfinished == 0 && self.stack.is_empty() && self.outputs.iter().all(|(_, next, n)| next == n)
    }
}
