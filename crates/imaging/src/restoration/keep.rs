//! `keep` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

/// The array itself, computed once: between steps of which each looks at its neighbourhood, nothing is computed twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {}

/// The op `keep`.
pub static DEF: OpDef = OpDef {
    name: "keep",
    theme: "restoration",
    summary: "Internal: the array itself, computed once and held.",
    doc: "",
    inputs: Inputs::Named(&["x"]),
    params: &[],
    form: Form::Kernel,
    cost: 0.3,
    hold: true,
    build: params::build::<Keep>,
    samples: || vec![Sample { params: json!({}), ins: vec![SampleInput::new(&[5, 7], DType::F32)] }],
};

impl Keep {
    /// `array`, held.
    pub fn of(array: Array) -> Result<Array> {
        Array::from_op(std::sync::Arc::new(Keep {}), vec![array])
    }
}

impl Op for Keep {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let dtype = ins[0].dtype;
        Ok(ins[0].clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone()]
    }

    fn run(&self, _at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        ins[0].copy_to(out)
    }
}
