//! `tanh`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "tanh"("x"), cost 10.0,
    "Hyperbolic tangent of every element.",
    "Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are \
     computed in float32. Complex numbers are computed in double precision with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, -5.0, 5.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.tanh(), wide |x| complex::tanh(x)),
}
