//! `binary_erosion`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::repeated::{Kind, PARAMS, Repeated, samples};
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BinaryErosion(pub Repeated);

/// The op `binary_erosion`.
pub static DEF: OpDef = OpDef {
    name: "binary_erosion",
    theme: "morphology",
    summary: "True where a structure fits into what is true.",
    doc: "As scipy.ndimage; everything but zero counts as true.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<BinaryErosion>::build,
    samples,
};

impl Compose for BinaryErosion {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.of(Kind::Erosion, &ins[0])
    }
}
