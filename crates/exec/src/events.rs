//! What happens during a run, as it happens: the only source for progress, reports and dashboards.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use voxmill_plan::TaskId;

/// Something that happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// The run begins.
    Started {
        /// Number of tasks.
        tasks: u64,
        /// Bytes the run may use.
        memory_limit: u64,
    },
    /// A task got its memory and begins.
    TaskStarted {
        /// Which.
        task: TaskId,
        /// Bytes reserved for it.
        reserved: u64,
    },
    /// A task is done.
    TaskFinished {
        /// Which.
        task: TaskId,
        /// How long it ran.
        took: Duration,
        /// Bytes of source elements it read.
        bytes_read: u64,
        /// Bytes of result elements it made.
        bytes_written: u64,
        /// Bytes reserved and held in the whole run, now.
        memory: u64,
    },
    /// Held chunks went to scratch.
    Spilled {
        /// Their bytes.
        bytes: u64,
    },
    /// A read or write failed and is tried again.
    Retried {
        /// What was tried.
        what: String,
        /// Which attempt comes next.
        attempt: u32,
    },
    /// The run is over.
    Finished {
        /// How long it took.
        took: Duration,
    },
}

/// Somebody who wants to know. Called from worker threads: must be quick.
pub trait Events: Send + Sync {
    /// Takes note.
    fn on(&self, event: &Event);
}

/// Nobody wants to know.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Events for Silent {
    fn on(&self, _event: &Event) {}
}

/// Where a run stands.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Tasks in all.
    pub tasks: u64,
    /// Tasks done.
    pub done: u64,
    /// Bytes of source elements read.
    pub bytes_read: u64,
    /// Bytes of result elements made.
    pub bytes_written: u64,
    /// Bytes in use now.
    pub memory: u64,
    /// Bytes the run may use.
    pub memory_limit: u64,
    /// Bytes that went to scratch.
    pub spilled: u64,
    /// When the run began.
    pub since: Option<Instant>,
    /// True at the end.
    pub finished: bool,
}

/// Adds events up to where the run stands, for progress bars.
#[derive(Debug, Default)]
pub struct Progress {
    state: Mutex<Snapshot>,
}

impl Progress {
    /// Where the run stands now.
    pub fn snapshot(&self) -> Snapshot {
        self.state.lock().clone()
    }
}

impl Events for Progress {
    fn on(&self, event: &Event) {
        let mut state = self.state.lock();
        match event {
            Event::Started { tasks, memory_limit } => {
                *state = Snapshot {
                    tasks: *tasks,
                    memory_limit: *memory_limit,
                    since: Some(Instant::now()),
                    ..Snapshot::default()
                };
            }
            Event::TaskFinished { bytes_read, bytes_written, memory, .. } => {
                state.done += 1;
                state.bytes_read += bytes_read;
                state.bytes_written += bytes_written;
                state.memory = *memory;
            }
            Event::Spilled { bytes } => state.spilled += bytes,
            Event::Finished { .. } => state.finished = true,
            Event::TaskStarted { .. } | Event::Retried { .. } => {}
        }
    }
}
