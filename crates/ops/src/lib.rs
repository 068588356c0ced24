//! All operations. One op is one file: parameters, checks, boxes, kernel, documentation and samples; plus one word in [`TABLE`].
//!
//! - `family/`: what whole groups of ops share (element-wise ops, reductions, neighbourhoods).
//! - `numeric/`: loops and SIMD dispatch; the only place for `unsafe`.
//! - the other folders are themes, as users know them: `elementwise`, `creation`, `shape`, `reduce`, `transform`, `linalg`. Images are in the crate `imaging`.
//!
//! Ops know nothing of threads, files or tiles: they answer [`Op::reads`](voxmill_plan::Op::reads) and run on boxes.

pub mod creation;
pub mod elementwise;
pub mod family;
pub mod linalg;
pub mod numeric;
pub mod reduce;
pub mod shape;
mod table;
pub mod transform;

pub use table::TABLE;
