//! Runs plans for Python: without the interpreter's lock, with progress, and stopped by Ctrl-C.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use voxmill::core::{ChunkGrid, machine_memory, parse_bytes};
use voxmill::exec::{self, Cancel, Journal, Report, ScratchSettings};
use voxmill::plan::{Plan, Sink};
use voxmill::store::MemoryStore;
use voxmill::{Array, Session};

use crate::error::to_python;
use crate::expr::Expr;
use crate::memory::Memory;

/// How much of the machine a run may use, and who watches.
#[pyclass(module = "voxmill._native", frozen)]
pub struct Limits {
    threads: usize,
    memory: u64,
    scratch: ScratchSettings,
    /// Called with a dict now and then.
    watch: Option<Py<PyAny>>,
    /// For tests: cut the work in a way that follows from this number.
    random_tiles: Option<u64>,
}

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (threads=None, memory_limit=None, scratch=None, scratch_limit=None, watch=None, random_tiles=None))]
    fn new(
        threads: Option<usize>,
        memory_limit: Option<&str>,
        scratch: Option<PathBuf>,
        scratch_limit: Option<&str>,
        watch: Option<Py<PyAny>>,
        random_tiles: Option<u64>,
    ) -> PyResult<Limits> {
        let bytes = |text: &str| parse_bytes(text).map_err(to_python);
        let usual = ScratchSettings::default();
        Ok(Limits {
            threads: threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
            memory: memory_limit.map_or_else(|| Ok(machine_memory() / 10 * 6), bytes)?,
            scratch: ScratchSettings {
                folder: scratch.unwrap_or(usual.folder),
                quota: scratch_limit.map_or(Ok(usual.quota), bytes)?,
            },
            watch,
            random_tiles,
        })
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// Bytes of memory.
    #[getter]
    fn memory_limit(&self) -> u64 {
        self.memory
    }
}

impl Limits {
    /// A session under these limits.
    pub fn session(&self) -> Session {
        let mut session = Session::new(voxmill::Limits { memory: self.memory, threads: self.threads });
        session.scratch = self.scratch.clone();
        session.random_tiles = self.random_tiles;
        session
    }
}

/// Runs that are over before anybody could want to stop them stay on the thread that asks.
fn is_quick(plan: &Plan) -> bool {
    const BYTES: u64 = 4 << 20;
    plan.n_tasks() <= 4 && plan.stages.iter().map(|stage| stage.peak).sum::<u64>() <= BYTES
}

/// How long an interrupted run may take to end before the user's thread goes on without it.
const PATIENCE: Duration = Duration::from_millis(700);

/// Runs a plan.
pub fn run(py: Python<'_>, limits: &Limits, plan: &Plan, journals: Vec<Arc<Journal>>) -> PyResult<Report> {
    let mut session = limits.session();
    session.journals = journals;
    if is_quick(plan) {
        return py.detach(|| session.run(plan)).map_err(to_python);
    }
    let progress = Arc::new(exec::Progress::default());
    session.events = progress.clone();
    session.cancel = Cancel::default();
    let cancel = session.cancel.clone();
    let (send, receive) = channel();
    let plan = plan.clone();
    // A thread of its own, which nobody waits for after an interrupt: a function of the user's may go on for as long as it likes.
    std::thread::spawn(move || {
        let outcome = session.run(&plan);
        drop(plan);
        // The receiver may be gone.
        let _ = send.send(outcome);
    });
    let watched = progress.clone();
    let (interrupted, outcome) = py.detach(move || wait(&receive, limits, &watched, &cancel));
    if let Some(watch) = &limits.watch {
        tell(py, watch, &progress)?;
    }
    match (interrupted, outcome) {
        (Some(stop), _) => Err(stop),
        (None, Some(outcome)) => outcome.map_err(to_python),
        (None, None) => Err(pyo3::exceptions::PyRuntimeError::new_err("a run ended without a result")),
    }
}

/// Waits for the end of a run, or for a wish to stop it; both may come.
fn wait(
    outcomes: &Receiver<voxmill::Result<Report>>,
    limits: &Limits,
    progress: &exec::Progress,
    cancel: &Cancel,
) -> (Option<PyErr>, Option<voxmill::Result<Report>>) {
    let mut interrupted: Option<(PyErr, Instant)> = None;
    let outcome = loop {
        match outcomes.recv_timeout(Duration::from_millis(50)) {
            Ok(outcome) => break Some(outcome),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => match &interrupted {
                Some((_, since)) if since.elapsed() > PATIENCE => break None,
                Some(_) => {}
                None => {
                    if let Err(stop) = Python::attach(|py| look(py, limits, progress)) {
                        cancel.raise();
                        interrupted = Some((stop, Instant::now()));
                    }
                }
            },
        }
    };
    (interrupted.map(|(stop, _)| stop), outcome)
}

/// What is done twenty times a second: an exception here stops the run.
fn look(py: Python<'_>, limits: &Limits, progress: &exec::Progress) -> PyResult<()> {
    py.check_signals()?;
    limits.watch.as_ref().map_or(Ok(()), |watch| tell(py, watch, progress))
}

fn tell(py: Python<'_>, watch: &Py<PyAny>, progress: &exec::Progress) -> PyResult<()> {
    let now = progress.snapshot();
    let dict = PyDict::new(py);
    dict.set_item("tasks", now.tasks)?;
    dict.set_item("done", now.done)?;
    dict.set_item("bytes_read", now.bytes_read)?;
    dict.set_item("bytes_written", now.bytes_written)?;
    dict.set_item("memory", now.memory)?;
    dict.set_item("memory_limit", now.memory_limit)?;
    dict.set_item("finished", now.finished)?;
    watch.call1(py, (dict,)).map(drop)
}

/// Arrays as results in memory.
pub fn results(arrays: &[Array]) -> Vec<(Array, Sink)> {
    arrays.iter().map(|array| (array.clone(), Sink::Result)).collect()
}

/// Plans, without the lock: long expressions take their time.
pub fn plan(py: Python<'_>, limits: &Limits, outputs: &[(Array, Sink)]) -> PyResult<Plan> {
    py.detach(|| limits.session().plan(outputs)).map_err(to_python)
}

/// What the expressions stand for.
pub fn arrays_of(exprs: &[PyRef<'_, Expr>]) -> Vec<Array> {
    exprs.iter().map(|expr| expr.0.clone()).collect()
}

/// Computes arrays into memory, sharing common work.
#[pyfunction]
pub fn compute(py: Python<'_>, exprs: Vec<PyRef<'_, Expr>>, limits: &Limits) -> PyResult<Vec<Memory>> {
    let plan = plan(py, limits, &results(&arrays_of(&exprs)))?;
    let report = run(py, limits, &plan, Vec::new())?;
    report.results.into_iter().map(|chunk| Memory::new(chunk).map_err(to_python)).collect()
}

/// Computes arrays and keeps them in memory as sources of further work.
#[pyfunction]
pub fn persist(py: Python<'_>, exprs: Vec<PyRef<'_, Expr>>, limits: &Limits) -> PyResult<Vec<Expr>> {
    let arrays = arrays_of(&exprs);
    let plan = plan(py, limits, &results(&arrays))?;
    let report = run(py, limits, &plan, Vec::new())?;
    let grids = arrays.iter().map(|array| array.meta().grid.clone());
    let keep = |(chunk, grid): (_, ChunkGrid)| Expr(Array::from_store(MemoryStore::with_grid(chunk, grid)));
    Ok(report.results.into_iter().zip(grids).map(keep).collect())
}

/// The plan in words.
#[pyfunction]
pub fn explain(py: Python<'_>, exprs: Vec<PyRef<'_, Expr>>, limits: &Limits) -> PyResult<String> {
    let plan = plan(py, limits, &results(&arrays_of(&exprs)))?;
    Ok(voxmill::plan::explain::explain(&plan))
}

/// Number of tasks of each stage of the plan.
#[pyfunction]
pub fn plan_stages(py: Python<'_>, exprs: Vec<PyRef<'_, Expr>>, limits: &Limits) -> PyResult<Vec<usize>> {
    let plan = plan(py, limits, &results(&arrays_of(&exprs)))?;
    Ok(plan.stages.iter().map(|stage| stage.tiles.n_chunks()).collect())
}
