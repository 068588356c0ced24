//! `minimum`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;
use crate::numeric::real::Real;

ufunc! {
    "minimum"("x1", "x2"), cost 0.3,
    "The smaller of two elements.",
    "A NaN in either array gives NaN. Of two zeros with different signs the first is taken. Complex numbers \
     compare by the real part, then by the imaginary part.",
    samples: || map::samples(2, &DType::ALL, 0.0, 100.0),
    signature: rules::same,
    kernel: |ins| binary_kernel!(ins, bool |a, b| a & b, int T |a, b| a.min(b), float T |a, b| a.minimum_of(b), complex T |a, b| a.minimum_of(b)),
}
