//! `isinf`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "isinf"("x"), cost 0.3,
    "True where an element is infinite.",
    "A complex number is infinite if one of its parts is. Always false for integers and booleans.",
    samples: || map::samples(1, &DType::ALL, -100.0, 100.0),
    signature: rules::question,
    kernel: |ins| unary_kernel!(ins, bool |_x| false, float T |x| x.is_infinite(), complex T |x| x.re.is_infinite() | x.im.is_infinite()),
}
