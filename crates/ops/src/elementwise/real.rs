//! `real`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "real"("x"), cost 0.3,
    "Real part of every element.",
    "Real numbers stay as they are.",
    samples: || map::samples(1, &DType::ALL, 0.0, 100.0),
    signature: rules::part,
    kernel: |ins| unary_kernel!(ins, bool |x| x, int T |x| x, float T |x| x, complex T |x| x.re),
}
