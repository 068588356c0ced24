//! Brightness: thresholds.

use voxmill_plan::OpDef;

pub mod threshold;
pub mod threshold_isodata;
pub mod threshold_li;
pub mod threshold_minimum;
pub mod threshold_otsu;
pub mod threshold_triangle;
pub mod threshold_yen;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &threshold_otsu::DEF,
    &threshold_yen::DEF,
    &threshold_isodata::DEF,
    &threshold_triangle::DEF,
    &threshold_minimum::DEF,
    &threshold_li::DEF,
    &threshold::DEF,
];
