//! `bitwise_and`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "bitwise_and"("x1", "x2"), cost 0.3,
    "Bitwise and of two arrays.",
    "For integers and booleans; signed and unsigned 64-bit integers have no common type and are refused.",
    samples: || map::samples(2, &map::EXACT, 0.0, 100.0),
    signature: rules::bits,
    kernel: |ins| binary_kernel!(ins, bool |a, b| a & b, int T |a, b| a & b),
}
