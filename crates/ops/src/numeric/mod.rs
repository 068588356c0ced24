//! Loops: SIMD dispatch and number conversion. The only folder of this crate where `unsafe` is allowed.

pub mod convert;
pub mod correlate;
pub mod fft;
pub mod gaussian;
pub mod gemm;
pub mod simd;
