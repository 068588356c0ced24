//! What thresholds share that differ from place to place: the mean and the spread of a window around each element.

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use crate::family::compose::{apply, both, cast, float_of, one, with};
use crate::family::neighborhood::PerAxis;
use crate::filter::uniform_filter;

/// The parameter `window_size`.
pub const WINDOW: Param = Param {
    name: "window_size",
    kind: "int or list of int",
    default: Some("15"),
    doc: "lengths of the window, for all axes or for each; odd",
};

/// The parameter `k`.
pub const K: Param =
    Param { name: "k", kind: "float", default: Some("0.2"), doc: "how much the standard deviation counts" };

/// Mean and standard deviation of the window around each element, which is mirrored beyond the border.
pub fn mean_and_deviation(image: &Array, window: &PerAxis<i64>) -> Result<(Array, Array)> {
    let sizes = window.values("window_size", image.rank())?;
    if sizes.iter().any(|size| size % 2 == 0 || *size < 1) {
        return Err(Error::invalid(format!("window_size must be odd on every axis, got {sizes:?}")));
    }
    let dtype = float_of(image.dtype())?;
    let image = cast(image, dtype)?;
    // Sums are double: the variance is a small difference of large numbers.
    let mean = |x: &Array| {
        let wide = cast(x, DType::F64)?;
        cast(&apply(&uniform_filter::DEF, &[&wide], json!({"size": sizes, "mode": "mirror"}))?, dtype)
    };
    let (first, second) = (mean(&image)?, mean(&both("multiply", &image, &image)?)?);
    let variance = with("maximum", &both("subtract", &second, &both("multiply", &first, &first)?)?, 0.0)?;
    Ok((first, one("sqrt", &variance)?))
}

/// Samples of such a threshold.
pub fn samples() -> Vec<Sample> {
    let one =
        |params: Value, shape: &[usize], dtype: DType| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    vec![
        one(json!({"window_size": 5}), &[9, 11], DType::U8),
        one(json!({"window_size": [3, 1, 7], "k": 0.5}), &[5, 6, 9], DType::F64),
    ]
}
