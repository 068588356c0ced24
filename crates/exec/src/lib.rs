//! Runs plans: tasks on threads, in bounded memory.
//!
//! [`run_task`] runs one task, wherever it is called from. [`run`] is the local executor: it decides when each task runs and on
//! which thread, reserves its bytes first, keeps the chunks that later stages need (in memory, or on scratch), and reports every
//! task as an [`Event`]. Results depend on none of these decisions.
//!
//! What is deliberately absent: any op, any file format. This crate sees `dyn Op` and `dyn Store`.

mod cancel;
mod crew;
mod events;
mod fused;
mod gate;
mod held;
mod local;
mod resume;
mod retry;
mod run_task;
mod scratch;

pub use cancel::Cancel;
pub use events::{Event, Events, Progress, Silent, Snapshot};
pub use held::HeldChunks;
pub use local::{Report, Settings, run};
pub use resume::Journal;
pub use run_task::{Attached, TaskOutput, run_task};
pub use scratch::ScratchSettings;
