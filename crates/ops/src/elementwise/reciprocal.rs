//! `reciprocal`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;
use crate::numeric::convert::ConvertTo;

ufunc! {
    "reciprocal"("x"), cost 0.6,
    "One divided by every element.",
    "Integers give the whole part: 0 beyond 1 and -1. The reciprocal of an integer 0 is NumPy's on x86-64: the \
     smallest int32 or int64, and 0 for other types. Booleans count as int8.",
    samples: || map::samples(1, &DType::ALL, 1.0, 100.0),
    signature: rules::bool_as_int8,
    kernel: |ins| {
        unary_kernel!(ins, int T |x| ConvertTo::<T>::convert(1.0 / x as f64), float T |x| 1.0 / x,
            complex T |x| T::new(1.0, 0.0).quotient(x))
    },
}
