//! `pairwise_distance`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::cdist::{METRICS, two};
use super::metric::{Distance, METRIC, Metric, P};
use super::mirror::Mirror;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairwiseDistance {
    /// The metric.
    #[serde(default)]
    pub metric: Metric,
    /// The exponent of "minkowski"; none for an infinite one.
    #[serde(default = "two")]
    pub p: Option<f64>,
    /// Pass over negative values and NaN.
    #[serde(default)]
    pub missing: bool,
}

/// The op `pairwise_distance`.
pub static DEF: OpDef = OpDef {
    name: "pairwise_distance",
    theme: "distance",
    summary: "Distances between all rows of a matrix, as a matrix.",
    doc: "As cdist of a matrix with itself, with each pair computed once. With missing, features that are negative or NaN in one of both \
          rows are left out of their sums, as sgkit does; hamming is then the share of those that are left.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        METRIC,
        P,
        Param {
            name: "missing",
            kind: "bool",
            default: Some("false"),
            doc: "negative values and NaN are missing values",
        },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<PairwiseDistance>::build,
    samples: || {
        let one = |metric: &str, missing: bool, dtype| Sample {
            params: json!({"metric": metric, "missing": missing}),
            ins: vec![SampleInput::new(&[7, 9], dtype).between(if missing { -1.9 } else { -4.0 }, 9.0)],
        };
        let cases = [(true, DType::I8), (true, DType::F64), (false, DType::F32)];
        METRICS.iter().flat_map(|m| cases.map(|(missing, dtype)| one(m, missing, dtype))).collect()
    },
};

impl Compose for PairwiseDistance {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let p = self.p.unwrap_or(f64::INFINITY);
        let known = self.missing && ins[0].dtype().can_be_missing();
        let upper = Distance { metric: self.metric, p, known, upper: true }.apply(&ins[0], &ins[0])?;
        Array::from_op(Arc::new(Mirror {}), vec![upper.clone(), upper])
    }
}

trait CanBeMissing {
    fn can_be_missing(self) -> bool;
}

impl CanBeMissing for DType {
    /// Unsigned numbers and truth values are always known.
    fn can_be_missing(self) -> bool {
        !matches!(self.kind(), voxmill_core::Kind::Unsigned | voxmill_core::Kind::Bool)
    }
}
