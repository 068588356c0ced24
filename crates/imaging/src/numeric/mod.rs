//! Loops over boxes of images. The only folder of this crate where `unsafe` is allowed.

pub mod bits;
pub mod components;
pub mod contacts;
pub mod correlate;
pub mod distance;
pub mod eigen;
pub mod fill;
pub mod gaussian;
pub mod hull;
pub mod lines;
pub mod outlines;
pub mod rank;
pub mod regions;
pub mod sliding;
pub mod stencil;
pub mod thresholds;
