//! Loops: SIMD dispatch and number conversion. The only folder of this crate where `unsafe` is allowed.

pub mod convert;
pub mod fold;
pub mod order;
pub mod real;
pub mod simd;
pub mod states;
