//! `binary_hit_or_miss`

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::{Axes, distinct_axes};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::erode_once::ErodeOnce;
use super::grey::call;
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::filter::footprint::Placing;

/// Where a pattern is found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BinaryHitOrMiss {
    /// What must be true.
    pub structure1: Option<Grid>,
    /// What must be false.
    pub structure2: Option<Grid>,
    /// How far the first structure is moved.
    pub origin1: Option<PerAxis<i64>>,
    /// How far the second structure is moved; as the first by default.
    pub origin2: Option<PerAxis<i64>>,
    /// The axes.
    pub axes: Option<Axes>,
}

/// The op `binary_hit_or_miss`.
pub static DEF: OpDef = OpDef {
    name: "binary_hit_or_miss",
    theme: "morphology",
    summary: "True where one structure fits into what is true and another into what is false.",
    doc: "As scipy.ndimage; everything but zero counts as true, and what lies beyond the border is false.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "structure1",
            kind: "nested list of 0 and 1",
            default: Some("null"),
            doc: "positions that must be true; neighbours along the axes by default",
        },
        Param {
            name: "structure2",
            kind: "nested list of 0 and 1",
            default: Some("null"),
            doc: "positions that must be false; all others of structure1 by default",
        },
        Param {
            name: "origin1",
            kind: "int or list of int",
            default: Some("null"),
            doc: "moves structure1; 0 by default",
        },
        Param {
            name: "origin2",
            kind: "int or list of int",
            default: Some("null"),
            doc: "moves structure2; origin1 by default",
        },
        Param { name: "axes", kind: "int or list of int", default: Some("null"), doc: "the axes; all by default" },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<BinaryHitOrMiss>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.0, 1.7)],
        };
        vec![
            one(json!({}), &[9, 40], DType::Bool),
            one(json!({"structure1": [[1, 0], [0, 1]], "origin1": -1}), &[8, 9], DType::U8),
            one(
                json!({"structure1": [1, 1], "structure2": [0, 0, 1], "axes": 1, "origin2": 1}),
                &[4, 9, 3],
                DType::F32,
            ),
        ]
    },
};

impl BinaryHitOrMiss {
    /// An erosion of what is true, or of what is false: there, all of the structure fits.
    fn eroded(&self, input: &Array, structure: &Grid, origin: &PerAxis<i64>, invert: bool) -> Result<Array> {
        let placing = Placing {
            mode: PerAxis::One(Border::Constant),
            cval: Scalar::Bool(false),
            origin: origin.clone(),
            axes: self.axes.clone(),
        };
        let placed = placing.over(structure, input.rank())?;
        let (structure, origin) = (placed.grid, placed.origins);
        let op = ErodeOnce { structure, border_value: false, origin, invert, prepared: OnceLock::new() };
        Array::from_op(Arc::new(op), vec![input.clone()])
    }
}

impl Compose for BinaryHitOrMiss {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if ins[0].dtype().is_complex() {
            return Err(Error::unsupported(
                "complex numbers are neither true nor false here; compare them first, as in x != 0",
            ));
        }
        let n_axes = distinct_axes(self.axes.as_ref(), ins[0].rank())?.len();
        let hit = self.structure1.clone().unwrap_or_else(|| Grid::structure(n_axes, 1));
        let others = || Grid {
            shape: hit.shape.clone(),
            values: hit.values.iter().map(|v| f64::from(u8::from(*v == 0.0))).collect(),
        };
        let miss = self.structure2.clone().unwrap_or_else(others);
        let origin1 = self.origin1.clone().unwrap_or(PerAxis::One(0));
        let origin2 = self.origin2.clone().unwrap_or_else(|| origin1.clone());
        let input = Astype::apply(&ins[0], DType::Bool)?;
        // A structure without elements fits everywhere.
        let fits = (hit.taps().next().is_some()).then(|| self.eroded(&input, &hit, &origin1, false)).transpose()?;
        let touched = (miss.taps().next().is_some()).then(|| self.eroded(&input, &miss, &origin2, true)).transpose()?;
        let misses = touched.map(|touched| call("logical_not", &[&touched])).transpose()?;
        match (fits, misses) {
            (Some(fits), Some(misses)) => call("logical_and", &[&fits, &misses]),
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => Err(Error::invalid("both structures are empty: at least one of their elements must be 1")),
        }
    }
}
