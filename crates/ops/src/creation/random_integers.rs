//! `random_integers`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::boxes::for_each_run;
use crate::family::params;
use crate::family::philox::{Stream, fill, long_word, retry};

/// Random integers, all equally likely between two bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomIntegers {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// Smallest value; without `high` it is the upper bound, and the smallest value is 0.
    pub low: Scalar,
    /// Upper bound, not included.
    #[serde(default)]
    pub high: Option<Scalar>,
    /// Integer type; `int64` by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Which numbers.
    #[serde(default)]
    pub seed: u64,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

/// The op `random_integers`.
pub static DEF: OpDef = OpDef {
    name: "random_integers",
    theme: "creation",
    summary: "Random integers, all equally likely between two bounds.",
    doc: "Each number is a function of the seed and of its C-order place in the array (Philox4x32-10, Lemire's method with rejection, so \
          that no value is favoured): chunks, tiles and threads never change it. As with NumPy's Generator.integers, high is not included, \
          and with low alone the values begin at 0; the numbers are not those of NumPy's generators.",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param {
            name: "low",
            kind: "int",
            default: None,
            doc: "smallest value, or the upper bound where it stands alone",
        },
        Param { name: "high", kind: "int", default: Some("null"), doc: "upper bound, not included" },
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "integer type; int64 by default" },
        params::SEED,
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 2.5,
    hold: false,
    build: params::build::<RandomIntegers>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        vec![
            one(json!({"shape": [40, 30], "low": 10})),
            one(json!({"shape": [5, 6, 7], "low": -128, "high": 128, "dtype": "int8", "seed": 5})),
            one(json!({"shape": [9], "low": 0, "high": 65536, "dtype": "uint16"})),
            one(json!({"shape": [9, 3], "low": 1u64 << 60, "high": u64::MAX, "dtype": "uint64"})),
            one(json!({"shape": [], "low": 1, "high": 2})),
            one(json!({"shape": [0, 3], "low": 3})),
        ]
    },
};

impl RandomIntegers {
    /// Smallest and largest value.
    fn bounds(&self) -> Result<(i128, i128)> {
        let whole = |value: Scalar| match value {
            Scalar::Int(i) => Ok(i),
            Scalar::Float(f) if f.fract() == 0.0 => Ok(f as i128),
            other => Err(Error::invalid(format!("{other} is not an integer"))),
        };
        let (low, high) = match self.high {
            Some(high) => (whole(self.low)?, whole(high)?),
            None => (0, whole(self.low)?),
        };
        if high <= low {
            return Err(Error::invalid(format!("there is no integer from {low} up to, not including, {high}")));
        }
        Ok((low, high - 1))
    }
}

impl Op for RandomIntegers {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = self.dtype.unwrap_or(DType::I64);
        if !dtype.is_integer() {
            return Err(Error::invalid(format!("{dtype} is not an integer type")));
        }
        let (low, high) = self.bounds()?;
        if let Some(value) = [low, high].map(Scalar::Int).iter().find(|v| !v.fits(dtype)) {
            return Err(Error::invalid(format!("the value {value} does not fit {dtype}")));
        }
        params::check_size(&self.shape, dtype)?;
        Ok(ArrayMeta::new(&self.shape, dtype).with_grid(self.chunks.grid(&self.shape, dtype)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (low, high) = self.bounds()?;
        let (seed, low, last) = (self.seed, low as u64, (high - low) as u64);
        dispatch!(int out.dtype(), T => {
            if let Some(out) = out.as_slice_mut::<T>() {
                for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
                    fill(seed, Stream::Integers, linear, &mut out[position..position + len], |words, first, out: &mut [T; 16]| {
                        for (j, out) in out.iter_mut().enumerate() {
                            let value = bounded(long_word(words, j), last, seed, first + j as u64);
                            *out = low.wrapping_add(value) as T;
                        }
                    });
                });
            }
        }, else return Err(Error::internal("random_integers of a type that is not integer")));
        Ok(())
    }
}

/// A number from 0 to `last`, all equally likely (Lemire, "Fast random integer generation in an interval", 2019).
#[inline(always)]
fn bounded(word: u64, last: u64, seed: u64, index: u64) -> u64 {
    let Some(count) = last.checked_add(1) else { return word };
    let product = word as u128 * count as u128;
    if (product as u64) < count { again(product, count, seed, index) } else { (product >> 64) as u64 }
}

/// The rare case in which a word may have to be drawn again.
#[cold]
fn again(mut product: u128, count: u64, seed: u64, index: u64) -> u64 {
    let threshold = count.wrapping_neg() % count;
    let mut attempt = 0;
    while (product as u64) < threshold {
        attempt += 1;
        let [a, b, ..] = retry(seed, Stream::Integers, index, attempt);
        product = ((a as u64) << 32 | b as u64) as u128 * count as u128;
    }
    (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::super::statistics::{Moments, draw};
    use super::*;

    #[test]
    fn values_are_equally_likely() {
        let values =
            draw("random_integers", json!({"shape": 700_000, "low": -3, "high": 4, "dtype": "int8", "seed": 2}));
        let mut bins = [0.0; 7];
        values.iter().for_each(|v| bins[(v + 3.0) as usize] += 1.0);
        let chi2: f64 = bins.iter().map(|n: &f64| (n - 1e5).powi(2) / 1e5).sum();
        assert!(chi2 < 40.0, "{chi2}");
        let moments = Moments::of(&values);
        assert!([1, 2, 16].iter().all(|&lag| moments.correlation(&values, lag).abs() < 6e-3));
    }

    #[test]
    fn large_ranges_reject_without_bias() {
        // Three quarters of the range: without rejection the upper half of the values would be half as likely.
        let high = 3u64 << 62;
        let values = draw("random_integers", json!({"shape": 300_000, "low": 0, "high": high, "dtype": "uint64"}));
        let thirds = values.iter().fold([0.0; 3], |mut bins: [f64; 3], v| {
            bins[(v / high as f64 * 3.0).min(2.0) as usize] += 1.0;
            bins
        });
        let chi2: f64 = thirds.iter().map(|n| (n - 1e5).powi(2) / 1e5).sum();
        assert!(chi2 < 28.0, "{thirds:?}");
    }

    #[test]
    fn bounds_are_checked() {
        let refused =
            |params: Value| assert!(crate::TABLE.build("random_integers", &params).unwrap().infer(&[]).is_err());
        refused(json!({"shape": 3, "low": 0}));
        refused(json!({"shape": 3, "low": 5, "high": 5}));
        refused(json!({"shape": 3, "low": 0, "high": 257, "dtype": "uint8"}));
        refused(json!({"shape": 3, "low": 0.5, "high": 3}));
        refused(json!({"shape": 3, "low": 3, "dtype": "float32"}));
    }
}
