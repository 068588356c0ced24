//! `random_normal`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::boxes::for_each_run;
use crate::family::params;
use crate::family::philox::{Stream, fill, long_word, open_unit_f64};

/// Random numbers of a normal distribution.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomNormal {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// Mean.
    #[serde(default)]
    pub loc: f64,
    /// Standard deviation.
    #[serde(default = "one")]
    pub scale: f64,
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

/// The op `random_normal`.
pub static DEF: OpDef = OpDef {
    name: "random_normal",
    theme: "creation",
    summary: "Random numbers of a normal distribution.",
    doc: "Each number is a function of the seed and of its C-order place in the array (Philox4x32-10), made by the inverse of the \
          distribution function (Wichura's AS 241): chunks, tiles and threads never change it. float64 reaches 8.1 standard deviations, \
          float32 6.3. The numbers are not those of NumPy's generators.",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param { name: "loc", kind: "float", default: Some("0.0"), doc: "mean" },
        Param { name: "scale", kind: "float", default: Some("1.0"), doc: "standard deviation" },
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "float64 (the default) or float32" },
        params::SEED,
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 6.0,
    hold: false,
    build: params::build::<RandomNormal>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        vec![
            one(json!({"shape": [40, 30]})),
            one(json!({"shape": [5, 6, 7], "loc": -2, "scale": 3, "dtype": "float32", "seed": 5})),
            one(json!({"shape": []})),
            one(json!({"shape": [0, 3]})),
        ]
    },
};

impl Op for RandomNormal {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if self.scale < 0.0 || !self.scale.is_finite() || !self.loc.is_finite() {
            return Err(Error::invalid(format!("scale {} must not be negative", self.scale)));
        }
        params::random_meta(&self.shape, self.dtype, &self.chunks)
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (seed, loc, scale) = (self.seed, self.loc, self.scale);
        if let Some(out) = out.as_slice_mut::<f32>() {
            for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
                fill(
                    seed,
                    Stream::Normal,
                    linear,
                    &mut out[position..position + len],
                    |words, _, out: &mut [f32; 32]| {
                        let normal = quantiles(&words.map(|w| (w as f64 + 0.5) * (1.0 / (1u64 << 32) as f64)));
                        for (out, z) in out.iter_mut().zip(normal) {
                            *out = (loc + scale * z) as f32;
                        }
                    },
                );
            });
        } else if let Some(out) = out.as_slice_mut::<f64>() {
            for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
                fill(
                    seed,
                    Stream::Normal,
                    linear,
                    &mut out[position..position + len],
                    |words, _, out: &mut [f64; 16]| {
                        let unit: [f64; 16] = std::array::from_fn(|j| open_unit_f64(long_word(words, j)));
                        for (out, z) in out.iter_mut().zip(quantiles(&unit)) {
                            *out = loc + scale * z;
                        }
                    },
                );
            });
        }
        Ok(())
    }
}

/// The standard normal quantiles of some probabilities between 0 and 1 (Wichura, Algorithm AS 241, 16 digits).
#[inline(always)]
fn quantiles<const N: usize>(p: &[f64; N]) -> [f64; N] {
    // The middle formula for all, which vectorises; then the others where it does not hold (15 %).
    let mut z = p.map(|p| {
        let q = p - 0.5;
        let r = 0.180625 - q * q;
        q * polynomial(&MIDDLE.0, r) / polynomial(&MIDDLE.1, r)
    });
    for (z, &p) in z.iter_mut().zip(p) {
        if (p - 0.5).abs() > 0.425 {
            *z = tail_quantile(p);
        }
    }
    z
}

fn tail_quantile(p: f64) -> f64 {
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let (coefficients, r) = if r <= 5.0 { (&NEAR, r - 1.6) } else { (&FAR, r - 5.0) };
    let z = polynomial(&coefficients.0, r) / polynomial(&coefficients.1, r);
    if p < 0.5 { -z } else { z }
}

#[inline(always)]
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Numerator and denominator, lowest power first.
type Rational = ([f64; 8], [f64; 8]);

#[allow(clippy::excessive_precision)] // As printed in the paper.
static MIDDLE: Rational = (
    [
        3.387132872796366608,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
);

#[allow(clippy::excessive_precision)] // As printed in the paper.
static NEAR: Rational = (
    [
        1.42343711074968357734,
        4.63033784615654529590,
        5.76949722146069140550,
        3.64784832476320460504,
        1.27045825245236838258,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187,
        1.67638483018380384940,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
);

#[allow(clippy::excessive_precision)] // As printed in the paper.
static FAR: Rational = (
    [
        6.65790464350110377720,
        5.46378491116411436990,
        1.78482653991729133580,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::super::statistics::{Moments, draw};
    use super::*;

    #[test]
    fn quantiles_of_the_tables() {
        let p = [0.5, 0.975, 0.025, 0.841344746068543, 1e-10, 1e-16, 0.1, 0.9999];
        let want = [
            0.0,
            1.959963984540054,
            -1.959963984540054,
            1.0,
            -6.361340902404056,
            -8.222082216130435,
            -1.2815515655446004,
            3.719016485455709,
        ];
        for (z, want) in quantiles(&p).iter().zip(want) {
            assert!((z - want).abs() <= 1e-14 * want.abs().max(1.0), "{z} is not {want}");
        }
    }

    #[test]
    fn moments_tails_and_neighbours() {
        for dtype in ["float64", "float32"] {
            let values = draw("random_normal", json!({"shape": [1000, 1000], "dtype": dtype, "seed": 3}));
            let moments = Moments::of(&values);
            assert!(moments.mean.abs() < 5e-3 && (moments.variance - 1.0).abs() < 7e-3, "{dtype} {moments:?}");
            assert!(moments.skewness(&values).abs() < 0.0125 && moments.kurtosis(&values).abs() < 0.025, "{dtype}");
            let beyond = |z: f64| values.iter().filter(|v| v.abs() > z).count() as f64;
            assert!(
                (beyond(1.959964) / 5e4 - 1.0).abs() < 0.023 && (beyond(3.290527) / 1e3 - 1.0).abs() < 0.16,
                "{dtype}"
            );
            for lag in [1, 2, 8, 16, 32, 1000] {
                assert!(moments.correlation(&values, lag).abs() < 5e-3, "{dtype} {lag}");
            }
        }
        let moved = draw("random_normal", json!({"shape": 100_000, "loc": 10, "scale": 2}));
        let moments = Moments::of(&moved);
        assert!((moments.mean - 10.0).abs() < 0.032 && (moments.variance - 4.0).abs() < 0.09, "{moments:?}");
    }
}
