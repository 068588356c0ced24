//! `concatenate`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::reshape::Reshape;
use crate::family::boxes::nothing;
use crate::family::composite::params_of;
use crate::family::map::{casts, expect_inputs};
use crate::family::params::{self, check_size, normalize_axis};

/// Arrays one after the other along an axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concatenate {
    /// The axis; null joins all elements in C order.
    #[serde(default = "first")]
    pub axis: Option<i64>,
}

fn first() -> Option<i64> {
    Some(0)
}

impl Concatenate {
    /// `arrays` one after the other along `axis`.
    pub fn apply(arrays: &[Array], axis: usize) -> Result<Array> {
        Array::from_op(Arc::new(Concatenate { axis: Some(axis as i64) }), arrays.to_vec())
    }

    fn axis(&self, rank: usize) -> Result<usize> {
        normalize_axis(self.axis.unwrap_or(0), rank)
    }
}

/// The op `concatenate`.
pub static DEF: OpDef = OpDef {
    name: "concatenate",
    theme: "shape",
    summary: "Arrays one after the other along an axis.",
    doc: "Shapes must agree on all other axes; dtypes are promoted as NumPy does. With axis null all elements are joined in C order. \
          Only the arrays that a box of the result touches are read for it.",
    inputs: Inputs::Many("arrays"),
    params: &[Param { name: "axis", kind: "int or null", default: Some("0"), doc: "the axis to join along" }],
    form: Form::Kernel,
    cost: 0.2,
    hold: false,
    build: params::build::<Concatenate>,
    samples: || {
        let one = |axis: i64, shapes: &[&[usize]], dtype| Sample {
            params: json!({"axis": axis}),
            ins: shapes.iter().map(|shape| SampleInput::new(shape, dtype)).collect(),
        };
        vec![
            one(0, &[&[2, 3], &[4, 3], &[1, 3]], DType::F32),
            one(-1, &[&[2, 3], &[2, 0], &[2, 5]], DType::U8),
            one(1, &[&[2, 3, 4], &[2, 2, 4]], DType::C128),
            one(0, &[&[4]], DType::I32),
            one(0, &[&[0, 3], &[0, 3]], DType::Bool),
        ]
    },
};

impl Op for Concatenate {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let dtype = common_dtype(ins.iter().map(|m| m.dtype));
        if self.axis.is_none() {
            let size = ins.iter().map(|m| m.size()).sum::<usize>();
            return Ok(ArrayMeta::new([size], dtype).with_grid(params::auto_grid(&[size], dtype, 4 << 20)));
        }
        if ins[0].rank() == 0 {
            return Err(Error::invalid("arrays without axes cannot be concatenated"));
        }
        let axis = self.axis(ins[0].rank())?;
        for (n, meta) in ins.iter().enumerate() {
            check_fit(ins[0], meta, n, axis)?;
        }
        let mut meta = ArrayMeta::new(&ins[0].shape, dtype);
        meta.shape[axis] = ins.iter().map(|m| m.shape[axis]).sum();
        check_size(&meta.shape, dtype)?;
        let cuts = |k: usize| {
            if k == axis {
                return joined_cuts(ins.iter().map(|m| &m.grid.axes[axis]));
            }
            let finest = ins.iter().map(|m| &m.grid.axes[k]).max_by_key(|cuts| cuts.n_chunks());
            finest.cloned().unwrap_or_else(|| AxisCuts::even(ins[0].shape[k], 0))
        };
        meta.grid = ChunkGrid { axes: (0..ins[0].rank()).map(cuts).collect() };
        meta.axes = ins.iter().map(|m| &m.axes).find(|axes| !axes.is_empty()).cloned().unwrap_or_default();
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        if self.axis.is_none() {
            let flat = ins.iter().map(|a| Reshape::apply(a, &[a.size()])).collect::<Result<Vec<_>>>()?;
            return Concatenate::apply(&flat, 0).map(Some);
        }
        let axis = self.axis(ins[0].rank())?;
        let dtype = common_dtype(ins.iter().map(Array::dtype));
        if let Some(ins) = casts(ins, &vec![dtype; ins.len()])? {
            return Concatenate::apply(&ins, axis).map(Some);
        }
        let mut parts: Vec<Array> = Vec::with_capacity(ins.len());
        for part in ins {
            match params_of::<Concatenate>(part, &DEF) {
                Some(Concatenate { axis: Some(inner) })
                    if normalize_axis(inner, part.rank())? == axis && part.ins().iter().all(|a| a.dtype() == dtype) =>
                {
                    parts.extend_from_slice(part.ins());
                }
                _ => parts.push(part.clone()),
            }
        }
        parts.retain(|part| part.shape()[axis] > 0);
        match &parts[..] {
            [] => Ok(Some(ins[0].clone())),
            [only] => Ok(Some(only.clone())),
            parts if parts.len() != ins.len() => Concatenate::apply(parts, axis).map(Some),
            _ => Ok(None),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let axis = self.axis(out.rank()).unwrap_or(0);
        let mut begin = 0;
        let one = |meta: &&ArrayMeta| {
            let end = begin + meta.shape[axis];
            let (a, b) = (out.start[axis].max(begin), out.end(axis).min(end));
            let read = if b > a { out.with_axis(axis, a - begin, b - a) } else { nothing(out.rank()) };
            begin = end;
            read
        };
        ins.iter().map(one).collect()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let axis = self.axis(at.out.rank())?;
        let mut place = Region::whole(&at.out.shape).with_axis(axis, 0, 0);
        for (view, read) in ins.iter().zip(at.reads).filter(|(_, read)| !read.is_empty()) {
            place.shape[axis] = read.shape[axis];
            view.copy_to(&mut out.part(&place))?;
            place.start[axis] += read.shape[axis];
        }
        Ok(())
    }
}

fn common_dtype(dtypes: impl Iterator<Item = DType>) -> DType {
    dtypes.reduce(DType::promote).unwrap_or(DType::F64)
}

fn check_fit(first: &ArrayMeta, other: &ArrayMeta, n: usize, axis: usize) -> Result<()> {
    if other.rank() != first.rank() {
        return Err(Error::invalid(format!(
            "all arrays must have the same number of axes: the first has {}, number {n} has {}",
            first.rank(),
            other.rank()
        )));
    }
    let differs = (0..first.rank()).find(|&k| k != axis && first.shape[k] != other.shape[k]);
    match differs {
        None => Ok(()),
        Some(k) => Err(Error::invalid(format!(
            "arrays must agree on all axes but the one they are joined along: axis {k} is {} in the first and {} in number {n}",
            first.shape[k], other.shape[k]
        ))),
    }
}

/// The cuts of axes one after the other.
pub(super) fn joined_cuts<'a>(parts: impl Iterator<Item = &'a AxisCuts>) -> AxisCuts {
    let lengths: Vec<usize> = parts.flat_map(|cuts| cuts.lengths()).filter(|&n| n > 0).collect();
    AxisCuts::from_lengths(&lengths)
}
