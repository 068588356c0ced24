//! `equal`

use voxmill_core::DType;

use crate::family::map::kernels::{comparison_kernel, ufunc};
use crate::family::map::{self, rules};

ufunc! {
    "equal"("x1", "x2"), cost 0.4,
    "True where two arrays are equal.",
    "Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type; \
     other types meet at their common type. NaN is equal to nothing. Complex numbers compare part by part.",
    samples: || map::samples(2, &DType::ALL, 0.0, 9.0),
    signature: rules::comparison,
    kernel: |ins| comparison_kernel!(ins, |a, b| a == b, complex |a, b| a == b),
}
