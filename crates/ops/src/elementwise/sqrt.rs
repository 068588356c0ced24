//! `sqrt`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "sqrt"("x"), cost 1.0,
    "Square root of every element.",
    "Negative real numbers give NaN; complex ones are cut along the negative real axis. Integers and booleans \
     become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are computed in float32. \
     Complex numbers are computed in double precision with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.sqrt(), wide |x| complex::sqrt(x)),
}
