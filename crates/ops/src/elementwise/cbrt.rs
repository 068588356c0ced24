//! `cbrt`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "cbrt"("x"), cost 10.0,
    "Cube root of every element.",
    "Negative numbers have negative roots. Integers and booleans become floats: float16 up to 8 bits, float32 up \
     to 16, else float64. Half floats are computed in float32. Complex numbers are refused.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::floats,
    kernel: |ins| unary_kernel!(ins, float T |x| x.cbrt()),
}
