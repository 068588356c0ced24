//! Reductions: one mechanism for all of them.
//!
//! The array is cut into blocks along the reduced axes. A block becomes a state of a few 64-bit words (`reduce_part`); states are
//! joined in groups (`reduce_merge`) and at last turned into values (`reduce_finish`). Where one block covers all that a value is made
//! from, `reduce_direct` does everything at once. Blocks follow from shape and declared chunks alone, and every block is reduced in a
//! fixed order, so the bits of a result depend neither on tiles nor on threads.
//!
//! - [`kind`]: which reductions there are, and their dtypes; - [`kernel`]: the loops behind a kind and a dtype;
//! - [`quantile`], [`quantiles`], [`select`], [`scan`]: order statistics and cumulative sums;
//! - [`blocks`]: how long blocks are; - [`walk`]: which elements belong to which block; - [`gather`]: blocks whose elements are being made;
//! - [`reduction`]: the ops that users call.

pub mod blocks;
pub mod gather;
pub mod kernel;
pub mod kind;
pub mod quantile;
pub mod quantiles;
pub mod reduction;
pub mod scan;
pub mod select;
pub mod shapes;
pub mod walk;

pub use kind::Kind;
pub use reduction::{Reduction, ReductionDef};
