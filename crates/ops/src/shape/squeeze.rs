//! `squeeze`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::boxes::nothing;
use crate::family::map::expect_inputs;
use crate::family::params::{self, Axes, normalize_axes};

/// Without some axes of length 1.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Squeeze {
    /// The axes to drop; all of length 1 by default.
    #[serde(default)]
    pub axis: Option<Axes>,
}

impl Squeeze {
    /// `array` without `axes`, which have length 1.
    pub fn apply(array: &Array, axes: &[usize]) -> Result<Array> {
        if axes.is_empty() {
            return Ok(array.clone());
        }
        let axis = Some(Axes::Many(axes.iter().map(|&a| a as i64).collect()));
        Array::from_op(Arc::new(Squeeze { axis }), vec![array.clone()])
    }

    /// The axes that stay.
    fn kept(&self, shape: &[usize]) -> Result<Vec<usize>> {
        if self.axis.is_none() {
            return Ok((0..shape.len()).filter(|&k| shape[k] != 1).collect());
        }
        let dropped = normalize_axes(self.axis.as_ref(), shape.len())?;
        if let Some(k) = dropped.iter().find(|&&k| shape[k] != 1) {
            return Err(Error::invalid(format!("axis {k} has length {}; only axes of length 1 can go", shape[*k])));
        }
        Ok((0..shape.len()).filter(|k| !dropped.contains(k)).collect())
    }
}

/// The op `squeeze`.
pub static DEF: OpDef = OpDef {
    name: "squeeze",
    theme: "shape",
    summary: "The array without axes of length 1.",
    doc: "Naming an axis of another length is an error.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "axis",
        kind: "int or list of int",
        default: Some("null"),
        doc: "the axes to drop; all of length 1 by default",
    }],
    form: Form::Restride,
    cost: 0.0,
    hold: false,
    build: params::build::<Squeeze>,
    samples: || {
        let one = |axis: Value, shape: &[usize], dtype| Sample {
            params: json!({"axis": axis}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(Value::Null, &[1, 5, 1, 3], DType::F32),
            one(json!(-1), &[4, 1], DType::U8),
            one(json!([0, 2]), &[1, 3, 1], DType::I64),
            one(Value::Null, &[], DType::Bool),
            one(Value::Null, &[1, 0], DType::C64),
        ]
    },
};

impl Op for Squeeze {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let kept = self.kept(&ins[0].shape)?;
        let shape: Vec<usize> = kept.iter().map(|&k| ins[0].shape[k]).collect();
        let grid = ChunkGrid { axes: kept.iter().map(|&k| ins[0].grid.axes[k].clone()).collect() };
        let mut meta = ArrayMeta::new(&shape, ins[0].dtype).with_grid(grid);
        if !ins[0].axes.is_empty() {
            meta.axes = kept.iter().map(|&k| ins[0].axes[k].clone()).collect();
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let nothing_to_do = self.kept(ins[0].shape())?.len() == ins[0].rank();
        Ok(nothing_to_do.then(|| ins[0].clone()))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = ins[0].rank();
        if out.is_empty() {
            return vec![nothing(rank)];
        }
        let mut read = Region::from_bounds((0..rank).map(|_| (0, 1)));
        for (k, axis) in self.kept(&ins[0].shape).unwrap_or_default().into_iter().enumerate() {
            (read.start[axis], read.shape[axis]) = (out.start[k], out.shape[k]);
        }
        vec![read]
    }

    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let kept = self.kept(&at.ins[0].shape)?;
        let strides: Vec<isize> = kept.iter().map(|&k| input.strides()[k]).collect();
        input.restrided(input.offset(), &at.out.shape, strides)
    }
}
