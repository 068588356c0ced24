//! `square`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "square"("x"), cost 0.3,
    "The square of every element.",
    "Integers wrap around; booleans count as int8.",
    samples: || map::samples(1, &DType::ALL, 0.0, 12.0),
    signature: rules::bool_as_int8,
    kernel: |ins| unary_kernel!(ins, int T |x| x.wrapping_mul(x), float T |x| x * x, complex T |x| x * x),
}
