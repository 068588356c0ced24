//! `hypot`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::real::Real;

ufunc! {
    "hypot"("x1", "x2"), cost 5.0,
    "Length of the hypotenuse: sqrt(x1**2 + x2**2) without overflow.",
    "Infinity wins over NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else \
     float64. Half floats are computed in float32. Complex numbers are refused.",
    samples: || map::samples(2, &map::REALS, -10.0, 10.0),
    signature: rules::floats,
    kernel: |ins| binary_kernel!(ins, float T |a, b| a.hypotenuse(b)),
}
