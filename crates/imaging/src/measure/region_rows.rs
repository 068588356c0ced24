//! `region_rows` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::blocks;
use crate::filter::line::lost;
use crate::numeric::regions::{self, Light, Lit, Wanted, n_pairs};

/// What is known of the labelled regions of each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRows {
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Moments up to the third power along each axis, too.
    pub moments: bool,
}

/// The op `region_rows`.
pub static DEF: OpDef = OpDef {
    name: "region_rows",
    theme: "measure",
    summary: "Internal: sums of the labelled regions of each block.",
    doc: "",
    inputs: Inputs::Many("labels, and intensities as float64"),
    params: &[
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "moments", kind: "bool", default: None, doc: "moments, too" },
    ],
    form: Form::Kernel,
    cost: 2.0,
    hold: true,
    build: params::build::<RegionRows>,
    samples: || {
        let labels = SampleInput::new(&[9, 11], DType::I32).between(0.0, 4.0);
        let light = SampleInput::new(&[9, 11], DType::F64);
        vec![
            Sample { params: json!({"block": [4, 3], "moments": false}), ins: vec![labels.clone()] },
            Sample { params: json!({"block": [5, 6], "moments": false}), ins: vec![labels.clone(), light.clone()] },
            Sample { params: json!({"block": [2, 20], "moments": true}), ins: vec![labels, light.clone(), light] },
        ]
    },
};

/// Regions in serial form: numbers of 64 bits, and of 128 bits for sums of positions.
#[derive(Debug, Clone, Copy)]
pub struct Layout(pub Wanted);

/// Numbers that are read one after the other.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn word(&mut self) -> u64 {
        let (first, rest) = self.0.split_at_checked(8).unwrap_or_default();
        self.0 = rest;
        u64::from_le_bytes(first.try_into().unwrap_or_default())
    }

    fn real(&mut self) -> f64 {
        f64::from_bits(self.word())
    }

    fn long(&mut self) -> i128 {
        i128::from(self.word()) | i128::from(self.word()) << 64
    }
}

impl Layout {
    fn n_moments(self) -> usize {
        if self.0.moments { regions::n_moments(self.0.rank) } else { 0 }
    }

    /// Bytes of one region.
    pub fn bytes(self) -> usize {
        let rank = self.0.rank;
        let light = self.0.light * (6 + rank + self.n_moments());
        8 * (2 + 2 * rank + 2 * (rank + n_pairs(rank)) + self.n_moments() + light)
    }

    fn write(self, region: &regions::Region, out: &mut Vec<u8>) {
        out.extend(region.label.to_le_bytes());
        out.extend(region.n.to_le_bytes());
        region.low.iter().chain(&region.high).for_each(|v| out.extend(v.to_le_bytes()));
        region.sums.iter().chain(&region.products).for_each(|v| out.extend(v.to_le_bytes()));
        region.moments.iter().for_each(|v| out.extend(v.to_le_bytes()));
        for light in &region.light {
            [light.min, light.max, light.sum, light.squares].iter().for_each(|v| out.extend(v.to_le_bytes()));
            [light.argmin, light.argmax].iter().for_each(|v| out.extend(v.to_le_bytes()));
            light.weighted.iter().chain(&light.moments).for_each(|v| out.extend(v.to_le_bytes()));
        }
    }

    /// The region in `bytes`.
    pub fn read(self, bytes: &[u8]) -> regions::Region {
        let (rank, n_moments) = (self.0.rank, self.n_moments());
        let mut words = Words(bytes);
        let (label, n) = (words.word() as i64, words.word());
        let low = (0..rank).map(|_| words.word()).collect();
        let high = (0..rank).map(|_| words.word()).collect();
        let sums = (0..rank).map(|_| words.long()).collect();
        let products = (0..n_pairs(rank)).map(|_| words.long()).collect();
        let moments = (0..n_moments).map(|_| words.real()).collect();
        let channel = |words: &mut Words<'_>| Light {
            min: words.real(),
            max: words.real(),
            sum: words.real(),
            squares: words.real(),
            argmin: words.word(),
            argmax: words.word(),
            weighted: (0..rank).map(|_| words.real()).collect(),
            moments: (0..n_moments).map(|_| words.real()).collect(),
        };
        let light = (0..self.0.light).map(|_| channel(&mut words)).collect();
        regions::Region { label, n, low, high, sums, products, moments, light }
    }
}

impl RegionRows {
    fn layout(&self, n_ins: usize) -> Layout {
        Layout(Wanted { rank: self.block.len(), light: n_ins - 1, moments: self.moments })
    }

    fn rows(&self, block: &Region, whole: &[usize], ins: &[View<'_>]) -> Result<Vec<u8>> {
        let values = ins[1..].iter().map(|view| view.as_slice::<f64>().ok_or_else(lost)).collect::<Result<_>>()?;
        let light = Lit { values, start: &block.start, whole };
        let found = dispatch!(int ins[0].dtype(), T => {
            let labels = ins[0].as_slice::<T>().ok_or_else(lost)?;
            regions::regions(labels, &block.shape, T::default(), self.moments, &light)
        }, else return Err(Error::internal("regions are numbered with whole numbers")));
        let layout = self.layout(ins.len());
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
        let light = ins[1..].iter().all(|m| m.shape == ins[0].shape && m.dtype == DType::F64);
        if !light || ins[0].rank() == 0 {
            return Err(Error::internal("region_rows takes labels, and intensities as float64"));
        }
        blocks::per_block(&ins[0].shape, &self.block)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![blocks::under(out, &ins[0].shape, &self.block); ins.len()]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // Copies where a box has several blocks, and a run for every element at worst; regions are counted with their rows.
        let block: usize = self.block.iter().zip(&ins[0].shape).map(|(&b, &n)| b.min(n)).product();
        let runs = if ins.len() > 1 || self.moments { 2 * regions::RUN_BYTES } else { 0 };
        let copies: usize = ins.iter().map(|meta| meta.dtype.size()).sum();
        (block * (copies + runs) + 4 * self.block.last().unwrap_or(&0)) as u64
            + (out.size() as u64 + 4 + ins.len() as u64) * blocks::PER_BLOCK
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (whole, origin) = (&at.ins[0].shape, &at.reads[0].start);
        blocks::for_each(at.out, out, |position| {
            let block = blocks::region(position, whole, &self.block);
            let part = block.relative_to(origin);
            let rows = blocks::with_parts(ins, &part, |ins| self.rows(&block, whole, ins))?;
            let n = rows.len() / self.layout(ins.len()).bytes();
            at.rows.attach(position, rows);
            Ok(n as u64)
        })
    }
}
