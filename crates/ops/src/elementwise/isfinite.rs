//! `isfinite`

use voxmill_core::DType;

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};

ufunc! {
    "isfinite"("x"), cost 0.3,
    "True where an element is neither infinite nor NaN.",
    "Both parts of a complex number must be finite. Always true for integers and booleans.",
    samples: || map::samples(1, &DType::ALL, -100.0, 100.0),
    signature: rules::question,
    kernel: |ins| unary_kernel!(ins, bool |_x| true, float T |x| x.is_finite(), complex T |x| x.re.is_finite() & x.im.is_finite()),
}
