//! Loops: SIMD dispatch, number conversion, and the functions of one number that ops apply. The only folder of this crate where
//! `unsafe` is allowed.

pub mod complex;
pub mod convert;
pub mod fft;
pub mod fold;
pub mod gemm;
pub mod halves;
pub mod integer;
pub mod order;
pub mod real;
pub mod simd;
pub mod single;
pub mod states;
