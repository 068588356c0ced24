//! What filters of differences share: differences along one axis, smoothed along the others, and how they are joined.

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_ops::family::params::{Axes, distinct_axes, normalize_axis};
use voxmill_plan::{Array, Sample, SampleInput};

use super::correlate1d::Correlate1d;
use super::line::out_dtype;
use crate::family::compose::{both, cast, one};
use crate::family::neighborhood::{Border, PerAxis};

/// What derivatives have in common.
#[derive(Debug)]
pub struct Setting<'a> {
    /// Element type of the result.
    pub output: Option<DType>,
    /// What lies beyond the border.
    pub mode: &'a PerAxis<Border>,
    /// The constant there.
    pub cval: Scalar,
}

impl Setting<'_> {
    /// Weighted sums along one axis.
    pub fn line(&self, input: &Array, weights: &[f64], axis: usize, mode: Border) -> Result<Array> {
        let (weights, axis, output) = (weights.to_vec(), axis as i64, self.output);
        Array::from_op(
            Arc::new(Correlate1d { weights, axis, output, mode, cval: self.cval, origin: 0 }),
            vec![input.clone()],
        )
    }

    /// Differences along `axis`, then weighted sums of three along all others.
    pub fn smoothed(&self, input: &Array, axis: i64, weights: [f64; 3]) -> Result<Array> {
        let axis = normalize_axis(axis, input.rank())?;
        let modes = self.mode.values("mode", input.rank())?;
        let first = self.line(input, &[-1.0, 0.0, 1.0], axis, modes[axis])?;
        let others = (0..input.rank()).filter(|&k| k != axis);
        others.into_iter().try_fold(first, |sum, k| self.line(&sum, &weights, k, modes[k]))
    }

    /// The sum of a derivative along each of the axes; the input where there is none. Sums have the type of the result.
    pub fn sum(
        &self,
        input: &Array,
        axes: Option<&Axes>,
        derivative: impl Fn(usize, Border) -> Result<Array>,
    ) -> Result<Array> {
        let output = out_dtype(self.output, input.dtype())?;
        let axes = distinct_axes(axes, input.rank())?;
        let modes = self.mode.values("mode", axes.len())?;
        let mut sum: Option<Array> = None;
        for (&axis, &mode) in axes.iter().zip(&modes) {
            let next = derivative(axis, mode)?;
            sum = Some(match sum {
                Some(sum) => both("add", &sum, &next)?,
                None => next,
            });
        }
        cast(&sum.unwrap_or_else(|| input.clone()), output)
    }

    /// The root of the sum of squares of a derivative along each of the axes.
    pub fn magnitude(
        &self,
        input: &Array,
        axes: Option<&Axes>,
        derivative: impl Fn(usize, Border) -> Result<Array>,
    ) -> Result<Array> {
        let squared = |axis, mode| {
            let slope = derivative(axis, mode)?;
            both("multiply", &slope, &slope)
        };
        let sum = self.sum(input, axes, squared)?;
        if distinct_axes(axes, input.rank())?.is_empty() {
            return Ok(sum);
        }
        cast(&one("sqrt", &sum)?, sum.dtype())
    }
}

/// Samples of a filter of differences; `params` are those that must be given.
pub fn samples(params: Value) -> Vec<Sample> {
    let one = |more: Value, shape: &[usize], dtype: DType| {
        let mut all = params.clone();
        if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
            all.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        Sample { params: all, ins: vec![SampleInput::new(shape, dtype)] }
    };
    vec![
        one(json!({}), &[8, 9], DType::U8),
        one(json!({"mode": ["reflect", "wrap", "constant"], "cval": 3}), &[5, 6, 7], DType::F32),
        one(json!({"output": "float64", "mode": "mirror"}), &[5, 6], DType::I16),
        one(json!({"mode": "nearest"}), &[7], DType::F64),
    ]
}
