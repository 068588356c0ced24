//! `add`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "add"("x1", "x2"), cost 0.3,
    "Adds two arrays element by element.",
    "Integers wrap around, as in NumPy; for booleans it is a logical or.",
    samples: || map::samples(2, &DType::ALL, 0.0, 200.0),
    signature: rules::same,
    kernel: |ins| {
        binary_kernel!(ins, bool |a, b| a | b, int T |a, b| a.wrapping_add(b), float T |a, b| a + b,
            complex T |a, b| a + b)
    },
}
