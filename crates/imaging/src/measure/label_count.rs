//! `label_count` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Place};

use super::label_rows::words;

/// The number of objects.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCount {}

/// The op `label_count`.
pub static DEF: OpDef = OpDef {
    name: "label_count",
    theme: "measure",
    summary: "Internal: the number of objects.",
    doc: "",
    inputs: Inputs::Named(&["given"]),
    params: &[],
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<LabelCount>,
    samples: Vec::new,
};

impl Op for LabelCount {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        Ok(ArrayMeta::new([], DType::I64))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        // The first block knows the number of all.
        let one = ins[0].shape.iter().map(|&n| n.min(1)).collect::<Vec<_>>();
        vec![Region::new(vec![0; one.len()], one)]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let n = match ins[0].size() {
            0 => 0,
            _ => words(&at.rows.rows(0, &at.reads[0].start)?).next().unwrap_or(0),
        };
        out.fill(&Scalar::Int(n.into()).to_bytes(DType::I64))
    }
}
