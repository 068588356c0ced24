//! `atleast_nd`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::expand_dims::ExpandDims;
use crate::family::composite::{Compose, Composite};

/// The array with at least a number of axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtleastNd {
    /// The smallest number of axes.
    pub n: usize,
}

/// The op `atleast_nd`.
pub static DEF: OpDef = OpDef {
    name: "atleast_nd",
    theme: "shape",
    summary: "The array with at least a number of axes.",
    doc: "New axes are added as NumPy's atleast_1d, atleast_2d and atleast_3d do: in front, but a third axis at the end. Beyond three axes all new ones are in front.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param { name: "n", kind: "int", default: None, doc: "the smallest number of axes" }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<AtleastNd>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"n": 3}), &[5, 3], DType::F32),
            one(json!({"n": 2}), &[5], DType::F32),
            one(json!({"n": 1}), &[], DType::F32),
            one(json!({"n": 1}), &[2, 2], DType::F32),
        ]
    },
};

impl Compose for AtleastNd {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        at_least(&ins[0], self.n)
    }
}

/// `array` with at least `n` axes.
pub fn at_least(array: &Array, n: usize) -> Result<Array> {
    let axes: Vec<usize> = match (n, array.rank()) {
        (3, 2) => vec![2],
        (3, 1) => vec![0, 2],
        (n, rank) => (0..n.saturating_sub(rank)).collect(),
    };
    ExpandDims::apply(array, &axes)
}
