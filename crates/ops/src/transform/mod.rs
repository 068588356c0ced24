//! Fourier transforms: NumPy's `fft` module.
//!
//! A transform along one axis needs whole lanes of its input, so any part of the transformed axis reads all of that axis; the
//! planner puts stages between the axes of an n-dimensional one. Start at `lane.rs`; the loops are in `numeric/fft.rs`.

use voxmill_plan::OpDef;

pub mod fft;
pub mod fft2;
pub mod fftfreq;
pub mod fftn;
pub mod fftshift;
pub mod frequency;
pub mod hfft;
pub mod ifft;
pub mod ifft2;
pub mod ifftn;
pub mod ifftshift;
pub mod ihfft;
pub mod irfft;
pub mod irfft2;
pub mod irfftn;
pub mod lane;
pub mod nd;
pub mod rfft;
pub mod rfft2;
pub mod rfftfreq;
pub mod rfftn;
pub mod shift;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &fft::DEF.op,
    &ifft::DEF.op,
    &rfft::DEF.op,
    &irfft::DEF.op,
    &hfft::DEF.op,
    &ihfft::DEF.op,
    &fft2::DEF.op,
    &ifft2::DEF.op,
    &fftn::DEF.op,
    &ifftn::DEF.op,
    &rfft2::DEF.op,
    &irfft2::DEF.op,
    &rfftn::DEF.op,
    &irfftn::DEF.op,
    &fftshift::DEF.op,
    &ifftshift::DEF.op,
    &fftfreq::DEF.op,
    &rfftfreq::DEF.op,
];
