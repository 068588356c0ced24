//! `spline_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::spline_filter1d::{MIRRORED, OUTPUT, double, mirror, three};
use super::spline_image::{ORDER, check_order, filtered};
use crate::numeric::spline::Beyond;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplineFilter {
    /// Order of the splines.
    #[serde(default = "three")]
    pub order: usize,
    /// Element type of the result.
    #[serde(default = "double")]
    pub output: DType,
    /// What lies beyond the border.
    #[serde(default = "mirror")]
    pub mode: Beyond,
}

/// The op `spline_filter`.
pub static DEF: OpDef = OpDef {
    name: "spline_filter",
    theme: "geometry",
    summary: "Coefficients of splines along all axes.",
    doc: "As scipy.ndimage, to 1e-12 of the largest value. Between axes, values are double whatever the output is.",
    inputs: Inputs::Named(&["input"]),
    params: &[ORDER, OUTPUT, MIRRORED],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<SplineFilter>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[9, 4], DType::U8),
            one(json!({"order": 4, "mode": "reflect", "output": "float32"}), &[3, 7, 5], DType::F32),
        ]
    },
};

impl Compose for SplineFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        check_order(self.order, 2)?;
        if ins[0].dtype().is_complex() {
            return Err(Error::invalid(format!("splines are not defined for {}; take both parts", ins[0].dtype())));
        }
        let mut image = Astype::apply(&ins[0], DType::F64)?;
        for axis in 0..image.rank() {
            image = filtered(&image, axis, self.order, self.mode)?;
        }
        Astype::apply(&image, self.output)
    }
}
