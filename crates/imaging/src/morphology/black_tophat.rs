//! `black_tophat`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlackTophat(pub Grey);

/// The op `black_tophat`.
pub static DEF: OpDef = OpDef {
    name: "black_tophat",
    theme: "morphology",
    summary: "What a closing adds: what is darker and smaller than the window.",
    doc: "As scipy.ndimage, for every dtype but complex. For truth values, what changed.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<BlackTophat>::build,
    samples,
};

impl Compose for BlackTophat {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.difference(&self.0.erosion(&self.0.plain().dilation(&ins[0])?)?, &ins[0])
    }
}
