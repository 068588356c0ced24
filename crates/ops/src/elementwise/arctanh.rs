//! `arctanh`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;
use crate::numeric::real::Real;

ufunc! {
    "arctanh"("x"), cost 12.0,
    "Inverse hyperbolic tangent of every element.",
    "1 and -1 give infinity; real numbers beyond give NaN. Integers and booleans become floats: float16 up to 8 \
     bits, float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in \
     double precision with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, -0.9, 0.9),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.arctanh(), wide |x| complex::arctanh(x)),
}
