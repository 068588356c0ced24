//! `percentile_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::correlate1d::zero;
use super::footprint::{FOOTPRINT, SIZE, footprint_of};
use super::line::OUTPUT;
use super::rank_filter::RankFilter;
use super::sliding::{AXES, ORIGINS, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::{Axes, distinct_axes};

/// Percentile of a window around each element.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercentileFilter {
    /// Share of the window that comes before, in percent.
    pub percentile: f64,
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

/// The op `percentile_filter`.
pub static DEF: OpDef = OpDef {
    name: "percentile_filter",
    theme: "filter",
    summary: "Percentile of a window around each element.",
    doc: "As scipy.ndimage: the element with percentile/100 of the window before it, without interpolation; negative percentiles count from 100. NaN counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "percentile",
            kind: "float",
            default: None,
            doc: "share of the window that comes before, in percent",
        },
        SIZE,
        FOOTPRINT,
        OUTPUT,
        MODE,
        CVAL,
        ORIGINS,
        AXES,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<PercentileFilter>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"percentile": 30, "size": 3}), &[8, 9], DType::U8),
            one(
                json!({"percentile": 30, "size": [5, 1, 4], "mode": ["reflect", "wrap", "constant"], "cval": 3}),
                &[5, 6, 7],
                DType::F32,
            ),
            one(
                json!({"percentile": 30, "footprint": "disk(2)", "mode": "mirror", "output": "float64"}),
                &[5, 7],
                DType::I16,
            ),
            one(json!({"percentile": 30, "size": 11}), &[14, 15], DType::U16),
        ]
    },
};

impl Compose for PercentileFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let n_axes = distinct_axes(self.axes.as_ref(), ins[0].rank())?.len();
        let n = footprint_of(self.size.as_ref(), self.footprint.as_ref(), n_axes)?.taps().count();
        let percentile = if self.percentile < 0.0 { self.percentile + 100.0 } else { self.percentile };
        if !(0.0..=100.0).contains(&percentile) {
            return Err(Error::invalid(format!("percentile {} is not between -100 and 100", self.percentile)));
        }
        let rank = if percentile == 100.0 { n as i64 - 1 } else { (n as f64 * percentile / 100.0) as i64 };
        let PercentileFilter { size, footprint, output, mode, cval, origin, axes, .. } = self.clone();
        RankFilter { rank, size, footprint, output, mode, cval, origin, axes }.of(&ins[0])
    }
}
