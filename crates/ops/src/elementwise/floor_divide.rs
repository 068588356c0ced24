//! `floor_divide`

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::integer::Integer;
use crate::numeric::real::Real;

ufunc! {
    "floor_divide"("x1", "x2"), cost 3.0,
    "Divides and rounds down to a whole number.",
    "Rounds towards minus infinity, as Python's //. Integers: division by zero gives 0, and the smallest number \
     divided by -1 wraps around. Floats: division by zero gives infinity or NaN. Booleans count as int8; complex \
     numbers are refused.",
    samples: || map::samples(2, &map::REALS, 1.0, 100.0),
    signature: rules::real_bool_as_int8,
    kernel: |ins| binary_kernel!(ins, int T |a, b| a.floor_divide(b), float T |a, b| a.floor_divide(b)),
}
