//! `floor`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "floor"("x"), cost 0.5,
    "The largest whole number not above every element.",
    "Integers and booleans stay as they are; complex numbers are refused.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::real,
    kernel: |ins| unary_kernel!(ins, bool |x| x, int T |x| x, float T |x| x.floor()),
}
