//! `isclose`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{B8, Complex32, Complex64, DType, Error, Result, Scalar, bf16, f16};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::family::map::parametric::{MapParams, Parametric};
use crate::family::map::{self, Operand, Signature};
use crate::numeric::halves::Half;

/// Equality within a tolerance.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Isclose {
    /// Allowed difference, relative to the second array.
    pub rtol: f64,
    /// Allowed difference.
    pub atol: f64,
    /// NaN equals NaN.
    pub equal_nan: bool,
}

impl Default for Isclose {
    fn default() -> Self {
        Isclose { rtol: 1e-5, atol: 1e-8, equal_nan: false }
    }
}

/// The op `isclose`.
pub static DEF: OpDef = OpDef {
    name: "isclose",
    theme: "elementwise",
    summary: "True where two arrays are equal within a tolerance.",
    doc: "|a - b| <= atol + rtol * |b|, computed in the common float or complex type, float64 for integers; infinities are close to \
          themselves only. Not symmetric: b is the reference. In half precision every step is rounded, as in NumPy. Difference from NumPy: bare \
          numbers and tolerances are rounded to the common type first.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[
        Param { name: "rtol", kind: "float", default: Some("1e-05"), doc: "allowed difference, relative to b" },
        Param { name: "atol", kind: "float", default: Some("1e-08"), doc: "allowed difference" },
        Param { name: "equal_nan", kind: "bool", default: Some("false"), doc: "let NaN equal NaN" },
    ],
    form: Form::Map,
    cost: 1.0,
    hold: false,
    build: Parametric::<Isclose>::build,
    samples: || {
        let one = |dtype, params| {
            let ins = vec![SampleInput::new(&[5, 7], dtype), SampleInput::new(&[7], dtype)];
            Sample { params, ins }
        };
        DType::ALL.iter().flat_map(|&d| [one(d, json!({})), one(d, json!({"atol": 20.0, "equal_nan": true}))]).collect()
    },
};

impl MapParams for Isclose {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        if !(self.rtol.is_finite() && self.atol.is_finite()) {
            return Err(Error::invalid(format!("rtol ({}) and atol ({}) must be finite", self.rtol, self.atol)));
        }
        // The reference becomes a float before the two meet.
        let float = Scalar::Float(1.0);
        let reference = map::common(&[ins[1], Operand { dtype: DType::F64, weak: Some(float) }])?;
        let weak = ins[1].weak.map(|value| if reference.is_complex() { value } else { Scalar::Float(value.to_f64()) });
        let dtype = map::common(&[ins[0], Operand { dtype: reference, weak }])?;
        Ok(Signature::uniform(2, dtype, DType::Bool))
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        let Isclose { rtol, atol, equal_nan } = *self;
        let (rtol32, atol32) = (rtol as f32, atol as f32);
        Ok(match ins[0] {
            DType::F16 => map::binary(half::<f16>(self)),
            DType::BF16 => map::binary(half::<bf16>(self)),
            DType::F32 => map::binary(move |a: f32, b: f32| {
                let near = ((a - b).abs() <= atol32 + rtol32 * b.abs()) & b.is_finite() | (a == b);
                B8::from(near | (equal_nan & a.is_nan() & b.is_nan()))
            }),
            DType::F64 => map::binary(move |a: f64, b: f64| {
                let near = ((a - b).abs() <= atol + rtol * b.abs()) & b.is_finite() | (a == b);
                B8::from(near | (equal_nan & a.is_nan() & b.is_nan()))
            }),
            DType::C64 => map::binary(move |a: Complex32, b: Complex32| {
                let near = ((a - b).norm() <= atol32 + rtol32 * b.norm()) & b.is_finite() | (a == b);
                B8::from(near | (equal_nan & a.is_nan() & b.is_nan()))
            }),
            DType::C128 => map::binary(move |a: Complex64, b: Complex64| {
                let near = ((a - b).norm() <= atol + rtol * b.norm()) & b.is_finite() | (a == b);
                B8::from(near | (equal_nan & a.is_nan() & b.is_nan()))
            }),
            _ => return Err(map::no_kernel("isclose", ins)),
        })
    }
}

/// The test with every step rounded to half precision.
fn half<H: Half>(op: &Isclose) -> impl Fn(H, H) -> B8 + Copy + Send + Sync + 'static {
    let step = |v: f32| H::down(v).up();
    let (rtol, atol, equal_nan) = (H::down_f64(op.rtol).up(), H::down_f64(op.atol).up(), op.equal_nan);
    move |a: H, b: H| {
        let (a, b) = (a.up(), b.up());
        let near = (step((a - b).abs()) <= step(atol + step(rtol * b.abs()))) & b.is_finite() | (a == b);
        B8::from(near | (equal_nan & a.is_nan() & b.is_nan()))
    }
}
