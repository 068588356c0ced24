//! `dot`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::product_over_last;
use crate::family::composite::{Compose, Composite};

/// Product over the last axis of a and the second to last of b.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dot {}

/// The op `dot`.
pub static DEF: OpDef = OpDef {
    name: "dot",
    theme: "linalg",
    summary: "Product over the last axis of a and the second to last of b.",
    doc: "As NumPy: the inner product of two 1-d arrays, the matrix product of two 2-d ones, and for more axes all combinations of the \
          others: dot(a, b)[i, j, k, m] = sum(a[i, j, :] * b[k, :, m]). A single number is multiplied.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Dot>::build,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(json!({}), &[3, 4], &[4, 5], DType::F32),
            one(json!({}), &[2, 3, 4], &[5, 4, 2], DType::I64),
            one(json!({}), &[4], &[4], DType::C64),
        ]
    },
};

impl Compose for Dot {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        product_over_last(ins, |b| b.saturating_sub(2))
    }
}
