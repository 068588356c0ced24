//! `pdist`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::cdist::Cdist;
use super::condense::Condense;
use super::metric::{Distance, METRIC, P};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pdist(pub Cdist);

/// The op `pdist`.
pub static DEF: OpDef = OpDef {
    name: "pdist",
    theme: "distance",
    summary: "Distances between the rows of a matrix, in condensed form.",
    doc: "As cdist, for pairs with row < column, one after the other: row 0 with 1, 2, ..., then row 1 with 2, 3, ...",
    inputs: Inputs::Named(&["x"]),
    params: &[METRIC, P],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Pdist>::build,
    samples: || {
        let one = |metric: &str, dtype| Sample {
            params: json!({"metric": metric}),
            ins: vec![SampleInput::new(&[7, 9], dtype).between(-4.0, 5.0)],
        };
        vec![one("euclidean", DType::I8), one("cityblock", DType::F32), one("cosine", DType::F64)]
    },
};

impl Compose for Pdist {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let p = self.0.p.unwrap_or(f64::INFINITY);
        let distance = Distance { metric: self.0.metric, p, known: false, upper: true };
        Array::from_op(Arc::new(Condense {}), vec![distance.apply(&ins[0], &ins[0])?])
    }
}
