//! `region_table`

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::TABLE;
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place};

use super::blocks;
use super::region_rows::{Layout, RegionRows};
use crate::family::grid::positions;
use crate::numeric::regions;

/// What is known of all labelled regions, joined from blocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionTable {
    /// Axes of the labels.
    pub rank: usize,
    /// With intensities.
    pub light: bool,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// The result is made at once.
    #[serde(skip)]
    pub whole: OnceLock<ChunkGrid>,
}

/// The op `region_table`.
pub static DEF: OpDef = OpDef {
    name: "region_table",
    theme: "measure",
    summary: "Internal: one row for each labelled region.",
    doc: "The result is the number of regions; its rows hold numbers of 64 bits: label, elements, first and last position along each axis, \
          mean position along each axis, sums of products of distances from it for each pair of axes; and with intensities smallest, \
          largest, sum, sum of squared distances from the mean, flat positions of the smallest and of the largest, and the sums of \
          intensity times position along each axis. Regions are in the order of their labels.",
    inputs: Inputs::Named(&["rows"]),
    params: &[
        Param { name: "rank", kind: "int", default: None, doc: "axes of the labels" },
        Param { name: "light", kind: "bool", default: None, doc: "with intensities" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
    ],
    form: Form::Kernel,
    cost: 1000.0,
    hold: true,
    build: params::build::<RegionTable>,
    samples: Vec::new,
};

/// The table of the regions of `labels`, with what is known of `intensity` in them.
pub fn region_table(labels: &Array, intensity: Option<&Array>) -> Result<Array> {
    if labels.rank() == 0 {
        return Err(Error::invalid("labels need at least one axis"));
    }
    if !labels.dtype().is_exact() || labels.dtype() == DType::Bool {
        return Err(Error::invalid(format!("labels must be whole numbers, not {}", labels.dtype())));
    }
    let block = blocks::lengths(labels.meta());
    let cast = |x: &Array| match x.dtype() {
        DType::F64 => Ok(x.clone()),
        _ => Array::from_op(TABLE.build("astype", &json!({"dtype": "float64"}))?, vec![x.clone()]),
    };
    let light = intensity.map(cast).transpose()?;
    let ins = std::iter::once(labels.clone()).chain(light.clone()).collect();
    let rows = Array::from_op(Arc::new(RegionRows { block: block.clone() }), ins)?;
    let table = RegionTable { rank: labels.rank(), light: light.is_some(), block, whole: OnceLock::new() };
    Array::from_op(Arc::new(table), vec![rows])
}

impl RegionTable {
    /// All regions, joined and in the order of their labels.
    fn joined(&self, at: &Place<'_>) -> Result<Vec<regions::Region>> {
        let layout = Layout { rank: self.rank, light: self.light };
        let mut number: FxHashMap<i64, usize> = FxHashMap::default();
        let mut found: Vec<regions::Region> = Vec::new();
        for position in positions(&at.ins[0].shape) {
            let start: Vec<u64> = position.iter().zip(&self.block).map(|(p, b)| (p * b) as u64).collect();
            for bytes in at.rows.rows(0, &position)?.chunks_exact(layout.bytes()) {
                let region = layout.read(bytes).shifted(&start);
                let own = *number.entry(region.label).or_insert(found.len());
                match found.get_mut(own) {
                    Some(known) => known.join(&region),
                    None => found.push(region),
                }
            }
        }
        found.sort_unstable_by_key(|region| region.label);
        Ok(found)
    }
}

/// One row of the result.
fn row(region: &regions::Region) -> impl Iterator<Item = [u8; 8]> + '_ {
    let n = region.n as f64;
    let whole = [region.label as u64, region.n].into_iter().chain(region.low.iter().chain(&region.high).copied());
    let means = region.sums.iter().map(move |&sum| sum as f64 / n);
    let light = region.light.iter().flat_map(|light| {
        let sums = [light.min, light.max, light.sum, light.squares].map(f64::to_bits);
        let weighted = light.weighted.iter().map(|v| v.to_bits());
        sums.into_iter().chain([light.argmin, light.argmax]).chain(weighted)
    });
    whole.chain(means.chain(region.central()).map(f64::to_bits)).chain(light).map(u64::to_le_bytes)
}

impl Op for RegionTable {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 1 || ins[0].rank() != self.rank || self.block.len() != self.rank {
            return Err(Error::internal("region_table takes what is known of blocks"));
        }
        Ok(ArrayMeta::new([1], DType::U64))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.whole.get_or_init(|| ChunkGrid::single(&[1])))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![ins[0].whole()]
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let found = self.joined(at)?;
        let mut bytes = Vec::new();
        found.iter().for_each(|region| row(region).for_each(|word| bytes.extend(word)));
        blocks::for_each(at.out, out, |position| {
            at.rows.attach(position, std::mem::take(&mut bytes));
            Ok(found.len() as u64)
        })
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        4 * blocks::PER_BLOCK
    }
}
