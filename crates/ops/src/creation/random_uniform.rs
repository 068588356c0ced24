//! `random_uniform`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::boxes::for_each_run;
use crate::family::params;
use crate::family::philox::{Stream, fill, long_word, unit_f64};

/// Random numbers, all equally likely between two bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomUniform {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// Lower bound, included.
    #[serde(default)]
    pub low: f64,
    /// Upper bound, not included.
    #[serde(default = "one")]
    pub high: f64,
    /// `float64` or `float32`.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Which numbers.
    #[serde(default)]
    pub seed: u64,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

fn one() -> f64 {
    1.0
}

/// The op `random_uniform`.
pub static DEF: OpDef = OpDef {
    name: "random_uniform",
    theme: "creation",
    summary: "Random numbers, all equally likely between two bounds.",
    doc: "Each number is a function of the seed and of its C-order place in the array (Philox4x32-10): chunks, tiles and threads never \
          change it. float64 has 53 random bits, float32 has 24. The upper bound can only appear by rounding of low + (high - low) * u, \
          as in NumPy. The numbers are not those of NumPy's generators.",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param { name: "low", kind: "float", default: Some("0.0"), doc: "lower bound, included" },
        Param { name: "high", kind: "float", default: Some("1.0"), doc: "upper bound, not included" },
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "float64 (the default) or float32" },
        params::SEED,
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<RandomUniform>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        vec![
            one(json!({"shape": [40, 30]})),
            one(json!({"shape": [5, 6, 7], "low": -2, "high": 3, "dtype": "float32", "seed": 5})),
            one(json!({"shape": []})),
            one(json!({"shape": [0, 3]})),
        ]
    },
};

impl Op for RandomUniform {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if !(self.high - self.low).is_finite() || self.high < self.low {
            return Err(Error::invalid(format!("there are no numbers between {} and {}", self.low, self.high)));
        }
        params::random_meta(&self.shape, self.dtype, &self.chunks)
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (seed, low, range) = (self.seed, self.low, self.high - self.low);
        if let Some(out) = out.as_slice_mut::<f32>() {
            let (low, range) = (low as f32, range as f32);
            for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
                fill(
                    seed,
                    Stream::Uniform,
                    linear,
                    &mut out[position..position + len],
                    |words, _, out: &mut [f32; 32]| {
                        for (out, word) in out.iter_mut().zip(words) {
                            *out = low + range * ((word >> 8) as i32 as f32 * (1.0 / (1 << 24) as f32));
                        }
                    },
                );
            });
        } else if let Some(out) = out.as_slice_mut::<f64>() {
            for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
                fill(
                    seed,
                    Stream::Uniform,
                    linear,
                    &mut out[position..position + len],
                    |words, _, out: &mut [f64; 16]| {
                        for (j, out) in out.iter_mut().enumerate() {
                            *out = low + range * unit_f64(long_word(words, j));
                        }
                    },
                );
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::statistics::{Moments, draw};
    use super::*;

    #[test]
    fn moments_and_bins() {
        for dtype in ["float64", "float32"] {
            let values = draw("random_uniform", json!({"shape": [1000, 1000], "dtype": dtype, "seed": 1}));
            let moments = Moments::of(&values);
            assert!((moments.mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0 / 1e6).sqrt(), "{dtype} {moments:?}");
            assert!((moments.variance - 1.0 / 12.0).abs() < 4e-4, "{dtype} {moments:?}");
            assert!(values.iter().all(|&v| (0.0..1.0).contains(&v)));
            let mut bins = [0.0; 100];
            values.iter().for_each(|v| bins[(v * 100.0) as usize] += 1.0);
            let chi2: f64 = bins.iter().map(|n: &f64| (n - 1e4).powi(2) / 1e4).sum();
            // 99 degrees of freedom: outside of these bounds once in a million times.
            assert!((50.0..175.0).contains(&chi2), "{dtype} {chi2}");
            for lag in [1, 2, 8, 16, 32, 1000] {
                let r = moments.correlation(&values, lag);
                assert!(r.abs() < 5e-3, "{dtype}: neighbours at distance {lag} correlate by {r}");
            }
        }
    }

    #[test]
    fn seeds_and_streams_are_independent() {
        let a = draw("random_uniform", json!({"shape": 100_000, "seed": 1}));
        let b = draw("random_uniform", json!({"shape": 100_000, "seed": 2}));
        let c = draw("random_normal", json!({"shape": 100_000, "seed": 1}));
        let correlate = |a: &[f64], b: &[f64]| {
            let (ma, mb) = (Moments::of(a), Moments::of(b));
            let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - ma.mean) * (y - mb.mean)).sum();
            sum / a.len() as f64 / (ma.variance * mb.variance).sqrt()
        };
        assert!(correlate(&a, &b).abs() < 0.016);
        assert!(correlate(&a, &c).abs() < 0.016);
    }
}
