//! `slice`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::boxes::nothing;
use crate::family::composite::params_of;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Elements at even distances: on axis `k` those at `start[k] + i * step[k]` for `i` below `count[k]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// First element on each axis.
    pub start: Vec<usize>,
    /// Distance to the next element on each axis; negative ones run backwards.
    pub step: Vec<i64>,
    /// Number of elements on each axis.
    pub count: Vec<usize>,
}

impl Slice {
    /// The slice that keeps all of an array of `shape`.
    pub fn whole(shape: &[usize]) -> Slice {
        Slice { start: vec![0; shape.len()], step: vec![1; shape.len()], count: shape.to_vec() }
    }

    /// This slice with another choice on `axis`.
    #[must_use]
    pub fn with_axis(mut self, axis: usize, start: usize, step: i64, count: usize) -> Slice {
        (self.start[axis], self.step[axis], self.count[axis]) = (start, step, count);
        self
    }

    /// This slice of `array`; the array itself where nothing is cut.
    pub fn apply(self, array: &Array) -> Result<Array> {
        if self == Slice::whole(array.shape()) {
            return Ok(array.clone());
        }
        Array::from_op(Arc::new(self), vec![array.clone()])
    }

    /// `begin..end` of `array` on `axis`.
    pub fn range(array: &Array, axis: usize, begin: usize, end: usize) -> Result<Array> {
        Slice::whole(array.shape()).with_axis(axis, begin, 1, end - begin).apply(array)
    }

    /// The slice that does first `inner`, then `self`.
    fn after(&self, inner: &Slice) -> Slice {
        let mut both = self.clone();
        for k in 0..self.start.len() {
            if self.count[k] > 0 {
                both.start[k] = (inner.start[k] as i64 + self.start[k] as i64 * inner.step[k]) as usize;
                both.step[k] = inner.step[k] * self.step[k];
            }
        }
        both
    }

    fn check(&self, shape: &[usize]) -> Result<()> {
        let rank = shape.len();
        if self.start.len() != rank || self.step.len() != rank || self.count.len() != rank {
            return Err(Error::invalid(format!(
                "a slice of an array of rank {rank} needs {rank} starts, steps and counts"
            )));
        }
        for (k, &n) in shape.iter().enumerate() {
            let last = self.start[k] as i128 + (self.count[k] as i128 - 1) * self.step[k] as i128;
            if self.step[k] == 0 {
                return Err(Error::invalid(format!("the slice step of axis {k} is zero")));
            }
            if self.count[k] > 0 && (self.start[k] >= n || last < 0 || last >= n as i128) {
                return Err(Error::invalid(format!(
                    "the slice of axis {k} goes from {} to {last}, the axis has {n}",
                    self.start[k]
                )));
            }
        }
        Ok(())
    }
}

/// The op `slice`.
pub static DEF: OpDef = OpDef {
    name: "slice",
    theme: "shape",
    summary: "Elements at even distances on each axis.",
    doc: "The plain form of indexing with slices, in which everything is spelled out; getitem is the convenient one. Nothing is \
          copied until somebody needs the elements in order.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "start", kind: "list of int", default: None, doc: "first element on each axis" },
        Param {
            name: "step",
            kind: "list of int",
            default: None,
            doc: "distance to the next element on each axis, negative to run backwards",
        },
        Param { name: "count", kind: "list of int", default: None, doc: "number of elements on each axis" },
    ],
    form: Form::Restride,
    cost: 0.0,
    hold: false,
    build: params::build::<Slice>,
    samples: || {
        let one = |start: &[usize], step: &[i64], count: &[usize], shape: &[usize], dtype| Sample {
            params: json!({"start": start, "step": step, "count": count}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(&[1, 2], &[1, 1], &[3, 4], &[5, 7], DType::F32),
            one(&[4, 6, 0], &[-2, -1, 3], &[3, 7, 2], &[5, 7, 5], DType::U16),
            one(&[9], &[-4], &[3], &[10], DType::C128),
            one(&[0, 1], &[1, 5], &[0, 1], &[4, 3], DType::Bool),
            one(&[], &[], &[], &[], DType::I8),
        ]
    },
};

impl Op for Slice {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        self.check(&ins[0].shape)?;
        let cuts = |k: usize| sliced_cuts(&ins[0].grid.axes[k], self.start[k], self.step[k], self.count[k]);
        let grid = ChunkGrid { axes: (0..ins[0].rank()).map(cuts).collect() };
        let mut meta = ArrayMeta::new(&self.count, ins[0].dtype).with_grid(grid);
        meta.axes = ins[0].axes.clone();
        for (axis, &step) in meta.axes.iter_mut().zip(&self.step) {
            axis.scale = axis.scale.map(|scale| scale * step.unsigned_abs() as f64);
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let input = &ins[0];
        if *self == Slice::whole(input.shape()) {
            return Ok(Some(input.clone()));
        }
        // Indexing and flipping of the input show their slices one step further down.
        let shown = match input.op() {
            Some(op) if op.def().form == Form::Composite && op.def().theme == DEF.theme => op.expand(input.ins())?,
            _ => None,
        };
        let input = shown.as_ref().unwrap_or(input);
        match params_of::<Slice>(input, &DEF) {
            Some(inner) => self.after(&inner).apply(&input.ins()[0]).map(Some),
            None => Ok(None),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(ins[0].rank())];
        }
        let bounds = out.bounds().enumerate().map(|(k, (a, b))| {
            let at = |i: usize| (self.start[k] as i64 + i as i64 * self.step[k]) as usize;
            (at(a).min(at(b - 1)), at(a).max(at(b - 1)) + 1)
        });
        vec![Region::from_bounds(bounds)]
    }

    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let mut offset = input.offset() as isize;
        let mut strides: Vec<isize> = input.strides().to_vec();
        for (k, stride) in strides.iter_mut().enumerate() {
            if self.step[k] < 0 {
                offset += (input.shape()[k] as isize - 1).max(0) * *stride;
            }
            *stride *= self.step[k] as isize;
        }
        input.restrided(offset as usize, &at.out.shape, strides)
    }
}

/// The cuts that an axis has after slicing: where the input was cut.
fn sliced_cuts(cuts: &AxisCuts, start: usize, step: i64, count: usize) -> AxisCuts {
    let stride = step.unsigned_abs() as usize;
    if count == 0 {
        return AxisCuts::even(0, 0);
    }
    let low = if step > 0 { start } else { start - (count - 1) * stride };
    if step == 1 {
        return cuts.slice(low, low + count);
    }
    if let AxisCuts::Even { chunk, .. } = cuts
        && step > 0
        && chunk.is_multiple_of(stride)
        && low % chunk < stride
    {
        return AxisCuts::even(count, chunk / stride);
    }
    let (first, last) = cuts.touching(low, low + (count - 1) * stride + 1);
    // The number of chosen elements before position `at`.
    let before = |at: usize| at.saturating_sub(low).div_ceil(stride).min(count);
    let mut lengths: Vec<usize> =
        (first..last).map(|i| cuts.bounds(i)).map(|(a, b)| before(b) - before(a)).filter(|&n| n > 0).collect();
    if step < 0 {
        lengths.reverse();
    }
    AxisCuts::from_lengths(&lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_follow_the_elements() {
        let cuts = AxisCuts::even(10, 4);
        assert_eq!(sliced_cuts(&cuts, 0, 2, 5).lengths(), [2, 2, 1]);
        assert_eq!(sliced_cuts(&cuts, 9, -1, 10).lengths(), [2, 4, 4]);
        assert_eq!(sliced_cuts(&cuts, 1, 3, 3).lengths(), [1, 2]);
        assert_eq!(sliced_cuts(&cuts, 3, 6, 2).lengths(), [1, 1]);
    }

    #[test]
    fn slices_of_slices_are_one() {
        let array = crate::creation::full::Full::apply(&[20], 1i64.into(), DType::U8).unwrap();
        let odd = Slice { start: vec![1], step: vec![2], count: vec![10] }.apply(&array).unwrap();
        let back = Slice { start: vec![8], step: vec![-3], count: vec![3] };
        let merged = back.expand(&[odd]).unwrap().unwrap();
        let params = params_of::<Slice>(&merged, &DEF).unwrap();
        assert_eq!(params, Slice { start: vec![17], step: vec![-6], count: vec![3] });
        assert!(merged.ins()[0].op().unwrap().def().name == "full");
    }
}
