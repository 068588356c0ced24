//! What the command line needs of the engine: open, create, run, describe. Everything else it does itself.
//!
//! `local.rs` holds the implementation; it is the only file that knows executors and stores.

use std::path::Path;
use std::sync::Arc;

use voxmill::core::{ArrayMeta, Chunk, Result, Store};
use voxmill::exec::Journal;
use voxmill::plan::text::{Opener, OutputOptions};
use voxmill::plan::{Array, Plan, Sink};

use voxmill::store::Node;

/// The engine behind the commands.
pub trait Engine: Opener {
    /// Creates the array in which a result of `job` is stored, or goes on with what an earlier run of it left. What else exists is
    /// replaced only with `options.overwrite`.
    fn create(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions, job: &str) -> Result<voxmill::Output>;

    /// What [`Engine::create`] would make, to plan with, without touching anything: for `--explain` and `--dry-run`.
    fn draft(&self, location: &str, meta: &ArrayMeta, options: &OutputOptions) -> Result<Arc<dyn Store>>;

    /// Runs a plan and reports to `watch`, which may also stop it.
    fn run(&self, job: &Job<'_>, watch: &dyn Watch) -> Result<Outcome>;

    /// The array or tree of groups and arrays at a location.
    fn describe(&self, location: &str) -> Result<Node>;
}

/// A plan to run, with what it was made from.
pub struct Job<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The results and where they go, in the order of the plan's outputs.
    pub outputs: &'a [(Array, Sink)],
    /// What earlier runs wrote already.
    pub journals: Vec<Arc<Journal>>,
    /// Tasks that run at the same time.
    pub threads: usize,
    /// Folder for what does not fit memory, and the bytes that may lie there; `None` for the defaults.
    pub scratch: (Option<&'a Path>, Option<u64>),
}

/// Sees a run as it goes. Called from any thread.
pub trait Watch: Sync {
    /// Something was finished.
    fn progress(&self, now: &Progress);

    /// True once the user wants to stop. Asked between tasks.
    fn cancelled(&self) -> bool;
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Finished tasks.
    pub tasks_done: u64,
    /// All tasks.
    pub tasks: u64,
    /// Bytes of results that are finished.
    pub bytes_done: u64,
    /// Bytes of all results.
    pub bytes: u64,
    /// Bytes in use.
    pub memory: u64,
}

/// What a run gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One entry per output: the result, or `None` where it went into a store.
    pub results: Vec<Option<Chunk>>,
    /// Tasks that ran; those that were finished by an earlier run are left out.
    pub tasks: u64,
    /// Bytes that were read from stores.
    pub read_bytes: u64,
    /// Bytes that were written to stores.
    pub written_bytes: u64,
    /// Most bytes in use at a time.
    pub peak_bytes: u64,
}
