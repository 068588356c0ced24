//! `grey_erosion`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GreyErosion(pub Grey);

/// The op `grey_erosion`.
pub static DEF: OpDef = OpDef {
    name: "grey_erosion",
    theme: "morphology",
    summary: "Smallest value of a window around each element, with heights subtracted.",
    doc: "As scipy.ndimage, for every dtype but complex.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<GreyErosion>::build,
    samples,
};

impl Compose for GreyErosion {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.erosion(&ins[0])
    }
}
