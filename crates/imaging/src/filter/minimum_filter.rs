//! `minimum_filter`

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::minimum_filter1d;
use super::window_filter::{PARAMS, WindowFilter, samples};

/// The smallest element of a window.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MinimumFilter(pub WindowFilter);

/// The op `minimum_filter`.
pub static DEF: OpDef = OpDef {
    name: "minimum_filter",
    theme: "filter",
    summary: "Smallest element of a window around each element.",
    doc: "As scipy.ndimage, for every dtype but complex. A box is taken apart into one axis after the other. A NaN in a box gives NaN; in \
          other footprints NaN counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<MinimumFilter>::build,
    samples,
};

impl Compose for MinimumFilter {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.0.of(&minimum_filter1d::DEF, 0, &ins[0])
    }
}
