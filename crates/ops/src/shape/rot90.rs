//! `rot90`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::flip::Flip;
use super::transpose::Transpose;
use crate::family::composite::{Compose, Composite};
use crate::family::params::normalize_axis;

/// The array turned by 90 degrees in the plane of two axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rot90 {
    /// Number of quarter turns.
    #[serde(default = "one")]
    pub k: i64,
    /// The plane.
    #[serde(default = "first_two")]
    pub axes: [i64; 2],
}

/// The op `rot90`.
pub static DEF: OpDef = OpDef {
    name: "rot90",
    theme: "shape",
    summary: "The array turned by 90 degrees in the plane of two axes.",
    doc: "Turns from the first axis towards the second, k times; negative k turns back. As NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "k", kind: "int", default: Some("1"), doc: "number of quarter turns" },
        Param { name: "axes", kind: "two int", default: Some("[0, 1]"), doc: "the plane" },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Rot90>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[2, 3], DType::F32),
            one(json!({"k": -1, "axes": [2, 0]}), &[2, 3, 4], DType::U8),
            one(json!({"k": 2}), &[2, 3], DType::U8),
            one(json!({"k": 4}), &[0, 3], DType::U8),
        ]
    },
};

impl Compose for Rot90 {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        if rank < 2 {
            return Err(Error::invalid(format!("turning needs two axes, the array has {rank}")));
        }
        let (a, b) = (normalize_axis(self.axes[0], rank)?, normalize_axis(self.axes[1], rank)?);
        if a == b {
            return Err(Error::invalid(format!("axes must be different, got {:?}", self.axes)));
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(a, b);
        match self.k.rem_euclid(4) {
            0 => Ok(ins[0].clone()),
            1 => Transpose::apply(&Flip::apply(&ins[0], &[b])?, &order),
            2 => Flip::apply(&ins[0], &[a, b]),
            _ => Flip::apply(&Transpose::apply(&ins[0], &order)?, &[b]),
        }
    }
}

fn one() -> i64 {
    1
}

fn first_two() -> [i64; 2] {
    [0, 1]
}
