//! `empty_like`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::full::Full;
use crate::family::composite::{Compose, Composite};

/// An array of the shape, chunks and element type of another, whose values do not matter.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmptyLike {
    /// Element type; that of the other array by default.
    #[serde(default)]
    pub dtype: Option<DType>,
}

/// The op `empty_like`.
pub static DEF: OpDef = OpDef {
    name: "empty_like",
    theme: "creation",
    summary: "An array of the shape, chunks and element type of another, whose values do not matter.",
    doc: "The values are zeros, unlike in NumPy. The other array is not read.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "dtype",
        kind: "dtype",
        default: Some("null"),
        doc: "element type; that of the other array by default",
    }],
    form: Form::Composite,
    cost: 0.1,
    hold: false,
    build: Composite::<EmptyLike>::build,
    samples: || {
        let one = |params: Value, shape: &[usize]| Sample { params, ins: vec![SampleInput::new(shape, DType::U16)] };
        vec![one(json!({}), &[3, 4]), one(json!({"dtype": "float32"}), &[])]
    },
};

impl Compose for EmptyLike {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let full = Full::apply(ins[0].shape(), Scalar::Int(0), self.dtype.unwrap_or(ins[0].dtype()))?;
        Ok(full.with_grid(ins[0].meta().grid.clone()))
    }
}
