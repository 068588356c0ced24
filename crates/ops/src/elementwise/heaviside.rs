//! `heaviside`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::real::Real;

ufunc! {
    "heaviside"("x1", "x2"), cost 0.5,
    "Step function: 0 below zero, 1 above, and the second array at zero.",
    "NaN in the first array stays NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to \
     16, else float64. Half floats are computed in float32. Complex numbers are refused.",
    samples: || map::samples(2, &map::REALS, -10.0, 10.0),
    signature: rules::floats,
    kernel: |ins| binary_kernel!(ins, float T |a, b| a.heaviside(b)),
}
