//! `log1p`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;
use voxmill_core::DType;

ufunc! {
    "log1p"("x"), cost 8.0,
    "log(1 + x), exact also near zero.",
    "-1 gives -inf; real numbers below -1 give NaN. For complex numbers it is the logarithm of the sum, as in \
     NumPy. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half \
     floats are computed in float32. Complex numbers are computed in double precision with the special values of \
     C99.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.ln_1p(), wide |x| complex::log1p(x)),
}
