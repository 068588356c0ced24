//! `repeat`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::reshape::Reshape;
use crate::family::boxes::{gather, gather_scratch, input_bytes, nothing, output_bytes};
use crate::family::map::expect_inputs;
use crate::family::params::{self, Axes, check_size, normalize_axis};

/// Each element several times.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often: one number, or one for each position of the axis.
    pub repeats: Axes,
    /// The axis; null repeats all elements in C order.
    #[serde(default)]
    pub axis: Option<i64>,
}

/// The op `repeat`.
pub static DEF: OpDef = OpDef {
    name: "repeat",
    theme: "shape",
    summary: "Each element several times along an axis.",
    doc: "Without axis the elements are repeated in C order and the result has one axis, as in NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param {
            name: "repeats",
            kind: "int or list of int",
            default: None,
            doc: "how often; a list has one number for each position of the axis",
        },
        Param { name: "axis", kind: "int", default: Some("null"), doc: "the axis; all as one by default" },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<Repeat>,
    samples: || {
        let one = |repeats: Value, axis: i64, shape: &[usize], dtype| Sample {
            params: json!({"repeats": repeats, "axis": axis}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(json!(3), 1, &[4, 5], DType::F32),
            one(json!(2), 0, &[4, 5], DType::C128),
            one(json!([2, 0, 0, 5]), 0, &[4, 5], DType::U8),
            one(json!([3]), -1, &[4, 5], DType::U16),
            one(json!(0), 0, &[4], DType::Bool),
            one(json!(4), 1, &[0, 3], DType::F64),
        ]
    },
};

impl Repeat {
    /// `array` with each element `n` times along `axis`.
    pub fn apply(array: &Array, n: usize, axis: usize) -> Result<Array> {
        let op = Repeat { repeats: Axes::One(n as i64), axis: Some(axis as i64) };
        Array::from_op(Arc::new(op), vec![array.clone()])
    }

    fn axis(&self, rank: usize) -> Result<usize> {
        normalize_axis(self.axis.unwrap_or(0), rank)
    }

    /// Where the copies of each position of an axis of `n` begin and end.
    fn places(&self, n: usize) -> Result<Places> {
        let list = match &self.repeats {
            Axes::One(times) => std::slice::from_ref(times),
            Axes::Many(list) => list,
        };
        if let Some(times) = list.iter().find(|&&t| t < 0) {
            return Err(Error::invalid(format!("an element cannot be repeated {times} times")));
        }
        if let [times] = list {
            return Ok(Places::Even(*times as usize));
        }
        if list.len() != n {
            return Err(Error::invalid(format!("{} repeats do not go with an axis of {n}", list.len())));
        }
        let ends = list.iter().scan(0, |at, &times| {
            *at += times as usize;
            Some(*at)
        });
        Ok(Places::Ends(ends.collect()))
    }
}

enum Places {
    /// The same number for all.
    Even(usize),
    /// Where the copies of each position end.
    Ends(Vec<usize>),
}

impl Places {
    fn end(&self, position: usize) -> usize {
        match self {
            Places::Even(times) => (position + 1).saturating_mul(*times),
            Places::Ends(ends) => ends[position],
        }
    }

    /// The position of which element `at` of the result is a copy.
    fn source(&self, at: usize) -> usize {
        match self {
            Places::Even(times) => at / times,
            Places::Ends(ends) => ends.partition_point(|&end| end <= at),
        }
    }
}

impl Op for Repeat {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if self.axis.is_none() {
            let flat = ArrayMeta::new([ins[0].size()], ins[0].dtype);
            let flat = flat.with_grid(params::auto_grid(&[ins[0].size()], ins[0].dtype, 4 << 20));
            return Repeat { axis: Some(0), ..self.clone() }.infer(&[&flat]);
        }
        let axis = self.axis(ins[0].rank())?;
        let n = ins[0].shape[axis];
        let places = self.places(n)?;
        let mut meta = ins[0].clone().with_dtype(ins[0].dtype);
        meta.shape[axis] = if n == 0 { 0 } else { places.end(n - 1) };
        check_size(&meta.shape, meta.dtype)?;
        meta.grid.axes[axis] = match (&meta.grid.axes[axis], &places) {
            (AxisCuts::Even { chunk, .. }, Places::Even(times)) if *times > 0 => {
                AxisCuts::even(meta.shape[axis], chunk.saturating_mul(*times))
            }
            (cuts, places) => {
                let bounds = (0..cuts.n_chunks()).map(|i| places.end(cuts.bounds(i).1 - 1));
                let mut last = 0;
                let lengths = bounds.map(|end| end - std::mem::replace(&mut last, end)).filter(|&n| n > 0);
                AxisCuts::from_lengths(&lengths.collect::<Vec<_>>())
            }
        };
        if let (Some(axis), Places::Even(times)) = (meta.axes.get_mut(axis), &places) {
            axis.scale = axis.scale.map(|scale| scale / (*times).max(1) as f64);
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        if self.axis.is_none() {
            let flat = Reshape::apply(&ins[0], &[ins[0].size()])?;
            let op = Repeat { axis: Some(0), ..self.clone() };
            return Array::from_op(Arc::new(op), vec![flat]).map(Some);
        }
        Ok((self.repeats == Axes::One(1)).then(|| ins[0].clone()))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let axis = self.axis(out.rank()).unwrap_or(0);
        match self.places(ins[0].shape[axis]) {
            Ok(places) if !out.is_empty() => {
                let (a, b) = (places.source(out.start[axis]), places.source(out.end(axis) - 1));
                vec![out.with_axis(axis, a, b + 1 - a)]
            }
            _ => vec![nothing(out.rank())],
        }
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let list = if matches!(self.repeats, Axes::Many(_)) { ins[0].shape.iter().max().map_or(0, |&n| n) } else { 0 };
        gather_scratch(out) + 8 * list as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let axis = self.axis(at.out.rank())?;
        let places = self.places(at.ins[0].shape[axis])?;
        let mut indices: Vec<Vec<usize>> = at.out.shape.iter().map(|&n| (0..n).collect()).collect();
        for index in &mut indices[axis] {
            *index = places.source(at.out.start[axis] + *index) - at.reads[0].start[axis];
        }
        let width = out.dtype().size();
        gather(input_bytes(&ins[0])?, &at.reads[0].shape, &indices, output_bytes(out)?, width);
        Ok(())
    }
}
