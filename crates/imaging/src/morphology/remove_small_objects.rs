//! `remove_small_objects`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::measure::label::{BLOCK, Objects};
use crate::measure::label_merge::Give;
use crate::measure::label_rows::Count;

/// Objects of some size.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RemoveSmallObjects {
    /// Objects of at most so many elements go.
    pub max_size: u64,
    /// In how many axes neighbours may differ.
    pub connectivity: usize,
    /// Lengths of the blocks that components are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

impl Default for RemoveSmallObjects {
    fn default() -> Self {
        RemoveSmallObjects { max_size: 64, connectivity: 1, block: None }
    }
}

/// The op `remove_small_objects`.
pub static DEF: OpDef = OpDef {
    name: "remove_small_objects",
    theme: "morphology",
    summary: "Connected objects of more than some elements.",
    doc: "As skimage.morphology, for truth values: objects of at most `max_size` elements become false.",
    inputs: Inputs::Named(&["ar"]),
    params: &[
        Param { name: "max_size", kind: "int", default: Some("64"), doc: "objects of at most so many elements go" },
        Param { name: "connectivity", kind: "int", default: Some("1"), doc: "in how many axes neighbours may differ" },
        BLOCK,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<RemoveSmallObjects>::build,
    samples: || {
        let one = |params: Value, shape: &[usize]| Sample {
            params,
            ins: vec![SampleInput::new(shape, DType::Bool).between(0.0, 1.7)],
        };
        vec![
            one(json!({"max_size": 3, "block": [4, 5]}), &[9, 12]),
            one(json!({"max_size": 9, "connectivity": 2, "block": [2, 1, 4]}), &[5, 6, 7]),
            one(json!({"max_size": 0}), &[4]),
        ]
    },
};

impl Compose for RemoveSmallObjects {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if ins[0].dtype() != DType::Bool {
            return Err(Error::invalid(format!(
                "remove_small_objects is not defined for {}; give truth values, such as x > 0",
                ins[0].dtype()
            )));
        }
        let structure = Grid::structure(ins[0].rank(), self.connectivity);
        let objects = Objects::new(&ins[0], Some(&structure), self.block.as_deref(), None)?;
        let merged = objects.merged(Count::elements(), None, Give::AtLeast(self.max_size.saturating_add(1)))?;
        objects.finish(&merged, DType::Bool)
    }
}
