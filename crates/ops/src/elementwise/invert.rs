//! `invert`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "invert"("x"), cost 0.3,
    "Changes every bit; for booleans a logical not.",
    "For integers and booleans only.",
    samples: || map::samples(1, &map::EXACT, 0.0, 100.0),
    signature: rules::bits,
    kernel: |ins| unary_kernel!(ins, bool |x| !x, int T |x| !x),
}
