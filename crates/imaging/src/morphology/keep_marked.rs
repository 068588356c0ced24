//! `keep_marked`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::measure::label::{Objects, STRUCTURE, truth};
use crate::measure::label_merge::Give;
use crate::measure::label_rows::Count;

/// Objects that have a mark.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepMarked {
    /// Which neighbours belong together; those along the axes by default.
    pub structure: Option<Grid>,
    /// What touches the border of the array counts as marked.
    pub border: bool,
    /// Lengths of the blocks that components are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

/// The op `keep_marked`.
pub static DEF: OpDef = OpDef {
    name: "keep_marked",
    theme: "morphology",
    summary: "True in connected objects that contain a mark.",
    doc: "Objects are what is connected in the mask; an object stays as a whole where any element of it is marked, or lies at the border \
          of the array if that counts. This is reconstruction of truth values, and what thresholds with hysteresis consist of.",
    inputs: Inputs::Named(&["mask", "marks"]),
    params: &[
        STRUCTURE,
        Param { name: "border", kind: "bool", default: Some("false"), doc: "what touches the border counts as marked" },
        crate::measure::label::BLOCK,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<KeepMarked>::build,
    samples: || {
        let one = |params: Value, shape: &[usize]| Sample {
            params,
            ins: vec![
                SampleInput::new(shape, DType::Bool).between(0.0, 1.7),
                SampleInput::new(shape, DType::U8).between(0.0, 1.05),
            ],
        };
        vec![
            one(json!({"block": [4, 5]}), &[9, 12]),
            one(json!({"structure": "cube(3)", "block": [2, 1, 4], "border": true}), &[5, 6, 7]),
            one(json!({}), &[0, 3]),
        ]
    },
};

impl KeepMarked {
    /// Axes along which an element at the border has neighbours beyond it.
    fn border_axes(&self, rank: usize) -> Vec<usize> {
        let structure = self.structure.clone().unwrap_or_else(|| Grid::structure(rank, 1));
        (0..rank)
            .filter(|&k| self.border && structure.taps().any(|(at, _)| at.get(k).is_some_and(|&p| p != 1)))
            .collect()
    }
}

impl Compose for KeepMarked {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if ins[0].shape() != ins[1].shape() {
            return Err(Error::invalid(format!(
                "the mask has shape {:?}, the marks {:?}; they must be equal",
                ins[0].shape(),
                ins[1].shape()
            )));
        }
        let (mask, marks) = (truth(&ins[0])?, truth(&ins[1])?);
        let objects = Objects::new(&mask, self.structure.as_ref(), self.block.as_deref(), None)?;
        let count = Count { marks: true, border: self.border_axes(mask.rank()), elements: false };
        objects.finish(&objects.merged(count, Some(&marks), Give::AtLeast(1))?, DType::Bool)
    }
}
