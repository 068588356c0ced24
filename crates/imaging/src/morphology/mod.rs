//! Shapes of objects: erosion and dilation, and what is made of them.

use voxmill_plan::OpDef;

pub mod binary_closing;
pub mod binary_dilation;
pub mod binary_erosion;
pub mod binary_opening;
pub mod distance_transform_edt;
pub mod edt_axis;
pub mod erode_once;
pub mod keep_marked;
pub mod remove_small_objects;
pub mod repeated;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &binary_erosion::DEF,
    &binary_dilation::DEF,
    &binary_opening::DEF,
    &binary_closing::DEF,
    &distance_transform_edt::DEF,
    &keep_marked::DEF,
    &remove_small_objects::DEF,
    &erode_once::DEF,
    &edt_axis::DEF,
];
