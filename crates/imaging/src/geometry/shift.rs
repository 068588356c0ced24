//! `shift`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::spline_image::{CVAL, MODE, ORDER, PREFILTER, RULES, Splines};
use super::spline_sample::Mapping;
use crate::family::neighborhood::PerAxis;
use crate::filter::line::OUTPUT;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shift {
    /// How far, along all axes or each.
    pub shift: PerAxis<f64>,
    /// Splines and borders.
    #[serde(flatten)]
    pub splines: Splines,
}

/// The op `shift`.
pub static DEF: OpDef = OpDef {
    name: "shift",
    theme: "geometry",
    summary: "An image moved by any distance.",
    doc: RULES,
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "shift",
            kind: "float or list of float",
            default: None,
            doc: "how far, for all axes or for each",
        },
        OUTPUT,
        ORDER,
        MODE,
        CVAL,
        PREFILTER,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Shift>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"shift": 1.5}), &[6, 7], DType::U8),
            one(json!({"shift": [0.5, -2, 0], "order": 1, "mode": "wrap"}), &[4, 5, 6], DType::F32),
        ]
    },
};

impl Compose for Shift {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        let shift: Vec<f64> = self.shift.values("shift", rank)?.iter().map(|v| -v).collect();
        if let Some(v) = shift.iter().find(|v| !v.is_finite()) {
            return Err(Error::invalid(format!("shift {v} is no distance")));
        }
        let zoom = vec![1.0; rank];
        self.splines.sampled(&ins[0], Mapping::Axes { shift, zoom, grid: false }, ins[0].shape(), &[])
    }
}
