//! The engine as a whole: plans, tasks and threads over the op table.

mod conformance;
mod grid_store;
mod smoke;
