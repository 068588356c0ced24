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
use super::label_rows::words;
use super::region_outlines::{self, RegionOutlines};
use super::region_rows::{Layout, RegionRows};
use crate::family::grid::positions;
use crate::numeric::outlines;
use crate::numeric::regions::{self, Wanted};

/// What is known of all labelled regions, joined from blocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionTable {
    /// Axes of the labels.
    pub rank: usize,
    /// Channels of intensity.
    pub light: usize,
    /// With moments.
    pub moments: bool,
    /// With sums over surfaces: a second input.
    pub outlines: bool,
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
          intensity times position along each axis; these for each channel. With moments, sums of products of powers of the distances \
          from the first position, up to 3 along each axis, after the sums of products, and weighted with the intensity after those of \
          each channel; with outlines, sums over the surface at the end. Regions are in the order of their labels.",
    inputs: Inputs::Many("rows, and those of surfaces"),
    params: &[
        Param { name: "rank", kind: "int", default: None, doc: "axes of the labels" },
        Param { name: "light", kind: "int", default: None, doc: "channels of intensity" },
        Param { name: "moments", kind: "bool", default: None, doc: "with moments" },
        Param { name: "outlines", kind: "bool", default: None, doc: "with sums over surfaces" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
    ],
    form: Form::Kernel,
    cost: 1000.0,
    hold: true,
    build: params::build::<RegionTable>,
    samples: Vec::new,
};

/// What is asked of regions beside their first sums.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// Moments up to the third power along each axis.
    pub moments: bool,
    /// Sums over surfaces, with the 4 or 8 neighbours of which one is missing on a contour.
    pub outlines: Option<usize>,
}

/// Refuses what is no array of labels.
pub fn check_labels(labels: &Array) -> Result<()> {
    if labels.rank() == 0 {
        return Err(Error::invalid("labels need at least one axis"));
    }
    if !labels.dtype().is_exact() || labels.dtype() == DType::Bool {
        return Err(Error::invalid(format!("labels must be whole numbers, not {}", labels.dtype())));
    }
    Ok(())
}

/// The table of the regions of `labels`, with what is known of the channels of `intensity` in them.
pub fn region_table(labels: &Array, intensity: &[Array], asked: Asked) -> Result<Array> {
    check_labels(labels)?;
    let block = blocks::lengths(labels.meta());
    let cast = |x: &Array| match x.dtype() {
        DType::F64 => Ok(x.clone()),
        _ => Array::from_op(TABLE.build("astype", &json!({"dtype": "float64"}))?, vec![x.clone()]),
    };
    let light: Vec<Array> = intensity.iter().map(cast).collect::<Result<_>>()?;
    let n_light = light.len();
    let ins = std::iter::once(labels.clone()).chain(light).collect();
    let rows = Array::from_op(Arc::new(RegionRows { block: block.clone(), moments: asked.moments }), ins)?;
    let outlines = asked
        .outlines
        .map(|border| Array::from_op(Arc::new(RegionOutlines { block: block.clone(), border }), vec![labels.clone()]));
    let outlines = outlines.transpose()?;
    let table = RegionTable {
        rank: labels.rank(),
        light: n_light,
        moments: asked.moments,
        outlines: outlines.is_some(),
        block,
        whole: OnceLock::new(),
    };
    Array::from_op(Arc::new(table), std::iter::once(rows).chain(outlines).collect())
}

impl RegionTable {
    /// All regions, joined and in the order of their labels, each with its sums over the surface.
    fn joined(&self, at: &Place<'_>) -> Result<Vec<(regions::Region, Vec<i64>)>> {
        let layout = Layout(Wanted { rank: self.rank, light: self.light, moments: self.moments });
        let mut number: FxHashMap<i64, usize> = FxHashMap::default();
        let mut found: Vec<(regions::Region, Vec<i64>)> = Vec::new();
        for position in positions(&at.ins[0].shape) {
            let start: Vec<u64> = position.iter().zip(&self.block).map(|(p, b)| (p * b) as u64).collect();
            for bytes in at.rows.rows(0, &position)?.chunks_exact(layout.bytes()) {
                let region = layout.read(bytes).shifted(&start);
                let own = *number.entry(region.label).or_insert(found.len());
                match found.get_mut(own) {
                    Some((known, _)) => known.join(&region),
                    None => found.push((region, Vec::new())),
                }
            }
        }
        if self.outlines {
            self.add_outlines(at, &number, &mut found)?;
        }
        found.sort_unstable_by_key(|(region, _)| region.label);
        Ok(found)
    }

    fn add_outlines(
        &self,
        at: &Place<'_>,
        number: &FxHashMap<i64, usize>,
        found: &mut [(regions::Region, Vec<i64>)],
    ) -> Result<()> {
        for position in positions(&at.ins[1].shape) {
            for bytes in at.rows.rows(1, &position)?.chunks_exact(region_outlines::row_bytes(self.rank)) {
                let mut numbers = words(bytes).map(|word| word as i64);
                let own = numbers.next().and_then(|label| number.get(&label)).and_then(|own| found.get_mut(*own));
                let (_, sums) = own.ok_or_else(|| Error::internal("a surface without its region"))?;
                sums.resize(outlines::n_sums(self.rank), 0);
                sums.iter_mut().zip(numbers).for_each(|(sum, more)| *sum += more);
            }
        }
        Ok(())
    }
}

/// One row of the result.
fn row<'a>(region: &'a regions::Region, surface: &'a [i64]) -> impl Iterator<Item = [u8; 8]> + 'a {
    let n = region.n as f64;
    let whole = [region.label as u64, region.n].into_iter().chain(region.low.iter().chain(&region.high).copied());
    let means = region.sums.iter().map(move |&sum| sum as f64 / n);
    let light = region.light.iter().flat_map(|light| {
        let sums = [light.min, light.max, light.sum, light.squares].map(f64::to_bits);
        let weighted = light.weighted.iter().chain(&light.moments).map(|v| v.to_bits());
        sums.into_iter().chain([light.argmin, light.argmax]).chain(weighted)
    });
    let reals = means.chain(region.central()).chain(region.moments.iter().copied()).map(f64::to_bits);
    let surface = surface.iter().map(|&v| v as u64);
    whole.chain(reals).chain(light).chain(surface).map(u64::to_le_bytes)
}

impl Op for RegionTable {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let n_ins = 1 + usize::from(self.outlines);
        if ins.len() != n_ins || ins.iter().any(|m| m.rank() != self.rank) || self.block.len() != self.rank {
            return Err(Error::internal("region_table takes what is known of blocks"));
        }
        Ok(ArrayMeta::new([1], DType::U64))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.whole.get_or_init(|| ChunkGrid::single(&[1])))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let found = self.joined(at)?;
        let mut bytes = Vec::new();
        found.iter().for_each(|(region, surface)| row(region, surface).for_each(|word| bytes.extend(word)));
        blocks::for_each(at.out, out, |position| {
            at.rows.attach(position, std::mem::take(&mut bytes));
            Ok(found.len() as u64)
        })
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        4 * blocks::PER_BLOCK
    }
}
