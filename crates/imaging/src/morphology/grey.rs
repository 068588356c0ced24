//! What erosions and dilations of grey values share: their parameters, and the way from these to filters.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::TABLE;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::Composite;
use voxmill_ops::family::params::{Axes, distinct_axes};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::grey_window::GreyWindow;
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use crate::filter::footprint::{FOOTPRINT, SIZE};
use crate::filter::line::OUTPUT;
use crate::filter::maximum_filter::MaximumFilter;
use crate::filter::minimum_filter::MinimumFilter;
use crate::filter::window_filter::WindowFilter;

/// The parameters of erosions and dilations of grey values, and of what is made of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grey {
    /// Lengths of the window.
    pub size: Option<PerAxis<i64>>,
    /// Positions of the window.
    pub footprint: Option<Grid>,
    /// Heights that are added (dilation) or subtracted (erosion).
    pub structure: Option<Grid>,
    /// Element type of the result.
    pub output: Option<DType>,
    /// What lies beyond the border.
    pub mode: PerAxis<Border>,
    /// The constant there.
    pub cval: Scalar,
    /// How far the window is moved.
    pub origin: PerAxis<i64>,
    /// The axes.
    pub axes: Option<Axes>,
}

impl Default for Grey {
    fn default() -> Self {
        Grey {
            size: None,
            footprint: None,
            structure: None,
            output: None,
            mode: PerAxis::One(Border::Reflect),
            cval: Scalar::Float(0.0),
            origin: PerAxis::One(0),
            axes: None,
        }
    }
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    SIZE,
    FOOTPRINT,
    Param {
        name: "structure",
        kind: "nested list of float",
        default: Some("null"),
        doc: "heights over the window, which dilations add and erosions subtract",
    },
    OUTPUT,
    MODE,
    CVAL,
    Param {
        name: "origin",
        kind: "int or list of int",
        default: Some("0"),
        doc: "how far the window is moved, for all axes or for each",
    },
    Param { name: "axes", kind: "int or list of int", default: Some("null"), doc: "the axes; all by default" },
];

impl Grey {
    /// The smallest value under the window, with heights subtracted.
    pub fn erosion(&self, input: &Array) -> Result<Array> {
        let (footprint, origin) = (self.footprint.clone(), self.origin.clone());
        self.extreme(input, false, footprint, self.structure.clone(), origin)
    }

    /// The largest value under the mirrored window, with heights added.
    pub fn dilation(&self, input: &Array) -> Result<Array> {
        let n_axes = distinct_axes(self.axes.as_ref(), input.rank())?.len();
        let mut origins = self.origin.values("origin", n_axes)?;
        let lengths = match (&self.footprint, &self.structure, &self.size) {
            (Some(grid), ..) | (None, Some(grid), _) => grid.shape.iter().map(|&n| n as i64).collect(),
            (None, None, Some(size)) => size.values("size", n_axes)?,
            (None, None, None) => Vec::new(),
        };
        // Turned around, the middle of an even length is on the other side.
        for (origin, n) in origins.iter_mut().zip(lengths) {
            *origin = -*origin - i64::from(n % 2 == 0);
        }
        let [footprint, structure] = [&self.footprint, &self.structure].map(|grid| grid.as_ref().map(Grid::reversed));
        self.extreme(input, true, footprint, structure, PerAxis::Each(origins))
    }

    fn extreme(
        &self,
        input: &Array,
        largest: bool,
        footprint: Option<Grid>,
        structure: Option<Grid>,
        origin: PerAxis<i64>,
    ) -> Result<Array> {
        if input.dtype().is_complex() {
            return Err(Error::unsupported("complex numbers have no order; take real or abs first"));
        }
        let Grey { size, output, mode, cval, axes, .. } = self.clone();
        if let Some(heights) = structure {
            let footprint = footprint.unwrap_or_else(|| Grid::ones(&heights.shape));
            let window = GreyWindow { largest, footprint, heights, output, mode, cval, origin, axes };
            return Array::from_op(Arc::new(window), vec![input.clone()]);
        }
        if size.is_none() && footprint.is_none() {
            return Err(Error::invalid("a window is needed: give size=3, footprint= or structure="));
        }
        let filter = WindowFilter { size, footprint, output, mode, cval, origin, axes };
        match largest {
            true => Composite::call(MaximumFilter(filter), &[input]),
            false => Composite::call(MinimumFilter(filter), &[input]),
        }
    }

    /// The same without a dtype of its own for the result, for the first of two steps.
    pub fn plain(&self) -> Grey {
        Grey { output: None, ..self.clone() }
    }

    /// `a - b`; for truth values what is in one of them only.
    pub fn difference(&self, a: &Array, b: &Array) -> Result<Array> {
        let both_true = a.dtype() == DType::Bool && b.dtype() == DType::Bool;
        let found = self::call(if both_true { "logical_xor" } else { "subtract" }, &[a, b])?;
        Astype::apply(&found, self.output.unwrap_or(a.dtype()))
    }
}

/// An op of the table on these arrays.
pub fn call(name: &str, ins: &[&Array]) -> Result<Array> {
    Array::from_op(TABLE.build(name, &json!({}))?, ins.iter().map(|a| (*a).clone()).collect())
}

/// Samples for all of them.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    vec![
        one(json!({"size": 3}), &[8, 9], DType::U8),
        one(json!({"footprint": "disk(2)", "mode": "mirror"}), &[5, 7], DType::I16),
        one(json!({"structure": [[0, 1], [2, -1]], "mode": "wrap", "origin": [0, -1]}), &[6, 17], DType::I32),
        one(json!({"structure": [1, 0, 0.5], "axes": 1, "mode": "constant", "cval": 3}), &[4, 5, 6], DType::F32),
        one(json!({"size": [4, 1, 3]}), &[5, 6, 7], DType::F64),
    ]
}
