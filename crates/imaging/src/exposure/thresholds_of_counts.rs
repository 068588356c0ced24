//! `thresholds_of_counts` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_ops::reduce::finish::write_values;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::bins::centers;
use crate::filter::line::lost;
use crate::numeric::classes::split;

/// The thresholds between several classes of a histogram.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdsOfCounts {
    /// Number of classes.
    pub classes: usize,
    /// The value of the first bin, where bins are whole numbers; else the edges are the second input.
    pub first: Option<i64>,
    /// Dtype of the result.
    pub dtype: DType,
}

/// The op `thresholds_of_counts`.
pub static DEF: OpDef = OpDef {
    name: "thresholds_of_counts",
    theme: "exposure",
    summary: "Internal: the thresholds between several classes of a histogram.",
    doc: "",
    inputs: Inputs::Many("counts, and edges of bins unless these are whole numbers"),
    params: &[
        Param { name: "classes", kind: "int", default: None, doc: "number of classes" },
        Param { name: "first", kind: "int", default: None, doc: "value of the first bin" },
        Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the result" },
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: true,
    build: params::build::<ThresholdsOfCounts>,
    samples: || {
        vec![Sample {
            params: json!({"classes": 4, "first": 0, "dtype": "int64"}),
            ins: vec![SampleInput::new(&[40], DType::I64).between(1.0, 90.0)],
        }]
    },
};

impl Op for ThresholdsOfCounts {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins[0].dtype != DType::I64 || ins.len() != 1 + usize::from(self.first.is_none()) {
            return Err(Error::internal("thresholds are made from counts, and edges for floats"));
        }
        Ok(ArrayMeta::new([self.classes - 1], self.dtype))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        ins[0].size() as u64 * 8 * (7 + self.classes as u64) + 8 * self.classes as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let counts = ins[0].as_slice::<i64>().ok_or_else(lost)?;
        let found = split(counts, self.classes)?;
        let centers = match ins.get(1) {
            Some(edges) => centers(edges)?,
            None => Vec::new(),
        };
        let value = |bin: usize| match self.first {
            Some(first) => Scalar::from(first + bin as i64),
            None => Scalar::Float(centers[bin]),
        };
        write_values(out, |k| value(found[at.out.start[0] + k]))
    }
}
