//! `map_coordinates`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::map_sample::MapSample;
use super::spline_image::{CVAL, MODE, ORDER, PREFILTER, RULES, Splines, call};
use crate::filter::line::OUTPUT;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MapCoordinates(pub Splines);

/// The op `map_coordinates`.
pub static DEF: OpDef = OpDef {
    name: "map_coordinates",
    theme: "geometry",
    summary: "Values of an image at given coordinates.",
    doc: RULES,
    inputs: Inputs::Named(&["input", "coordinates"]),
    params: &[OUTPUT, ORDER, MODE, CVAL, PREFILTER],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<MapCoordinates>::build,
    samples: || {
        let places = SampleInput::new(&[2, 5, 4], DType::F64).between(-3.0, 9.0);
        let one = |params: Value, dtype| Sample { params, ins: vec![SampleInput::new(&[6, 7], dtype), places.clone()] };
        vec![one(json!({}), DType::F32), one(json!({"order": 1, "mode": "nearest"}), DType::U8)]
    },
};

impl Compose for MapCoordinates {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let axes: Vec<usize> = (0..ins[0].rank()).collect();
        let (image, pad) = self.0.coefficients(&ins[0], &axes)?;
        if ins[1].dtype().is_complex() {
            return Err(Error::invalid(format!("coordinates are not defined for {}", ins[1].dtype())));
        }
        let places = call("astype", &[&ins[1]], json!({"dtype": DType::F64}))?;
        let Splines { order, mode, cval, .. } = self.0;
        let output = self.0.output.unwrap_or(ins[0].dtype());
        let sample = MapSample { order, pad, mode, cval, output, part: None };
        Array::from_op(Arc::new(sample), vec![image, places])
    }
}
