//! `convolve1d`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Sample, SampleInput};

use super::correlate1d::{Correlate1d, ORIGIN, WEIGHTS, last, zero};
use super::line::{AXIS, OUTPUT, check_window};
use crate::family::neighborhood::{Border, CVAL, MODE};
use voxmill_ops::family::params;

/// A convolution along one axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolve1d {
    /// The weights.
    pub weights: Vec<f64>,
    /// The axis.
    #[serde(default = "last")]
    pub axis: i64,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default)]
    pub mode: Border,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the weights are moved.
    #[serde(default)]
    pub origin: i64,
}

impl Convolve1d {
    /// The same as a correlation: with the weights turned around.
    fn correlation(&self) -> Correlate1d {
        let weights: Vec<f64> = self.weights.iter().rev().copied().collect();
        let origin = -self.origin - i64::from(weights.len().is_multiple_of(2));
        let (axis, output, mode, cval) = (self.axis, self.output, self.mode, self.cval);
        Correlate1d { weights, axis, output, mode, cval, origin }
    }
}

/// The op `convolve1d`.
pub static DEF: OpDef = OpDef {
    name: "convolve1d",
    theme: "filter",
    summary: "Convolution with a row of weights along one axis.",
    doc: "As scipy.ndimage: correlate1d with the weights turned around.",
    inputs: Inputs::Named(&["input"]),
    params: &[WEIGHTS, AXIS, OUTPUT, MODE, CVAL, ORIGIN],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Convolve1d>,
    samples: || {
        let one = |params: Value, dtype| Sample { params, ins: vec![SampleInput::new(&[4, 9], dtype)] };
        vec![
            one(json!({"weights": [1, 2, 3]}), DType::F32),
            one(json!({"weights": [1, 2, 3, 4], "axis": 0, "mode": "wrap"}), DType::U16),
            one(json!({"weights": [1, 2], "origin": -1, "mode": "constant", "cval": 2.5}), DType::C64),
        ]
    },
};

impl Op for Convolve1d {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let correlation = self.correlation();
        check_window(self.weights.len(), correlation.origin)?;
        correlation.infer(ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        Array::from_op(Arc::new(self.correlation()), ins.to_vec()).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        self.correlation().reads(out, ins)
    }
}
