//! `log`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "log"("x"), cost 6.0,
    "Natural logarithm of every element.",
    "0 gives -inf; negative real numbers give NaN, complex ones are cut along the negative real axis. Integers \
     and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are computed \
     in float32. Complex numbers are computed in double precision with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, 0.5, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.ln(), wide |x| complex::log(x)),
}
