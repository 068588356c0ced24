//! Filters that look at neighbours: scipy.ndimage.
//!
//! What lies beyond the border is in `family/neighborhood.rs`, filters along one axis share `line.rs`, the loops are in `numeric/`.

use voxmill_plan::OpDef;

pub mod canny;
pub mod convolve;
pub mod convolve1d;
pub mod correlate;
pub mod correlate1d;
pub mod correlate_blocks;
pub mod derivative;
pub mod edge_filter;
pub mod footprint;
pub mod gaussian_filter;
pub mod gaussian_filter1d;
pub mod gaussian_gradient_magnitude;
pub mod gaussian_laplace;
pub mod laplace;
pub mod line;
pub mod maximum_filter;
pub mod maximum_filter1d;
pub mod median_filter;
pub mod minimum_filter;
pub mod minimum_filter1d;
pub mod percentile_filter;
pub mod prewitt;
pub mod rank_filter;
pub mod sliding;
pub mod sobel;
pub mod thin_edges;
pub mod uniform_filter;
pub mod uniform_filter1d;
pub mod window_filter;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &correlate1d::DEF,
    &convolve1d::DEF,
    &gaussian_filter1d::DEF,
    &gaussian_filter::DEF,
    &sobel::DEF,
    &prewitt::DEF,
    &laplace::DEF,
    &gaussian_laplace::DEF,
    &gaussian_gradient_magnitude::DEF,
    &edge_filter::DEF,
    &canny::DEF,
    &thin_edges::DEF,
    &uniform_filter1d::DEF.op,
    &uniform_filter::DEF,
    &minimum_filter1d::DEF.op,
    &maximum_filter1d::DEF.op,
    &minimum_filter::DEF,
    &maximum_filter::DEF,
    &rank_filter::DEF,
    &median_filter::DEF,
    &percentile_filter::DEF,
    &correlate::DEF,
    &correlate_blocks::DEF,
    &convolve::DEF,
];
