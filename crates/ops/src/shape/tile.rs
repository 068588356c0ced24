//! `tile`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::expand_dims::ExpandDims;
use super::periodic::Periodic;
use crate::family::composite::{Compose, Composite};
use crate::family::params::Axes;

/// The array repeated as a whole along axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Number of repetitions along each axis.
    pub reps: Axes,
}

/// The op `tile`.
pub static DEF: OpDef = OpDef {
    name: "tile",
    theme: "shape",
    summary: "The array repeated as a whole along axes.",
    doc: "A list shorter than the rank goes with the last axes, a longer one adds axes in front. As NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "reps",
        kind: "int or list of int",
        default: None,
        doc: "number of repetitions along each axis",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Tile>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"reps": 2}), &[5, 3], DType::F32),
            one(json!({"reps": [2, 1, 3]}), &[2, 3], DType::U8),
            one(json!({"reps": [0, 2]}), &[2, 3], DType::U8),
            one(json!({"reps": []}), &[], DType::U8),
        ]
    },
};

impl Compose for Tile {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let reps = match &self.reps {
            Axes::One(n) => vec![*n],
            Axes::Many(list) => list.clone(),
        };
        if let Some(n) = reps.iter().find(|&&n| n < 0) {
            return Err(Error::invalid(format!("an array cannot be repeated {n} times")));
        }
        let lead: Vec<usize> = (0..reps.len().saturating_sub(ins[0].rank())).collect();
        let array = ExpandDims::apply(&ins[0], &lead)?;
        let first = array.rank() - reps.len();
        reps.iter().enumerate().try_fold(array, |array, (k, &n)| {
            let axis = first + k;
            Periodic::apply(&array, axis, 0, array.shape()[axis] * n as usize)
        })
    }
}
