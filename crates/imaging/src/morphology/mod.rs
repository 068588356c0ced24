//! Shapes of objects: erosion and dilation, and what is made of them.

use voxmill_plan::OpDef;

pub mod binary_closing;
pub mod binary_dilation;
pub mod binary_erosion;
pub mod binary_hit_or_miss;
pub mod binary_opening;
pub mod black_tophat;
pub mod distance_transform_cdt;
pub mod distance_transform_edt;
pub mod distance_transform_indices;
pub mod edt_axis;
pub mod erode_once;
pub mod grey;
pub mod grey_closing;
pub mod grey_dilation;
pub mod grey_erosion;
pub mod grey_opening;
pub mod grey_window;
pub mod keep_marked;
pub mod keep_unmarked;
pub mod local_maxima;
pub mod morphological_gradient;
pub mod morphological_laplace;
pub mod nearest_axis;
pub mod remove_small_objects;
pub mod repeated;
pub mod skeleton_block;
pub mod steps_axis;
pub mod thin_once;
pub mod white_tophat;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &binary_erosion::DEF,
    &binary_dilation::DEF,
    &binary_opening::DEF,
    &binary_closing::DEF,
    &distance_transform_edt::DEF,
    &keep_marked::DEF,
    &remove_small_objects::DEF,
    &grey_erosion::DEF,
    &grey_dilation::DEF,
    &grey_opening::DEF,
    &grey_closing::DEF,
    &white_tophat::DEF,
    &black_tophat::DEF,
    &morphological_gradient::DEF,
    &morphological_laplace::DEF,
    &binary_hit_or_miss::DEF,
    &distance_transform_indices::DEF,
    &distance_transform_cdt::DEF,
    &keep_unmarked::DEF,
    &local_maxima::DEF,
    &grey_window::DEF,
    &nearest_axis::DEF,
    &steps_axis::DEF,
    &thin_once::DEF,
    &skeleton_block::DEF,
    &erode_once::DEF,
    &edt_axis::DEF,
];
