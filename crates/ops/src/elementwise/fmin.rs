//! `fmin`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;
use crate::numeric::real::Real;

ufunc! {
    "fmin"("x1", "x2"), cost 0.3,
    "The smaller of two elements, ignoring NaN.",
    "NaN only where both are NaN. Of two zeros with different signs the first is taken. Complex numbers compare \
     by the real part, then by the imaginary part.",
    samples: || map::samples(2, &DType::ALL, 0.0, 100.0),
    signature: rules::same,
    kernel: |ins| binary_kernel!(ins, bool |a, b| a & b, int T |a, b| a.min(b), float T |a, b| a.fmin(b), complex T |a, b| a.fmin(b)),
}
