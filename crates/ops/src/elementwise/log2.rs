//! `log2`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "log2"("x"), cost 6.0,
    "Logarithm to the base 2.",
    "0 gives -inf; negative real numbers give NaN. Integers and booleans become floats: float16 up to 8 bits, \
     float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double \
     precision with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, 0.5, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.log2(), wide |x| complex::log(x) * std::f64::consts::LOG2_E),
}
