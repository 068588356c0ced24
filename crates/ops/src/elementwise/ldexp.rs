//! `ldexp`

use voxmill_core::{DType, bf16, f16};
use voxmill_plan::{Sample, SampleInput};

use crate::family::map::kernels::ufunc;
use crate::family::map::{self, rules};
use crate::numeric::halves::Half;
use crate::numeric::real::Real;

ufunc! {
    "ldexp"("x1", "x2"), cost 2.0,
    "The first array times two to the power of the second.",
    "The second array must be of integers that fit int64. Rounds once, also below the smallest normal number. \
     Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are \
     computed in float32. Difference from NumPy: a bare number in place of the first array counts as float64.",
    samples: samples,
    signature: rules::float_and_exponent,
    kernel: |ins| match ins[0] {
        DType::F16 => Ok(map::binary(|x: f16, e: i64| f16::down(x.up().ldexp(e)))),
        DType::BF16 => Ok(map::binary(|x: bf16, e: i64| bf16::down_f64(f64::from(x.up()).ldexp(e)))),
        DType::F32 => Ok(map::binary(|x: f32, e: i64| x.ldexp(e))),
        DType::F64 => Ok(map::binary(|x: f64, e: i64| x.ldexp(e))),
        _ => Err(map::no_kernel("ldexp", ins)),
    },
}

fn samples() -> Vec<Sample> {
    let mut all = map::samples(2, &map::FLOATS, -10.0, 10.0);
    for sample in &mut all {
        let shape = sample.ins[1].shape.clone();
        sample.ins[1] = SampleInput::new(&shape, DType::I64).between(-5.0, 5.0);
    }
    all
}
