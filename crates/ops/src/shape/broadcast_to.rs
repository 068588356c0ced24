//! `broadcast_to`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Axis, ChunkGrid, DType, Error, Region, Result, View};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::boxes::nothing;
use crate::family::composite::params_of;
use crate::family::map::expect_inputs;
use crate::family::params::{self, auto_grid, check_size};

/// Repeated along axes of length 1 and new leading axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BroadcastTo {
    /// The shape to reach.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
}

impl BroadcastTo {
    /// `array` repeated to `shape`.
    pub fn apply(array: &Array, shape: &[usize]) -> Result<Array> {
        if array.shape() == shape {
            return Ok(array.clone());
        }
        Array::from_op(Arc::new(BroadcastTo { shape: shape.to_vec() }), vec![array.clone()])
    }

    /// For each axis of the result, the input's axis if it is not repeated.
    fn origin(&self, from: &[usize]) -> Result<Vec<Option<usize>>> {
        let lead = self.shape.len().checked_sub(from.len());
        let fits = lead.is_some_and(|lead| from.iter().zip(&self.shape[lead..]).all(|(&n, &m)| n == m || n == 1));
        match lead {
            Some(lead) if fits => {
                let own = |k: usize| k.checked_sub(lead).filter(|&a| from[a] == self.shape[k]);
                Ok((0..self.shape.len()).map(own).collect())
            }
            _ => Err(Error::invalid(format!(
                "shape {from:?} does not broadcast to {:?}: lengths must be equal or 1, counted from the last axis",
                self.shape
            ))),
        }
    }
}

/// The op `broadcast_to`.
pub static DEF: OpDef = OpDef {
    name: "broadcast_to",
    theme: "shape",
    summary: "The array repeated along axes of length 1 and new leading axes.",
    doc: "Nothing is copied until somebody needs the elements in order. As NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param { name: "shape", kind: "list of int", default: None, doc: "the shape to reach" }],
    form: Form::Restride,
    cost: 0.0,
    hold: false,
    build: params::build::<BroadcastTo>,
    samples: || {
        let one = |shape: &[usize], from: &[usize], dtype| Sample {
            params: json!({"shape": shape}),
            ins: vec![SampleInput::new(from, dtype)],
        };
        vec![
            one(&[4, 3, 5], &[3, 1], DType::F32),
            one(&[2, 2], &[], DType::C128),
            one(&[3, 0], &[3, 1], DType::U8),
            one(&[3, 2], &[3, 2], DType::Bool),
        ]
    },
};

impl Op for BroadcastTo {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let origin = self.origin(&ins[0].shape)?;
        check_size(&self.shape, ins[0].dtype)?;
        // Repeated axes are cut so that chunks stay of the usual size.
        let own: usize = origin.iter().flatten().map(|&a| ins[0].grid.axes[a].longest().max(1)).product();
        let repeated: Vec<usize> =
            origin.iter().zip(&self.shape).map(|(o, &n)| if o.is_some() { 1 } else { n }).collect();
        let auto = auto_grid(&repeated, ins[0].dtype, ((4 << 20) / own as u64).max(1));
        let cuts = origin.iter().zip(auto.axes).map(|(o, auto)| o.map_or(auto, |a| ins[0].grid.axes[a].clone()));
        let mut meta = ArrayMeta::new(&self.shape, ins[0].dtype).with_grid(ChunkGrid { axes: cuts.collect() });
        if !ins[0].axes.is_empty() {
            meta.axes = origin.iter().map(|o| o.map_or(Axis::default(), |a| ins[0].axes[a].clone())).collect();
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let input = &ins[0];
        if input.shape() == self.shape {
            return Ok(Some(input.clone()));
        }
        match params_of::<BroadcastTo>(input, &DEF) {
            Some(_) => BroadcastTo::apply(&input.ins()[0], &self.shape).map(Some),
            None => Ok(None),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = ins[0].rank();
        if out.is_empty() {
            return vec![nothing(rank)];
        }
        let mut read = Region::from_bounds((0..rank).map(|_| (0, 1)));
        for (k, origin) in self.origin(&ins[0].shape).unwrap_or_default().into_iter().enumerate() {
            if let Some(a) = origin {
                (read.start[a], read.shape[a]) = (out.start[k], out.shape[k]);
            }
        }
        vec![read]
    }

    fn restride<'a>(&self, at: &Place<'_>, input: &View<'a>) -> Result<View<'a>> {
        let origin = self.origin(&at.ins[0].shape)?;
        let strides: Vec<isize> = origin.iter().map(|o| o.map_or(0, |a| input.strides()[a])).collect();
        input.restrided(input.offset(), &at.out.shape, strides)
    }
}
