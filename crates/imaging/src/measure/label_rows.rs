//! `label_rows` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::family::grid::advance;
use crate::filter::line::lost;

/// What is known of the components of each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelRows {
    /// What is counted for each component.
    pub count: Count,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
}

/// Which elements are counted for each component: those for which any of these holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Count {
    /// All of them.
    pub elements: bool,
    /// The second input is true.
    pub marks: bool,
    /// The element lies at either end of one of these axes of the array.
    pub border: Vec<usize>,
}

impl Count {
    /// Counts all elements.
    pub fn elements() -> Count {
        Count { elements: true, ..Count::default() }
    }
}

/// The op `label_rows`.
pub static DEF: OpDef = OpDef {
    name: "label_rows",
    theme: "measure",
    summary: "Internal: first element and a count for each component of a block.",
    doc: "",
    inputs: Inputs::Many("labels, and marks where these are counted"),
    params: &[
        Param { name: "count", kind: "table", default: None, doc: "elements, marks, and axes whose border counts" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
    ],
    form: Form::Kernel,
    cost: 0.7,
    hold: true,
    build: params::build::<LabelRows>,
    samples: || {
        let labels = |shape: &[usize]| SampleInput::new(shape, DType::U32).between(0.0, 0.4);
        let one =
            |count: Value| Sample { params: json!({"count": count, "block": [4, 3]}), ins: vec![labels(&[9, 11])] };
        let all = json!({"elements": true, "marks": false, "border": []});
        vec![one(all), one(json!({"elements": false, "marks": false, "border": []}))]
    },
};

/// The rows of one block: for each component the flat position of its first element in the array, and its count if anything is counted.
#[derive(Debug, Default)]
pub struct BlockRows {
    /// Position of the first element in C order.
    pub firsts: Vec<u64>,
    /// What was counted.
    pub counts: Vec<u64>,
}

impl BlockRows {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 * (self.firsts.len() + self.counts.len()));
        self.firsts.iter().chain(&self.counts).for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        bytes
    }
}

/// Bytes as words of 64 bits.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(eight.try_into().unwrap_or_default()))
}

/// First elements alone: numbers follow their order, so a component is new where its number is larger than all before.
fn firsts(block: &Region, shape: &[usize], labels: &[u32]) -> BlockRows {
    let width = block.shape.last().copied().unwrap_or(1);
    let lines = &block.shape[..block.rank().saturating_sub(1)];
    let mut rows = BlockRows::default();
    let mut at = vec![0; lines.len()];
    let mut largest = 0;
    for values in labels.chunks_exact(width) {
        let begin = flat(block, &at, shape);
        for (k, &label) in values.iter().enumerate() {
            if label > largest {
                largest = label;
                rows.firsts.push(begin + k as u64);
            }
        }
        advance(&mut at, lines);
    }
    rows
}

impl LabelRows {
    fn rows(&self, block: &Region, shape: &[usize], labels: &View<'_>, marks: Option<&View<'_>>) -> Result<BlockRows> {
        let labels = labels.as_slice::<u32>().ok_or_else(lost)?;
        if self.count == Count::default() {
            return Ok(firsts(block, shape, labels));
        }
        let marks = marks.map(|m| m.bytes().ok_or_else(lost)).transpose()?;
        let width = block.shape.last().copied().unwrap_or(1);
        let mut rows = BlockRows::default();
        let lines = &block.shape[..block.rank().saturating_sub(1)];
        let mut at = vec![0; lines.len()];
        for (line, values) in labels.chunks_exact(width).enumerate() {
            let begin = flat(block, &at, shape);
            let marks = marks.map(|m| &m[line * width..(line + 1) * width]);
            let whole_line = self.count.elements || self.is_at_border(block, &at, shape);
            let ends = self.counts_ends(block, shape);
            let mut k = 0;
            while k < width {
                let label = values[k];
                let end = values[k..].iter().position(|v| *v != label).map_or(width, |n| k + n);
                if label != 0 {
                    // Components are numbered in the order of their first elements.
                    if label as usize > rows.firsts.len() {
                        rows.firsts.push(begin + k as u64);
                        rows.counts.push(0);
                    }
                    let counted = match whole_line {
                        true => end - k,
                        false => {
                            (k..end).filter(|i| marks.is_some_and(|m| m[*i] != 0) || ends.contains(&Some(*i))).count()
                        }
                    };
                    if let Some(count) = rows.counts.get_mut(label as usize - 1) {
                        *count += counted as u64;
                    }
                }
                k = end;
            }
            advance(&mut at, lines);
        }
        Ok(rows)
    }
}

impl LabelRows {
    /// True if the whole line `at` of a block lies at a border that counts.
    fn is_at_border(&self, block: &Region, at: &[usize], shape: &[usize]) -> bool {
        let at_end = |k: usize| block.start[k] + at[k] == 0 || block.start[k] + at[k] + 1 == shape[k];
        self.count.border.iter().any(|&k| k < at.len() && at_end(k))
    }

    /// Positions in the lines of a block that lie at the ends of the last axis, if these count.
    fn counts_ends(&self, block: &Region, shape: &[usize]) -> [Option<usize>; 2] {
        let Some(last) = shape.len().checked_sub(1).filter(|last| self.count.border.contains(last)) else {
            return [None; 2];
        };
        let (begin, end) = (block.start[last], block.end(last));
        [(begin == 0).then_some(0), (end == shape[last]).then(|| end - 1 - begin)]
    }
}

/// Flat position of the first element of the line `at` of a block.
fn flat(block: &Region, at: &[usize], shape: &[usize]) -> u64 {
    let position = |k: usize| (block.start[k] + at.get(k).copied().unwrap_or(0)) as u64;
    (0..shape.len()).fold(0, |flat, k| flat * shape[k] as u64 + position(k))
}

impl Op for LabelRows {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let marks = ins.get(1).is_some_and(|m| m.shape == ins[0].shape && m.dtype == DType::Bool);
        if ins[0].dtype != DType::U32 || ins.len() > 2 || marks != self.count.marks {
            return Err(Error::internal("label_rows takes components, and marks if these are counted"));
        }
        blocks::per_block(&ins[0].shape, &self.block)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![blocks::under(out, &ins[0].shape, &self.block); ins.len()]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (shape, origin) = (&at.ins[0].shape, &at.reads[0].start);
        blocks::for_each(at.out, out, |position| {
            let block = blocks::region(position, shape, &self.block);
            let part = block.relative_to(origin);
            let rows = blocks::with_part(&ins[0], &part, |labels| match ins.get(1) {
                Some(marks) => blocks::with_part(marks, &part, |marks| self.rows(&block, shape, labels, Some(marks))),
                None => self.rows(&block, shape, labels, None),
            })?;
            let n = rows.firsts.len() as u64;
            at.rows.attach(position, rows.to_bytes());
            Ok(n)
        })
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // A copy of a block where a box has several; its rows are counted when they are there.
        let block: usize = self.block.iter().zip(&ins[0].shape).map(|(&b, &n)| b.min(n)).product();
        ins.iter().map(|meta| (block * meta.dtype.size()) as u64).sum::<u64>()
            + (out.size() as u64 + 1) * blocks::PER_BLOCK
    }
}
