//! `tan`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "tan"("x"), cost 8.0,
    "Tangent of angles in radians.",
    "Infinity gives NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else \
     float64. Half floats are computed in float32. Complex numbers are computed in double precision with the \
     special values of C99.",
    samples: || map::samples(1, &DType::ALL, -10.0, 10.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.tan(), wide |x| complex::tan(x)),
}
