//! Filters that look at neighbours: scipy.ndimage.
//!
//! What lies beyond the border is in `family/neighborhood.rs`, filters along one axis share `line.rs`, the loops are in `numeric/`.

use voxmill_plan::OpDef;

pub mod convolve1d;
pub mod correlate1d;
pub mod gaussian_filter;
pub mod gaussian_filter1d;
pub mod line;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[&correlate1d::DEF, &convolve1d::DEF, &gaussian_filter1d::DEF, &gaussian_filter::DEF];
