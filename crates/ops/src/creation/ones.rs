//! `ones`

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample};

use super::full::Full;
use crate::family::composite::{Compose, Composite};
use crate::family::params;

/// An array of ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ones {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// Element type; `float64` by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

/// The op `ones`.
pub static DEF: OpDef = OpDef {
    name: "ones",
    theme: "creation",
    summary: "An array of ones.",
    doc: "The ones are made where they are needed.",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "element type; float64 by default" },
        params::CHUNKS,
    ],
    form: Form::Composite,
    cost: 0.1,
    hold: false,
    build: Composite::<Ones>::build,
    samples: || {
        let one =
            |shape: &[usize], dtype: DType| Sample { params: json!({"shape": shape, "dtype": dtype}), ins: Vec::new() };
        vec![one(&[3, 4], DType::F32), one(&[], DType::U8), one(&[0, 2], DType::Bool)]
    },
};

impl Compose for Ones {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, _ins: &[Array]) -> Result<Array> {
        let dtype = self.dtype.unwrap_or(DType::F64);
        let full = Full {
            shape: self.shape.clone(),
            fill_value: Scalar::Int(1),
            dtype: Some(dtype),
            chunks: self.chunks.clone(),
        };
        Array::from_op(std::sync::Arc::new(full), Vec::new())
    }
}
