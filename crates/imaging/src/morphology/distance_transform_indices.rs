//! `distance_transform_indices`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use voxmill_core::{DType, Error, Result};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::nearest_axis::NearestAxis;
use crate::family::neighborhood::PerAxis;

/// Positions of the nearest background.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DistanceTransformIndices {
    /// Distance of neighbours.
    pub sampling: Option<PerAxis<f64>>,
}

/// The op `distance_transform_indices`.
pub static DEF: OpDef = OpDef {
    name: "distance_transform_indices",
    theme: "morphology",
    summary: "Position of the zero that is nearest to each element, with a new first axis for the coordinates.",
    doc: "As scipy.ndimage.distance_transform_edt with return_indices, in int32; of zeros that are equally near, the same one is chosen. Where \
          there is no zero at all, positions are -1.",
    inputs: Inputs::Named(&["input"]),
    params: &[Param {
        name: "sampling",
        kind: "float or list of float",
        default: Some("null"),
        doc: "distance of neighbours, for all axes or for each; 1 by default",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<DistanceTransformIndices>::build,
    samples: || {
        let one = |shape: &[usize], dtype| SampleInput::new(shape, dtype);
        vec![
            Sample { params: json!({}), ins: vec![one(&[8, 40], DType::Bool)] },
            Sample { params: json!({"sampling": [2, 0.5, 1]}), ins: vec![one(&[5, 6, 7], DType::Bool)] },
            Sample { params: json!({"sampling": 3}), ins: vec![one(&[9], DType::U8)] },
        ]
    },
};

impl Compose for DistanceTransformIndices {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        if rank == 0 {
            return Err(Error::invalid("distances need at least one axis"));
        }
        let sampling = match &self.sampling {
            Some(sampling) => sampling.values("sampling", rank)?,
            None => vec![1.0; rank],
        };
        if let Some(step) = sampling.iter().find(|step| !(**step > 0.0 && step.is_finite())) {
            return Err(Error::invalid(format!("sampling {step} is no distance; it must be positive")));
        }
        (0..rank).try_fold(Astype::apply(&ins[0], DType::Bool)?, |array, axis| {
            Array::from_op(Arc::new(NearestAxis { axis, sampling: sampling.clone() }), vec![array])
        })
    }
}
