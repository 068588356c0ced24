//! Moving, turning, scaling and bending images: values between the elements, by splines.
//!
//! An image becomes coefficients (`spline_filter`), of which `spline_sample` and `map_sample` take weighted sums at the places that each
//! element of the result comes from.

use voxmill_plan::OpDef;

pub mod affine_transform;
pub mod map_coordinates;
pub mod map_sample;
pub mod rotate;
pub mod shift;
pub mod spline_filter;
pub mod spline_filter1d;
pub mod spline_image;
pub mod spline_sample;
pub mod zoom;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &affine_transform::DEF,
    &map_coordinates::DEF,
    &rotate::DEF,
    &shift::DEF,
    &spline_filter::DEF,
    &spline_filter1d::DEF,
    &zoom::DEF,
    &map_sample::DEF,
    &spline_sample::DEF,
];
