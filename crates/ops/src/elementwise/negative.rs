//! `negative`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "negative"("x"), cost 0.3,
    "Changes the sign of every element.",
    "Integers wrap around: unsigned ones too, as in NumPy. Booleans are refused: use logical_not.",
    samples: || map::samples(1, &map::NUMBERS, 0.0, 100.0),
    signature: rules::numbers,
    kernel: |ins| unary_kernel!(ins, int T |x| x.wrapping_neg(), float T |x| -x, complex T |x| -x),
}
