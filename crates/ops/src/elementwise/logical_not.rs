//! `logical_not`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "logical_not"("x"), cost 0.3,
    "True where an array is zero or false.",
    "Everything but zero is true, also NaN.",
    samples: || map::samples(1, &DType::ALL, -1.0, 1.0),
    signature: rules::truth,
    kernel: |ins| unary_kernel!(ins, bool |x| !x),
}
