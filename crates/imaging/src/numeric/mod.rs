//! Loops over boxes of images. The only folder of this crate where `unsafe` is allowed.

pub mod area;
pub mod basins;
pub mod bits;
pub mod components;
pub mod correlate;
pub mod distance;
pub mod eigen;
pub mod flood;
pub mod gaussian;
pub mod lines;
pub mod nearest;
pub mod rank;
pub mod reconstruct;
pub mod regions;
pub mod skeleton;
pub mod sliding;
pub mod stencil;
pub mod steps;
pub mod thresholds;
pub mod uneven;
