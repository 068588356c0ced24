//! Distances between samples: rows of a matrix, whose columns are features.
//!
//! `distance_part` adds up what blocks of features give for pairs of rows, `contract_join` adds the blocks, and element-wise ops make
//! the metric of the sums. Pairs of one set are computed once, above the diagonal: `mirror` and `condense` read them from there.

use voxmill_plan::OpDef;

pub mod cdist;
pub mod condense;
pub mod distance_part;
pub mod metric;
pub mod mirror;
pub mod pairwise_distance;
pub mod pdist;
pub mod squareform;
mod sums;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &cdist::DEF,
    &pdist::DEF,
    &pairwise_distance::DEF,
    &squareform::DEF,
    &condense::DEF,
    &mirror::DEF,
    &distance_part::DEF,
];
