//! `distance_transform_cdt`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::steps_axis::StepsAxis;
use crate::numeric::steps::Metric;

/// Distances to the background in whole steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DistanceTransformCdt {
    /// How steps are counted.
    pub metric: Metric,
}

impl Default for DistanceTransformCdt {
    fn default() -> Self {
        DistanceTransformCdt { metric: Metric::Chessboard }
    }
}

/// The op `distance_transform_cdt`.
pub static DEF: OpDef = OpDef {
    name: "distance_transform_cdt",
    theme: "morphology",
    summary: "Number of steps from each element to the nearest zero.",
    doc: "As scipy.ndimage, in int32: along axes only (taxicab), or along diagonals, too (chessboard). Where there is no zero at all, -1.",
    inputs: Inputs::Named(&["input"]),
    params: &[Param {
        name: "metric",
        kind: "\"chessboard\" or \"taxicab\"",
        default: Some("\"chessboard\""),
        doc: "whether a step may go along several axes at once",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<DistanceTransformCdt>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[8, 40], DType::Bool),
            one(json!({"metric": "taxicab"}), &[5, 6, 7], DType::Bool),
            one(json!({}), &[9], DType::U8),
            one(json!({}), &[0, 4], DType::F32),
        ]
    },
};

impl Compose for DistanceTransformCdt {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        if rank == 0 {
            return Err(Error::invalid("distances need at least one axis"));
        }
        (0..rank).rev().try_fold(Astype::apply(&ins[0], DType::Bool)?, |array, axis| {
            Array::from_op(Arc::new(StepsAxis { axis, metric: self.metric, last: axis == 0 }), vec![array])
        })
    }
}
