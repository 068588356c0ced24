//! `greater`

use voxmill_core::DType;

use crate::family::map::kernels::{comparison_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;

ufunc! {
    "greater"("x1", "x2"), cost 0.4,
    "True where the first array is larger.",
    "Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type; \
     other types meet at their common type. NaN is neither smaller nor larger. Complex numbers compare by the \
     real part, then by the imaginary part.",
    samples: || map::samples(2, &DType::ALL, 0.0, 9.0),
    signature: rules::comparison,
    kernel: |ins| comparison_kernel!(ins, |a, b| a > b, complex |a, b| b.less(a)),
}
