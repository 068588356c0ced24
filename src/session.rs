//! One place that knows all parts: opens, plans and runs.

use std::sync::Arc;

use crate::TABLE;
use voxmill_core::{Chunk, Error, Result, machine_memory, parse_bytes};
use voxmill_exec::{Cancel, Events, Journal, Report, ScratchSettings, Settings, Silent};
use voxmill_plan::{Array, Plan, PlanOptions, Sink, Value};

/// How much of the machine a run may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes for all work together.
    pub memory: u64,
    /// Tasks that compute at the same time.
    pub threads: usize,
}

impl Limits {
    /// What the environment says (`VOXMILL_MEMORY_LIMIT`, `VOXMILL_THREADS`), else 60 % of the memory this process may use and
    /// all of its cores.
    pub fn from_env() -> Result<Limits> {
        let memory = match std::env::var("VOXMILL_MEMORY_LIMIT") {
            Ok(text) => parse_bytes(&text).map_err(|e| e.at("VOXMILL_MEMORY_LIMIT"))?,
            Err(_) => machine_memory() / 10 * 6,
        };
        let threads = match std::env::var("VOXMILL_THREADS") {
            Ok(text) => match text.trim().parse() {
                Ok(n) if n > 0 => n,
                _ => return Err(Error::invalid(format!("VOXMILL_THREADS is '{text}', not a number of threads"))),
            },
            Err(_) => std::thread::available_parallelism().map_or(1, usize::from),
        };
        Ok(Limits { memory, threads })
    }
}

/// Runs expressions under limits.
#[derive(Clone)]
pub struct Session {
    /// Memory and threads.
    pub limits: Limits,
    /// Where intermediate results go that do not fit memory.
    pub scratch: ScratchSettings,
    /// Raise it to stop whatever runs.
    pub cancel: Cancel,
    /// Who is told what happens.
    pub events: Arc<dyn Events>,
    /// What earlier runs of the same job wrote already.
    pub journals: Vec<Arc<Journal>>,
    /// For tests: tiles that follow from this number instead of chosen ones.
    pub random_tiles: Option<u64>,
}

impl Session {
    /// A session with the limits of the environment.
    pub fn from_env() -> Result<Session> {
        Ok(Session::new(Limits::from_env()?))
    }

    /// A session with these limits.
    pub fn new(limits: Limits) -> Session {
        Session {
            limits,
            scratch: ScratchSettings::default(),
            cancel: Cancel::default(),
            events: Arc::new(Silent),
            journals: Vec::new(),
            random_tiles: None,
        }
    }

    /// Calls an op by name: `session.call("gaussian_filter", &[&x], json!({"sigma": 2}))`.
    pub fn call(&self, name: &str, ins: &[&Array], params: Value) -> Result<Array> {
        Array::from_op(TABLE.build(name, &params)?, ins.iter().map(|a| (*a).clone()).collect())
    }

    /// Plans the computation of some arrays.
    pub fn plan(&self, outputs: &[(Array, Sink)]) -> Result<Plan> {
        let options = PlanOptions {
            memory_limit: self.limits.memory,
            threads: self.limits.threads,
            random_tiles: self.random_tiles,
        };
        voxmill_plan::plan(outputs, &options)
    }

    /// Runs a plan.
    pub fn run(&self, plan: &Plan) -> Result<Report> {
        let settings = Settings {
            threads: self.limits.threads,
            scratch: self.scratch.clone(),
            cancel: self.cancel.clone(),
            events: self.events.clone(),
            journals: self.journals.clone(),
        };
        voxmill_exec::run(plan, &settings)
    }

    /// Computes some arrays into memory, sharing common work.
    pub fn compute(&self, arrays: &[&Array]) -> Result<Vec<Chunk>> {
        let outputs: Vec<(Array, Sink)> = arrays.iter().map(|a| ((*a).clone(), Sink::Result)).collect();
        Ok(self.run(&self.plan(&outputs)?)?.results)
    }
}
