//! `grey_closing`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GreyClosing(pub Grey);

/// The op `grey_closing`.
pub static DEF: OpDef = OpDef {
    name: "grey_closing",
    theme: "morphology",
    summary: "Dilation, then erosion: takes away what is darker and smaller than the window.",
    doc: "As scipy.ndimage, for every dtype but complex.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<GreyClosing>::build,
    samples,
};

impl Compose for GreyClosing {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.erosion(&self.0.plain().dilation(&ins[0])?)
    }
}
