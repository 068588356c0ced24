//! `contact_table`

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place};

use super::blocks;
use super::contact_rows::{ContactRows, row_bytes, to_bytes};
use super::label_rows::words;
use super::region_table::check_labels;
use crate::family::grid::positions;
use crate::numeric::contacts::Contacts;

/// Which labelled regions touch, joined from blocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactTable {
    /// Axes of the labels.
    pub rank: usize,
    /// The result is made at once.
    #[serde(skip)]
    pub whole: OnceLock<ChunkGrid>,
}

/// The op `contact_table`.
pub static DEF: OpDef = OpDef {
    name: "contact_table",
    theme: "measure",
    summary: "Internal: one row for each two labelled regions that touch.",
    doc: "The result is the number of pairs; its rows hold numbers of 64 bits: the smaller and the larger label, the pairs of neighbours along \
          each axis, and all other pairs of neighbours. Pairs are in the order of their labels.",
    inputs: Inputs::Named(&["rows"]),
    params: &[Param { name: "rank", kind: "int", default: None, doc: "axes of the labels" }],
    form: Form::Kernel,
    cost: 1000.0,
    hold: true,
    build: params::build::<ContactTable>,
    samples: Vec::new,
};

/// The table of the regions of `labels` that touch, where neighbours differ in at most `connectivity` axes.
pub fn contact_table(labels: &Array, connectivity: usize) -> Result<Array> {
    check_labels(labels)?;
    if !(1..=labels.rank()).contains(&connectivity) {
        return Err(Error::invalid(format!(
            "connectivity must be between 1 and {}, got {connectivity}",
            labels.rank()
        )));
    }
    let rows = ContactRows { block: blocks::lengths(labels.meta()), connectivity };
    let rows = Array::from_op(Arc::new(rows), vec![labels.clone()])?;
    Array::from_op(Arc::new(ContactTable { rank: labels.rank(), whole: OnceLock::new() }), vec![rows])
}

impl Op for ContactTable {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 1 || ins[0].rank() != self.rank {
            return Err(Error::internal("contact_table takes what is known of blocks"));
        }
        Ok(ArrayMeta::new([1], DType::U64))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.whole.get_or_init(|| ChunkGrid::single(&[1])))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![ins[0].whole()]
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        4 * blocks::PER_BLOCK
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let width = self.rank + 1;
        let mut all = Contacts::new(width);
        for position in positions(&at.ins[0].shape) {
            for row in at.rows.rows(0, &position)?.chunks_exact(row_bytes(self.rank)) {
                let (labels, counts) = row.split_at(16);
                let mut labels = words(labels).map(|label| label as i64);
                let pair = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
                all.of(pair).iter_mut().zip(words(counts)).for_each(|(sum, count)| *sum += count);
            }
        }
        let mut order: Vec<usize> = (0..all.pairs.len()).collect();
        order.sort_unstable_by_key(|&k| all.pairs[k]);
        let mut sorted = Contacts::new(width);
        sorted.pairs = order.iter().map(|&k| all.pairs[k]).collect();
        sorted.counts = order.iter().flat_map(|&k| &all.counts[k * width..(k + 1) * width]).copied().collect();
        let n = sorted.pairs.len() as u64;
        let mut bytes = to_bytes(&sorted, self.rank);
        blocks::for_each(at.out, out, |position| {
            at.rows.attach(position, std::mem::take(&mut bytes));
            Ok(n)
        })
    }
}
