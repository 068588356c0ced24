//! `fabs`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "fabs"("x"), cost 0.3,
    "Absolute value of every element, as a float.",
    "Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are \
     computed in float32. Complex numbers are refused: use absolute.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::floats,
    kernel: |ins| unary_kernel!(ins, float T |x| x.abs()),
}
