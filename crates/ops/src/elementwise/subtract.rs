//! `subtract`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "subtract"("x1", "x2"), cost 0.3,
    "Subtracts two arrays element by element.",
    "Integers wrap around, as in NumPy. Booleans are refused: use logical_xor.",
    samples: || map::samples(2, &map::NUMBERS, 0.0, 100.0),
    signature: rules::numbers,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.wrapping_sub(b), float T |a, b| a - b, complex T |a, b| a - b),
}
