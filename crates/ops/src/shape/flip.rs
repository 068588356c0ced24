//! `flip`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::slice::Slice;
use crate::family::composite::{Compose, Composite};
use crate::family::params::{Axes, normalize_axes};

/// The array with its elements in reverse order along some axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flip {
    /// The axes to reverse; all by default.
    #[serde(default)]
    pub axis: Option<Axes>,
}

impl Flip {
    /// `array` reversed along `axes`.
    pub fn apply(array: &Array, axes: &[usize]) -> Result<Array> {
        let mut slice = Slice::whole(array.shape());
        for &k in axes.iter().filter(|&&k| array.shape()[k] > 1) {
            slice = slice.with_axis(k, array.shape()[k] - 1, -1, array.shape()[k]);
        }
        slice.apply(array)
    }
}

/// The op `flip`.
pub static DEF: OpDef = OpDef {
    name: "flip",
    theme: "shape",
    summary: "The array with its elements in reverse order along some axes.",
    doc: "Without axis all axes are reversed, as in NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "axis",
        kind: "int or list of int",
        default: Some("null"),
        doc: "the axes to reverse; all by default",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Flip>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[2, 3, 4], DType::F32),
            one(json!({"axis": -1}), &[3, 4], DType::U8),
            one(json!({"axis": [0, 2]}), &[2, 0, 4], DType::C128),
            one(json!({}), &[], DType::Bool),
        ]
    },
};

impl Compose for Flip {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let axes = normalize_axes(self.axis.as_ref(), ins[0].rank())?;
        Flip::apply(&ins[0], &axes)
    }
}
