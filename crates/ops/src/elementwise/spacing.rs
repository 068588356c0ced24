//! `spacing`

use voxmill_core::{DType, bf16, f16};

use crate::family::map::kernels::{ufunc, unary_kernel};
use crate::family::map::{self, rules};
use crate::numeric::halves::Half;
use crate::numeric::real::Real;

ufunc! {
    "spacing"("x"), cost 2.0,
    "Distance to the next number of the same type, away from zero.",
    "Negative for negative numbers; for float16 positive, as in NumPy. Infinity and NaN give NaN. Integers and \
     booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are computed in \
     float32.",
    samples: || map::samples(1, &map::REALS, -100.0, 100.0),
    signature: rules::floats,
    kernel: |ins| match ins[0] {
        DType::F16 => Ok(map::unary(f16_spacing)),
        DType::BF16 => Ok(map::unary(|x: bf16| bf16::down(bf16_away(x).up() - x.up()))),
        _ => unary_kernel!(ins, float T |x| x.spacing()),
    },
}

/// NumPy's own rule for half precision: always positive, and smaller below a negative power of two.
#[inline(always)]
fn f16_spacing(x: f16) -> f16 {
    let bits = x.to_bits();
    let exponent = bits & 0x7c00;
    // Below a negative power of two the numbers lie twice as dense.
    let shift = u16::from(bits & 0x8000 != 0 && bits & 0x03ff == 0);
    let ulp = if exponent > 0x2800 + (shift << 10) {
        exponent - 0x2800 - (shift << 10)
    } else if exponent > 0x0400 {
        1 << ((exponent >> 10) - 1 - shift)
    } else {
        1
    };
    match bits {
        _ if exponent == 0x7c00 => f16::NAN,
        0x7bff => f16::INFINITY,
        _ => f16::from_bits(ulp),
    }
}

/// The next number away from zero.
#[inline(always)]
fn bf16_away(x: bf16) -> bf16 {
    match x.to_bits() {
        0x8000 => bf16::from_bits(1),
        bits if x.is_finite() => bf16::from_bits(bits + 1),
        _ => bf16::NAN,
    }
}
