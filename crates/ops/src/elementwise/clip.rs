//! `clip`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::smallvec::SmallVec;
use voxmill_core::{B8, Complex32, Complex64, DType, Element, Result, Scalar, bf16, dispatch, f16};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::family::map::parametric::{MapParams, Parametric};
use crate::family::map::{self, Operand, Signature};
use crate::numeric::complex::Complex;
use crate::numeric::halves::Half;
use crate::numeric::real::Real;

/// Limits for every element.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Smaller values become this.
    #[serde(default)]
    pub min: Option<Scalar>,
    /// Larger values become this.
    #[serde(default)]
    pub max: Option<Scalar>,
}

/// The op `clip`.
pub static DEF: OpDef = OpDef {
    name: "clip",
    theme: "elementwise",
    summary: "Limits every element to a range.",
    doc: "The limits are bare numbers that adapt to the array (NEP 50): a float limit turns an integer array into float64. An integer \
          limit at or beyond the range of the array on its own side limits nothing; beyond the other side it is an error. NaN stays \
          NaN, a NaN limit makes everything NaN. Where min is larger than max, everything becomes max.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "min", kind: "number or null", default: Some("null"), doc: "smaller values become this" },
        Param { name: "max", kind: "number or null", default: Some("null"), doc: "larger values become this" },
    ],
    form: Form::Map,
    cost: 0.4,
    hold: false,
    build: Parametric::<Clip>::build,
    samples: || {
        let one = |dtype, params| Sample { params, ins: vec![SampleInput::new(&[5, 7], dtype)] };
        let numbers = map::NUMBERS.iter().flat_map(|&d| {
            [one(d, json!({"min": 10, "max": 50})), one(d, json!({"max": 50.5})), one(d, json!({"min": 3}))]
        });
        numbers.chain([one(DType::Bool, json!({"min": true})), one(DType::F32, json!({}))]).collect()
    },
};

impl Clip {
    /// The limits that matter for an array of `dtype`.
    fn limits(&self, dtype: DType) -> (Option<Scalar>, Option<Scalar>) {
        let beyond = |limit: &Scalar, low: bool| match limit {
            Scalar::Int(i) => dispatch!(int dtype, T => if low { *i <= T::MIN as i128 } else { *i >= T::MAX as i128 },
                else false),
            _ => false,
        };
        (self.min.filter(|m| !beyond(m, true)), self.max.filter(|m| !beyond(m, false)))
    }

    /// True if no limit is NaN.
    fn has_limits(&self) -> bool {
        ![self.min, self.max].into_iter().flatten().any(|limit| limit.to_f64().is_nan())
    }

    fn kernel_of<T: Element>(
        &self,
        smaller: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
        larger: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> MapKernel {
        let (min, max) = self.limits(T::DTYPE);
        match (min.map(T::from_scalar), max.map(T::from_scalar)) {
            (Some(min), Some(max)) => map::unary(move |x: T| smaller(larger(x, min), max)),
            (Some(min), None) => map::unary(move |x: T| larger(x, min)),
            (None, Some(max)) => map::unary(move |x: T| smaller(x, max)),
            (None, None) => map::unary(|x: T| x),
        }
    }
}

impl MapParams for Clip {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        let (min, max) = self.limits(ins[0].dtype);
        let limit = |value: Scalar| Operand { dtype: value.default_dtype(), weak: Some(value) };
        // A number that is clipped counts as an array, so that the limits adapt to it.
        let x = Operand { dtype: ins[0].dtype, weak: None };
        let operands: SmallVec<[Operand; 3]> =
            [Some(x), min.map(limit), max.map(limit)].into_iter().flatten().collect();
        map::promote(&operands).map(|d| Signature::uniform(1, d, d))
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        Ok(match ins[0] {
            DType::Bool => self.kernel_of(|a: B8, b: B8| B8(a.0 & b.0), |a: B8, b: B8| B8(a.0 | b.0)),
            DType::F16 => self.kernel_of(
                |a: f16, b: f16| f16::down(a.up().minimum_of(b.up())),
                |a: f16, b: f16| f16::down(a.up().maximum_of(b.up())),
            ),
            DType::BF16 => self.kernel_of(
                |a: bf16, b: bf16| bf16::down(a.up().minimum_of(b.up())),
                |a: bf16, b: bf16| bf16::down(a.up().maximum_of(b.up())),
            ),
            // Limits that are numbers need no look at what is no number: a comparison with it is false, and it stays.
            DType::F32 if self.has_limits() => {
                self.kernel_of(|a: f32, b: f32| if a > b { b } else { a }, |a: f32, b: f32| if a < b { b } else { a })
            }
            DType::F64 if self.has_limits() => {
                self.kernel_of(|a: f64, b: f64| if a > b { b } else { a }, |a: f64, b: f64| if a < b { b } else { a })
            }
            DType::F32 => self.kernel_of(f32::minimum_of, f32::maximum_of),
            DType::F64 => self.kernel_of(f64::minimum_of, f64::maximum_of),
            DType::C64 => self.kernel_of(Complex32::minimum_of, Complex32::maximum_of),
            DType::C128 => self.kernel_of(Complex64::minimum_of, Complex64::maximum_of),
            d => dispatch!(int d, T => self.kernel_of(|a: T, b: T| a.min(b), |a: T, b: T| a.max(b)),
                else return Err(map::no_kernel("clip", ins))),
        })
    }
}
