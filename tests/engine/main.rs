//! The engine as a whole: plans, tasks and threads over the op table.
#![allow(clippy::unwrap_used, clippy::panic)]

mod conformance;
mod grid_store;
mod kernels;
mod smoke;
