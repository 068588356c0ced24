//! `sato`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::eigen_map::Rule;
use super::scales::{BLACK, SIGMAS, Scales, eigen_map, samples};
use crate::family::neighborhood::{CVAL, MODE};

/// Its parameters.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sato(pub Scales);

/// The op `sato`.
pub static DEF: OpDef = OpDef {
    name: "sato",
    theme: "ridge",
    summary: "Tubeness: how much an image looks like tubes at any of several scales.",
    doc: "As skimage.filters, in 2-D and 3-D. float32 stays float32, everything else gives float64. Eigenvalues are computed in double \
          precision; results equal scikit-image's to 1e-5 of the largest response for float32, 1e-9 for float64.",
    inputs: Inputs::Named(&["image"]),
    params: &[SIGMAS, BLACK, MODE, CVAL],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Sato>::build,
    samples,
};

impl Compose for Sato {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let image = self.0.image(&ins[0])?;
        let response = |&sigma: &f64| {
            let matrix = self.0.second_derivatives(&image, sigma)?;
            eigen_map(Rule::Sato(sigma * sigma), image.rank(), matrix, None)
        };
        self.0.strongest(self.0.sigmas.iter().map(response).collect::<Result<_>>()?)
    }
}
