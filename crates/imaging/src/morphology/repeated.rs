//! What binary erosions and dilations share: their parameters, and repeating them.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::erode_once::ErodeOnce;
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::filter::footprint::Placing;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::params::{Axes, distinct_axes};

/// The parameters of binary erosions and dilations.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// Which neighbours count.
    #[serde(default)]
    pub structure: Option<Grid>,
    /// How often.
    #[serde(default = "once")]
    pub iterations: i64,
    /// What lies beyond the border.
    #[serde(default)]
    pub border_value: i64,
    /// How far the structure is moved.
    #[serde(default = "centred")]
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

fn once() -> i64 {
    1
}

fn centred() -> PerAxis<i64> {
    PerAxis::One(0)
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    Param {
        name: "structure",
        kind: "nested list of 0 and 1, or a name such as \"ball(3)\"",
        default: Some("null"),
        doc: "which neighbours count; those along the axes by default",
    },
    Param { name: "iterations", kind: "int", default: Some("1"), doc: "how often it is repeated" },
    Param { name: "border_value", kind: "int", default: Some("0"), doc: "what lies beyond the border, 0 or 1" },
    Param {
        name: "origin",
        kind: "int or list of int",
        default: Some("0"),
        doc: "how far the structure is moved, for all axes or for each",
    },
    Param { name: "axes", kind: "int or list of int", default: Some("null"), doc: "the axes; all by default" },
];

/// Erosion or dilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// True where the structure fits in.
    Erosion,
    /// True where the mirrored structure touches.
    Dilation,
}

impl Repeated {
    /// `kind` of `input`, as often as asked for.
    pub fn of(&self, kind: Kind, input: &Array) -> Result<Array> {
        if input.dtype().is_complex() {
            return Err(Error::unsupported(
                "complex numbers are neither true nor false here; compare them first, as in x != 0",
            ));
        }
        if self.iterations < 1 {
            return Err(Error::invalid(format!(
                "iterations {} asks to go on until nothing changes, which is not done here; give the number of times",
                self.iterations
            )));
        }
        let step = Arc::new(self.step(kind, input.rank())?);
        let mut array = Astype::apply(input, DType::Bool)?;
        for _ in 0..self.iterations {
            array = Array::from_op(step.clone(), vec![array])?;
        }
        Ok(array)
    }

    fn step(&self, kind: Kind, rank: usize) -> Result<ErodeOnce> {
        let n_axes = distinct_axes(self.axes.as_ref(), rank)?.len();
        let structure = self.structure.clone().unwrap_or_else(|| Grid::structure(n_axes, 1));
        if structure.taps().next().is_none() {
            return Err(Error::invalid("the structure is empty: at least one of its elements must be 1"));
        }
        let mut origins = self.origin.values("origin", n_axes)?;
        let grid = match kind {
            Kind::Erosion => structure,
            Kind::Dilation => {
                // Turned around, the middle of an even length is on the other side.
                for (origin, n) in origins.iter_mut().zip(&structure.shape) {
                    *origin = -*origin - i64::from(n.is_multiple_of(2));
                }
                structure.reversed()
            }
        };
        let placing = Placing {
            mode: PerAxis::One(Border::Constant),
            cval: voxmill_core::Scalar::Bool(false),
            origin: PerAxis::Each(origins),
            axes: self.axes.clone(),
        };
        let placed = placing.over(&grid, rank)?;
        let (structure, origin, invert) = (placed.grid, placed.origins, kind == Kind::Dilation);
        let border_value = self.border_value != 0;
        Ok(ErodeOnce { structure, border_value, origin, invert, prepared: OnceLock::new() })
    }
}

/// Samples for all of them.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    vec![
        one(json!({}), &[8, 70], DType::Bool),
        one(json!({"structure": "ball(2)", "border_value": 1}), &[9, 8, 12], DType::Bool),
        one(json!({"structure": [[1, 1], [0, 1]], "iterations": 3}), &[9, 13], DType::U8),
        one(json!({"structure": [1, 1, 1], "axes": 1, "origin": -1}), &[3, 9, 2], DType::F32),
        one(json!({}), &[0, 3], DType::Bool),
    ]
}
