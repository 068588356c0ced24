//! `rad2deg`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "rad2deg"("x"), cost 0.3,
    "Radians as degrees.",
    "Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are \
     computed in float32. Complex numbers are refused.",
    samples: || map::samples(1, &map::REALS, -7.0, 7.0),
    signature: rules::floats,
    kernel: |ins| unary_kernel!(ins, float T |x| x * (180.0 as T / std::f64::consts::PI as T)),
}
