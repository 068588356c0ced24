//! What curves of brightness share: values from 0 to 1, the curve, and the way back to the dtype of the image.

use serde_json::{Value, json};
use voxmill_core::{DType, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::expect_values::ExpectValues;
use crate::family::compose::{cast, float_of, limits, with};

/// `curve` of the image, whose largest possible value counts as 1; negative values are an error when they are met.
pub fn adjusted(image: &Array, gain: f64, curve: impl Fn(&Array) -> Result<Array>) -> Result<Array> {
    let dtype = image.dtype();
    float_of(dtype)?;
    let scale = limits(dtype).1;
    let checked = ExpectValues::of(image, 0.0, None)?;
    let work = if dtype.is_float() { dtype } else { DType::F64 };
    let share = with("divide", &cast(&checked, work)?, scale)?;
    let curved = with("multiply", &curve(&share)?, scale)?;
    cast(&with("multiply", &curved, gain)?, dtype)
}

/// The parameter `gain` of curves that it multiplies.
pub const GAIN: Param =
    Param { name: "gain", kind: "float", default: Some("1.0"), doc: "what the result is multiplied with" };

/// The parameter `inv`.
pub const INV: Param = Param { name: "inv", kind: "bool", default: Some("false"), doc: "the other way round" };

/// Samples of a curve.
pub fn samples(params: Value) -> Vec<Sample> {
    let one = |params: Value, dtype: DType| Sample {
        params,
        ins: vec![SampleInput::new(&[6, 7], dtype).between(0.0, if dtype.is_float() { 1.0 } else { 120.0 })],
    };
    vec![
        one(json!({}), DType::U8),
        one(params.clone(), DType::U8),
        one(params.clone(), DType::F32),
        one(params.clone(), DType::I16),
        one(params, DType::F64),
    ]
}
