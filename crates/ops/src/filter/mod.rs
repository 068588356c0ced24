//! Theme `filter`.

use voxmill_plan::OpDef;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[];
