//! `float_power`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::complex;

ufunc! {
    "float_power"("x1", "x2"), cost 15.0,
    "Raises the first array to the powers in the second, in double precision.",
    "The result is float64, or complex128 where an input is complex, whatever the inputs are. A negative base \
     with a broken exponent gives NaN.",
    samples: || map::samples(2, &DType::ALL, 0.0, 6.0),
    signature: rules::widest,
    kernel: |ins| binary_kernel!(ins, float T |a, b| a.powf(b), wide |a, b| complex::power(a, b)),
}
