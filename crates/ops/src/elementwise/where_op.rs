//! `where`

use voxmill_core::{B8, DType, dispatch};

use crate::family::map::kernels::ufunc;
use crate::family::map::{self, rules};

ufunc! {
    "where"("condition", "x", "y"), cost 0.5,
    "Elements of x where the condition is true, of y elsewhere.",
    "The condition may have any type: everything but zero is true. x and y meet at their common type. Difference \
     from NumPy: a bare number that the array's type cannot hold is an error instead of wrapping around.",
    samples: || map::samples(3, &DType::ALL, 0.0, 100.0),
    signature: rules::choice,
    kernel: |ins| Ok(dispatch!(all ins[1], T => map::ternary(|c: B8, x: T, y: T| if c.get() { x } else { y }))),
}
