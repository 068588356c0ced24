//! The same elements in another shape or order.

use voxmill_plan::OpDef;

pub mod transpose;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[&transpose::DEF];
