//! `reduce_direct` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

use super::finish::OUT;
use super::part::{AXES, KIND, SKIP};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::reduction::{DDOF, KEEPDIMS, Last, What};
use crate::family::reduce::shapes::{reduced_meta, reduced_reads};
use crate::family::reduce::walk::Blocks;

/// A reduction whose values each need one block only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReduceDirect {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// Axes and result.
    #[serde(flatten)]
    pub last: Last,
}

/// The op `reduce_direct`.
pub static DEF: OpDef = OpDef {
    name: "reduce_direct",
    theme: "reduce",
    summary: "Internal: a reduction whose values each need one block only.",
    doc: "Internal. What sum, mean and the others become where few elements make up one value.",
    inputs: Inputs::Named(&["x"]),
    params: &[KIND, SKIP, AXES, DDOF, KEEPDIMS, OUT],
    form: Form::Kernel,
    cost: 0.4,
    hold: false,
    build: params::build::<ReduceDirect>,
    samples: || {
        let one = |kind: &str, axes: &[usize], keepdims: bool, shape: &[usize], out: DType| Sample {
            params: json!({"kind": kind, "axes": axes, "keepdims": keepdims, "out": out}),
            ins: vec![SampleInput::new(shape, DType::F32)],
        };
        vec![
            one("sum", &[0], false, &[5, 7], DType::F32),
            one("std", &[1], true, &[5, 7, 3], DType::F32),
            one("max", &[2], false, &[5, 7, 3], DType::F32),
            one("mean", &[0, 2], false, &[5, 7, 3], DType::F32),
            one("argmax", &[1], false, &[5, 2000], DType::I64),
            one("mean", &[0], false, &[0, 3], DType::F32),
            one("sum", &[], false, &[], DType::F32),
        ]
    },
};

impl Op for ReduceDirect {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        self.what.kernel(ins[0].dtype)?;
        Ok(reduced_meta(ins[0], &self.last.axes, self.last.keepdims, self.last.out))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![reduced_reads(out, &ins[0].shape, &self.last.axes, self.last.keepdims)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.what.scratch(ins[0].dtype, out.size())
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let input = at.ins[0];
        let block: Vec<usize> = self.last.axes.iter().map(|&a| input.shape[a].max(1)).collect();
        let blocks = Blocks { read: &at.reads[0], shape: &input.shape, axes: &self.last.axes, block: &block };
        let n = self.last.axes.iter().map(|&a| input.shape[a] as u64).product();
        let (kernel, finish) = (self.what.kernel(input.dtype)?, self.what.finish(n, self.last.ddof, input.dtype));
        dispatch!(all out.dtype(), T => {
            let Some(out) = out.as_slice_mut::<T>() else { return Err(Error::internal("the result is not contiguous")) };
            kernel.reduce(&ins[0], &blocks, &mut |k, state| out[k] = T::from_scalar(kernel.value(state, &finish)))
        })
    }
}
