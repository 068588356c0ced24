//! `morphological_laplace`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::grey::{Grey, PARAMS, call, samples};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MorphologicalLaplace(pub Grey);

/// The op `morphological_laplace`.
pub static DEF: OpDef = OpDef {
    name: "morphological_laplace",
    theme: "morphology",
    summary: "Dilation plus erosion minus twice the input.",
    doc: "As scipy.ndimage, for every dtype but complex.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<MorphologicalLaplace>::build,
    samples,
};

impl Compose for MorphologicalLaplace {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let plain = self.0.plain();
        let both = call("add", &[&plain.dilation(&ins[0])?, &plain.erosion(&ins[0])?])?;
        let found = call("subtract", &[&call("subtract", &[&both, &ins[0]])?, &ins[0]])?;
        Astype::apply(&found, self.0.output.unwrap_or(found.dtype()))
    }
}
