//! Moving, turning, scaling and bending images: values between the elements, by splines.

use voxmill_plan::OpDef;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[];
