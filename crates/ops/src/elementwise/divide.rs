//! `divide`

use voxmill_core::DType;

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::complex::Complex;

ufunc! {
    "divide"("x1", "x2"), cost 0.6,
    "Divides two arrays element by element.",
    "Exact inputs are divided as float64; floats and complex numbers keep their type. Division by zero gives \
     infinity or NaN. Complex quotients use Smith's method, as NumPy.",
    samples: || map::samples(2, &DType::ALL, 1.0, 100.0),
    signature: rules::quotient,
    kernel: |ins| binary_kernel!(ins, float T |a, b| a / b, complex T |a, b| a.quotient(b)),
}
