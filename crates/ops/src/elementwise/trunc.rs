//! `trunc`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "trunc"("x"), cost 0.5,
    "Every element without its fraction.",
    "Integers and booleans stay as they are; complex numbers are refused.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::real,
    kernel: |ins| unary_kernel!(ins, bool |x| x, int T |x| x, float T |x| x.trunc()),
}
