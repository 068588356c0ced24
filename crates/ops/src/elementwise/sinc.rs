//! `sinc`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::complex::{self, Complex};

ufunc! {
    "sinc"("x"), cost 10.0,
    "Normalised sinc: sin(pi x) / (pi x), and 1 at zero.",
    "Exact inputs are computed as float64; half floats are computed in float32, where NumPy rounds every step, and \
     complex numbers in double precision. Infinity gives NaN.",
    samples: || map::samples(1, &DType::ALL, -5.0, 5.0),
    signature: rules::quotient,
    kernel: |ins| {
        unary_kernel!(ins, float T |x| {
            let y = x * std::f64::consts::PI as T;
            if x == 0.0 { 1.0 } else { y.sin() / y }
        }, wide |x| {
            let y = x * std::f64::consts::PI;
            if x == Complex64::new(0.0, 0.0) { Complex64::new(1.0, 0.0) } else { complex::sin(y).quotient(y) }
        })
    },
}
