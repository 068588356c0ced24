//! `logical_or`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "logical_or"("x1", "x2"), cost 0.3,
    "True where at least one array is true.",
    "Everything but zero is true, also NaN.",
    samples: || map::samples(2, &DType::ALL, -1.0, 1.0),
    signature: rules::truth,
    kernel: |ins| binary_kernel!(ins, bool |a, b| a | b),
}
