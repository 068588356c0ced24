//! `dstack`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::atleast_nd::at_least;
use super::concatenate::Concatenate;
use crate::family::composite::{Compose, Composite};

/// Arrays joined along the third axis, after making them at least three-dimensional.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dstack {}

/// The op `dstack`.
pub static DEF: OpDef = OpDef {
    name: "dstack",
    theme: "shape",
    summary: "Arrays joined along the third axis, after making them at least three-dimensional.",
    doc: "As NumPy; dtypes are promoted.",
    inputs: Inputs::Many("arrays"),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Dstack>::build,
    samples: || {
        let one = |params: Value, shapes: &[&[usize]], dtype| Sample {
            params,
            ins: shapes.iter().map(|shape| SampleInput::new(shape, dtype)).collect(),
        };
        vec![
            one(json!({}), &[&[2, 3], &[2, 3]], DType::F32),
            one(json!({}), &[&[4], &[4]], DType::U8),
            one(json!({}), &[&[]], DType::U8),
        ]
    },
};

impl Compose for Dstack {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let parts = ins.iter().map(|a| at_least(a, 3)).collect::<Result<Vec<_>>>()?;
        Concatenate::apply(&parts, 2)
    }
}
