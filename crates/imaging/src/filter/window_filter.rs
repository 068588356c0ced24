//! What `minimum_filter`, `maximum_filter` and `median_filter` share: their parameters, and the way from a window to the element of a rank.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_ops::family::params::Axes;
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::correlate1d::zero;
use super::footprint::{FOOTPRINT, SIZE};
use super::line::OUTPUT;
use super::rank_filter::RankFilter;
use super::sliding::{AXES, Chain, ORIGINS, SlidingDef, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

/// The parameters of all.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowFilter {
    /// Lengths of the window.
    #[serde(default)]
    pub size: Option<PerAxis<i64>>,
    /// Positions of the window.
    #[serde(default)]
    pub footprint: Option<Grid>,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default = "reflect")]
    pub mode: PerAxis<Border>,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the window is moved.
    #[serde(default = "centred")]
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[SIZE, FOOTPRINT, OUTPUT, MODE, CVAL, ORIGINS, AXES];

impl WindowFilter {
    /// The element of this `rank` of each window.
    pub fn ranked(&self, rank: i64, input: &Array) -> Result<Array> {
        let WindowFilter { size, footprint, output, mode, cval, origin, axes } = self.clone();
        RankFilter { rank, size, footprint, output, mode, cval, origin, axes }.of(input)
    }

    /// The same for a rank that `line` finds along one axis: a box is taken apart into one axis after the other.
    pub fn of(&self, line: &'static SlidingDef, rank: i64, input: &Array) -> Result<Array> {
        let WindowFilter { size, footprint, output, mode, cval, origin, axes } = self;
        let box_of = |grid: &Grid| PerAxis::Each(grid.shape.iter().map(|&n| n as i64).collect());
        let sizes = match footprint {
            Some(grid) if grid.is_full() => Some(box_of(grid)),
            Some(_) => None,
            None => size.clone(),
        };
        if let Some(size) = sizes {
            return Chain { size: &size, output: *output, mode, cval: *cval, origin, axes }.of(line, input);
        }
        self.ranked(rank, input)
    }
}

/// Samples of the smallest and the largest element.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    vec![
        one(json!({"size": 3}), &[8, 9], DType::U8),
        one(json!({"size": [5, 1, 4], "mode": ["reflect", "wrap", "constant"], "cval": 3}), &[5, 6, 7], DType::F32),
        one(json!({"footprint": "disk(2)", "mode": "mirror", "output": "float64"}), &[5, 7], DType::I16),
        one(json!({"footprint": [[1, 1, 1]], "axes": [2, 0]}), &[3, 4, 5], DType::U64),
    ]
}
