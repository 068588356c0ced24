//! `imag`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "imag"("x"), cost 0.3,
    "Imaginary part of every element.",
    "Zero, of the same type, for real numbers.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::part,
    kernel: |ins| unary_kernel!(ins, bool |_x| false, int T |_x| 0 as T, float T |_x| 0.0 as T, complex T |x| x.im),
}
