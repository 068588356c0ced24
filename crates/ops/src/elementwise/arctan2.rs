//! `arctan2`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "arctan2"("x1", "x2"), cost 15.0,
    "Angle of the point (x2, x1), in radians from -pi to pi.",
    "The quadrant follows from both signs, also of zeros. Integers and booleans become floats: float16 up to 8 \
     bits, float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are refused.",
    samples: || map::samples(2, &map::REALS, -10.0, 10.0),
    signature: rules::floats,
    kernel: |ins| binary_kernel!(ins, float T |a, b| a.atan2(b)),
}
