//! `label_values` and `n_label_values`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::TABLE;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::Axes;
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::label::{BLOCK, Objects, STRUCTURE, WRAP_AXES, label_dtype};
use super::label_count::LabelCount;
use super::label_merge::Give;
use super::label_part::is_countable;
use super::label_rows::Count;
use crate::family::grid::Grid;

/// Connected regions of equal values.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LabelValues {
    /// Which neighbours belong together; those along the axes by default.
    pub structure: Option<Grid>,
    /// The value that is no region.
    pub background: i64,
    /// Axes whose ends are joined.
    pub wrap_axes: Option<Axes>,
    /// Lengths of the blocks that regions are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

/// The number of connected regions of equal values.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NLabelValues(LabelValues);

const PARAMS: &[Param] = &[
    STRUCTURE,
    Param { name: "background", kind: "int", default: Some("0"), doc: "the value that is no region" },
    WRAP_AXES,
    BLOCK,
];

/// The op `label_values`.
pub static DEF: OpDef = OpDef {
    name: "label_values",
    theme: "measure",
    summary: "Connected regions of equal values, numbered from 1 in the order of their first elements.",
    doc: "For whole numbers and truth values: neighbours belong together where they are equal. The result is int32, or int64 for arrays of \
          2^31 elements and more; the numbers are the same for any chunks.",
    inputs: Inputs::Named(&["label_image"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<LabelValues>::build,
    samples,
};

/// The op `n_label_values`.
pub static NUMBER: OpDef = OpDef {
    name: "n_label_values",
    theme: "measure",
    summary: "Number of connected regions of equal values: the largest number that label_values gives.",
    doc: "Shares its work with label_values where both are asked for at once.",
    inputs: Inputs::Named(&["label_image"]),
    params: PARAMS,
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<NLabelValues>::build,
    samples,
};

fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype: DType| Sample {
        params,
        ins: vec![SampleInput::new(shape, dtype).between(0.0, 3.0)],
    };
    vec![
        one(json!({"block": [4, 5]}), &[9, 12], DType::U8),
        one(json!({"structure": "cube(3)", "block": [2, 1, 4], "background": 1}), &[5, 6, 7], DType::I32),
        one(json!({"background": -1}), &[13, 7], DType::I64),
        one(json!({"wrap_axes": 0, "block": [4, 3]}), &[13, 7], DType::I16),
        one(json!({"background": 1, "block": [3]}), &[17], DType::Bool),
    ]
}

impl LabelValues {
    fn objects(&self, image: &Array) -> Result<(Objects, Array)> {
        if !is_countable(image.dtype()) {
            return Err(Error::invalid(format!("regions of equal values are not defined for {}", image.dtype())));
        }
        // With another background than false, both truth values may be regions; one that the dtype does not have is nowhere.
        let fits = Scalar::Int(self.background.into()).fits(image.dtype());
        let image = match fits && (image.dtype() != DType::Bool || self.background == 0) {
            true => image.clone(),
            false => Array::from_op(TABLE.build("astype", &json!({"dtype": "int64"}))?, vec![image.clone()])?,
        };
        let objects = Objects::new(&image, self.structure.as_ref(), self.block.as_deref(), Some(self.background))?
            .wrapped(self.wrap_axes.as_ref())?;
        let merged = objects.merged(Count::default(), None, Give::Number)?;
        Ok((objects, merged))
    }
}

impl Compose for LabelValues {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let (objects, merged) = self.objects(&ins[0])?;
        objects.finish(&merged, label_dtype(ins[0].meta()))
    }
}

impl Compose for NLabelValues {
    fn def() -> &'static OpDef {
        &NUMBER
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        Array::from_op(Arc::new(LabelCount {}), vec![self.0.objects(&ins[0])?.1])
    }
}
