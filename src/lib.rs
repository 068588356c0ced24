//! Voxmill: lazy arrays larger than memory.
//!
//! This crate is the front door for Rust: it re-exports the parts and wires op table, stores and executor together. Start with
//! [`Session`]: it opens arrays, plans and runs them.
//!
//! The path of a request: [`Array`] (expression) -> graph -> stages and tiles ([`plan`](voxmill_plan::plan)) -> tasks
//! ([`exec`]) -> kernels ([`ops`]) -> stores ([`store`]).

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeExamples;

mod output;
mod session;
mod table;

pub use output::{Output, begin_output, job_name, unique};
pub use session::{Limits, Session};
pub use table::TABLE;
pub use voxmill_core as core;
pub use voxmill_core::{ArrayMeta, Chunk, ChunkGrid, DType, Error, ErrorClass, Idx, Region, Result, Scalar};
pub use voxmill_exec as exec;
pub use voxmill_imaging as imaging;
pub use voxmill_ops as ops;
pub use voxmill_plan as plan;
pub use voxmill_plan::{Array, Sink, Value, json};
pub use voxmill_store as store;
