//! `n_labels`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use voxmill_core::Result;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::Axes;
use voxmill_plan::{Array, Form, Inputs, OpDef};

use super::label::{self, BLOCK, Objects, STRUCTURE, WRAP_AXES, truth};
use super::label_count::LabelCount;
use super::label_merge::Give;
use super::label_rows::Count;
use crate::family::grid::Grid;

/// The number of connected objects.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NLabels {
    /// Which neighbours belong together; those along the axes by default.
    pub structure: Option<Grid>,
    /// Axes whose ends are joined.
    pub wrap_axes: Option<Axes>,
    /// Lengths of the blocks; chosen by default.
    pub block: Option<Vec<usize>>,
}

/// The op `n_labels`.
pub static DEF: OpDef = OpDef {
    name: "n_labels",
    theme: "measure",
    summary: "Number of connected objects: the largest number that label gives.",
    doc: "Shares its work with label where both are asked for at once.",
    inputs: Inputs::Named(&["input"]),
    params: &[STRUCTURE, WRAP_AXES, BLOCK],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<NLabels>::build,
    samples: || {
        let mut samples = label::samples();
        samples.retain(|sample| sample.params.get("output").is_none());
        samples
    },
};

impl Compose for NLabels {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let objects = Objects::new(&truth(&ins[0])?, self.structure.as_ref(), self.block.as_deref(), None)?
            .wrapped(self.wrap_axes.as_ref())?;
        let merged = objects.merged(Count::default(), None, Give::Number)?;
        Array::from_op(Arc::new(LabelCount {}), vec![merged])
    }
}
