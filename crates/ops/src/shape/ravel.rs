//! `ravel`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::reshape::Reshape;
use crate::family::composite::{Compose, Composite};

/// All elements in one axis, in C order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ravel {}

/// The op `ravel`.
pub static DEF: OpDef = OpDef {
    name: "ravel",
    theme: "shape",
    summary: "All elements in one axis, in C order.",
    doc: "A box of the result reads the smallest box of the input around its elements.",
    inputs: Inputs::Named(&["x"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Ravel>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[2, 3, 4], DType::F32),
            one(json!({}), &[], DType::U8),
            one(json!({}), &[0, 3], DType::U8),
            one(json!({}), &[5], DType::I64),
        ]
    },
};

impl Compose for Ravel {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        Reshape::apply(&ins[0], &[ins[0].size()])
    }
}
