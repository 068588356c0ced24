//! `binary_closing`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::repeated::{Kind, PARAMS, Repeated, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BinaryClosing(pub Repeated);

/// The op `binary_closing`.
pub static DEF: OpDef = OpDef {
    name: "binary_closing",
    theme: "morphology",
    summary: "Dilation, then erosion: fills gaps that the structure does not fit into.",
    doc: "As scipy.ndimage; everything but zero counts as true.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<BinaryClosing>::build,
    samples,
};

impl Compose for BinaryClosing {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.of(Kind::Erosion, &self.0.of(Kind::Dilation, &ins[0])?)
    }
}
