//! `full`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::params;

/// An array of one value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Full {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// The value.
    pub fill_value: Scalar,
    /// Element type; that of the value by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

impl Full {
    /// An array of `shape` filled with `value`.
    pub fn apply(shape: &[usize], value: Scalar, dtype: DType) -> Result<Array> {
        let op = Full { shape: shape.to_vec(), fill_value: value, dtype: Some(dtype), chunks: Default::default() };
        Array::from_op(Arc::new(op), Vec::new())
    }
}

/// The op `full`.
pub static DEF: OpDef = OpDef {
    name: "full",
    theme: "creation",
    summary: "An array of one value.",
    doc: "The value is cast to dtype as by astype; without dtype the value decides (int64, float64, bool or complex128).",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param { name: "fill_value", kind: "number", default: None, doc: "the value of every element" },
        Param {
            name: "dtype",
            kind: "dtype",
            default: Some("null"),
            doc: "element type; that of the value by default",
        },
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 0.1,
    hold: false,
    build: params::build::<Full>,
    samples: || {
        let one = |shape: &[usize], dtype: DType| Sample {
            params: json!({"shape": shape, "fill_value": 3, "dtype": dtype}),
            ins: Vec::new(),
        };
        let mut all: Vec<Sample> = DType::ALL.iter().map(|&d| one(&[3, 4], d)).collect();
        all.extend([one(&[], DType::F32), one(&[0, 2], DType::U8), one(&[1], DType::I64)]);
        all
    },
};

impl Op for Full {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = self.dtype.unwrap_or(self.fill_value.default_dtype());
        params::check_size(&self.shape, dtype)?;
        Ok(ArrayMeta::new(&self.shape, dtype).with_grid(self.chunks.grid(&self.shape, dtype)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        out.fill(&self.fill_value.to_bytes(at.out_meta.dtype))
    }
}
