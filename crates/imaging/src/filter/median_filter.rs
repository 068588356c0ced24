//! `median_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::distinct_axes;
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::footprint::footprint_of;
use super::window_filter::{PARAMS, WindowFilter};

/// Median of a window around each element.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MedianFilter(pub WindowFilter);

/// The op `median_filter`.
pub static DEF: OpDef = OpDef {
    name: "median_filter",
    theme: "filter",
    summary: "Median of a window around each element.",
    doc: "As scipy.ndimage: the middle element of the window in order; the upper one of both middle elements where their number is even. NaN counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
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
        let WindowFilter { size, footprint, axes, .. } = &self.0;
        let n_axes = distinct_axes(axes.as_ref(), ins[0].rank())?.len();
        let n = footprint_of(size.as_ref(), footprint.as_ref(), n_axes)?.taps().count();
        self.0.ranked((n / 2) as i64, &ins[0])
    }
}
