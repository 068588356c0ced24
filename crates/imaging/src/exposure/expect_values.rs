//! `expect_values` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;

/// An array whose values must lie in a range.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectValues {
    /// The smallest one that is allowed.
    pub low: f64,
    /// The largest one that is allowed; any by default.
    #[serde(default)]
    pub high: Option<f64>,
}

/// The op `expect_values`.
pub static DEF: OpDef = OpDef {
    name: "expect_values",
    theme: "exposure",
    summary: "Internal: the array itself; values outside of a range are an error when they are met.",
    doc: "Internal. NaN passes.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "low", kind: "float", default: None, doc: "the smallest value that is allowed" },
        Param { name: "high", kind: "float", default: Some("null"), doc: "the largest value that is allowed" },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<ExpectValues>,
    samples: || {
        let one = |params: Value, dtype| Sample { params, ins: vec![SampleInput::new(&[5, 7], dtype)] };
        vec![one(json!({"low": -100}), DType::F32), one(json!({"low": -200, "high": 200}), DType::I16)]
    },
};

impl ExpectValues {
    /// `array`, checked when it is computed; as it is where its dtype has no other values.
    pub fn of(array: &Array, low: f64, high: Option<f64>) -> Result<Array> {
        if low <= 0.0
            && high.is_none()
            && matches!(array.dtype().kind(), voxmill_core::Kind::Unsigned | voxmill_core::Kind::Bool)
        {
            return Ok(array.clone());
        }
        Array::from_op(std::sync::Arc::new(ExpectValues { low, high }), vec![array.clone()])
    }

    fn check<T: Element + ConvertTo<f64>>(&self, x: &View<'_>) -> Result<()> {
        let high = self.high.unwrap_or(f64::INFINITY);
        let values = x.as_slice::<T>().ok_or_else(lost)?;
        let wrong = values.iter().map(|&v| v.convert()).find(|v: &f64| *v < self.low || *v > high);
        let Some(value) = wrong else { return Ok(()) };
        Err(Error::invalid(match self.high {
            Some(high) => format!(
                "the image has the value {value}; it must lie between {} and {high}: rescale_intensity makes it so",
                self.low
            ),
            None => format!(
                "the image has the value {value}; it must not lie below {}: rescale_intensity makes it so",
                self.low
            ),
        }))
    }
}

impl Op for ExpectValues {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let dtype = ins[0].dtype;
        Ok(ins[0].clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone()]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        dispatch!(real ins[0].dtype(), T => self.check::<T>(&ins[0])?, else return Err(lost()));
        ins[0].copy_to(out)
    }
}
