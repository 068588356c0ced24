//! Loops over boxes of images. The only folder of this crate where `unsafe` is allowed.

pub mod bits;
pub mod components;
pub mod contacts;
pub mod correlate;
pub mod distance;
pub mod eigen;
pub mod gaussian;
pub mod gram;
pub mod hull;
pub mod lines;
pub mod outlines;
pub mod pairs;
pub mod rank;
pub mod regions;
pub mod sliding;
pub mod spline;
pub mod stencil;
pub mod thresholds;
pub mod whole;
