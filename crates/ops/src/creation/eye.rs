//! `eye`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::params;

/// Ones on a diagonal, zeros elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eye {
    /// Number of rows.
    #[serde(rename = "N")]
    pub n: usize,
    /// Number of columns; that of rows by default.
    #[serde(rename = "M", default)]
    pub m: Option<usize>,
    /// Which diagonal: 0 is the main one, positive ones lie above.
    #[serde(default)]
    pub k: i64,
    /// Element type; `float64` by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

/// The op `eye`.
pub static DEF: OpDef = OpDef {
    name: "eye",
    theme: "creation",
    summary: "A matrix with ones on a diagonal and zeros elsewhere.",
    doc: "As NumPy.",
    inputs: Inputs::Named(&[]),
    params: &[
        Param { name: "N", kind: "int", default: None, doc: "number of rows" },
        Param { name: "M", kind: "int", default: Some("null"), doc: "number of columns; that of rows by default" },
        Param {
            name: "k",
            kind: "int",
            default: Some("0"),
            doc: "which diagonal; positive ones lie above the main one",
        },
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "element type; float64 by default" },
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 0.1,
    hold: false,
    build: params::build::<Eye>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        vec![
            one(json!({"N": 5})),
            one(json!({"N": 4, "M": 7, "k": 2, "dtype": "uint8"})),
            one(json!({"N": 6, "M": 3, "k": -2, "dtype": "complex128"})),
            one(json!({"N": 3, "k": 9})),
            one(json!({"N": 0})),
        ]
    },
};

impl Op for Eye {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let (shape, dtype) = ([self.n, self.m.unwrap_or(self.n)], self.dtype.unwrap_or(DType::F64));
        params::check_size(&shape, dtype)?;
        Ok(ArrayMeta::new(shape, dtype).with_grid(self.chunks.grid(&shape, dtype)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let dtype = out.dtype();
        out.fill(&Scalar::Int(0).to_bytes(dtype))?;
        let one = Scalar::Int(1).to_bytes(dtype);
        for row in 0..at.out.shape[0] {
            let column = (at.out.start[0] + row) as i128 + self.k as i128 - at.out.start[1] as i128;
            if column >= 0 && column < at.out.shape[1] as i128 {
                out.part(&Region::new([row, column as usize], [1, 1])).fill(&one)?;
            }
        }
        Ok(())
    }
}
