//! `keep_unmarked`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::measure::label::{BLOCK, Objects, STRUCTURE, truth};
use crate::measure::label_merge::Give;
use crate::measure::label_part::is_countable;
use crate::measure::label_rows::Count;

/// Regions of equal values that have no mark.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepUnmarked {
    /// Which neighbours belong together; those along the axes by default.
    pub structure: Option<Grid>,
    /// What lies at the border of the array counts as marked.
    pub border: bool,
    /// Lengths of the blocks that regions are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

/// The op `keep_unmarked`.
pub static DEF: OpDef = OpDef {
    name: "keep_unmarked",
    theme: "morphology",
    summary: "True in connected regions of equal values that contain no mark.",
    doc: "Zero is the background, and false. A region goes as a whole where any element of it is marked, or lies at the border of the array if \
          that counts.",
    inputs: Inputs::Named(&["labels", "marks"]),
    params: &[
        STRUCTURE,
        Param { name: "border", kind: "bool", default: Some("false"), doc: "what lies at the border counts as marked" },
        BLOCK,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<KeepUnmarked>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![
                SampleInput::new(shape, dtype).between(0.0, 2.7),
                SampleInput::new(shape, DType::U8).between(0.0, 1.05),
            ],
        };
        vec![
            one(json!({"block": [4, 5]}), &[9, 12], DType::U8),
            one(json!({"structure": "cube(3)", "block": [2, 1, 4], "border": true}), &[5, 6, 7], DType::I32),
            one(json!({"block": [4, 5]}), &[9, 12], DType::Bool),
            one(json!({}), &[0, 3], DType::I64),
        ]
    },
};

impl Compose for KeepUnmarked {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if ins[0].shape() != ins[1].shape() {
            return Err(Error::invalid(format!(
                "the labels have shape {:?}, the marks {:?}; they must be equal",
                ins[0].shape(),
                ins[1].shape()
            )));
        }
        if !is_countable(ins[0].dtype()) {
            return Err(Error::invalid(format!("regions of equal values are not defined for {}", ins[0].dtype())));
        }
        let objects = Objects::new(&ins[0], self.structure.as_ref(), self.block.as_deref(), Some(0))?;
        let border = if self.border { (0..ins[0].rank()).collect() } else { Vec::new() };
        let count = Count { marks: true, border, elements: false };
        objects.finish(&objects.merged(count, Some(&truth(&ins[1])?), Give::None)?, DType::Bool)
    }
}
