//! `full_like`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::full::Full;
use crate::family::composite::{Compose, Composite};

/// An array of one value with the shape, chunks and element type of another.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FullLike {
    /// The value.
    pub fill_value: Scalar,
    /// Element type; that of the other array by default.
    #[serde(default)]
    pub dtype: Option<DType>,
}

/// The op `full_like`.
pub static DEF: OpDef = OpDef {
    name: "full_like",
    theme: "creation",
    summary: "An array of one value with the shape, chunks and element type of another.",
    doc: "The value is cast to the element type as by astype. The other array is not read.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "fill_value", kind: "number", default: None, doc: "the value of every element" },
        Param {
            name: "dtype",
            kind: "dtype",
            default: Some("null"),
            doc: "element type; that of the other array by default",
        },
    ],
    form: Form::Composite,
    cost: 0.1,
    hold: false,
    build: Composite::<FullLike>::build,
    samples: || {
        let one = |params: Value, shape: &[usize]| Sample { params, ins: vec![SampleInput::new(shape, DType::U16)] };
        vec![one(json!({"fill_value": 7}), &[3, 4]), one(json!({"fill_value": "nan", "dtype": "float32"}), &[])]
    },
};

impl Compose for FullLike {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let full = Full::apply(ins[0].shape(), self.fill_value, self.dtype.unwrap_or(ins[0].dtype()))?;
        Ok(full.with_grid(ins[0].meta().grid.clone()))
    }
}
