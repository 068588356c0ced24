//! `grey_dilation`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GreyDilation(pub Grey);

/// The op `grey_dilation`.
pub static DEF: OpDef = OpDef {
    name: "grey_dilation",
    theme: "morphology",
    summary: "Largest value of a mirrored window around each element, with heights added.",
    doc: "As scipy.ndimage, for every dtype but complex.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<GreyDilation>::build,
    samples,
};

impl Compose for GreyDilation {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.dilation(&ins[0])
    }
}
