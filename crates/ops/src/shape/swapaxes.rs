//! `swapaxes`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::transpose::Transpose;
use crate::family::composite::{Compose, Composite};
use crate::family::params::normalize_axis;

/// The array with two axes exchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swapaxes {
    /// One axis.
    pub axis1: i64,
    /// The other axis.
    pub axis2: i64,
}

/// The op `swapaxes`.
pub static DEF: OpDef = OpDef {
    name: "swapaxes",
    theme: "shape",
    summary: "The array with two axes exchanged.",
    doc: "As NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "axis1", kind: "int", default: None, doc: "one axis" },
        Param { name: "axis2", kind: "int", default: None, doc: "the other axis" },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Swapaxes>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"axis1": 0, "axis2": -1}), &[2, 3, 4], DType::F32),
            one(json!({"axis1": 1, "axis2": 1}), &[2, 3], DType::U8),
            one(json!({"axis1": 0, "axis2": 1}), &[0, 3], DType::U8),
        ]
    },
};

impl Compose for Swapaxes {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(normalize_axis(self.axis1, rank)?, normalize_axis(self.axis2, rank)?);
        Transpose::apply(&ins[0], &order)
    }
}
