//! `log`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;
use crate::numeric::real::Real;

ufunc! {
    "log"("x"), cost 3.0,
    "Natural logarithm of every element.",
    "0 gives -inf; negative real numbers give NaN, complex ones are cut along the negative real axis. Integers \
     and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. float32 is within 2 units \
     in the last place; half floats are computed in float32. Complex numbers are computed in double precision \
     with the special values of C99.",
    samples: || map::samples(1, &DType::ALL, 0.5, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.logarithm(), wide |x| complex::log(x)),
}
