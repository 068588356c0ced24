//! `gcd`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;

ufunc! {
    "gcd"("x1", "x2"), cost 20.0,
    "Greatest common divisor of two integers.",
    "Never negative, except that the smallest signed integer wraps to itself; gcd(0, 0) is 0. Integers only.",
    samples: || map::samples(2, &map::INTEGERS, 0.0, 100.0),
    signature: rules::integers,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.gcd(b)),
}
