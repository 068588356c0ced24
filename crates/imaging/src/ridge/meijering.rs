//! `meijering`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param};

use super::eigen_map::Rule;
use super::scales::{BLACK, SIGMAS, Scales, call, eigen_map, samples};
use crate::family::neighborhood::{CVAL, MODE};

/// Its parameters.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Meijering {
    /// Scales and borders.
    #[serde(flatten)]
    pub scales: Scales,
    /// Share of the other eigenvalues; one over the number of axes and one by default.
    pub alpha: Option<f64>,
}

/// The op `meijering`.
pub static DEF: OpDef = OpDef {
    name: "meijering",
    theme: "ridge",
    summary: "Neuriteness: how much an image looks like neurites at any of several scales.",
    doc: "As skimage.filters, in 2-D and 3-D; each scale is divided by its largest response in the whole image. float32 stays float32, \
          everything else gives float64.",
    inputs: Inputs::Named(&["image"]),
    params: &[
        SIGMAS,
        Param { name: "alpha", kind: "float", default: Some("null"), doc: "share of the other eigenvalues" },
        BLACK,
        MODE,
        CVAL,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Meijering>::build,
    samples,
};

impl Compose for Meijering {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let image = self.scales.image(&ins[0])?;
        let rank = image.rank();
        let alpha = self.alpha.unwrap_or(1.0 / (rank as f64 + 1.0));
        let response = |&sigma: &f64| {
            let matrix = self.scales.second_derivatives(&image, sigma)?;
            let response = eigen_map(Rule::Meijering(alpha), rank, matrix, None)?;
            if image.size() == 0 {
                return Ok(response);
            }
            let largest = call("max", &[&response], json!({}))?;
            // Where nothing responds, there is nothing to divide by.
            let there = call("greater", &[&largest, &Array::weak(0i64)], json!({}))?;
            let divisor = call("where", &[&there, &largest, &Array::weak(1i64)], json!({}))?;
            call("divide", &[&response, &divisor], json!({}))
        };
        self.scales.strongest(self.scales.sigmas.iter().map(response).collect::<Result<_>>()?)
    }
}
