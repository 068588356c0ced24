//! `grey_opening`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GreyOpening(pub Grey);

/// The op `grey_opening`.
pub static DEF: OpDef = OpDef {
    name: "grey_opening",
    theme: "morphology",
    summary: "Erosion, then dilation: takes away what is brighter and smaller than the window.",
    doc: "As scipy.ndimage, for every dtype but complex.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<GreyOpening>::build,
    samples,
};

impl Compose for GreyOpening {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.dilation(&self.0.plain().erosion(&ins[0])?)
    }
}
