//! `eigen_map` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::bytemuck::{cast_slice, cast_slice_mut};
use voxmill_core::smallvec::SmallVec;
use voxmill_core::{DType, Element, Error, Result};
use voxmill_ops::family::map::parametric::{MapParams, Parametric};
use voxmill_ops::family::map::{Operand, Signature};
use voxmill_plan::{Form, Inputs, MapKernel, OpDef, Param, Sample, SampleInput};

use crate::numeric::eigen;

/// A number from the eigenvalues of a symmetric matrix at every element.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EigenMap {
    /// What is made of them.
    pub rule: Rule,
    /// Axes: the inputs are the upper half of a matrix of so many rows, row by row.
    pub rank: usize,
}

/// What is made of eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// One of them, the largest first.
    Value(usize),
    /// The root of the sum of their squares.
    Norm,
    /// Tubeness, times a factor.
    Sato(f64),
    /// Vesselness; half of the last input is the third sensitivity, if it is not given here.
    Frangi(f64, f64, Option<f64>),
    /// Neuriteness.
    Meijering(f64),
}

/// The op `eigen_map`.
pub static DEF: OpDef = OpDef {
    name: "eigen_map",
    theme: "ridge",
    summary: "Internal: a number from the eigenvalues of a symmetric matrix at every element.",
    doc: "",
    inputs: Inputs::Many("the upper half of the matrix, row by row"),
    params: &[
        Param { name: "rule", kind: "table", default: None, doc: "what is made of the eigenvalues" },
        Param { name: "rank", kind: "int", default: None, doc: "rows of the matrix" },
    ],
    form: Form::Map,
    cost: 25.0,
    hold: false,
    build: Parametric::<EigenMap>::build,
    samples: || {
        let one = |rule: Value, rank: usize, dtype: DType| Sample {
            params: json!({"rule": rule, "rank": rank}),
            ins: vec![SampleInput::new(&[5, 7], dtype).between(-9.0, 9.0); rank * (rank + 1) / 2],
        };
        vec![
            one(json!({"value": 1}), 2, DType::F64),
            one(json!("norm"), 3, DType::F32),
            one(json!({"sato": 4.0}), 3, DType::F64),
            one(json!({"frangi": [0.5, 0.5, 15.0]}), 2, DType::F32),
            one(json!({"meijering": 0.25}), 3, DType::F64),
        ]
    },
};

impl EigenMap {
    fn n_inputs(&self) -> usize {
        self.rank * (self.rank + 1) / 2 + usize::from(matches!(self.rule, Rule::Frangi(_, _, None)))
    }

    fn of(&self, values: &[f64], scale: f64) -> f64 {
        match self.rule {
            Rule::Value(k) => values.get(k).copied().unwrap_or(f64::NAN),
            Rule::Norm => eigen::norm(values),
            Rule::Sato(factor) => factor * eigen::sato(values),
            Rule::Frangi(alpha, beta, gamma) => {
                // Where nothing is there, any sensitivity will do.
                let gamma = gamma.unwrap_or(if scale > 0.0 { scale / 2.0 } else { 1.0 });
                eigen::frangi(values, alpha, beta, gamma)
            }
            Rule::Meijering(alpha) => eigen::meijering(values, alpha),
        }
    }

    fn kernel_of<T: Element + Copy + Into<f64>>(&self, back: fn(f64) -> T) -> MapKernel {
        let op = self.clone();
        MapKernel(std::sync::Arc::new(move |ins, out| {
            let ins: SmallVec<[&[T]; 7]> = ins.iter().map(|bytes| cast_slice(bytes)).collect();
            let n = op.rank * (op.rank + 1) / 2;
            for (i, out) in cast_slice_mut::<u8, T>(out).iter_mut().enumerate() {
                let at = |k: usize| -> f64 { ins[k][i].into() };
                let scale = if ins.len() > n { at(n) } else { 0.0 };
                *out = back(match op.rank {
                    2 => op.of(&eigen::of_two([at(0), at(1), at(2)]), scale),
                    _ => op.of(&eigen::of_three([at(0), at(1), at(2), at(3), at(4), at(5)]), scale),
                });
            }
        }))
    }
}

impl MapParams for EigenMap {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn signature(&self, ins: &[Operand]) -> Result<Signature> {
        if !matches!(self.rank, 2 | 3) || ins.len() != self.n_inputs() {
            return Err(Error::invalid(format!("ridges are known for 2 and 3 axes, not for {}", self.rank)));
        }
        let dtype = if ins[0].dtype == DType::F32 { DType::F32 } else { DType::F64 };
        Ok(Signature::uniform(ins.len(), dtype, dtype))
    }

    fn kernel(&self, ins: &[DType]) -> Result<MapKernel> {
        match ins[0] {
            DType::F32 => Ok(self.kernel_of::<f32>(|v| v as f32)),
            _ => Ok(self.kernel_of::<f64>(|v| v)),
        }
    }
}
