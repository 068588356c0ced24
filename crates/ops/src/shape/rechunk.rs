//! `rechunk`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Sample, SampleInput};

use crate::family::map::expect_inputs;
use crate::family::params::{self, Chunks};

/// The same array with other declared chunks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rechunk {
    /// The new chunks.
    #[serde(default)]
    pub chunks: Chunks,
}

impl Rechunk {
    /// `array` with `chunks`.
    pub fn apply(array: &Array, chunks: Chunks) -> Result<Array> {
        Array::from_op(Arc::new(Rechunk { chunks }), vec![array.clone()])
    }
}

/// The op `rechunk`.
pub static DEF: OpDef = OpDef {
    name: "rechunk",
    theme: "shape",
    summary: "The same array, cut into other chunks where it is stored.",
    doc: "Changes no value and costs nothing by itself: tasks work on tiles that the planner chooses, whatever the chunks are.",
    inputs: Inputs::Named(&["x"]),
    params: &[params::CHUNKS],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Rechunk>,
    samples: || {
        let one = |chunks: Value, shape: &[usize]| Sample {
            params: json!({"chunks": chunks}),
            ins: vec![SampleInput::new(shape, DType::F32)],
        };
        vec![
            one(json!(3), &[5, 7]),
            one(json!([[2, 3], -1]), &[5, 7]),
            one(json!("auto"), &[]),
            one(json!("1 KiB"), &[90, 0]),
        ]
    },
};

impl Op for Rechunk {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let grid = self.chunks.grid(&ins[0].shape, ins[0].dtype)?;
        Ok(ins[0].clone().with_dtype(ins[0].dtype).with_grid(grid))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        Ok(Some(ins[0].clone()))
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone()]
    }
}
