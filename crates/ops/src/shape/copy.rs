//! `copy`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use crate::family::composite::{Compose, Composite};

/// The array itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {}

/// The op `copy`.
pub static DEF: OpDef = OpDef {
    name: "copy",
    theme: "shape",
    summary: "The array itself.",
    doc: "Arrays never change, so that no copy is made; it exists for code written for NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Copy>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![one(json!({}), &[2, 3], DType::F32), one(json!({}), &[], DType::U8)]
    },
};

impl Compose for Copy {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        Ok(ins[0].clone())
    }
}
