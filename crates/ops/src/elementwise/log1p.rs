//! `log1p`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "log1p"("x"), cost 8.0,
    "log(1 + x), exact also near zero.",
    "-1 gives -inf; real numbers below -1 give NaN. Integers and booleans become floats: float16 up to 8 bits, \
     float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double \
     precision with the special values of C99; near zero they are more exact than NumPy's.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::inexact,
    kernel: |ins| unary_kernel!(ins, float T |x| x.ln_1p(), wide |x| complex::log1p(x)),
}
