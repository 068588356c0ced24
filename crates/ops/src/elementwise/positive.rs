//! `positive`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "positive"("x"), cost 0.3,
    "The elements as they are.",
    "Booleans are refused, as in NumPy.",
    samples: || map::samples(1, &map::NUMBERS, 0.0, 100.0),
    signature: rules::numbers,
    kernel: |ins| unary_kernel!(ins, int T |x| x, float T |x| x, complex T |x| x),
}
