//! `zoom`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::spline_image::{CVAL, MODE, ORDER, PREFILTER, RULES, Splines, call};
use super::spline_sample::Mapping;
use crate::family::neighborhood::PerAxis;
use crate::filter::line::OUTPUT;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Zoom {
    /// How many times larger, along all axes or each.
    pub zoom: PerAxis<f64>,
    /// Elements are counted from their edges, not from their middles.
    #[serde(default)]
    pub grid_mode: bool,
    /// The shape of the result, where it is not the rounded product.
    #[serde(default)]
    pub output_shape: Option<Vec<usize>>,
    /// Splines and borders.
    #[serde(flatten)]
    pub splines: Splines,
}

/// The op `zoom`.
pub static DEF: OpDef = OpDef {
    name: "zoom",
    theme: "geometry",
    summary: "An image made larger or smaller.",
    doc: RULES,
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "zoom",
            kind: "float or list of float",
            default: None,
            doc: "how many times larger, for all axes or for each",
        },
        OUTPUT,
        ORDER,
        MODE,
        CVAL,
        PREFILTER,
        Param {
            name: "grid_mode",
            kind: "bool",
            default: Some("false"),
            doc: "count elements from their edges: the whole image is scaled, not the way between the first and the last middle",
        },
        Param {
            name: "output_shape",
            kind: "list of int",
            default: Some("null"),
            doc: "the shape of the result, instead of the rounded product",
        },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Zoom>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"zoom": 1.5}), &[6, 7], DType::U8),
            one(
                json!({"zoom": [0.5, 2, 1], "order": 1, "mode": "grid-wrap", "grid_mode": true}),
                &[4, 5, 6],
                DType::F32,
            ),
            one(json!({"zoom": 1}), &[4, 5], DType::F32),
        ]
    },
};

impl Compose for Zoom {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.splines.check(&ins[0])?;
        let from = ins[0].shape();
        let zoom = self.zoom.values("zoom", from.len())?;
        if let Some(v) = zoom.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
            return Err(Error::invalid(format!("zoom {v} is no factor; it must be positive")));
        }
        // Halves are rounded to even lengths, as Python does.
        let scaled = from.iter().zip(&zoom).map(|(&n, z)| (n as f64 * z).round_ties_even() as usize);
        let to = self.output_shape.clone().unwrap_or_else(|| scaled.collect());
        if to.len() != from.len() {
            return Err(Error::invalid(format!("output_shape has {} values for {} axes", to.len(), from.len())));
        }
        if self.output_shape.is_none() && zoom.iter().all(|&z| z == 1.0) && self.splines.prefilter {
            return call("astype", &[&ins[0]], json!({"dtype": self.splines.output.unwrap_or(ins[0].dtype())}));
        }
        let less = if self.grid_mode { 0.0 } else { 1.0 };
        let factor = |(&n, &m): (&usize, &usize)| {
            let (n, m) = (n as f64 - less, m as f64 - less);
            if m == 0.0 { 1.0 } else { n / m }
        };
        let zoom = from.iter().zip(&to).map(factor).collect();
        let mapping = Mapping::Axes { shift: vec![0.0; from.len()], zoom, grid: self.grid_mode };
        self.splines.sampled(&ins[0], mapping, &to, &[])
    }
}
