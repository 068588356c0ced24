//! `median_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::correlate1d::zero;
use super::footprint::{FOOTPRINT, SIZE, footprint_of};
use super::line::OUTPUT;
use super::rank_filter::RankFilter;
use super::sliding::{AXES, ORIGINS, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::{Axes, distinct_axes};

/// Median of a window around each element.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedianFilter {
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

/// The op `median_filter`.
pub static DEF: OpDef = OpDef {
    name: "median_filter",
    theme: "filter",
    summary: "Median of a window around each element.",
    doc: "As scipy.ndimage: the middle element of the window in order; the upper one of both middle elements where their number is even. NaN counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: &[SIZE, FOOTPRINT, OUTPUT, MODE, CVAL, ORIGINS, AXES],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<MedianFilter>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"size": 3}), &[8, 9], DType::U8),
            one(json!({"size": [5, 1, 4], "mode": ["reflect", "wrap", "constant"], "cval": 3}), &[5, 6, 7], DType::F32),
            one(json!({"footprint": "disk(2)", "mode": "mirror", "output": "float64"}), &[5, 7], DType::I16),
            one(json!({"size": 11}), &[14, 15], DType::U16),
        ]
    },
};

impl Compose for MedianFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let n_axes = distinct_axes(self.axes.as_ref(), ins[0].rank())?.len();
        let n = footprint_of(self.size.as_ref(), self.footprint.as_ref(), n_axes)?.taps().count();
        let rank = (n / 2) as i64;
        let MedianFilter { size, footprint, output, mode, cval, origin, axes, .. } = self.clone();
        RankFilter { rank, size, footprint, output, mode, cval, origin, axes }.of(&ins[0])
    }
}
