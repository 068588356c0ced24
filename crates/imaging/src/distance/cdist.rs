//! `cdist`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::metric::{Distance, METRIC, Metric, P, RULES};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cdist {
    /// The metric.
    #[serde(default)]
    pub metric: Metric,
    /// The exponent of "minkowski"; none for an infinite one.
    #[serde(default = "two")]
    pub p: Option<f64>,
}

/// The default of `p`.
pub(super) fn two() -> Option<f64> {
    Some(2.0)
}

/// The op `cdist`.
pub static DEF: OpDef = OpDef {
    name: "cdist",
    theme: "distance",
    summary: "Distances between all rows of two matrices.",
    doc: RULES,
    inputs: Inputs::Named(&["xa", "xb"]),
    params: &[METRIC, P],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Cdist>::build,
    samples: || {
        let one = |params: Value, dtype| Sample {
            params,
            ins: [[4, 9], [3, 9]].map(|shape| SampleInput::new(&shape, dtype).between(-4.0, 5.0)).to_vec(),
        };
        METRICS
            .iter()
            .flat_map(|m| [DType::I8, DType::F64].map(|dtype| one(json!({"metric": m, "p": 3}), dtype)))
            .collect()
    },
};

/// All metrics.
pub(super) const METRICS: [&str; 11] = [
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "minkowski",
    "chebyshev",
    "cosine",
    "correlation",
    "hamming",
    "jaccard",
    "canberra",
    "braycurtis",
];

impl Compose for Cdist {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let distance = Distance { metric: self.metric, p: self.p.unwrap_or(f64::INFINITY), known: false, upper: false };
        distance.apply(&ins[0], &ins[1])
    }
}
