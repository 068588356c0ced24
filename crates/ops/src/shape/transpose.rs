//! `transpose`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::composite::params_of;
use crate::family::map::expect_inputs;
use crate::family::params::{self, normalize_axis};

/// A new order of the axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transpose {
    /// For each axis of the result, the axis of the input; reversed by default.
    #[serde(default)]
    pub axes: Option<Vec<i64>>,
}

impl Transpose {
    /// `array` with its axes in the order `axes`.
    pub fn apply(array: &Array, axes: &[usize]) -> Result<Array> {
        if axes.len() == array.rank() && axes.iter().enumerate().all(|(k, &a)| k == a) {
            return Ok(array.clone());
        }
        let op = Transpose { axes: Some(axes.iter().map(|&a| a as i64).collect()) };
        Array::from_op(Arc::new(op), vec![array.clone()])
    }

    /// The input axis behind each axis of the result.
    fn order(&self, rank: usize) -> Result<Vec<usize>> {
        let Some(axes) = &self.axes else { return Ok((0..rank).rev().collect()) };
        let order: Vec<usize> = axes.iter().map(|&a| normalize_axis(a, rank)).collect::<Result<_>>()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != (0..rank).collect::<Vec<_>>() {
            return Err(Error::invalid(format!("axes {axes:?} do not name each of the {rank} axes once")));
        }
        Ok(order)
    }
}

/// The op `transpose`.
pub static DEF: OpDef = OpDef {
    name: "transpose",
    theme: "shape",
    summary: "The array with its axes in another order.",
    doc: "Without axes the order is reversed. Nothing is copied until somebody needs the elements in order.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "axes",
        kind: "list of int",
        default: Some("null"),
        doc: "for each axis of the result, the axis of the input",
    }],
    form: Form::Restride,
    cost: 0.0,
    hold: false,
    build: params::build::<Transpose>,
    samples: || {
        let one = |axes: Value, shape: &[usize], dtype| Sample {
            params: json!({"axes": axes}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(Value::Null, &[5, 7], DType::F32),
            one(json!([1, 2, 0]), &[3, 4, 5], DType::U8),
            one(json!([-1, 0]), &[6, 2], DType::C128),
            one(Value::Null, &[], DType::I16),
            one(Value::Null, &[0, 3], DType::Bool),
        ]
    },
};

impl Op for Transpose {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let order = self.order(ins[0].rank())?;
        let shape: Vec<usize> = order.iter().map(|&a| ins[0].shape[a]).collect();
        let grid = ChunkGrid { axes: order.iter().map(|&a| ins[0].grid.axes[a].clone()).collect() };
        let mut meta = ArrayMeta::new(&shape, ins[0].dtype).with_grid(grid);
        if !ins[0].axes.is_empty() {
            meta.axes = order.iter().map(|&a| ins[0].axes[a].clone()).collect();
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let input = &ins[0];
        let order = self.order(input.rank())?;
        if order.iter().enumerate().all(|(k, &a)| k == a) {
            return Ok(Some(input.clone()));
        }
        let Some(inner) = params_of::<Transpose>(input, &DEF) else { return Ok(None) };
        let first = inner.order(input.rank())?;
        let both: Vec<usize> = order.iter().map(|&a| first[a]).collect();
        Transpose::apply(&input.ins()[0], &both).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let mut read = ins[0].whole();
        for (k, axis) in self.order(ins[0].rank()).unwrap_or_default().into_iter().enumerate() {
            (read.start[axis], read.shape[axis]) = (out.start[k], out.shape[k]);
        }
        vec![read]
    }

    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let order = self.order(at.ins[0].rank())?;
        let strides: Vec<isize> = order.iter().map(|&a| input.strides()[a]).collect();
        input.restrided(input.offset(), &at.out.shape, strides)
    }
}
