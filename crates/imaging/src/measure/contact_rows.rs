//! `contact_rows` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::filter::line::lost;
use crate::numeric::contacts::{Contacts, contacts};
use crate::numeric::outlines::directions;

/// Which labelled regions touch in each block, and across its borders with the blocks behind it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactRows {
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// In how many axes neighbours may differ.
    pub connectivity: usize,
}

/// The op `contact_rows`.
pub static DEF: OpDef = OpDef {
    name: "contact_rows",
    theme: "measure",
    summary: "Internal: labelled regions that touch, for each block.",
    doc: "",
    inputs: Inputs::Named(&["labels"]),
    params: &[
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "connectivity", kind: "int", default: None, doc: "in how many axes neighbours may differ" },
    ],
    form: Form::Kernel,
    cost: 4.0,
    hold: true,
    build: params::build::<ContactRows>,
    samples: || {
        let labels = |shape: &[usize]| SampleInput::new(shape, DType::I32).between(0.0, 4.0);
        let one = |shape: &[usize], block: &[usize], connectivity: usize| Sample {
            params: json!({"block": block, "connectivity": connectivity}),
            ins: vec![labels(shape)],
        };
        vec![one(&[9, 11], &[4, 3], 1), one(&[5, 6, 7], &[1, 6, 3], 3), one(&[13], &[4], 1)]
    },
};

/// A row in serial form: two labels, pairs of neighbours along each axis, and all others.
pub fn row_bytes(rank: usize) -> usize {
    8 * (2 + rank + 1)
}

/// All pairs as bytes.
pub fn to_bytes(found: &Contacts, rank: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(found.pairs.len() * row_bytes(rank));
    for ((a, b), counts) in found.pairs.iter().zip(found.counts.chunks_exact(rank + 1)) {
        [a, b].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        counts.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    }
    bytes
}

impl ContactRows {
    /// Steps to half of the neighbours, and which count they add to: one for each axis, one for all that are not along an axis.
    fn steps(&self, rank: usize) -> Vec<(Vec<i64>, usize)> {
        let apart = |step: &[i64]| step.iter().filter(|s| **s != 0).count();
        let near = directions(rank).into_iter().filter(|step| apart(step) <= self.connectivity);
        near.map(|step| {
            let axis = step.iter().position(|s| *s != 0).filter(|_| apart(&step) == 1);
            (step, axis.unwrap_or(rank))
        })
        .collect()
    }

    fn rows(&self, block: &Region, whole: &[usize], origin: &[usize], labels: &View<'_>) -> Result<Vec<u8>> {
        let rank = whole.len();
        let frame = blocks::framed(labels, origin, block, whole, 1)?;
        let mut found = Contacts::new(rank + 1);
        dispatch!(int labels.dtype(), T => {
            let values = frame.view().as_slice::<T>().ok_or_else(lost)?;
            contacts(values, frame.shape(), T::default(), &self.steps(rank), &mut found);
        }, else return Err(Error::internal("regions are numbered with whole numbers")));
        Ok(to_bytes(&found, rank))
    }
}

impl Op for ContactRows {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() == 0 || !(1..=ins[0].rank()).contains(&self.connectivity) {
            return Err(Error::internal(
                "contact_rows takes labels with axes, and a connectivity between 1 and their number",
            ));
        }
        blocks::per_block(&ins[0].shape, &self.block)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let under = blocks::under(out, &ins[0].shape, &self.block);
        if under.is_empty() {
            return vec![under];
        }
        let margins = vec![1; under.rank()];
        vec![under.grown(&margins, &margins, &ins[0].shape)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // The block in its frame; pairs are counted with their rows.
        let frame: usize = self.block.iter().zip(&ins[0].shape).map(|(&b, &n)| b.min(n) + 2).product();
        (frame * ins[0].dtype.size()) as u64 + (4 << 10) + (out.size() as u64 + 4) * blocks::PER_BLOCK
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (whole, origin) = (&at.ins[0].shape, &at.reads[0].start);
        blocks::for_each(at.out, out, |position| {
            let block = blocks::region(position, whole, &self.block);
            let rows = self.rows(&block, whole, origin, &ins[0])?;
            let n = rows.len() / row_bytes(whole.len());
            at.rows.attach(position, rows);
            Ok(n as u64)
        })
    }
}
