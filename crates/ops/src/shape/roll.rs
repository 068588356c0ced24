//! `roll`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::periodic::Periodic;
use super::reshape::Reshape;
use crate::family::composite::{Compose, Composite};
use crate::family::params::{Axes, normalize_axis};

/// The array with its elements shifted along axes; what leaves at one end comes back at the other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// Places to shift by.
    pub shift: Axes,
    /// The axes; all as one by default.
    #[serde(default)]
    pub axis: Option<Axes>,
}

/// The op `roll`.
pub static DEF: OpDef = OpDef {
    name: "roll",
    theme: "shape",
    summary: "The array with its elements shifted along axes; what leaves at one end comes back at the other.",
    doc: "Without axis the array is shifted as if it had one axis, as in NumPy. Only what is asked for is read, also across the seam.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "shift", kind: "int or list of int", default: None, doc: "places to shift by" },
        Param {
            name: "axis",
            kind: "int or list of int",
            default: Some("null"),
            doc: "the axes; all as one by default",
        },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Roll>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"shift": 2, "axis": 0}), &[5, 3], DType::F32),
            one(json!({"shift": [1, -2], "axis": [0, 1]}), &[5, 3], DType::U8),
            one(json!({"shift": 7}), &[2, 3], DType::U8),
            one(json!({"shift": 1, "axis": 0}), &[0], DType::U8),
        ]
    },
};

impl Compose for Roll {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let Some(axis) = &self.axis else {
            let flat = Reshape::apply(&ins[0], &[ins[0].size()])?;
            let total = list(&self.shift).iter().map(|&s| s as i128).sum();
            return Reshape::apply(&rolled(&flat, 0, total)?, ins[0].shape());
        };
        let (shifts, axes) = (list(&self.shift), list(axis));
        if shifts.len() != axes.len() && shifts.len() != 1 && axes.len() != 1 {
            return Err(Error::invalid(format!("{} shifts do not go with {} axes", shifts.len(), axes.len())));
        }
        let n = if shifts.is_empty() || axes.is_empty() { 0 } else { shifts.len().max(axes.len()) };
        let mut totals = vec![0i128; ins[0].rank()];
        for &axis in axes {
            normalize_axis(axis, ins[0].rank())?;
        }
        for k in 0..n {
            let axis = normalize_axis(axes[k % axes.len()], ins[0].rank())?;
            totals[axis] += shifts[k % shifts.len()] as i128;
        }
        totals.iter().enumerate().try_fold(ins[0].clone(), |array, (axis, &shift)| rolled(&array, axis, shift))
    }
}

fn list(axes: &Axes) -> &[i64] {
    match axes {
        Axes::One(axis) => std::slice::from_ref(axis),
        Axes::Many(axes) => axes,
    }
}

fn rolled(array: &Array, axis: usize, shift: i128) -> Result<Array> {
    let n = array.shape()[axis];
    if n == 0 {
        return Ok(array.clone());
    }
    let start = (-shift).rem_euclid(n as i128) as usize;
    Periodic::apply(array, axis, start, n)
}
