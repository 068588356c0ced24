//! From an expression to a plan: lazy arrays, the trait every op implements, the optimiser, and the planner.
//!
//! Reading order: [`Array`] (what users build), [`Op`] (what an operation must say of itself), [`graph`] (the same expression as
//! a list, shared parts once), [`lower`] (the list cut into stages and tiles), [`task`] (what one tile does, step by step).
//!
//! What is deliberately absent: threads, files, and the ops themselves. A [`Plan`] is a value: it can be printed with
//! [`explain`], and any process with the same op table and stores can run any of its tasks.

pub mod array;
pub mod explain;
pub mod graph;
pub mod lower;
pub mod op;
pub mod reference;
pub mod samples;
pub mod serial;
pub mod task;
pub mod text;

pub use array::{Array, What};
pub use lower::{PlanOptions, Sink, plan};
pub use op::{
    Form, Inputs, MapKernel, NoRows, Op, OpDef, OpTable, Param, Place, RowBook, Rows, Sample, SampleInput, Taker,
};
pub use task::{Home, NodeId, Plan, PlanNode, Stage, Target, TaskId};

pub use serde_json::{Value, json};
