//! `thin_edges` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, B8, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

use super::line::lost;
use crate::numeric::edges::{Slope, thinned};

/// The strength of edges where it is largest across the edge, else 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinEdges {}

/// The op `thin_edges`.
pub static DEF: OpDef = OpDef {
    name: "thin_edges",
    theme: "filter",
    summary: "Internal: the strength of edges where it is largest across the edge, else 0.",
    doc: "",
    inputs: Inputs::Many("slopes along both axes, strength, the lowest strength, and perhaps a mask"),
    params: &[],
    form: Form::Kernel,
    cost: 6.0,
    hold: false,
    build: params::build::<ThinEdges>,
    samples: || {
        let plane = |dtype| SampleInput::new(&[9, 11], dtype);
        let low = SampleInput::new(&[], DType::F64).between(3.0, 4.0);
        let mask = SampleInput::new(&[9, 11], DType::Bool).between(0.0, 3.0);
        vec![
            Sample {
                params: json!({}),
                ins: vec![plane(DType::F32), plane(DType::F32), plane(DType::F32), low.clone()],
            },
            Sample { params: json!({}), ins: vec![plane(DType::F64), plane(DType::F64), plane(DType::F64), low, mask] },
        ]
    },
};

/// A box with one element more on each side, as far as the array reaches.
fn wider(out: &Region, whole: &[usize]) -> Region {
    (0..out.rank()).fold(out.clone(), |region, axis| {
        let (begin, end) = (out.start[axis].saturating_sub(1), (out.end(axis) + 1).min(whole[axis]));
        region.with_axis(axis, begin, end - begin)
    })
}

impl ThinEdges {
    fn fill<T: Slope>(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (Some(down), Some(right), Some(strength)) =
            (ins[0].as_slice::<T>(), ins[1].as_slice::<T>(), ins[2].as_slice::<T>())
        else {
            return Err(lost());
        };
        let low = ins[3].as_slice::<f64>().and_then(|low| low.first()).ok_or_else(lost)?;
        // Single precision, and never 0: what has no slope is no edge.
        let low = if *low as f32 == 0.0 { 1e-14f32 } else { *low as f32 };
        let mask = ins.get(4).map(|mask| mask.as_slice::<B8>().ok_or_else(lost)).transpose()?;
        let out = out.as_slice_mut::<T>().ok_or_else(lost)?;
        let (region, read, whole) = (at.out, &at.reads[2], &at.ins[2].shape);
        let width = region.shape[1];
        for row in 0..region.shape[0] {
            let here = row * width..(row + 1) * width;
            let to = &mut out[here.clone()];
            to.fill(T::default());
            let at_row = region.start[0] + row;
            if at_row == 0 || at_row + 1 == whole[0] {
                continue;
            }
            let rows = |k: usize| {
                let first = (at_row + k - 1 - read.start[0]) * read.shape[1];
                &strength[first..first + read.shape[1]]
            };
            let rows = [rows(0), rows(1), rows(2)];
            for col in 0..width {
                let at_col = region.start[1] + col;
                if at_col == 0 || at_col + 1 == whole[1] || mask.is_some_and(|mask| !mask[here.start + col].get()) {
                    continue;
                }
                let place = here.start + col;
                to[col] = thinned(down[place], right[place], rows, at_col - read.start[1], low);
            }
        }
        Ok(())
    }
}

impl Op for ThinEdges {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = ins[0].dtype;
        if !matches!(ins.len(), 4 | 5) || ins[0].rank() != 2 || !matches!(dtype, DType::F32 | DType::F64) {
            return Err(Error::internal("edges are thinned in planes of floats"));
        }
        Ok(ins[0].clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let strength = if out.is_empty() { out.clone() } else { wider(out, &ins[2].shape) };
        let mut reads = vec![out.clone(), out.clone(), strength, ins[3].whole()];
        reads.extend(ins.get(4).map(|_| out.clone()));
        reads
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        match out.dtype() {
            DType::F32 => self.fill::<f32>(at, ins, out),
            _ => self.fill::<f64>(at, ins, out),
        }
    }
}
