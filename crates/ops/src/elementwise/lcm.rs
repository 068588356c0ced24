//! `lcm`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;

ufunc! {
    "lcm"("x1", "x2"), cost 25.0,
    "Least common multiple of two integers.",
    "Wraps around on overflow; 0 if one of them is 0. Integers only.",
    samples: || map::samples(2, &map::INTEGERS, 0.0, 10.0),
    signature: rules::integers,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.lcm(b)),
}
