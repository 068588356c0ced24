//! `round`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{Complex32, Complex64, DType, Result, bf16, dispatch, f16};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::family::map::parametric::{MapParams, Parametric};
use crate::family::map::{self, Operand, Signature};
use crate::numeric::convert::ConvertTo;
use crate::numeric::halves::Half;

/// Rounding to a number of decimals.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Digits after the point; negative ones count before it.
    #[serde(default)]
    pub decimals: i32,
}

/// The op `round`.
pub static DEF: OpDef = OpDef {
    name: "round",
    theme: "elementwise",
    summary: "Rounds to a number of decimals, halves to even.",
    doc: "As NumPy: multiplies by a power of ten, rounds, and divides again, in the type of the array, so a value whose decimal form \
          looks like a half may round either way. Integers stay for decimals >= 0; for negative decimals they are rounded as \
          float64 and cast back. Booleans become float16, and take no decimals. Complex numbers are rounded part by part.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "decimals",
        kind: "int",
        default: Some("0"),
        doc: "digits after the point; negative ones count before it",
    }],
    form: Form::Map,
    cost: 0.8,
    hold: false,
    build: Parametric::<Round>::build,
    samples: || {
        let one = |decimals: i32, dtype| Sample {
            params: json!({"decimals": decimals}),
            ins: vec![SampleInput::new(&[5, 7], dtype)],
        };
        let numbers = map::NUMBERS.iter().flat_map(|&d| [one(0, d), one(1, d), one(-1, d)]);
        numbers.chain([one(0, DType::Bool)]).collect()
    },
};

impl MapParams for Round {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        match ins[0].dtype {
            DType::Bool if self.decimals != 0 => Err(map::no_kernel("round with decimals", &[DType::Bool])),
            DType::Bool => Ok(Signature::uniform(1, DType::F16, DType::F16)),
            d => Ok(Signature::uniform(1, d, d)),
        }
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        let up = self.decimals >= 0;
        let plain = self.decimals == 0;
        let factor = 10f64.powi(self.decimals.saturating_abs());
        let single = factor as f32;
        let f32_parts = move |x: f32| scaled(x, single, plain, up);
        let f64_parts = move |x: f64| scaled64(x, factor, plain, up);
        Ok(match ins[0] {
            DType::F16 => {
                let factor = f16::down_f64(factor).up();
                map::unary(move |x: f16| f16::down(half(x.up(), factor, plain, up, |v| f16::down(v).up())))
            }
            DType::BF16 => {
                let factor = bf16::down_f64(factor).up();
                map::unary(move |x: bf16| bf16::down(half(x.up(), factor, plain, up, |v| bf16::down(v).up())))
            }
            DType::F32 => map::unary(f32_parts),
            DType::F64 => map::unary(f64_parts),
            DType::C64 => map::unary(move |x: Complex32| Complex32::new(f32_parts(x.re), f32_parts(x.im))),
            DType::C128 => map::unary(move |x: Complex64| Complex64::new(f64_parts(x.re), f64_parts(x.im))),
            d if up => dispatch!(int d, T => map::unary(|x: T| x), else return Err(map::no_kernel("round", ins))),
            d => dispatch!(int d, T => map::unary(move |x: T| ConvertTo::<T>::convert(f64_parts(x as f64))),
                else return Err(map::no_kernel("round", ins))),
        })
    }
}

macro_rules! scaled {
    ($name:ident, $t:ty) => {
        #[inline(always)]
        fn $name(x: $t, factor: $t, plain: bool, up: bool) -> $t {
            if plain {
                x.round_ties_even()
            } else if up {
                (x * factor).round_ties_even() / factor
            } else {
                (x / factor).round_ties_even() * factor
            }
        }
    };
}

scaled!(scaled, f32);
scaled!(scaled64, f64);

/// As `scaled`, where every step is rounded to a half float.
#[inline(always)]
fn half(x: f32, factor: f32, plain: bool, up: bool, step: impl Fn(f32) -> f32) -> f32 {
    if plain {
        x.round_ties_even()
    } else if up {
        step(x * factor).round_ties_even() / factor
    } else {
        step(x / factor).round_ties_even() * factor
    }
}
