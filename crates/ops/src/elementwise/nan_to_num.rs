//! `nan_to_num`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{Complex32, Complex64, DType, Element, Result, Scalar, bf16, dispatch, f16};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::family::map::parametric::{MapParams, Parametric};
use crate::family::map::{self, Operand, Signature};
use crate::numeric::halves::Half;

/// Numbers in place of NaN and infinities.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NanToNum {
    /// In place of NaN.
    pub nan: Scalar,
    /// In place of infinity; the largest number of the type where it is not given.
    pub posinf: Option<Scalar>,
    /// In place of minus infinity; the smallest number of the type where it is not given.
    pub neginf: Option<Scalar>,
}

impl Default for NanToNum {
    fn default() -> Self {
        NanToNum { nan: Scalar::Float(0.0), posinf: None, neginf: None }
    }
}

/// The op `nan_to_num`.
pub static DEF: OpDef = OpDef {
    name: "nan_to_num",
    theme: "elementwise",
    summary: "Replaces NaN and infinities by numbers.",
    doc: "Integers and booleans stay as they are. Both parts of a complex number are treated alone. Replacements are rounded to the \
          type of the array.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "nan", kind: "number", default: Some("0.0"), doc: "in place of NaN" },
        Param {
            name: "posinf",
            kind: "number or null",
            default: Some("null"),
            doc: "in place of infinity; null is the largest number of the type",
        },
        Param {
            name: "neginf",
            kind: "number or null",
            default: Some("null"),
            doc: "in place of minus infinity; null is the smallest number of the type",
        },
    ],
    form: Form::Map,
    cost: 0.5,
    hold: false,
    build: Parametric::<NanToNum>::build,
    samples: || {
        let one = |dtype, params| Sample { params, ins: vec![SampleInput::new(&[5, 7], dtype)] };
        let params = json!({"nan": 1.5, "posinf": 7, "neginf": "-inf"});
        DType::ALL.iter().flat_map(|&d| [one(d, json!({})), one(d, params.clone())]).collect()
    },
};

impl MapParams for NanToNum {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        Ok(Signature::uniform(1, ins[0].dtype, ins[0].dtype))
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        let nan = self.nan.to_f64();
        let high = self.posinf.map(Scalar::to_f64);
        let low = self.neginf.map(Scalar::to_f64);
        let single = replace32([nan as f32, high.map_or(f32::MAX, |v| v as f32), low.map_or(f32::MIN, |v| v as f32)]);
        let double = replace64([nan, high.unwrap_or(f64::MAX), low.unwrap_or(f64::MIN)]);
        Ok(match ins[0] {
            DType::F16 => {
                let max = f64::from(f16::MAX.up());
                let f = replace32([nan, high.unwrap_or(max), low.unwrap_or(-max)].map(|v| f16::down_f64(v).up()));
                map::unary(move |x: f16| f16::down(f(x.up())))
            }
            DType::BF16 => {
                let max = f64::from(bf16::MAX.up());
                let f = replace32([nan, high.unwrap_or(max), low.unwrap_or(-max)].map(|v| bf16::down_f64(v).up()));
                map::unary(move |x: bf16| bf16::down(f(x.up())))
            }
            DType::F32 => map::unary(single),
            DType::F64 => map::unary(double),
            DType::C64 => map::unary(move |z: Complex32| Complex32::new(single(z.re), single(z.im))),
            DType::C128 => map::unary(move |z: Complex64| Complex64::new(double(z.re), double(z.im))),
            d => dispatch!(real d, T => map::unary(keep::<T>), else return Err(map::no_kernel("nan_to_num", ins))),
        })
    }
}

fn keep<T: Element>(x: T) -> T {
    x
}

macro_rules! replace {
    ($name:ident, $t:ident) => {
        /// Replaces NaN, infinity and minus infinity by the three numbers.
        fn $name([nan, high, low]: [$t; 3]) -> impl Fn($t) -> $t + Copy + Send + Sync + 'static {
            #[inline(always)]
            move |x: $t| {
                let x = if x.is_nan() { return nan } else { x };
                let x = if x == $t::INFINITY { return high } else { x };
                if x == $t::NEG_INFINITY { low } else { x }
            }
        }
    };
}

replace!(replace32, f32);
replace!(replace64, f64);
