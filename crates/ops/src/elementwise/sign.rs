//! `sign`

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;
use crate::numeric::integer::Integer;
use crate::numeric::real::Real;

ufunc! {
    "sign"("x"), cost 0.5,
    "Sign of every element: -1, 0 or 1.",
    "NaN stays NaN. For complex numbers x / |x|, and 0 for 0, as NumPy 2. Booleans are refused.",
    samples: || map::samples(1, &map::NUMBERS, -100.0, 100.0),
    signature: rules::numbers,
    kernel: |ins| unary_kernel!(ins, int T |x| x.sign(), float T |x| x.sign(), complex T |x| x.sign()),
}
