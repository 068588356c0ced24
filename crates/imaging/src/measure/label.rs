//! `label`

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Result};
use voxmill_ops::TABLE;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::{Axes, distinct_axes};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::blocks;
use super::label_finish::LabelFinish;
use super::label_merge::{Give, LabelMerge};
use super::label_part::LabelPart;
use super::label_rows::{Count, LabelRows};
use super::label_seams::LabelSeams;
use super::label_wrap::LabelWrap;
use crate::family::grid::Grid;

/// Connected objects, numbered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Label {
    /// Which neighbours belong together; those along the axes by default.
    pub structure: Option<Grid>,
    /// Axes whose ends are joined.
    pub wrap_axes: Option<Axes>,
    /// Dtype of the numbers; chosen by the size of the array by default.
    pub output: Option<DType>,
    /// Lengths of the blocks that components are first looked for in; chosen by default.
    pub block: Option<Vec<usize>>,
}

/// The parameter `structure`.
pub const STRUCTURE: Param = Param {
    name: "structure",
    kind: "nested list of 0 and 1",
    default: Some("null"),
    doc: "which neighbours belong together, 3 per axis and the same from both sides; those along the axes by default",
};

/// The parameter `wrap_axes`.
pub const WRAP_AXES: Param = Param {
    name: "wrap_axes",
    kind: "int or list of int",
    default: Some("null"),
    doc: "axes whose ends are joined: objects that touch across these borders of the array, and their corners, are one; none by default",
};

/// The parameter `block`.
pub const BLOCK: Param = Param {
    name: "block",
    kind: "list of int",
    default: Some("null"),
    doc: "lengths of the blocks that are labelled one by one and then joined; never changes the result",
};

/// The op `label`.
pub static DEF: OpDef = OpDef {
    name: "label",
    theme: "measure",
    summary: "Connected objects, numbered from 1 in the order of their first elements.",
    doc: "As scipy.ndimage: everything but zero is an object, and the numbers are the same for any chunks. The result is int32, or int64 \
          for arrays of 2^31 elements and more, unless another dtype is asked for; a run that finds more objects than it can number fails. \
          NaN counts as an object.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        STRUCTURE,
        WRAP_AXES,
        Param {
            name: "output",
            kind: "dtype",
            default: Some("null"),
            doc: "element type of the numbers; more objects than it can number are an error when they are computed",
        },
        BLOCK,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Label>::build,
    samples,
};

/// Samples for labels and for their number.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype: DType| Sample {
        params,
        ins: vec![SampleInput::new(shape, dtype).between(0.0, 1.7)],
    };
    let full = json!({"structure": [[1, 1, 1], [1, 1, 1], [1, 1, 1]]});
    vec![
        one(json!({"block": [4, 5]}), &[9, 12], DType::Bool),
        one(full, &[13, 7], DType::U8),
        one(json!({"structure": "square(3)", "wrap_axes": [0, 1], "block": [4, 3]}), &[9, 11], DType::U8),
        one(json!({"structure": "cube(3)", "block": [2, 1, 4]}), &[5, 6, 7], DType::I32),
        one(json!({}), &[4, 3, 5], DType::F32),
        one(json!({"output": "uint8", "block": [5]}), &[17], DType::U16),
        one(json!({}), &[], DType::U8),
        one(json!({}), &[0, 3], DType::U8),
        one(json!({}), &[1, 1, 1], DType::Bool),
    ]
}

impl Compose for Label {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let objects = Objects::new(&truth(&ins[0])?, self.structure.as_ref(), self.block.as_deref(), None)?
            .wrapped(self.wrap_axes.as_ref())?;
        let whole = self.output.filter(|dtype| dtype.is_exact() && *dtype != DType::Bool);
        let dtype = whole.unwrap_or_else(|| label_dtype(ins[0].meta()));
        let labels = objects.finish(&objects.merged(Count::default(), None, Give::Number)?, dtype)?;
        Astype::apply(&labels, self.output.unwrap_or(dtype))
    }
}

/// scipy's dtype for numbers of objects.
pub fn label_dtype(meta: &ArrayMeta) -> DType {
    if meta.size() < (1 << 31) - 2 { DType::I32 } else { DType::I64 }
}

/// True where an array is not zero.
pub fn truth(x: &Array) -> Result<Array> {
    match x.dtype() {
        DType::Bool => Ok(x.clone()),
        _ => Array::from_op(TABLE.build("not_equal", &json!({}))?, vec![x.clone(), Array::weak(0i64)]),
    }
}

/// The components of blocks of an array, from which objects are made.
pub struct Objects {
    source: Array,
    parts: Array,
    structure: Grid,
    block: Vec<usize>,
    by_value: bool,
    wrap: Vec<usize>,
}

impl Objects {
    /// What is connected in `source`: all that is true, or, with a background, all that is equal.
    pub fn new(
        source: &Array,
        structure: Option<&Grid>,
        block: Option<&[usize]>,
        background: Option<i64>,
    ) -> Result<Objects> {
        let rank = source.rank();
        let structure = structure.cloned().unwrap_or_else(|| Grid::structure(rank, 1));
        check_structure(&structure, rank)?;
        let block = block.map_or_else(|| blocks::lengths(source.meta()), <[usize]>::to_vec);
        let part = LabelPart {
            structure: structure.clone(),
            background: background.unwrap_or(0),
            block: block.clone(),
            shape: source.shape().to_vec(),
            prepared: OnceLock::new(),
        };
        let parts = Array::from_op(Arc::new(part), vec![source.clone()])?;
        let by_value = source.dtype() != DType::Bool;
        Ok(Objects { source: source.clone(), parts, structure, block, by_value, wrap: Vec::new() })
    }

    /// The same with the ends of some axes joined.
    pub fn wrapped(mut self, axes: Option<&Axes>) -> Result<Objects> {
        if axes.is_some() {
            self.wrap = distinct_axes(axes, self.source.rank())?;
        }
        Ok(self)
    }

    /// What each component gets, once those that touch across blocks are joined. `marks` are counted if that is asked.
    pub fn merged(&self, count: Count, marks: Option<&Array>, give: Give) -> Result<Array> {
        let counted = count != Count::default();
        let rows = LabelRows { count, block: self.block.clone() };
        let ins = std::iter::once(&self.parts).chain(marks).cloned().collect();
        let rows = Array::from_op(Arc::new(rows), ins)?;
        let counts = rows.shape().to_vec();
        let mut ins = vec![rows];
        for axis in (0..counts.len()).filter(|&axis| counts[axis] > 1) {
            ins.push(self.seams(axis)?);
        }
        for &axis in self.wrap.iter().filter(|_| self.source.meta().size() > 0) {
            ins.push(self.ends(axis, &counts)?);
        }
        let width = self.source.shape().last().copied().unwrap_or(1);
        let merge = LabelMerge { give, counted, counts, width, whole: OnceLock::new() };
        Array::from_op(Arc::new(merge), ins)
    }

    fn seams(&self, axis: usize) -> Result<Array> {
        let seams = LabelSeams {
            axis,
            structure: self.structure.clone(),
            values: self.by_value,
            block: self.block.clone(),
            prepared: OnceLock::new(),
        };
        let values = self.by_value.then_some(&self.source);
        Array::from_op(Arc::new(seams), std::iter::once(&self.parts).chain(values).cloned().collect())
    }

    fn ends(&self, axis: usize, counts: &[usize]) -> Result<Array> {
        let ends = LabelWrap {
            axis,
            wrap: self.wrap.clone(),
            structure: self.structure.clone(),
            values: self.by_value,
            block: self.block.clone(),
            counts: counts.to_vec(),
            whole: OnceLock::new(),
        };
        let mut ins = vec![self.parts.clone(); 2];
        ins.extend(self.by_value.then(|| [self.source.clone(), self.source.clone()]).into_iter().flatten());
        Array::from_op(Arc::new(ends), ins)
    }

    /// Every element with what its object got.
    pub fn finish(&self, merged: &Array, dtype: DType) -> Result<Array> {
        let finish = LabelFinish { dtype, background: 0, block: self.block.clone() };
        Array::from_op(Arc::new(finish), vec![self.parts.clone(), merged.clone()])
    }
}

/// Refuses structures that do not say for each pair of neighbours whether they belong together.
fn check_structure(structure: &Grid, rank: usize) -> Result<()> {
    if structure.shape != vec![3; rank] {
        return Err(Error::invalid(format!(
            "structure must have 3 positions on each of {rank} axes, got the shape {:?}; write for example \
             generate_binary_structure({rank}, 1)",
            structure.shape
        )));
    }
    if structure.reversed() != *structure {
        return Err(Error::invalid("structure must look the same from both sides (be symmetric about its middle)"));
    }
    Ok(())
}
