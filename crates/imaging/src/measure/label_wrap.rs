//! `label_wrap` (internal)

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use super::label_seams::Touch;
use crate::family::grid::{Grid, positions};
use crate::filter::line::lost;

/// Which components touch across the two ends of an axis, as if the array went on there with its other end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelWrap {
    /// The axis.
    pub axis: usize,
    /// All axes whose ends are joined: a step across a corner goes over several.
    pub wrap: Vec<usize>,
    /// Which neighbours belong together.
    pub structure: Grid,
    /// Components of different values do not touch: there are inputs with the values.
    pub values: bool,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Number of blocks along each axis.
    pub counts: Vec<usize>,
    /// The blocks of the result: all at once.
    #[serde(skip)]
    pub whole: OnceLock<ChunkGrid>,
}

/// The op `label_wrap`.
pub static DEF: OpDef = OpDef {
    name: "label_wrap",
    theme: "measure",
    summary: "Internal: components that touch across the ends of an axis.",
    doc: "",
    inputs: Inputs::Many("labels twice, and twice their values where these keep objects apart"),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis" },
        Param { name: "wrap", kind: "list of int", default: None, doc: "all axes whose ends are joined" },
        Param {
            name: "structure",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours belong together",
        },
        Param { name: "values", kind: "bool", default: None, doc: "only equal values belong together" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "counts", kind: "list of int", default: None, doc: "number of blocks along each axis" },
    ],
    form: Form::Kernel,
    cost: 2.0,
    hold: true,
    build: params::build::<LabelWrap>,
    samples: || {
        let labels = SampleInput::new(&[9, 11], DType::U32).between(0.0, 4.0);
        let structure = json!([[1, 1, 1], [1, 1, 1], [1, 1, 1]]);
        let params = json!({"axis": 0, "wrap": [0, 1], "structure": structure, "values": false, "block": [4, 3], "counts": [3, 4]});
        vec![Sample { params, ins: vec![labels.clone(), labels] }]
    },
};

impl LabelWrap {
    /// Steps from the first plane to the one before it, which is the last.
    fn steps(&self) -> Vec<Vec<i64>> {
        let across = self.structure.taps().filter(|(at, _)| at.get(self.axis) == Some(&0));
        across.map(|(at, _)| at.iter().map(|&k| k as i64 - 1).collect()).collect()
    }

    /// Where a step from `at` on the first plane leads on the last one; `None` if it leaves the array.
    fn target(&self, at: &[usize], step: &[i64], shape: &[usize]) -> Option<Vec<usize>> {
        let along = |k: usize| {
            let to = at[k] as i64 + step[k];
            match (0..shape[k] as i64).contains(&to) {
                true => Some(to as usize),
                false if self.wrap.contains(&k) => Some(to.rem_euclid(shape[k] as i64) as usize),
                false => None,
            }
        };
        (0..at.len()).map(along).collect()
    }

    fn touches(&self, shape: &[usize], ins: &[View<'_>]) -> Result<Vec<Touch>> {
        let planes: Vec<&[u32]> =
            ins[..2].iter().map(|v| v.as_slice::<u32>().ok_or_else(lost)).collect::<Result<_>>()?;
        let values: Vec<&[u8]> = ins[2..].iter().map(|v| v.bytes().ok_or_else(lost)).collect::<Result<_>>()?;
        let width = ins.get(2).map_or(0, |v| v.dtype().size());
        let same = |a: usize, b: usize| {
            values.is_empty() || values[0][a * width..(a + 1) * width] == values[1][b * width..(b + 1) * width]
        };
        let grid = ChunkGrid::even(shape, &self.block);
        let number = |at: &[usize]| {
            let block: Vec<usize> = at.iter().zip(&self.block).map(|(a, b)| a / b).collect();
            grid.number(&block) as u64
        };
        let mut plane = shape.to_vec();
        plane[self.axis] = 1;
        let flat =
            |at: &[usize]| (0..at.len()).fold(0, |flat, k| flat * plane[k] + if k == self.axis { 0 } else { at[k] });
        let steps = self.steps();
        let mut touches = Vec::new();
        for (here, at) in positions(&plane).enumerate().filter(|(here, _)| planes[0][*here] != 0) {
            for step in &steps {
                let Some(other) = self.target(&at, step, shape) else { continue };
                let there = flat(&other);
                if planes[1][there] != 0 && same(here, there) {
                    let (one, other) = ((number(&at), planes[0][here]), (number(&other), planes[1][there]));
                    touches.push(Touch { one, other });
                }
            }
        }
        touches.sort_unstable();
        touches.dedup();
        Ok(touches)
    }
}

impl Op for LabelWrap {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 2 + 2 * usize::from(self.values) || ins[0].dtype != DType::U32 || self.axis >= ins[0].rank() {
            return Err(Error::internal("label_wrap takes components twice, and their values"));
        }
        Ok(ArrayMeta::new(&self.counts, DType::U64))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.whole.get_or_init(|| ChunkGrid::single(&self.counts)))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let whole = ins[0].whole();
        let last = ins[0].shape[self.axis].saturating_sub(1);
        let planes = [0, last].map(|at| whole.with_axis(self.axis, at, 1));
        (0..ins.len()).map(|k| planes[k % 2].clone()).collect()
    }

    fn scratch(&self, out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        (reads[0].size() * self.steps().len() * size_of::<Touch>() * 2) as u64
            + out.size() as u64 * 8
            + blocks::PER_BLOCK
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let touches = self.touches(&at.ins[0].shape, ins)?;
        let first = vec![0; self.counts.len()];
        at.rows.attach(&first, touches.iter().flat_map(|t| t.to_bytes()).collect());
        blocks::for_each(at.out, out, |position| Ok(if position == first { touches.len() as u64 } else { 0 }))
    }
}
