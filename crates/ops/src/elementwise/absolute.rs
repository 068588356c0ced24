//! `absolute`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;
use crate::numeric::real::Real;

ufunc! {
    "absolute"("x"), cost 0.3,
    "Absolute value of every element.",
    "The smallest signed integer wraps to itself, as in NumPy. Complex numbers give the float type of their \
     parts; booleans stay.",
    samples: || map::samples(1, &DType::ALL, -100.0, 100.0),
    signature: rules::part,
    kernel: |ins| unary_kernel!(ins, bool |x| x, int T |x| x.absolute(), float T |x| x.abs(), complex T |x| x.re.hypotenuse(x.im)),
}
