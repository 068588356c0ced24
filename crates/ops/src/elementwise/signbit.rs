//! `signbit`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "signbit"("x"), cost 0.3,
    "True where the sign bit is set: below zero, and for -0.0.",
    "NaN has a sign bit too. Complex numbers are refused.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::floats_to_bool,
    kernel: |ins| unary_kernel!(ins, float T |x| x.is_sign_negative()),
}
