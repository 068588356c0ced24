//! One function runs a task, wherever it is called from: local threads, a worker of a cluster, a test.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use voxmill_core::{
    ArrayMeta, Chunk, Error, ErrorClass, Idx, Latency, Region, Result, SharedArray, Store, View, ViewMut,
};
use voxmill_plan::task::{Piece, Step, Steps};
use voxmill_plan::{Home, NodeId, Op, Place, Plan, RowBook, Rows, TaskId, What};

use crate::gate::{Gate, Permit};
use crate::retry::retry;
use crate::{Cancel, Events, HeldChunks, fused};

/// What a task gives back.
#[derive(Debug)]
pub struct TaskOutput {
    /// For each target of the stage: its box and, unless it went to a store, its chunk.
    pub chunks: Vec<(Region, Option<Chunk>)>,
    /// Rows that ops attached to elements of the targets.
    pub rows: Vec<Attached>,
    /// Bytes of source elements read.
    pub bytes_read: u64,
    /// Bytes of result elements made.
    pub bytes_written: u64,
}

/// Rows that a task made for an element of an array.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Which array.
    pub node: NodeId,
    /// Which element.
    pub at: Idx,
    /// The rows.
    pub rows: Rows,
}

/// What a task needs from its surroundings.
pub(crate) struct Surroundings<'a> {
    pub held: &'a dyn HeldChunks,
    pub cancel: &'a Cancel,
    pub events: &'a dyn Events,
    pub gate: &'a Gate,
    /// The results in memory, where this process has them.
    pub results: Option<&'a BTreeMap<usize, SharedArray>>,
}

/// Runs one task of a plan on the calling thread. Chunks of held arrays come from `held`; results for stores are written.
pub fn run_task(
    plan: &Plan,
    id: TaskId,
    held: &dyn HeldChunks,
    cancel: &Cancel,
    events: &dyn Events,
) -> Result<TaskOutput> {
    let gate = Gate::new(1);
    let steps = plan.steps(id)?;
    run_steps(plan, id, &steps, &Surroundings { held, cancel, events, gate: &gate, results: None })
}

/// Runs a task whose steps are known. A panic becomes an error that names the op and the tile.
pub(crate) fn run_steps(plan: &Plan, id: TaskId, steps: &Steps, around: &Surroundings<'_>) -> Result<TaskOutput> {
    let at_step = Cell::new(0);
    let attached = RefCell::new(Vec::new());
    let task = Task { plan, id, steps, around, at_step: &at_step, attached: &attached };
    let outcome = catch_unwind(AssertUnwindSafe(|| task.run()));
    let place = || format!("{id}, box {}", steps.targets.first().map(|t| t.1.to_string()).unwrap_or_default());
    match outcome {
        // Where the user's wish to stop was heard says nothing to the user.
        Ok(Err(e)) if e.class() == ErrorClass::Cancelled => Err(Error::cancelled()),
        Ok(result) => result.map_err(|e| e.at(place())),
        Err(panic) => {
            let message = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_string())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let step = describe(plan, steps, at_step.get());
            Err(Error::internal(format!("a kernel panicked: {message}")).at(step).at(place()))
        }
    }
}

fn describe(plan: &Plan, steps: &Steps, k: usize) -> String {
    let label = |p: usize| plan.nodes[steps.pieces[p].node.index()].label();
    match steps.steps.get(k) {
        Some(Step::Read(p)) => format!("reading {}", label(*p)),
        Some(Step::View(p) | Step::Kernel(p)) => format!("op {}", label(*p)),
        Some(Step::Map { members, .. }) => {
            format!("ops {}", members.iter().map(|&p| label(p)).collect::<Vec<_>>().join(" + "))
        }
        None => "writing the result".to_string(),
    }
}

struct Task<'a> {
    plan: &'a Plan,
    id: TaskId,
    steps: &'a Steps,
    around: &'a Surroundings<'a>,
    at_step: &'a Cell<usize>,
    attached: &'a RefCell<Vec<Attached>>,
}

/// Rows as one piece of a task sees them.
struct PieceRows<'a> {
    node: NodeId,
    ins: &'a [NodeId],
    held: &'a dyn HeldChunks,
    attached: &'a RefCell<Vec<Attached>>,
}

impl fmt::Debug for PieceRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PieceRows({:?})", self.node)
    }
}

impl RowBook for PieceRows<'_> {
    fn rows(&self, input: usize, at: &[usize]) -> Result<Rows> {
        self.held.rows(self.ins[input], at)
    }

    fn attach(&self, at: &[usize], rows: Vec<u8>) {
        self.attached.borrow_mut().push(Attached { node: self.node, at: at.into(), rows: rows.into() });
    }
}

impl Task<'_> {
    fn run(&self) -> Result<TaskOutput> {
        let mut permit = self.around.gate.enter();
        if let Some(output) = self.read_into_result(&mut permit)? {
            return Ok(output);
        }
        let mut values: Vec<Option<Chunk>> = vec![None; self.steps.pieces.len()];
        let mut bytes_read = 0;
        for (k, step) in self.steps.steps.iter().enumerate() {
            self.around.cancel.check()?;
            self.at_step.set(k);
            match step {
                Step::Read(p) => values[*p] = Some(self.read(*p, &mut permit, &mut bytes_read)?),
                Step::View(p) => values[*p] = Some(self.view(*p, &values)?),
                Step::Kernel(p) => values[*p] = Some(self.kernel(*p, &values)?),
                Step::Map { members, keep } => {
                    let nodes = &self.plan.nodes;
                    let made = fused::run(self.steps, nodes, members, keep, &values, self.around.cancel)?;
                    keep.iter().zip(made).for_each(|(&p, chunk)| values[p] = Some(chunk));
                }
            }
            self.steps.drops[k].iter().for_each(|&p| values[p] = None);
        }
        self.at_step.set(self.steps.steps.len());
        self.deliver(values, bytes_read, &mut permit)
    }

    /// Reads straight into the result, where a task does nothing but read; `None` where it does more.
    fn read_into_result(&self, permit: &mut Permit<'_>) -> Result<Option<TaskOutput>> {
        let ([Step::Read(p)], [(_, region)]) = (&self.steps.steps[..], &self.steps.targets[..]) else {
            return Ok(None);
        };
        let (Home::Result(n), Some(results)) = (&self.plan.stage(self.id).targets[0].home, self.around.results) else {
            return Ok(None);
        };
        let piece = self.piece(*p);
        let node = &self.plan.nodes[piece.node.index()];
        let (What::Source(store), Some(result)) = (&node.what, results.get(n)) else { return Ok(None) };
        if piece.held || piece.region != *region || store.latency() == Latency::Memory {
            return Ok(None);
        }
        result.fill_tile(self.id.tile as usize, |out| self.fetch(store, region, out, permit))?;
        let bytes = node.meta.bytes_of(region);
        let chunks = vec![(region.clone(), None)];
        Ok(Some(TaskOutput { chunks, rows: Vec::new(), bytes_read: bytes, bytes_written: bytes }))
    }

    fn piece(&self, p: usize) -> &Piece {
        &self.steps.pieces[p]
    }

    fn read(&self, p: usize, permit: &mut Permit<'_>, bytes_read: &mut u64) -> Result<Chunk> {
        let piece = self.piece(p);
        let node = &self.plan.nodes[piece.node.index()];
        match &node.what {
            _ if piece.held => self.around.held.fetch(piece.node, &piece.region),
            What::Op(_) => Err(Error::internal("an op is neither computed nor held")),
            What::Literal(value) => Chunk::from_scalar(*value, node.meta.dtype),
            What::Source(store) => {
                *bytes_read += node.meta.bytes_of(&piece.region);
                self.read_source(store, &node.meta, &piece.region, permit)
            }
        }
    }

    fn read_source(
        &self,
        store: &Arc<dyn Store>,
        meta: &ArrayMeta,
        region: &Region,
        permit: &mut Permit<'_>,
    ) -> Result<Chunk> {
        if let Some(chunk) = store.borrow(region) {
            return Ok(chunk);
        }
        let mut chunk = Chunk::new(&region.shape, meta.dtype)?;
        self.fetch(store, region, &mut chunk.view_mut()?, permit)?;
        Ok(chunk)
    }

    /// Reads from a store, again if the fault may pass.
    fn fetch(
        &self,
        store: &Arc<dyn Store>,
        region: &Region,
        out: &mut ViewMut<'_>,
        permit: &mut Permit<'_>,
    ) -> Result<()> {
        let what = format!("reading {} {region}", store.spec());
        let (cancel, events) = (self.around.cancel, self.around.events);
        let mut attempt = || retry(&what, cancel, events, || store.read(region, &mut out.reborrow()));
        if store.latency() == Latency::Remote { permit.without(attempt) } else { attempt() }
            .map_err(|e| e.at(what.clone()))
    }

    /// The boxes that a piece reads, as chunks. An input that is not needed comes as an empty chunk.
    fn inputs(&self, p: usize, values: &[Option<Chunk>]) -> Result<Vec<Chunk>> {
        let piece = self.piece(p);
        let node = &self.plan.nodes[piece.node.index()];
        let one = |(k, input): (usize, &voxmill_plan::task::PieceInput)| match input.piece {
            None => {
                let dtype = self.plan.nodes[node.ins[k].index()].meta.dtype;
                Chunk::new(&input.region.shape, dtype)
            }
            Some(from) => {
                let chunk = values[from].as_ref().ok_or_else(|| Error::internal("an input was dropped too early"))?;
                Ok(chunk.part(&input.region.relative_to(&self.piece(from).region.start)))
            }
        };
        piece.ins.iter().enumerate().map(one).collect()
    }

    /// Calls `work` with the op of a piece and its place.
    fn with_place<R>(&self, p: usize, work: impl FnOnce(&dyn Op, &Place<'_>) -> Result<R>) -> Result<R> {
        let piece = self.piece(p);
        let node = &self.plan.nodes[piece.node.index()];
        let What::Op(op) = &node.what else { return Err(Error::internal("a computed piece is no op")) };
        let ins: Vec<&ArrayMeta> = node.ins.iter().map(|id| &self.plan.nodes[id.index()].meta).collect();
        let reads: Vec<Region> = piece.ins.iter().map(|i| i.region.clone()).collect();
        let held = self.around.held;
        let rows = PieceRows { node: piece.node, ins: &node.ins, held, attached: self.attached };
        let at = Place { out: &piece.region, out_meta: &node.meta, reads: &reads, ins: &ins, rows: &rows };
        work(op.as_ref(), &at).map_err(|e| e.at(format!("{} {}", op.title(), piece.region)))
    }

    fn view(&self, p: usize, values: &[Option<Chunk>]) -> Result<Chunk> {
        let inputs = self.inputs(p, values)?;
        self.with_place(p, |op, at| {
            if at.out.is_empty() {
                return Chunk::new(&at.out.shape, at.out_meta.dtype);
            }
            let view = inputs[0].view();
            Ok(inputs[0].with_layout_of(&op.restride(at, &view)?))
        })
    }

    fn kernel(&self, p: usize, values: &[Option<Chunk>]) -> Result<Chunk> {
        let inputs: Vec<Chunk> = self.inputs(p, values)?.iter().map(Chunk::to_contiguous).collect::<Result<_>>()?;
        self.with_place(p, |op, at| {
            let mut out = Chunk::new(&at.out.shape, at.out_meta.dtype)?;
            if !at.out.is_empty() {
                let views: Vec<View<'_>> = inputs.iter().map(Chunk::view).collect();
                op.run(at, &views, &mut out.view_mut()?)?;
            }
            Ok(out)
        })
    }

    /// Writes what goes to stores, and returns the rest.
    fn deliver(&self, values: Vec<Option<Chunk>>, bytes_read: u64, permit: &mut Permit<'_>) -> Result<TaskOutput> {
        // Whoever asked to stop may have gone on already: nothing is written behind their back.
        self.around.cancel.check()?;
        let rows = self.attached.take();
        let mut output = TaskOutput { chunks: Vec::new(), rows, bytes_read, bytes_written: 0 };
        let stage = self.plan.stage(self.id);
        for (target, (p, region)) in stage.targets.iter().zip(&self.steps.targets) {
            let chunk = values[*p].as_ref().ok_or_else(|| Error::internal("a result is missing"))?;
            let chunk = chunk.part(&region.relative_to(&self.piece(*p).region.start));
            output.bytes_written += chunk.n_bytes();
            let Home::Store { store, offset } = &target.home else {
                output.chunks.push((region.clone(), Some(chunk)));
                continue;
            };
            let into = region.shifted_by(offset);
            let what = format!("writing {} {into}", store.spec());
            let (cancel, events) = (self.around.cancel, self.around.events);
            let attempt = || retry(&what, cancel, events, || store.write(&into, &chunk.view()));
            if store.latency() == Latency::Remote { permit.without(attempt) } else { attempt() }
                .map_err(|e| e.at(what.clone()))?;
            output.chunks.push((region.clone(), None));
        }
        Ok(output)
    }
}
