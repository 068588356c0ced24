//! `label_seams` (internal)

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::family::grid::{Grid, positions};
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

    fn to_bytes(self) -> [u8; Self::BYTES] {
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

    fn touches(&self, position: &[usize], shape: &[usize], origin: &[usize], ins: &[View<'_>]) -> Result<Vec<Touch>> {
        let block = blocks::region(position, shape, &self.block);
        let counts = ChunkGrid::even(shape, &self.block);
        let reader = Planes { labels: &ins[0], values: ins.get(1), origin };
        let plane = block.with_axis(self.axis, block.start[self.axis], 1);
        let mut touches = Vec::new();
        for at in positions(&plane.shape) {
            let here: Vec<usize> = at.iter().zip(&plane.start).map(|(a, start)| a + start).collect();
            let Some((label, value)) = reader.get(&here)? else { continue };
            for step in self.steps() {
                let Some(there) = moved(&here, step, shape) else { continue };
                let Some((other, other_value)) = reader.get(&there)? else { continue };
                if value != other_value {
                    continue;
                }
                let number = |at: &[usize]| {
                    let block: Vec<usize> = at.iter().zip(&self.block).map(|(a, b)| a / b).collect();
                    counts.number(&block) as u64
                };
                let touch = Touch { one: (number(&here), label), other: (number(&there), other) };
                if touches.last() != Some(&touch) {
                    touches.push(touch);
                }
            }
        }
        touches.sort_unstable();
        touches.dedup();
        Ok(touches)
    }
}

/// Components and values near a plane, by position in the array.
struct Planes<'a> {
    labels: &'a View<'a>,
    values: Option<&'a View<'a>>,
    origin: &'a [usize],
}

impl Planes<'_> {
    /// The component at a position and the bits of its value; `None` for the background.
    fn get(&self, at: &[usize]) -> Result<Option<(u32, [u8; 8])>> {
        let index = at.iter().zip(self.origin).zip(self.labels.shape()).fold(0, |flat, ((a, o), n)| flat * n + (a - o));
        let label = self.labels.as_slice::<u32>().ok_or_else(lost)?[index];
        let mut bits = [0; 8];
        if let Some(values) = self.values.filter(|_| label != 0) {
            let width = values.dtype().size();
            bits[..width].copy_from_slice(&values.bytes().ok_or_else(lost)?[index * width..(index + 1) * width]);
        }
        Ok((label != 0).then_some((label, bits)))
    }
}

fn moved(at: &[usize], step: &[i64], shape: &[usize]) -> Option<Vec<usize>> {
    let one = |((&a, &s), &n): ((&usize, &i64), &usize)| {
        let to = a as i64 + s;
        (to >= 0 && to < n as i64).then_some(to as usize)
    };
    at.iter().zip(step).zip(shape).map(one).collect()
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
        let counts = blocks::cut(&ins[0].shape, &self.block)?.counts();
        Ok(ArrayMeta::new(&counts, DType::U64).with_grid(ChunkGrid::even(&counts, &vec![1; counts.len()])))
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
