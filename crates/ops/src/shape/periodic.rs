//! `periodic`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::concatenate::joined_cuts;
use super::slice::Slice;
use crate::family::boxes::nothing;
use crate::family::map::expect_inputs;
use crate::family::params::{self, check_size};

/// A stretch of the endless repetition of an array along one axis.
///
/// The array is an input twice, taken in turns, so that a box across the seam reads the end and the beginning, and nothing between.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    /// The axis.
    pub axis: usize,
    /// Position in the input of the first element.
    pub start: usize,
    /// Number of elements.
    pub len: usize,
}

impl Periodic {
    /// `len` elements of the repetition of `array` along `axis`, from position `start` of the array on.
    pub fn apply(array: &Array, axis: usize, start: usize, len: usize) -> Result<Array> {
        let n = array.shape()[axis];
        if start + len <= n {
            return Slice::range(array, axis, start, start + len);
        }
        if n == 1 {
            let mut shape = array.shape().to_vec();
            shape[axis] = len;
            return super::broadcast_to::BroadcastTo::apply(array, &shape);
        }
        Array::from_op(Arc::new(Periodic { axis, start, len }), vec![array.clone(), array.clone()])
    }
}

/// The op `periodic`.
pub static DEF: OpDef = OpDef {
    name: "periodic",
    theme: "shape",
    summary: "A stretch of the endless repetition of an array along one axis.",
    doc: "What roll, tile and pad with mode \"wrap\" are made of. Both inputs are the same array, taken in turns: a box across the \
          seam reads the end of one and the beginning of the other.",
    inputs: Inputs::Named(&["x", "again"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis, counted from the front" },
        Param { name: "start", kind: "int", default: None, doc: "position in the input of the first element" },
        Param { name: "len", kind: "int", default: None, doc: "number of elements" },
    ],
    form: Form::Kernel,
    cost: 0.2,
    hold: false,
    build: params::build::<Periodic>,
    samples,
};

impl Op for Periodic {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let (input, axis) = (ins[0], self.axis);
        if input.shape != ins[1].shape || input.dtype != ins[1].dtype || axis >= input.rank() {
            return Err(Error::invalid("both inputs must be the same array and have the axis"));
        }
        let n = input.shape[axis];
        if self.start >= n.max(1) || (n == 0 && self.len > 0) {
            return Err(Error::invalid(format!("an axis of {n} elements cannot be repeated from {} on", self.start)));
        }
        let mut meta = input.clone().with_dtype(input.dtype);
        meta.shape[axis] = self.len;
        check_size(&meta.shape, meta.dtype)?;
        meta.grid.axes[axis] = self.cuts(&input.grid.axes[axis]);
        Ok(meta)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let (axis, n) = (self.axis, ins[0].shape[self.axis]);
        let none = nothing(out.rank());
        if out.is_empty() {
            return vec![none.clone(), none];
        }
        let (begin, end) = (self.start + out.start[axis], self.start + out.end(axis));
        let (first, last) = (begin / n, (end - 1) / n);
        let mut reads = [none.clone(), none];
        for period in first..=last.min(first + 1) {
            let (a, b) = (if period == first { begin % n } else { 0 }, (end - period * n).min(n));
            // Beyond two periods, both inputs are needed whole.
            reads[period % 2] =
                if last > first + 1 { out.with_axis(axis, 0, n) } else { out.with_axis(axis, a, b - a) };
        }
        reads.to_vec()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (axis, n) = (self.axis, at.ins[0].shape[self.axis]);
        let (mut source, mut done) = (self.start + at.out.start[axis], 0);
        while done < at.out.shape[axis] && !at.out.is_empty() {
            let len = (n - source % n).min(at.out.shape[axis] - done);
            let which = source / n % 2;
            let read = &at.reads[which];
            let from = Region::whole(&read.shape).with_axis(axis, source % n - read.start[axis], len);
            let to = Region::whole(&at.out.shape).with_axis(axis, done, len);
            ins[which].part(&from).copy_to(&mut out.part(&to))?;
            (source, done) = (source + len, done + len);
        }
        Ok(())
    }
}

impl Periodic {
    fn cuts(&self, cuts: &AxisCuts) -> AxisCuts {
        let n = cuts.len();
        if let AxisCuts::Even { chunk, .. } = cuts
            && self.start == 0
            && n.is_multiple_of(*chunk)
        {
            return AxisCuts::even(self.len, *chunk);
        }
        let mut parts = Vec::new();
        let (mut source, mut left) = (self.start, self.len);
        while left > 0 {
            let len = (n - source).min(left);
            parts.push(cuts.slice(source, source + len));
            (source, left) = (0, left - len);
        }
        joined_cuts(parts.iter())
    }
}

fn samples() -> Vec<Sample> {
    let one = |axis: usize, start: usize, len: usize, shape: &[usize], dtype| Sample {
        params: json!({"axis": axis, "start": start, "len": len}),
        ins: vec![SampleInput::new(shape, dtype); 2],
    };
    vec![
        one(0, 2, 3, &[3], DType::U8),
        one(1, 3, 17, &[4, 5, 2], DType::F32),
        one(2, 1, 9, &[2, 3, 7], DType::C128),
        one(0, 0, 3, &[3], DType::U8),
        one(0, 0, 0, &[0, 2], DType::U8),
        one(1, 0, 5, &[0, 2], DType::F32),
    ]
}
