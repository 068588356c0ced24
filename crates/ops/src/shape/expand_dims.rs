//! `expand_dims`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Axis, AxisCuts, ChunkGrid, DType, Region, Result, View};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::boxes::nothing;
use crate::family::map::expect_inputs;
use crate::family::params::{self, Axes, normalize_axes};

/// With new axes of length 1.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpandDims {
    /// Where the new axes are in the result.
    pub axis: Axes,
}

impl ExpandDims {
    /// `array` with new axes at the places `axes` of the result.
    pub fn apply(array: &Array, axes: &[usize]) -> Result<Array> {
        if axes.is_empty() {
            return Ok(array.clone());
        }
        let axis = Axes::Many(axes.iter().map(|&a| a as i64).collect());
        Array::from_op(Arc::new(ExpandDims { axis }), vec![array.clone()])
    }

    /// For each axis of the result the one of the input, or `None` for a new one.
    fn origin(&self, rank: usize) -> Result<Vec<Option<usize>>> {
        let n_new = match &self.axis {
            Axes::One(_) => 1,
            Axes::Many(axes) => axes.len(),
        };
        let new = normalize_axes(Some(&self.axis), rank + n_new)?;
        let mut old = 0..rank;
        Ok((0..rank + n_new).map(|k| if new.contains(&k) { None } else { old.next() }).collect())
    }
}

/// The op `expand_dims`.
pub static DEF: OpDef = OpDef {
    name: "expand_dims",
    theme: "shape",
    summary: "The array with new axes of length 1.",
    doc: "The places count in the result, as in NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "axis",
        kind: "int or list of int",
        default: None,
        doc: "where the new axes are in the result",
    }],
    form: Form::Restride,
    cost: 0.0,
    hold: false,
    build: params::build::<ExpandDims>,
    samples: || {
        let one = |axis: Value, shape: &[usize], dtype| Sample {
            params: json!({"axis": axis}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(json!(0), &[5, 3], DType::F32),
            one(json!([-1, 1]), &[4, 2], DType::U8),
            one(json!([0, 1]), &[], DType::I64),
            one(json!(1), &[0], DType::C64),
        ]
    },
};

impl Op for ExpandDims {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let origin = self.origin(ins[0].rank())?;
        let shape: Vec<usize> = origin.iter().map(|o| o.map_or(1, |k| ins[0].shape[k])).collect();
        let cuts = |o: &Option<usize>| o.map_or(AxisCuts::even(1, 1), |k| ins[0].grid.axes[k].clone());
        let grid = ChunkGrid { axes: origin.iter().map(cuts).collect() };
        let mut meta = ArrayMeta::new(&shape, ins[0].dtype).with_grid(grid);
        if !ins[0].axes.is_empty() {
            meta.axes = origin.iter().map(|o| o.map_or(Axis::default(), |k| ins[0].axes[k].clone())).collect();
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let nothing_to_do = self.origin(ins[0].rank())?.len() == ins[0].rank();
        Ok(nothing_to_do.then(|| ins[0].clone()))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(ins[0].rank())];
        }
        let origin = self.origin(ins[0].rank()).unwrap_or_default();
        let kept = origin.iter().zip(out.bounds()).filter(|(o, _)| o.is_some());
        vec![Region::from_bounds(kept.map(|(_, bounds)| bounds))]
    }

    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let origin = self.origin(at.ins[0].rank())?;
        let strides: Vec<isize> = origin.iter().map(|o| o.map_or(0, |k| input.strides()[k])).collect();
        input.restrided(input.offset(), &at.out.shape, strides)
    }
}
