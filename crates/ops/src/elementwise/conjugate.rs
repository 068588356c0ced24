//! `conjugate`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "conjugate"("x"), cost 0.3,
    "Complex conjugate of every element.",
    "Real numbers stay as they are; booleans become int8, as in NumPy.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::bool_as_int8,
    kernel: |ins| unary_kernel!(ins, int T |x| x, float T |x| x, complex T |x| x.conj()),
}
