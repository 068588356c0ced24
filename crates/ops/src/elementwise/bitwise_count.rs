//! `bitwise_count`

use voxmill_core::{B8, DType, dispatch};

use crate::family::map::kernels::ufunc;
use crate::family::map::{self, Signature, rules};
use crate::numeric::integer::Integer;

ufunc! {
    "bitwise_count"("x"), cost 0.5,
    "Number of bits that are set in the absolute value of an integer.",
    "The result is uint8. Booleans count as 0 and 1.",
    samples: || map::samples(1, &map::EXACT, 0.0, 100.0),
    signature: |ins| rules::bits(ins).map(|s| Signature { out: DType::U8, ..s }),
    kernel: |ins| match ins[0] {
        DType::Bool => Ok(map::unary(|x: B8| u8::from(x.get()))),
        d => dispatch!(int d, T => Ok(map::unary(|x: T| x.bit_count())), else Err(map::no_kernel("bitwise_count", ins))),
    },
}
