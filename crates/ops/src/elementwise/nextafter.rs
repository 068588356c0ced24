//! `nextafter`

use voxmill_core::{DType, bf16, f16};

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, rules};
use crate::numeric::halves::Half;
use crate::numeric::real::Real;

ufunc! {
    "nextafter"("x1", "x2"), cost 2.0,
    "The next number after the first array, towards the second.",
    "Steps are those of the result type. Integers and booleans become floats: float16 up to 8 bits, float32 up to \
     16, else float64. Half floats are computed in float32. Complex numbers are refused.",
    samples: || map::samples(2, &map::REALS, -100.0, 100.0),
    signature: rules::floats,
    kernel: |ins| match ins[0] {
        DType::F16 => Ok(map::binary(|a: f16, b: f16| f16::from_bits(step(a.to_bits(), a.up(), b.up())))),
        DType::BF16 => Ok(map::binary(|a: bf16, b: bf16| bf16::from_bits(step(a.to_bits(), a.up(), b.up())))),
        _ => binary_kernel!(ins, float T |a, b| a.nextafter(b)),
    },
}

/// The bits of the neighbour of `a`, whose bits are given, towards `b`.
#[inline(always)]
fn step(bits: u16, a: f32, b: f32) -> u16 {
    if a.is_nan() || b.is_nan() {
        return 0x7fff;
    }
    if a == b {
        // Equal values may be zeros of different sign: the target counts.
        return if a == 0.0 { ((b.to_bits() >> 16) & 0x8000) as u16 } else { bits };
    }
    if a == 0.0 {
        return if b > 0.0 { 1 } else { 0x8001 };
    }
    if (a < b) == (a > 0.0) { bits + 1 } else { bits - 1 }
}
