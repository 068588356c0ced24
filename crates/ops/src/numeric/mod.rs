//! Loops: SIMD dispatch, number conversion, and the functions of one number that ops apply. The only folder of this crate where
//! `unsafe` is allowed.

pub mod bits;
pub mod complex;
pub mod convert;
pub mod correlate;
pub mod distance;
pub mod fft;
pub mod fold;
pub mod gaussian;
pub mod gemm;
pub mod halves;
pub mod integer;
pub mod lines;
pub mod order;
pub mod rank;
pub mod real;
pub mod simd;
pub mod single;
pub mod sliding;
pub mod states;
pub mod stencil;
