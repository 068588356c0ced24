//! `angle`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Result};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::family::map::kernels::unary_kernel;
use crate::family::map::parametric::{MapParams, Parametric};
use crate::family::map::{Operand, Signature, rules};
use crate::numeric::complex::Complex;

/// The angle of complex numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Angle {
    /// In degrees.
    #[serde(default)]
    pub deg: bool,
}

/// The op `angle`.
pub static DEF: OpDef = OpDef {
    name: "angle",
    theme: "elementwise",
    summary: "Angle of complex numbers, in radians from -pi to pi or in degrees.",
    doc: "Real numbers have the angle 0, or pi below zero and for -0.0; NaN stays NaN. Integers become floats: float16 up to 8 bits, \
          float32 up to 16, else float64; booleans become float64.",
    inputs: Inputs::Named(&["z"]),
    params: &[Param { name: "deg", kind: "bool", default: Some("false"), doc: "give degrees instead of radians" }],
    form: Form::Map,
    cost: 15.0,
    hold: false,
    build: Parametric::<Angle>::build,
    samples: || {
        let one = |dtype, deg| Sample { params: json!({"deg": deg}), ins: vec![SampleInput::new(&[5, 7], dtype)] };
        DType::ALL.iter().flat_map(|&d| [one(d, false), one(d, true)]).collect()
    },
};

impl MapParams for Angle {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        match ins[0].dtype {
            d if d.is_complex() => Ok(Signature::uniform(1, d, d.to_float())),
            DType::Bool => Ok(Signature::uniform(1, DType::F64, DType::F64)),
            _ => rules::floats(ins),
        }
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        const DEGREES: f64 = 180.0 / std::f64::consts::PI;
        match self.deg {
            false => unary_kernel!(ins, float T |x| (0.0 as T).atan2(x), complex T |x| x.im.atan2(x.re)),
            true => unary_kernel!(ins, float T |x| (0.0 as T).atan2(x) * DEGREES as T,
                complex T |x| x.im.atan2(x.re) * DEGREES as <T as Complex>::Part),
        }
    }
}
