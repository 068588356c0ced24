//! `fmod`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;

ufunc! {
    "fmod"("x1", "x2"), cost 3.0,
    "Remainder of a division, with the sign of the dividend.",
    "As C's fmod. Integers: a zero divisor gives 0. Floats: a zero divisor gives NaN. Booleans count as int8; \
     complex numbers are refused.",
    samples: || map::samples(2, &map::REALS, 1.0, 100.0),
    signature: rules::real_bool_as_int8,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.fmod(b), float T |a, b| a % b),
}
