//! Element-wise ops: NumPy's ufuncs.

use voxmill_plan::OpDef;

pub mod add;
pub mod astype;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[&add::DEF.op, &astype::DEF];
