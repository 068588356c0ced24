//! `binary_dilation`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::repeated::{Kind, PARAMS, Repeated, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BinaryDilation(pub Repeated);

/// The op `binary_dilation`.
pub static DEF: OpDef = OpDef {
    name: "binary_dilation",
    theme: "morphology",
    summary: "True where a structure touches something true.",
    doc: "As scipy.ndimage; everything but zero counts as true.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<BinaryDilation>::build,
    samples,
};

impl Compose for BinaryDilation {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.of(Kind::Dilation, &ins[0])
    }
}
