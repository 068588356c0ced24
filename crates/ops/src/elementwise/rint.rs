//! `rint`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "rint"("x"), cost 0.5,
    "Rounds to the nearest whole number, halves to even.",
    "Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are \
     computed in float32. Complex numbers are rounded part by part.",
    samples: || map::samples(1, &DType::ALL, -100.0, 100.0),
    signature: rules::inexact,
    kernel: |ins| {
        unary_kernel!(ins, float T |x| x.round_ties_even(),
            complex T |x| T::new(x.re.round_ties_even(), x.im.round_ties_even()))
    },
}
