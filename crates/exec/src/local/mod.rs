//! The local executor: threads that pull tasks.
//!
//! A worker asks for the next task, waits until its bytes can be reserved, runs it, and hands over the result. Tasks are produced on
//! demand by walking the outputs and running first what they need ([`pull`]), so little is held at any time.

mod pull;
mod worker;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use voxmill_core::{
    AxisCuts, Buffer, Chunk, ChunkGrid, Error, ErrorClass, FILE_PAGES, Latency, POOL, Result, SharedArray,
    format_bytes, live_bytes,
};
use voxmill_plan::{Home, Plan, What};

use crate::gate::Gate;
use crate::held::{Held, SLOT_BYTES};
use crate::run_task::Attached;
use crate::scratch::{Scratch, ScratchSettings};
use crate::{Cancel, Event, Events, Journal, crew, resume};

use pull::Pull;

/// How to run.
#[derive(Clone)]
pub struct Settings {
    /// Tasks that compute at the same time.
    pub threads: usize,
    /// Where held chunks go that do not fit.
    pub scratch: ScratchSettings,
    /// The user's wish to stop.
    pub cancel: Cancel,
    /// Who is told what happens.
    pub events: Arc<dyn Events>,
    /// What earlier runs of the same job wrote already; kept up to date.
    pub journals: Vec<Arc<Journal>>,
}

/// What a run did.
#[derive(Debug)]
pub struct Report {
    /// The results that were asked for in memory, in the order of the request.
    pub results: Vec<Chunk>,
    /// Rows attached to elements of the results, by the number of the result.
    pub rows: BTreeMap<usize, Vec<Attached>>,
    /// How long it took.
    pub took: Duration,
    /// Tasks run.
    pub tasks: u64,
    /// Largest number of bytes reserved and held at one time.
    pub peak_reserved: u64,
    /// Bytes that went to scratch.
    pub spilled: u64,
}

/// Threads that may wait for a remote store, beside those that compute.
const WAITING_THREADS: usize = 16;

/// Bytes of freed buffers and file pages that stay with the process between two runs, at most.
const KEPT_BETWEEN_RUNS: u64 = 512 << 20;

/// Everything the workers share.
struct Run {
    plan: Plan,
    settings: Settings,
    gate: Gate,
    held: Held,
    scratch: Scratch,
    results: BTreeMap<usize, SharedArray>,
    rows: Mutex<BTreeMap<usize, Vec<Attached>>>,
    state: Mutex<State>,
    changed: Condvar,
    /// Bytes that held chunks may take in memory, so that every task still fits.
    held_room: u64,
}

/// What changes while the run goes on.
struct State {
    pull: Pull,
    reserved: u64,
    held: u64,
    running: usize,
    done: u64,
    peak: u64,
    spilled: u64,
    error: Option<Error>,
}

/// Runs a plan on threads of this process.
pub fn run(plan: &Plan, settings: &Settings) -> Result<Report> {
    let started = Instant::now();
    let results = result_arrays(plan)?;
    let result_bytes: u64 = results.values().map(SharedArray::footprint).sum::<u64>() + slot_bytes(plan);
    let largest = plan.stages.iter().map(|s| s.peak).max().unwrap_or(0);
    let room = plan.memory_limit.saturating_sub(result_bytes);
    let skip = |task| resume::is_done(plan, &settings.journals, task);
    let pull = Pull::new(plan, &skip);
    let tasks = plan.n_tasks() - pull.skipped();
    let run = Arc::new(Run {
        plan: plan.clone(),
        settings: settings.clone(),
        gate: Gate::new(settings.threads.max(1)),
        held: Held::new(plan, &skip),
        scratch: Scratch::new(settings.scratch.clone()),
        results,
        rows: Mutex::new(BTreeMap::new()),
        state: Mutex::new(State {
            pull,
            reserved: result_bytes,
            held: 0,
            running: 0,
            done: 0,
            peak: 0,
            spilled: 0,
            error: None,
        }),
        changed: Condvar::new(),
        held_room: room.saturating_sub(largest * settings.threads.max(1) as u64).max(room.saturating_sub(largest) / 4),
    });
    settings.events.on(&Event::Started { tasks, memory_limit: plan.memory_limit });
    work(&run);
    let took = started.elapsed();
    settings.events.on(&Event::Finished { took });
    let run = Arc::into_inner(run).ok_or_else(|| Error::internal("a worker outlived its run"))?;
    run.report(took)
}

/// Memory for the results, refused where they alone exceed the limit.
fn result_arrays(plan: &Plan) -> Result<BTreeMap<usize, SharedArray>> {
    let mut arrays = BTreeMap::new();
    let mut need = 0;
    for stage in &plan.stages {
        for target in &stage.targets {
            let Home::Result(n) = target.home else { continue };
            let dtype = plan.nodes[target.node.index()].meta.dtype;
            need += Buffer::footprint(target.region.size() * dtype.size());
            if need > plan.memory_limit {
                return Err(too_large(need, plan.memory_limit));
            }
            let tiles = target.region.shape.iter().zip(&stage.tiles.axes);
            let axes = tiles.map(|(&n, cuts)| if cuts.n_chunks() > 1 { cuts.clone() } else { AxisCuts::even(n, 0) });
            arrays.insert(n, SharedArray::new(dtype, ChunkGrid { axes: axes.collect() })?);
        }
    }
    Ok(arrays)
}

/// Bytes for the accounts of all held chunks.
fn slot_bytes(plan: &Plan) -> u64 {
    let chunks = plan.stages.iter().flat_map(|s| &s.targets).map(|target| match &target.home {
        Home::Held(grid) => grid.n_chunks() as u64,
        _ => 0,
    });
    chunks.sum::<u64>() * SLOT_BYTES
}

fn too_large(need: u64, have: u64) -> Error {
    Error::new(
        ErrorClass::OverBudget { need, have },
        format!(
            "the result of {} does not fit the memory limit of {}; write it to a store, or ask for a slice",
            format_bytes(need),
            format_bytes(have)
        ),
    )
}

/// Works with this thread and some of the crew, until all are done.
fn work(run: &Arc<Run>) {
    let done = Arc::new((Mutex::new(0), Condvar::new()));
    let mut helpers = 0;
    for _ in 1..run.n_workers() {
        let (run, done) = (run.clone(), Done(done.clone()));
        // With fewer threads than asked for, the run is slower but right.
        helpers += usize::from(crew::start(move || {
            let _done = done;
            worker::work(&run);
            // Gone before the others hear that this worker is done.
            drop(run);
        }));
    }
    worker::work(run);
    let mut count = done.0.lock();
    while *count < helpers {
        done.1.wait(&mut count);
    }
}

/// Counts a worker as done when it is dropped, also by a panic.
struct Done(Arc<(Mutex<usize>, Condvar)>);

impl Drop for Done {
    fn drop(&mut self) {
        *self.0.0.lock() += 1;
        self.0.1.notify_all();
    }
}

impl Run {
    /// As many threads as may compute, and more where some will wait for the network; never more than tasks.
    fn n_workers(&self) -> usize {
        let threads = self.settings.threads.max(1);
        let remote =
            self.plan.nodes.iter().any(|n| matches!(&n.what, What::Source(s) if s.latency() == Latency::Remote))
                || self
                    .plan
                    .stages
                    .iter()
                    .flat_map(|s| &s.targets)
                    .any(|t| matches!(&t.home, Home::Store { store, .. } if store.latency() == Latency::Remote));
        let widest = self.plan.stages.iter().map(|s| s.tiles.n_chunks()).max().unwrap_or(1).max(1);
        (threads + if remote { WAITING_THREADS } else { 0 }).min(widest)
    }

    fn report(self, took: Duration) -> Result<Report> {
        let state = self.state.into_inner();
        // Between runs, little is kept: other programs want the memory.
        share_out(self.plan.memory_limit.min(KEPT_BETWEEN_RUNS), live_bytes());
        if let Some(error) = state.error {
            return Err(error);
        }
        let results = self.results.into_values().map(SharedArray::into_chunk).collect::<Result<_>>()?;
        let rows = self.rows.into_inner();
        Ok(Report { results, rows, took, tasks: state.done, peak_reserved: state.peak, spilled: state.spilled })
    }
}

/// Shares out what is left of `limit` when `used` bytes are spoken for: to freed buffers, and to pages of mapped files.
fn share_out(limit: u64, used: u64) {
    let free = limit.saturating_sub(used);
    let pool = free.min(limit / 2);
    POOL.allow(pool);
    FILE_PAGES.allow((free - pool) / 2);
}
