//! `white_tophat`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WhiteTophat(pub Grey);

/// The op `white_tophat`.
pub static DEF: OpDef = OpDef {
    name: "white_tophat",
    theme: "morphology",
    summary: "What an opening takes away: what is brighter and smaller than the window.",
    doc: "As scipy.ndimage, for every dtype but complex. For truth values, what changed.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<WhiteTophat>::build,
    samples,
};

impl Compose for WhiteTophat {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.difference(&ins[0], &self.0.dilation(&self.0.plain().erosion(&ins[0])?)?)
    }
}
