//! Loops over boxes of images. The only folder of this crate where `unsafe` is allowed.

pub mod alike;
pub mod bits;
pub mod clahe;
pub mod classes;
pub mod components;
pub mod correlate;
pub mod curve;
pub mod distance;
pub mod edges;
pub mod eigen;
pub mod gaussian;
pub mod lines;
pub mod patches;
pub mod rank;
pub mod regions;
pub mod rolling;
pub mod rolling_sum;
pub mod sliding;
pub mod spectra;
pub mod stencil;
pub mod thresholds;
pub mod variation;
