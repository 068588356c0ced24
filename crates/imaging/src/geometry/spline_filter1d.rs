//! `spline_filter1d`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::normalize_axis;
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::spline_image::{MODE, ORDER, check_order, filtered};
use crate::numeric::spline::Beyond;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplineFilter1d {
    /// Order of the splines.
    #[serde(default = "three")]
    pub order: usize,
    /// The axis.
    #[serde(default = "last")]
    pub axis: i64,
    /// Element type of the result.
    #[serde(default = "double")]
    pub output: DType,
    /// What lies beyond the border.
    #[serde(default = "mirror")]
    pub mode: Beyond,
}

pub(super) fn three() -> usize {
    3
}

fn last() -> i64 {
    -1
}

pub(super) fn double() -> DType {
    DType::F64
}

pub(super) fn mirror() -> Beyond {
    Beyond::Mirror
}

/// The parameter `output`.
pub(super) const OUTPUT: Param =
    Param { name: "output", kind: "dtype", default: Some("\"float64\""), doc: "element type of the result" };

/// The parameter `mode`, with another default.
pub(super) const MIRRORED: Param = Param { default: Some("\"mirror\""), ..MODE };

/// The op `spline_filter1d`.
pub static DEF: OpDef = OpDef {
    name: "spline_filter1d",
    theme: "geometry",
    summary: "Coefficients of splines along one axis.",
    doc: "As scipy.ndimage, to 1e-12 of the largest value: a window that is cut off below the rounding of double precision.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        ORDER,
        Param { name: "axis", kind: "int", default: Some("-1"), doc: "the axis to filter along" },
        OUTPUT,
        MIRRORED,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<SplineFilter1d>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"axis": 0}), &[9, 4], DType::U8),
            one(json!({"order": 5, "mode": "grid-wrap"}), &[3, 7], DType::F64),
            one(json!({"order": 1}), &[5], DType::I16),
        ]
    },
};

impl Compose for SplineFilter1d {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        check_order(self.order, 0)?;
        let axis = normalize_axis(self.axis, ins[0].rank())?;
        if ins[0].dtype().is_complex() {
            return Err(Error::invalid(format!("splines are not defined for {}; take both parts", ins[0].dtype())));
        }
        let image = Astype::apply(&ins[0], DType::F64)?;
        let image = if self.order < 2 { image } else { filtered(&image, axis, self.order, self.mode)? };
        Astype::apply(&image, self.output)
    }
}
