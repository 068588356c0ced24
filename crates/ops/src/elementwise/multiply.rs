//! `multiply`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "multiply"("x1", "x2"), cost 0.3,
    "Multiplies two arrays element by element.",
    "Integers wrap around, as in NumPy; for booleans it is a logical and.",
    samples: || map::samples(2, &DType::ALL, 0.0, 12.0),
    signature: rules::same,
    kernel: |ins| binary_kernel!(ins, bool |a, b| a & b, int T |a, b| a.wrapping_mul(b), float T |a, b| a * b, complex T |a, b| a * b),
}
