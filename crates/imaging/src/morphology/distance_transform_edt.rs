//! `distance_transform_edt`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::edt_axis::EdtAxis;
use crate::family::neighborhood::PerAxis;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::composite::{Compose, Composite};

/// Distances to the background.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceTransformEdt {
    /// Distance of neighbours.
    #[serde(default)]
    pub sampling: Option<PerAxis<f64>>,
}

/// The op `distance_transform_edt`.
pub static DEF: OpDef = OpDef {
    name: "distance_transform_edt",
    theme: "morphology",
    summary: "Distance of each element to the nearest zero.",
    doc: "As scipy.ndimage: exact Euclidean distances in float64. Without sampling, squares are whole numbers and exact up to an axis \
          length of 37000. Where there is no zero at all, distances are infinite (uninitialised in scipy).",
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
    build: Composite::<DistanceTransformEdt>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[8, 40], DType::Bool),
            one(json!({"sampling": [2, 0.5, 1]}), &[5, 6, 7], DType::Bool),
            one(json!({"sampling": 3}), &[9], DType::U8),
            one(json!({}), &[0, 4], DType::F32),
        ]
    },
};

/// Axes up to this length have squared distances that fit 32 bits, in up to three dimensions.
const LONGEST: usize = 37_000;

impl Compose for DistanceTransformEdt {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let rank = ins[0].rank();
        if rank == 0 {
            return Err(Error::invalid("distances need at least one axis"));
        }
        let sampling = match &self.sampling {
            Some(sampling) => Some(sampling.values("sampling", rank)?),
            None if ins[0].shape().iter().any(|&n| n > LONGEST) || rank > 3 => Some(vec![1.0; rank]),
            None => None,
        };
        if let Some(step) = sampling.iter().flatten().find(|step| !(**step > 0.0 && step.is_finite())) {
            return Err(Error::invalid(format!("sampling {step} is no distance; it must be positive")));
        }
        let mut array = Astype::apply(&ins[0], DType::Bool)?;
        for axis in (0..rank).rev() {
            let sampling = sampling.as_ref().map(|sampling| sampling[axis]);
            let step = EdtAxis { axis: axis as i64, sampling, last: axis == 0 };
            array = Array::from_op(Arc::new(step), vec![array])?;
        }
        Ok(array)
    }
}
