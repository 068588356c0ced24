//! `uniform_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::correlate1d::zero;
use super::line::OUTPUT;
use super::sliding::{AXES, Chain, ORIGINS, SIZE, centred, reflect};
use super::uniform_filter1d;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::Axes;

/// A mean over a box.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformFilter {
    /// Positions of the window.
    #[serde(default = "three")]
    pub size: PerAxis<i64>,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default = "reflect")]
    pub mode: PerAxis<Border>,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the window is moved.
    #[serde(default = "centred")]
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

fn three() -> PerAxis<i64> {
    PerAxis::One(3)
}

/// The op `uniform_filter`.
pub static DEF: OpDef = OpDef {
    name: "uniform_filter",
    theme: "filter",
    summary: "Mean of a box around each element.",
    doc: "As scipy.ndimage: uniform_filter1d along one axis after the other, each stored in the dtype of the result, so integers are cut \
          off towards zero after every axis; use output=\"float32\" to avoid that.",
    inputs: Inputs::Named(&["input"]),
    params: &[SIZE, OUTPUT, MODE, CVAL, ORIGINS, AXES],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<UniformFilter>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[8, 9], DType::U8),
            one(json!({"size": [5, 1, 4], "mode": ["reflect", "wrap", "constant"], "cval": 3}), &[5, 6, 7], DType::F32),
            one(
                json!({"size": [2, 3], "origin": [0, -1], "axes": [-1, 0], "output": "float64"}),
                &[5, 2, 6],
                DType::I16,
            ),
            one(json!({"size": 1}), &[3], DType::C64),
            one(json!({}), &[], DType::F32),
        ]
    },
};

impl Compose for UniformFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let (output, cval) = (self.output, self.cval);
        let chain = Chain { size: &self.size, output, mode: &self.mode, cval, origin: &self.origin, axes: &self.axes };
        chain.of(&uniform_filter1d::DEF, &ins[0])
    }
}
