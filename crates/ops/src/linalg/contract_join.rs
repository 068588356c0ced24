//! `contract_join`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::map::expect_inputs;
use crate::family::params;
use crate::numeric::gemm::Multiply;

/// Sums of neighbours along the first axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractJoin {
    /// How many are added to one; the axis goes away if that is all of them.
    pub group: usize,
}

/// Blocks added at a time: the tree of sums follows from the number of blocks alone.
const GROUP: usize = 16;

impl ContractJoin {
    /// The sum of `parts` along the first axis.
    pub fn sum(parts: Array) -> Result<Array> {
        let mut sums = parts;
        while sums.shape()[0] > GROUP {
            sums = Array::from_op(Arc::new(ContractJoin { group: GROUP }), vec![sums])?;
        }
        let group = sums.shape()[0];
        Array::from_op(Arc::new(ContractJoin { group }), vec![sums])
    }

    fn is_last(&self, n: usize) -> bool {
        self.group >= n
    }
}

/// The op `contract_join`.
pub static DEF: OpDef = OpDef {
    name: "contract_join",
    theme: "linalg",
    summary: "Adds up the blocks of a product.",
    doc: "Internal: the last step of contract. Blocks are added in their order.",
    inputs: Inputs::Named(&["parts"]),
    params: &[Param { name: "group", kind: "int", default: None, doc: "blocks that are added to one" }],
    form: Form::Kernel,
    cost: 5.0,
    hold: false,
    build: params::build::<ContractJoin>,
    samples: || {
        let one = |group: usize, shape: &[usize], dtype| Sample {
            params: json!({"group": group}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(4, &[10, 3, 5], DType::F32),
            one(16, &[10, 3], DType::I8),
            one(3, &[7], DType::C64),
            one(2, &[2], DType::Bool),
        ]
    },
};

impl Op for ContractJoin {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() == 0 || self.group == 0 || matches!(ins[0].dtype, DType::F16 | DType::BF16) {
            return Err(Error::invalid(
                "blocks need a first axis that counts them, a group of at least 1, and full precision",
            ));
        }
        let mut grid = ins[0].grid.clone();
        let n = ins[0].shape[0];
        if self.is_last(n) {
            grid.axes.remove(0);
        } else {
            grid.axes[0] = AxisCuts::even(n.div_ceil(self.group), 1);
        }
        Ok(ArrayMeta::new(grid.shape(), ins[0].dtype).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let n = ins[0].shape[0];
        let mut bounds: Vec<(usize, usize)> = out.bounds().collect();
        if self.is_last(n) {
            bounds.insert(0, (0, n));
        } else {
            bounds[0] = ((bounds[0].0 * self.group).min(n), (bounds[0].1 * self.group).min(n));
        }
        vec![Region::from_bounds(bounds)]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let group = self.group.min(ins[0].shape()[0]);
        match out.dtype() {
            DType::Bool => join::<voxmill_core::B8>(at, group, &ins[0], out),
            DType::F32 => join::<f32>(at, group, &ins[0], out),
            DType::F64 => join::<f64>(at, group, &ins[0], out),
            DType::C64 => join::<voxmill_core::Complex32>(at, group, &ins[0], out),
            DType::C128 => join::<voxmill_core::Complex64>(at, group, &ins[0], out),
            dtype => dispatch!(int dtype, T => join::<T>(at, group, &ins[0], out), else Err(lost())),
        }
    }
}

/// Adds `group` neighbours along the first axis, the last group as many as there are.
fn join<T: Multiply>(at: &Place<'_>, group: usize, input: &View<'_>, out: &mut ViewMut<'_>) -> Result<()> {
    if at.out.is_empty() {
        return Ok(());
    }
    let (src, dst) = (input.as_slice::<T>().ok_or_else(lost)?, out.as_slice_mut::<T>().ok_or_else(lost)?);
    let size = src.len() / input.shape()[0].max(1);
    for (parts, sum) in src.chunks(group * size).zip(dst.chunks_exact_mut(size)) {
        sum.copy_from_slice(&parts[..size]);
        for part in parts.chunks_exact(size).skip(1) {
            part.iter().zip(sum.iter_mut()).for_each(|(part, sum)| *sum = sum.plus(*part));
        }
    }
    Ok(())
}

fn lost() -> Error {
    Error::internal("blocks of a product have an unexpected dtype or layout")
}
