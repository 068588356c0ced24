//! `inner`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::product_over_last;
use crate::family::composite::{Compose, Composite};

/// Product over the last axes of both arrays.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inner {}

/// The op `inner`.
pub static DEF: OpDef = OpDef {
    name: "inner",
    theme: "linalg",
    summary: "Product over the last axes of both arrays.",
    doc: "As NumPy: inner(a, b)[i, j] = sum(a[i, :] * b[j, :]), without conjugation. A single number is multiplied.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Inner>::build,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(json!({}), &[3, 4], &[5, 4], DType::F32),
            one(json!({}), &[2, 3, 4], &[4], DType::U32),
            one(json!({}), &[4], &[4], DType::Bool),
        ]
    },
};

impl Compose for Inner {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        product_over_last(ins, |b| b - 1)
    }
}
