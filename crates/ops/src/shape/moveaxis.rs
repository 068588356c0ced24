//! `moveaxis`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::transpose::Transpose;
use crate::family::composite::{Compose, Composite};
use crate::family::params::{Axes, normalize_axes, normalize_axis};

/// The array with some axes moved to other places.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moveaxis {
    /// The axes to move.
    pub source: Axes,
    /// Where they are in the result.
    pub destination: Axes,
}

/// The op `moveaxis`.
pub static DEF: OpDef = OpDef {
    name: "moveaxis",
    theme: "shape",
    summary: "The array with some axes moved to other places.",
    doc: "The other axes keep their order, as in NumPy.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param { name: "source", kind: "int or list of int", default: None, doc: "the axes to move" },
        Param { name: "destination", kind: "int or list of int", default: None, doc: "where they are in the result" },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Moveaxis>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"source": 0, "destination": -1}), &[2, 3, 4], DType::F32),
            one(json!({"source": [0, 1], "destination": [-1, -2]}), &[2, 3, 4, 5], DType::U8),
            one(json!({"source": 0, "destination": 0}), &[3], DType::I8),
        ]
    },
};

impl Compose for Moveaxis {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        let (source, destination) = (places(&self.source, rank)?, places(&self.destination, rank)?);
        if source.len() != destination.len() {
            return Err(Error::invalid(format!(
                "source names {} axes and destination {}; they must be as many",
                source.len(),
                destination.len()
            )));
        }
        let mut rest = (0..rank).filter(|k| !source.contains(k));
        let mut order = Vec::with_capacity(rank);
        for k in 0..rank {
            match destination.iter().position(|&d| d == k) {
                Some(at) => order.push(source[at]),
                None => order.extend(rest.next()),
            }
        }
        Transpose::apply(&ins[0], &order)
    }
}

/// The axes in the order given, each named once.
fn places(axes: &Axes, rank: usize) -> Result<Vec<usize>> {
    normalize_axes(Some(axes), rank)?;
    match axes {
        Axes::One(axis) => Ok(vec![normalize_axis(*axis, rank)?]),
        Axes::Many(axes) => axes.iter().map(|&a| normalize_axis(a, rank)).collect(),
    }
}
