//! `left_shift`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;

ufunc! {
    "left_shift"("x1", "x2"), cost 0.4,
    "Shifts bits to the left.",
    "Counts below zero or beyond the width give 0. Booleans count as int8; signed and unsigned 64-bit integers \
     have no common type and are refused.",
    samples: || map::samples(2, &map::EXACT, 0.0, 7.0),
    signature: rules::shifts,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.left_shift(b)),
}
