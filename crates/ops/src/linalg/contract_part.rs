//! `contract_part`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, Chunk, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::contract;
use super::labels::{Labels, Roles};
use crate::family::map::expect_inputs;
use crate::family::params;

/// A product of two arrays, with one result per block of a long sum.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ContractPart {
    /// Which axes are kept and which are added up.
    #[serde(flatten)]
    pub labels: Labels,
    /// The axis of the first input whose sum is cut into blocks.
    pub axis: usize,
    /// Terms per block along that axis.
    pub block: usize,
}

impl ContractPart {
    /// The roles, and the two axes that are cut.
    fn roles(&self) -> Result<(Roles, (usize, usize))> {
        let roles = self.labels.roles()?;
        let cut = roles.sums.iter().copied().find(|&(i, _)| i == self.axis).filter(|_| self.block > 0);
        let cut = cut.ok_or_else(|| {
            Error::invalid(format!("axis {} is not added up, or its block {} is empty", self.axis, self.block))
        })?;
        Ok((roles, cut))
    }
}

/// The op `contract_part`.
pub static DEF: OpDef = OpDef {
    name: "contract_part",
    theme: "linalg",
    summary: "Product of two arrays, with one result per block of a long sum.",
    doc: "The first axis of the result counts the blocks. Internal: a step of contract.",
    inputs: Inputs::Named(&["x1", "x2"]),
    params: &[
        contract::PARAMS[0],
        contract::PARAMS[1],
        contract::PARAMS[2],
        Param { name: "axis", kind: "int", default: None, doc: "the axis of the first array that is cut into blocks" },
        Param { name: "block", kind: "int", default: None, doc: "terms per block" },
    ],
    form: Form::Kernel,
    cost: 1.0,
    hold: true,
    build: params::build::<ContractPart>,
    samples: || {
        let one = |labels: [&str; 3], axis: usize, block: usize, a: &[usize], b: &[usize], dtype: DType| Sample {
            params: json!({"a": labels[0], "b": labels[1], "out": labels[2], "axis": axis, "block": block}),
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(["ik", "kj", "ij"], 1, 4, &[3, 10], &[10, 5], DType::F32),
            one(["bik", "bkj", "bij"], 2, 7, &[2, 3, 15], &[2, 15, 4], DType::I16),
            one(["k", "k", ""], 0, 5, &[12], &[12], DType::C128),
            one(["kil", "lkj", "ij"], 0, 2, &[5, 2, 3], &[3, 5, 9], DType::U8),
        ]
    },
};

impl Op for ContractPart {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        contract::check_ranks(&self.labels, ins)?;
        let (roles, (axis, _)) = self.roles()?;
        let whole = roles.infer(ins[0], ins[1])?;
        let n_blocks = ins[0].shape[axis].div_ceil(self.block);
        let mut grid = whole.grid;
        grid.axes.insert(0, AxisCuts::even(n_blocks, 1));
        Ok(ArrayMeta::new(grid.shape(), ins[0].dtype).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let Ok((roles, (i, j))) = self.roles() else { return ins.iter().map(|m| m.whole()).collect() };
        let [a, b] = roles.reads(&without_blocks(out), ins[0], ins[1]);
        if out.is_empty() {
            return vec![a, b];
        }
        let (begin, end) = (out.start[0] * self.block, (out.end(0) * self.block).min(ins[0].shape[i]));
        vec![a.with_axis(i, begin, end - begin), b.with_axis(j, begin, end - begin)]
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // Blocks are cut out of the boxes one at a time.
        let copies = if out.shape[0] > 1 { reads.iter().map(|r| ins[0].bytes_of(r) + 64).sum() } else { 0 };
        copies + contract::scratch(&self.labels, &out.shape[1..], reads, ins[0].dtype)
    }

    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        // The blocks share the terms between them.
        contract::work(&self.labels, &without_blocks(out), reads)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (_, (i, j)) = self.roles()?;
        let shape = &at.out.shape[1..];
        if at.out.shape[0] == 1 {
            return contract::run(&self.labels, shape, ins, out);
        }
        for block in 0..at.out.shape[0] {
            let begin = block * self.block;
            let len = self.block.min(ins[0].shape()[i] - begin);
            let (a, b) = (block_of(&ins[0], i, begin, len)?, block_of(&ins[1], j, begin, len)?);
            let mut target = out.part(&Region::whole(&at.out.shape).with_axis(0, block, 1));
            contract::run(&self.labels, shape, &[a.view(), b.view()], &mut target)?;
        }
        Ok(())
    }
}

/// The box of the product behind a box of the blocks.
fn without_blocks(out: &Region) -> Region {
    Region::new(&out.start[1..], &out.shape[1..])
}

/// A copy of one block of a box along `axis`.
fn block_of(input: &View<'_>, axis: usize, begin: usize, len: usize) -> Result<Chunk> {
    let region = Region::whole(input.shape()).with_axis(axis, begin, len);
    let mut copy = Chunk::new(&region.shape, input.dtype())?;
    input.part(&region).copy_to(&mut copy.view_mut()?)?;
    Ok(copy)
}
