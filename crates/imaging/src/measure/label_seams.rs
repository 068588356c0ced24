//! `label_seams` (internal)

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::family::grid::Grid;
use crate::filter::line::lost;

/// Which components touch across the planes between blocks along one axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSeams {
    /// The axis.
    pub axis: usize,
    /// Which neighbours belong together.
    pub structure: Grid,
    /// Components of different values do not touch: there is a second input with the values.
    pub values: bool,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Steps across the plane, with this axis left out; asked for with every tile.
    #[serde(skip)]
    pub prepared: OnceLock<Arc<Vec<Vec<i64>>>>,
}

/// The op `label_seams`.
pub static DEF: OpDef = OpDef {
    name: "label_seams",
    theme: "measure",
    summary: "Internal: components that touch across the borders of blocks.",
    doc: "",
    inputs: Inputs::Many("labels, and their values where these keep objects apart"),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis" },
        Param {
            name: "structure",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours belong together",
        },
        Param { name: "values", kind: "bool", default: None, doc: "only equal values belong together" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
    ],
    form: Form::Kernel,
    cost: 2.0,
    hold: true,
    build: params::build::<LabelSeams>,
    samples: || {
        let labels = SampleInput::new(&[9, 11], DType::U32).between(0.0, 4.0);
        let structure = json!([[1, 1, 1], [1, 1, 1], [1, 1, 1]]);
        let params = json!({"axis": 0, "structure": structure, "values": false, "block": [4, 3]});
        vec![Sample { params, ins: vec![labels] }]
    },
};

/// Two components that touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    /// Number of the block and number of the component in it.
    pub one: (u64, u32),
    /// The other.
    pub other: (u64, u32),
}

impl Touch {
    /// Bytes of one.
    pub const BYTES: usize = 24;

    /// As bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.one.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.other.0.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.one.1.to_le_bytes());
        bytes[20..].copy_from_slice(&self.other.1.to_le_bytes());
        bytes
    }

    /// From the bytes of one.
    pub fn from_bytes(bytes: &[u8]) -> Touch {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let half = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
        Touch { one: (word(0), half(16)), other: (word(8), half(20)) }
    }
}

impl LabelSeams {
    fn steps(&self) -> &[Vec<i64>] {
        self.prepared.get_or_init(|| {
            let across = self.structure.taps().filter(|(at, _)| at.get(self.axis) == Some(&0));
            let step = |(at, _): (Vec<usize>, f64)| at.iter().map(|&k| k as i64 - 1).collect();
            Arc::new(across.map(step).collect())
        })
    }

    /// The two planes between the block at `position` and the one before it along the axis; empty for the first block.
    fn slab(&self, position: &[usize], shape: &[usize]) -> Region {
        let block = blocks::region(position, shape, &self.block);
        let bounds = block.bounds().enumerate().map(|(k, (begin, end))| match k == self.axis {
            true if begin == 0 => (0, 0),
            true => (begin - 1, (begin + 1).min(end)),
            false => (begin.saturating_sub(1), (end + 1).min(shape[k])),
        });
        Region::from_bounds(bounds)
    }

    /// All pairs across the plane before the block at `position`. The box that is read begins at `origin`.
    fn touches(&self, position: &[usize], shape: &[usize], origin: &[usize], ins: &[View<'_>]) -> Result<Vec<Touch>> {
        let block = blocks::region(position, shape, &self.block);
        let plane = block.with_axis(self.axis, block.start[self.axis], 1).relative_to(origin);
        let labels = ins[0].as_slice::<u32>().ok_or_else(lost)?;
        let values = ins.get(1).map(|v| Ok((v.bytes().ok_or_else(lost)?, v.dtype().size()))).transpose()?;
        let same = |a: usize, b: usize| values.is_none_or(|(v, w): (&[u8], usize)| v[a * w..][..w] == v[b * w..][..w]);
        let box_shape = ins[0].shape();
        let numbers = Numbers { grid: ChunkGrid::even(shape, &self.block), block: &self.block, origin };
        let steps: Vec<(&[i64], isize)> = self.steps().iter().map(|s| (&s[..], flat_step(s, box_shape))).collect();
        // Along a line, the same two components meet again and again.
        let mut seen = vec![(0, 0, usize::MAX); steps.len()];
        let mut touches = Vec::new();
        let mut at = plane.start.to_vec();
        for _ in 0..plane.size() {
            let here = at.iter().zip(box_shape).fold(0, |flat, (a, n)| flat * n + a);
            let line = at.len().checked_sub(2).map_or(0, |k| at[k]);
            for ((step, by), seen) in steps.iter().zip(&mut seen).filter(|_| labels[here] != 0) {
                let inside = at.iter().zip(*step).zip(box_shape).all(|((&a, &s), &n)| {
                    let to = a as i64 + s;
                    to >= 0 && to < n as i64
                });
                if !inside {
                    continue;
                }
                let there = here.wrapping_add_signed(*by);
                let pair = (labels[here], labels[there], line);
                if pair.1 != 0 && pair != *seen && same(here, there) {
                    *seen = pair;
                    let other: Vec<usize> = at.iter().zip(*step).map(|(&a, &s)| (a as i64 + s) as usize).collect();
                    touches.push(Touch { one: (numbers.of(&at), pair.0), other: (numbers.of(&other), pair.1) });
                }
            }
            advance(&mut at, &plane);
        }
        touches.sort_unstable();
        touches.dedup();
        Ok(touches)
    }
}

/// Numbers of blocks by position in the box that was read.
struct Numbers<'a> {
    grid: ChunkGrid,
    block: &'a [usize],
    origin: &'a [usize],
}

impl Numbers<'_> {
    fn of(&self, at: &[usize]) -> u64 {
        let block: Vec<usize> = at.iter().zip(self.origin).zip(self.block).map(|((a, o), b)| (a + o) / b).collect();
        self.grid.number(&block) as u64
    }
}

/// How far a step goes in a box in C order.
fn flat_step(step: &[i64], shape: &[usize]) -> isize {
    step.iter().zip(shape).fold(0, |flat, (&s, &n)| flat * n as isize + s as isize)
}

/// The next position of a box in C order.
fn advance(at: &mut [usize], within: &Region) {
    for k in (0..at.len()).rev() {
        at[k] += 1;
        if at[k] < within.end(k) {
            return;
        }
        at[k] = within.start[k];
    }
}

impl Op for LabelSeams {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if !self.values {
            expect_inputs(&DEF, ins.len())?;
        }
        if ins[0].dtype != DType::U32 || self.axis >= ins[0].rank() || ins.len() != 1 + usize::from(self.values) {
            return Err(Error::internal("label_seams takes components, and values if these keep objects apart"));
        }
        blocks::per_block(&ins[0].shape, &self.block)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let none = || Region::new(vec![0; ins[0].rank()], vec![0; ins[0].rank()]);
        if out.is_empty() {
            return vec![none(); ins.len()];
        }
        // From the first plane of the first block that has one before it, to that of the last block.
        let mut first = out.start.to_vec();
        first[self.axis] = first[self.axis].max(1);
        let last: Vec<usize> = (0..out.rank()).map(|k| out.end(k) - 1).collect();
        if last[self.axis] == 0 {
            return vec![none(); ins.len()];
        }
        let hull = self.slab(&first, &ins[0].shape).hull(&self.slab(&last, &ins[0].shape));
        vec![hull; ins.len()]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        blocks::for_each(at.out, out, |position| {
            if position[self.axis] == 0 {
                return Ok(0);
            }
            let touches = self.touches(position, &at.ins[0].shape, &at.reads[0].start, ins)?;
            at.rows.attach(position, touches.iter().flat_map(|t| t.to_bytes()).collect());
            Ok(touches.len() as u64)
        })
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // Pairs of neighbours on a plane, before equal ones are left out.
        let plane: usize =
            (0..ins[0].rank()).filter(|&k| k != self.axis).map(|k| self.block[k].min(ins[0].shape[k])).product();
        (plane * self.steps().len() * size_of::<Touch>() * 2) as u64 + (out.size() as u64 + 4) * blocks::PER_BLOCK
    }
}
