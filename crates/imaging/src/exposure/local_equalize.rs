//! `local_equalize` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Idx, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::positions;
use crate::family::window::strides;
use crate::filter::line::lost;
use crate::numeric::clahe::{Between, row};

/// Each element by the curves of the blocks around it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalEqualize {
    /// Lengths of a block.
    pub kernel: Vec<usize>,
}

/// The op `local_equalize`.
pub static DEF: OpDef = OpDef {
    name: "local_equalize",
    theme: "exposure",
    summary: "Internal: each element of an image of bins by the curves of the blocks around it.",
    doc: "",
    inputs: Inputs::Named(&["image", "curves"]),
    params: &[Param { name: "kernel", kind: "list of int", default: None, doc: "lengths of a block" }],
    form: Form::Kernel,
    cost: 15.0,
    hold: false,
    build: params::build::<LocalEqualize>,
    samples: || {
        vec![Sample {
            params: json!({"kernel": [4, 3]}),
            ins: vec![SampleInput::new(&[10, 11], DType::U16), SampleInput::new(&[3, 4, 101], DType::U16)],
        }]
    },
};

impl LocalEqualize {
    fn between(&self, axis: usize, at: usize, curves: &ArrayMeta) -> Between {
        Between::new(at, self.kernel[axis], curves.shape[axis])
    }
}

impl Op for LocalEqualize {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let rank = self.kernel.len();
        if ins.len() != 2
            || ins[0].rank() != rank
            || ins[1].rank() != rank + 1
            || ins.iter().any(|m| m.dtype != DType::U16)
        {
            return Err(Error::internal("bins and curves are needed"));
        }
        Ok(ins[0].clone().with_dtype(DType::U16))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = self.kernel.len();
        if out.is_empty() {
            return vec![out.clone(), Region::new(Idx::from_elem(0, rank + 1), Idx::from_elem(0, rank + 1))];
        }
        let (mut start, mut shape) = (Idx::from_elem(0, rank + 1), ins[1].shape.clone());
        for k in 0..rank {
            let (first, last) = (self.between(k, out.start[k], ins[1]), self.between(k, out.end(k) - 1, ins[1]));
            (start[k], shape[k]) = (first.curves[0], last.curves[1] + 1 - first.curves[0]);
        }
        vec![out.clone(), Region::new(start, shape)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let corners = 1usize << self.kernel.len();
        (out.shape.iter().sum::<usize>() * size_of::<Between>() + corners * 8 * (8 + self.kernel.len())) as u64 + 1024
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (bins, curves) = (ins[0].as_slice::<u16>().ok_or_else(lost)?, ins[1].as_slice::<u16>().ok_or_else(lost)?);
        let out = out.as_slice_mut::<u16>().ok_or_else(lost)?;
        let (rank, box_of) = (self.kernel.len(), &at.reads[1]);
        let steps = strides(&box_of.shape);
        let n_bins = at.ins[1].shape[rank];
        let along = |k: usize| -> Vec<Between> {
            let place = |i: usize| {
                let mut found = self.between(k, at.out.start[k] + i, at.ins[1]);
                found.curves.iter_mut().for_each(|curve| *curve -= box_of.start[k]);
                found
            };
            (0..at.out.shape[k]).map(place).collect()
        };
        let places: Vec<Vec<Between>> = (0..rank).map(along).collect();
        let Some((last, outer)) = places.split_last() else { return Err(lost()) };
        let width = last.len();
        let mut corners = vec![(0, Vec::with_capacity(rank)); 1 << outer.len()];
        for (k, outer_at) in positions(&at.out.shape[..rank - 1]).enumerate() {
            for (corner, (offset, shares)) in corners.iter_mut().enumerate() {
                *offset = 0;
                shares.clear();
                for axis in (0..outer.len()).rev() {
                    let side = (corner >> (outer.len() - 1 - axis)) & 1;
                    let between = &outer[axis][outer_at[axis]];
                    *offset += between.curves[side] * steps[axis];
                    shares.push(between.shares[side]);
                }
            }
            let here = k * width..(k + 1) * width;
            row(&bins[here.clone()], &mut out[here], last, &corners, curves, n_bins);
        }
        Ok(())
    }
}
