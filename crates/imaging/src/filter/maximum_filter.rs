//! `maximum_filter`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::maximum_filter1d;
use super::window_filter::{PARAMS, WindowFilter, samples};

/// The largest element of a window.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MaximumFilter(pub WindowFilter);

/// The op `maximum_filter`.
pub static DEF: OpDef = OpDef {
    name: "maximum_filter",
    theme: "filter",
    summary: "Largest element of a window around each element.",
    doc: "As scipy.ndimage, for every dtype but complex. A box is taken apart into one axis after the other. A NaN in a box gives NaN; in \
          other footprints NaN counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<MaximumFilter>::build,
    samples,
};

impl Compose for MaximumFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.of(&maximum_filter1d::DEF, -1, &ins[0])
    }
}
