//! `region_outlines` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::filter::line::lost;
use crate::numeric::outlines::{self, Framed};

/// Sums over the surface of the labelled regions of each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionOutlines {
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// 4 or 8: the neighbours of which one is missing where the contour of a plane is.
    pub border: usize,
}

/// The op `region_outlines`.
pub static DEF: OpDef = OpDef {
    name: "region_outlines",
    theme: "measure",
    summary: "Internal: sums over the surfaces of the labelled regions of each block.",
    doc: "",
    inputs: Inputs::Named(&["labels"]),
    params: &[
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "border", kind: "int", default: None, doc: "4 or 8 neighbours, for contours" },
    ],
    form: Form::Kernel,
    cost: 6.0,
    hold: true,
    build: params::build::<RegionOutlines>,
    samples: || {
        let labels = |shape: &[usize]| SampleInput::new(shape, DType::I32).between(0.0, 3.0);
        let plane = |border: usize, block: &[usize]| Sample {
            params: json!({"block": block, "border": border}),
            ins: vec![labels(&[9, 11])],
        };
        let solid = Sample { params: json!({"block": [2, 3, 20], "border": 4}), ins: vec![labels(&[5, 6, 7])] };
        vec![plane(4, &[4, 3]), plane(8, &[1, 20]), solid]
    },
};

/// Elements around a block that its sums depend on.
fn margin(rank: usize) -> usize {
    // Whether a neighbour is on the contour depends on its own neighbours.
    if rank == 2 { 2 } else { 1 }
}

/// A row in serial form: the label and its sums.
pub fn row_bytes(rank: usize) -> usize {
    8 * (1 + outlines::n_sums(rank))
}

impl RegionOutlines {
    fn rows(&self, block: &Region, whole: &[usize], origin: &[usize], labels: &View<'_>) -> Result<Vec<u8>> {
        let rank = whole.len();
        let margin = margin(rank);
        let frame = blocks::framed(labels, origin, block, whole, margin)?;
        let at_end: Vec<bool> = (0..rank).map(|k| block.end(k) == whole[k]).collect();
        let found = dispatch!(int labels.dtype(), T => {
            let values = frame.view().as_slice::<T>().ok_or_else(lost)?;
            outlines::outlines(&Framed { values, shape: frame.shape(), margin, at_end: &at_end }, T::default(), self.border)
        }, else return Err(Error::internal("regions are numbered with whole numbers")));
        let mut bytes = Vec::with_capacity(found.labels.len() * row_bytes(rank));
        for (label, sums) in found.labels.iter().zip(found.sums.chunks_exact(outlines::n_sums(rank))) {
            bytes.extend(label.to_le_bytes());
            sums.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        }
        Ok(bytes)
    }
}

impl Op for RegionOutlines {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if !(2..=3).contains(&ins[0].rank()) || ![4, 8].contains(&self.border) {
            return Err(Error::internal("region_outlines takes labels with two or three axes"));
        }
        blocks::per_block(&ins[0].shape, &self.block)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let under = blocks::under(out, &ins[0].shape, &self.block);
        if under.is_empty() {
            return vec![under];
        }
        let margins = vec![margin(under.rank()); under.rank()];
        vec![under.grown(&margins, &margins, &ins[0].shape)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // The block in its frame, and on planes a mark for each element; sums are counted with their rows.
        let sides = self.block.iter().zip(&ins[0].shape).map(|(&b, &n)| b.min(n) + 2 * margin(ins[0].rank()));
        let marks = usize::from(ins[0].rank() == 2);
        let frame: usize = sides.product();
        (frame * (ins[0].dtype.size() + marks)) as u64 + (64 << 10) + (out.size() as u64 + 4) * blocks::PER_BLOCK
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
