//! Arrays from nothing: constants, ranges, random numbers.

use voxmill_plan::OpDef;

pub mod full;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[&full::DEF];
