//! `tv_energies` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Idx, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::tv::{bytes, wide, wider, with_components};
use crate::family::grid::{advance, positions};
use crate::filter::line::lost;
use crate::numeric::variation::Field;

/// The energy of each block before each of some steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TvEnergies {
    /// Lengths of a block.
    pub block: Vec<usize>,
    /// Number of steps.
    pub steps: usize,
    /// How much gradients count.
    pub weight: f64,
}

/// The op `tv_energies`.
pub static DEF: OpDef = OpDef {
    name: "tv_energies",
    theme: "restoration",
    summary: "Internal: the energy of each block of an image before each of some steps of denoising.",
    doc: "",
    inputs: Inputs::Named(&["image", "dual", "state"]),
    params: &[
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of a block" },
        Param { name: "steps", kind: "int", default: None, doc: "number of steps" },
        Param { name: "weight", kind: "float", default: None, doc: "how much gradients count" },
    ],
    form: Form::Kernel,
    cost: 60.0,
    hold: true,
    build: params::build::<TvEnergies>,
    samples: || {
        let ins = vec![
            SampleInput::new(&[9, 11], DType::F64).between(0.0, 1.0),
            SampleInput::new(&[2, 9, 11], DType::F64).between(-0.1, 0.1),
            SampleInput::new(&[4], DType::F64).between(0.0, 0.0),
        ];
        vec![Sample { params: json!({"block": [4, 5], "steps": 3, "weight": 0.2}), ins }]
    },
};

impl TvEnergies {
    /// The box of the image that some blocks cover.
    fn covered(&self, out: &Region, image: &ArrayMeta) -> Region {
        let rank = self.block.len();
        let begin: Vec<usize> = (0..rank).map(|k| out.start[k] * self.block[k]).collect();
        let shape: Vec<usize> =
            (0..rank).map(|k| (out.end(k) * self.block[k]).min(image.shape[k]) - begin[k]).collect();
        Region::new(Idx::from_slice(&begin), Idx::from_slice(&shape))
    }
}

impl Op for TvEnergies {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 3 || ins[0].rank() != self.block.len() || ins[1].rank() != ins[0].rank() + 1 {
            return Err(Error::internal("an image, its dual field and a state are needed"));
        }
        let mut shape: Vec<usize> = ins[0].shape.iter().zip(&self.block).map(|(n, b)| n.div_ceil(*b)).collect();
        shape.push(self.steps);
        let mut meta = ArrayMeta::new(Idx::from_slice(&shape), DType::F64);
        let rank = self.block.len();
        let axes = shape.iter().enumerate().map(|(k, &n)| AxisCuts::even(n, if k < rank { 1 } else { n }));
        meta.grid = ChunkGrid { axes: axes.collect() };
        Ok(meta)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            let none = |rank: usize| Region::new(Idx::from_elem(0, rank), Idx::from_elem(0, rank));
            return ins.iter().map(|meta| none(meta.rank())).collect();
        }
        let image = wider(&self.covered(out, ins[0]), &ins[0].shape, self.steps);
        vec![image.clone(), with_components(&image), ins[2].whole()]
    }

    fn scratch(&self, _out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        // Blocks are looked at one by one.
        let rank = self.block.len();
        let block: Vec<usize> = (0..rank).map(|k| (self.block[k] + 2 * self.steps).min(reads[0].shape[k])).collect();
        let one = Region::new(Idx::from_elem(0, rank), Idx::from_slice(&block));
        (8 * (rank + 1) * reads[0].size() + one.size()) as u64 + bytes(&one)
    }

    fn work(&self, _out: &Region, reads: &[&Region]) -> f64 {
        reads.first().map_or(0, |read| read.size()) as f64 * self.steps as f64 * 8.0
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let out = out.as_slice_mut::<f64>().ok_or_else(lost)?;
        out.fill(0.0);
        if ins[2].as_slice::<f64>().ok_or_else(lost)?[2] != 0.0 {
            return Ok(());
        }
        let (image, dual) = (wide(&ins[0])?, wide(&ins[1])?);
        let (rank, read) = (self.block.len(), &at.reads[0]);
        let (first, n_steps) = (at.out.start[rank], at.out.shape[rank]);
        for (block, energies) in positions(&at.out.shape[..rank]).zip(out.chunks_exact_mut(n_steps)) {
            let start: Vec<usize> = (0..rank).map(|k| at.out.start[k] + block[k]).collect();
            let one = Region::new(Idx::from_slice(&start), Idx::from_elem(1, rank));
            let inside = self.covered(&one, at.ins[0]);
            let around = wider(&inside, &at.ins[0].shape, self.steps);
            let cut = |values: &[f64]| cut_out(values, read, &around);
            let parts: Vec<f64> = dual.chunks_exact(read.size()).flat_map(cut).collect();
            let mut field = Field::new(&around.shape, cut(&image), &parts);
            let counts = inner(&around, &inside);
            for step in 0..(first + n_steps) {
                let mut sum = 0.0;
                field.step(self.weight, |k, energy| sum += if counts[k] { energy } else { 0.0 });
                if step >= first {
                    energies[step - first] = sum;
                }
            }
        }
        Ok(())
    }
}

/// The elements of the box `part` of a box.
fn cut_out(values: &[f64], from: &Region, part: &Region) -> Vec<f64> {
    let steps = crate::family::window::strides(&from.shape);
    let first: usize = (0..part.rank()).map(|k| (part.start[k] - from.start[k]) * steps[k]).sum();
    let width = part.shape[part.rank() - 1];
    let mut cut = Vec::with_capacity(part.size());
    crate::family::window::each_row(&part.shape, &from.shape, |_, at| {
        cut.extend_from_slice(&values[first + at..first + at + width]);
    });
    cut
}

/// For each element of a box, whether it belongs to a box inside.
fn inner(around: &Region, inside: &Region) -> Vec<bool> {
    let mut at = vec![0; around.rank()];
    let mut all = Vec::with_capacity(around.size());
    for _ in 0..around.size() {
        all.push((0..at.len()).all(|k| {
            let place = around.start[k] + at[k];
            place >= inside.start[k] && place < inside.end(k)
        }));
        advance(&mut at, &around.shape);
    }
    all
}
