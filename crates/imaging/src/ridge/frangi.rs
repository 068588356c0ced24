//! `frangi`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param};

use super::eigen_map::Rule;
use super::scales::{BLACK, SIGMAS, Scales, call, eigen_map, samples};
use crate::family::neighborhood::{CVAL, MODE};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Frangi {
    /// Scales and borders.
    #[serde(flatten)]
    pub scales: Scales,
    /// Sensitivity to plates.
    pub alpha: f64,
    /// Sensitivity to blobs.
    pub beta: f64,
    /// Sensitivity to structure; half of the largest one at the first scale by default.
    pub gamma: Option<f64>,
}

impl Default for Frangi {
    fn default() -> Self {
        Frangi { scales: Scales::default(), alpha: 0.5, beta: 0.5, gamma: None }
    }
}

/// The op `frangi`.
pub static DEF: OpDef = OpDef {
    name: "frangi",
    theme: "ridge",
    summary: "Vesselness: how much an image looks like vessels at any of several scales.",
    doc: "As skimage.filters, in 2-D and 3-D; without gamma, half of the largest structure of the whole image at the first scale is used \
          for all. float32 stays float32, everything else gives float64.",
    inputs: Inputs::Named(&["image"]),
    params: &[
        SIGMAS,
        Param { name: "alpha", kind: "float", default: Some("0.5"), doc: "sensitivity to plates" },
        Param { name: "beta", kind: "float", default: Some("0.5"), doc: "sensitivity to blobs" },
        Param { name: "gamma", kind: "float", default: Some("null"), doc: "sensitivity to structure" },
        BLACK,
        MODE,
        CVAL,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Frangi>::build,
    samples,
};

impl Compose for Frangi {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let image = self.scales.image(&ins[0])?;
        let rank = image.rank();
        let matrices: Vec<Vec<Array>> =
            self.scales.sigmas.iter().map(|&s| self.scales.second_derivatives(&image, s)).collect::<Result<_>>()?;
        let largest = match self.gamma {
            Some(_) => None,
            None if image.size() == 0 => Some(Array::scalar(0.0, image.dtype())),
            None => {
                let norm = eigen_map(Rule::Norm, rank, matrices[0].clone(), None)?;
                Some(call("max", &[&norm], json!({}))?)
            }
        };
        let rule = Rule::Frangi(self.alpha, self.beta, self.gamma);
        let response = |matrix: Vec<Array>| eigen_map(rule, rank, matrix, largest.clone());
        self.scales.strongest(matrices.into_iter().map(response).collect::<Result<_>>()?)
    }
}
