//! `stack`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::concatenate::Concatenate;
use super::expand_dims::ExpandDims;
use crate::family::composite::{Compose, Composite};
use crate::family::params::normalize_axis;

/// Arrays of one shape joined along a new axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// Where the new axis is in the result.
    #[serde(default)]
    pub axis: i64,
}

/// The op `stack`.
pub static DEF: OpDef = OpDef {
    name: "stack",
    theme: "shape",
    summary: "Arrays of one shape joined along a new axis.",
    doc: "Dtypes are promoted as NumPy does.",
    inputs: Inputs::Many("arrays"),
    params: &[Param { name: "axis", kind: "int", default: Some("0"), doc: "where the new axis is in the result" }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Stack>::build,
    samples: || {
        let one = |params: Value, shapes: &[&[usize]], dtype| Sample {
            params,
            ins: shapes.iter().map(|shape| SampleInput::new(shape, dtype)).collect(),
        };
        vec![
            one(json!({}), &[&[2, 3], &[2, 3]], DType::F32),
            one(json!({"axis": -1}), &[&[2], &[2], &[2]], DType::U8),
            one(json!({}), &[&[]], DType::U8),
        ]
    },
};

impl Compose for Stack {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if let Some(other) = ins.iter().find(|a| a.shape() != ins[0].shape()) {
            return Err(Error::invalid(format!(
                "all arrays must have the same shape, got {:?} and {:?}",
                ins[0].shape(),
                other.shape()
            )));
        }
        let axis = normalize_axis(self.axis, ins[0].rank() + 1)?;
        let parts = ins.iter().map(|a| ExpandDims::apply(a, &[axis])).collect::<Result<Vec<_>>>()?;
        Concatenate::apply(&parts, axis)
    }
}
