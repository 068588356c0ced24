//! `region_rows` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::filter::line::lost;
use crate::numeric::regions::{self, Light, Lit, n_pairs};

/// What is known of the labelled regions of each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRows {
    /// Lengths of the blocks.
    pub block: Vec<usize>,
}

/// The op `region_rows`.
pub static DEF: OpDef = OpDef {
    name: "region_rows",
    theme: "measure",
    summary: "Internal: sums of the labelled regions of each block.",
    doc: "",
    inputs: Inputs::Many("labels, and intensities as float64"),
    params: &[Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" }],
    form: Form::Kernel,
    cost: 2.0,
    hold: true,
    build: params::build::<RegionRows>,
    samples: || {
        let labels = SampleInput::new(&[9, 11], DType::I32).between(0.0, 4.0);
        let light = SampleInput::new(&[9, 11], DType::F64);
        vec![
            Sample { params: json!({"block": [4, 3]}), ins: vec![labels.clone()] },
            Sample { params: json!({"block": [5, 6]}), ins: vec![labels, light] },
        ]
    },
};

/// Regions in serial form: numbers of 64 bits, and of 128 bits for sums of positions.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Axes.
    pub rank: usize,
    /// With intensities.
    pub light: bool,
}

impl Layout {
    /// Bytes of one region.
    pub fn bytes(self) -> usize {
        let light = if self.light { 8 * (6 + self.rank) } else { 0 };
        16 + 16 * self.rank + 16 * (self.rank + n_pairs(self.rank)) + light
    }

    fn write(self, region: &regions::Region, out: &mut Vec<u8>) {
        out.extend(region.label.to_le_bytes());
        out.extend(region.n.to_le_bytes());
        region.low.iter().chain(&region.high).for_each(|v| out.extend(v.to_le_bytes()));
        region.sums.iter().chain(&region.products).for_each(|v| out.extend(v.to_le_bytes()));
        if let Some(light) = &region.light {
            [light.min, light.max, light.sum, light.squares].iter().for_each(|v| out.extend(v.to_le_bytes()));
            [light.argmin, light.argmax].iter().for_each(|v| out.extend(v.to_le_bytes()));
            light.weighted.iter().for_each(|v| out.extend(v.to_le_bytes()));
        }
    }

    /// The region in `bytes`.
    pub fn read(self, bytes: &[u8]) -> regions::Region {
        let word = |k: usize| u64::from_le_bytes(bytes[8 * k..8 * k + 8].try_into().unwrap_or_default());
        let long = |k: usize| i128::from(word(k)) | i128::from(word(k + 1)) << 64;
        let (label, n) = (word(0) as i64, word(1));
        let [high_at, sums_at] = [2 + self.rank, 2 + 2 * self.rank];
        let products_at = sums_at + 2 * self.rank;
        let light_at = products_at + 2 * n_pairs(self.rank);
        let low = (2..high_at).map(word).collect();
        let high = (high_at..sums_at).map(word).collect();
        let sums = (sums_at..products_at).step_by(2).map(long).collect();
        let products = (products_at..light_at).step_by(2).map(long).collect();
        let light = self.light.then(|| {
            let number = |k: usize| f64::from_bits(word(light_at + k));
            Light {
                min: number(0),
                max: number(1),
                sum: number(2),
                squares: number(3),
                argmin: word(light_at + 4),
                argmax: word(light_at + 5),
                weighted: (6..6 + self.rank).map(number).collect(),
            }
        });
        regions::Region { label, n, low, high, sums, products, light }
    }
}

impl RegionRows {
    fn rows(block: &Region, whole: &[usize], labels: &View<'_>, light: Option<&View<'_>>) -> Result<Vec<u8>> {
        let values = light.map(|view| view.as_slice::<f64>().ok_or_else(lost)).transpose()?;
        let light = values.map(|values| Lit { values, start: &block.start, whole });
        let found = dispatch!(int labels.dtype(), T => {
            let labels = labels.as_slice::<T>().ok_or_else(lost)?;
            regions::regions(labels, &block.shape, T::default(), light.as_ref())
        }, else return Err(Error::internal("regions are numbered with whole numbers")));
        let layout = Layout { rank: block.rank(), light: light.is_some() };
        let mut bytes = Vec::with_capacity(found.len() * layout.bytes());
        found.iter().for_each(|region| layout.write(region, &mut bytes));
        Ok(bytes)
    }
}

impl Op for RegionRows {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let light = ins.get(1).is_none_or(|m| m.shape == ins[0].shape && m.dtype == DType::F64);
        if !light || ins.len() > 2 || ins[0].rank() == 0 {
            return Err(Error::internal("region_rows takes labels, and intensities as float64"));
        }
        let counts = blocks::cut(&ins[0].shape, &self.block)?.counts();
        Ok(ArrayMeta::new(&counts, DType::U64).with_grid(ChunkGrid::even(&counts, &vec![1; counts.len()])))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![blocks::under(out, &ins[0].shape, &self.block); ins.len()]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // Copies where a box has several blocks, and a run for every element at worst; regions are counted with their rows.
        let block: usize = self.block.iter().zip(&ins[0].shape).map(|(&b, &n)| b.min(n)).product();
        let light = if ins.len() > 1 { 2 * 24 } else { 0 };
        let copies: usize = ins.iter().map(|meta| meta.dtype.size()).sum();
        (block * (copies + light)) as u64 + (out.size() as u64 + 4) * blocks::PER_BLOCK
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (whole, origin) = (&at.ins[0].shape, &at.reads[0].start);
        blocks::for_each(at.out, out, |position| {
            let block = blocks::region(position, whole, &self.block);
            let part = block.relative_to(origin);
            let rows = blocks::with_part(&ins[0], &part, |labels| match ins.get(1) {
                Some(light) => blocks::with_part(light, &part, |light| Self::rows(&block, whole, labels, Some(light))),
                None => Self::rows(&block, whole, labels, None),
            })?;
            let n = rows.len() / Layout { rank: whole.len(), light: ins.len() > 1 }.bytes();
            at.rows.attach(position, rows);
            Ok(n as u64)
        })
    }
}
