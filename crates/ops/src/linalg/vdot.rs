//! `vdot`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Sample, SampleInput};

use super::contract::Contract;
use super::flattened;
use crate::TABLE;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Sum of the products of all elements, the first array conjugated.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vdot {}

/// The op `vdot`.
pub static DEF: OpDef = OpDef {
    name: "vdot",
    theme: "linalg",
    summary: "Sum of the products of all elements, the first array conjugated.",
    doc: "As NumPy: arrays of more than one axis are flattened first.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Vdot>,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![one(json!({}), &[4], &[4], DType::F32), one(json!({}), &[2, 2], &[4], DType::C64)]
    },
};

impl Op for Vdot {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let flat = ins.iter().map(|m| ArrayMeta::new([m.size()], m.dtype)).collect::<Vec<_>>();
        Contract::new("i", "i", "").infer(&[&flat[0], &flat[1]])
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let mut first = flattened(&ins[0])?;
        if first.dtype().is_complex() {
            first = Array::from_op(TABLE.build("conjugate", &json!({}))?, vec![first])?;
        }
        Contract::apply("i", "i", "", &[first, flattened(&ins[1])?]).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}
