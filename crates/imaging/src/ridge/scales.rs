//! What ridge filters share: second derivatives of the image at several scales.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::family::map::parametric::Parametric;
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::eigen_map::{EigenMap, Rule};
pub use crate::family::compose::call;
use crate::family::neighborhood::Border;
use crate::filter::gaussian_filter;

/// The parameters of all ridge filters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Scales {
    /// Widths of the Gaussians.
    pub sigmas: Vec<f64>,
    /// Ridges are darker than what is around them.
    pub black_ridges: bool,
    /// What lies beyond the border.
    pub mode: Border,
    /// The constant there.
    pub cval: Scalar,
}

impl Default for Scales {
    fn default() -> Self {
        let sigmas = vec![1.0, 3.0, 5.0, 7.0, 9.0];
        Scales { sigmas, black_ridges: true, mode: Border::Reflect, cval: Scalar::Float(0.0) }
    }
}

/// The parameter `sigmas`.
pub const SIGMAS: Param = Param {
    name: "sigmas",
    kind: "list of float",
    default: Some("[1, 3, 5, 7, 9]"),
    doc: "widths of the Gaussians; the strongest response counts",
};
/// The parameter `black_ridges`.
pub const BLACK: Param = Param {
    name: "black_ridges",
    kind: "bool",
    default: Some("true"),
    doc: "ridges are darker than what is around them; else brighter",
};

impl Scales {
    /// The image in floats, with ridges that are dark.
    pub fn image(&self, image: &Array) -> Result<Array> {
        if !matches!(image.rank(), 2 | 3) {
            return Err(Error::invalid(format!("ridges are known for 2 and 3 axes, the image has {}", image.rank())));
        }
        if image.dtype().is_complex() {
            return Err(Error::invalid(format!("ridges are not defined for {}", image.dtype())));
        }
        if self.sigmas.is_empty() || self.sigmas.iter().any(|s| !s.is_finite() || *s <= 0.0) {
            return Err(Error::invalid(format!("sigmas must be positive, got {:?}", self.sigmas)));
        }
        let dtype = if matches!(image.dtype(), DType::F32 | DType::F16 | DType::BF16) { "float32" } else { "float64" };
        let image = call("astype", &[image], json!({"dtype": dtype}))?;
        if self.black_ridges { Ok(image) } else { call("negative", &[&image], json!({})) }
    }

    /// The upper half of the matrix of second derivatives, row by row: derivatives along one axis after the other, each of a Gaussian.
    pub fn second_derivatives(&self, image: &Array, sigma: f64) -> Result<Vec<Array>> {
        let rank = image.rank();
        // Narrow Gaussians are no longer smooth on the grid, and need a wide window to come down.
        let truncate = if sigma > 1.0 { 8.0 } else { 100.0 };
        let derived = |x: &Array, axis: usize| {
            let order: Vec<i64> = (0..rank).map(|k| i64::from(k == axis)).collect();
            let params = json!({
                "sigma": sigma * std::f64::consts::FRAC_1_SQRT_2,
                "order": order, "mode": self.mode, "cval": self.cval, "truncate": truncate,
            });
            Array::from_op((gaussian_filter::DEF.build)(&params)?, vec![x.clone()])
        };
        let first: Vec<Array> = (0..rank).map(|axis| derived(image, axis)).collect::<Result<_>>()?;
        let pairs = (0..rank).flat_map(|k| (k..rank).map(move |l| (k, l)));
        pairs.map(|(k, l)| derived(&first[k], l)).collect()
    }

    /// The largest response over all scales, and at least 0.
    pub fn strongest(&self, responses: Vec<Array>) -> Result<Array> {
        let mut strongest: Option<Array> = None;
        for response in responses {
            strongest = Some(match strongest {
                Some(before) => call("maximum", &[&before, &response], json!({}))?,
                None => response,
            });
        }
        let strongest = strongest.ok_or_else(|| Error::invalid("sigmas must not be empty"))?;
        call("maximum", &[&strongest, &Array::weak(0i64)], json!({}))
    }
}

/// What a rule makes of the second derivatives, and of more arrays.
pub fn eigen_map(rule: Rule, rank: usize, mut matrix: Vec<Array>, more: Option<Array>) -> Result<Array> {
    matrix.extend(more);
    Array::from_op(Arc::new(Parametric(EigenMap { rule, rank })), matrix)
}

/// Samples of a ridge filter.
pub fn samples() -> Vec<Sample> {
    let one =
        |params: Value, shape: &[usize], dtype: DType| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    vec![
        one(json!({"sigmas": [1.5]}), &[11, 12], DType::F32),
        one(json!({"sigmas": [1.2, 2.0], "black_ridges": false, "mode": "nearest"}), &[6, 7, 8], DType::F64),
        one(json!({"sigmas": [1.5], "mode": "constant", "cval": 3.0}), &[9, 10], DType::U8),
    ]
}
