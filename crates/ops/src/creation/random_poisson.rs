//! `random_poisson`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::boxes::{elements_mut, for_each_run};
use crate::family::params;
use crate::family::philox::{Stream, fill, long_word, open_unit_f64, retry, unit_f64};

/// Random counts of a Poisson distribution.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomPoisson {
    /// Length of each axis.
    #[serde(deserialize_with = "params::shape")]
    pub shape: Vec<usize>,
    /// Expected count.
    #[serde(default = "one")]
    pub lam: f64,
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

/// The largest expected count whose results fit `int64`: ten standard deviations below its end.
const LARGEST: f64 = i64::MAX as f64 - 10.0 * 3037000499.97605;

/// The op `random_poisson`.
pub static DEF: OpDef = OpDef {
    name: "random_poisson",
    theme: "creation",
    summary: "Random counts of a Poisson distribution.",
    doc: "Each number is a function of the seed and of its C-order place in the array (Philox4x32-10): chunks, tiles and threads never \
          change it. Expected counts below 10 by inversion, others by Hoermann's rejection method PTRS. The result is int64. The numbers \
          are not those of NumPy's generators.",
    inputs: Inputs::Named(&[]),
    params: &[
        params::SHAPE,
        Param { name: "lam", kind: "float", default: Some("1.0"), doc: "expected count" },
        params::SEED,
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 15.0,
    hold: false,
    build: params::build::<RandomPoisson>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        vec![
            one(json!({"shape": [40, 30]})),
            one(json!({"shape": [20, 30], "lam": 30, "seed": 5})),
            one(json!({"shape": [20], "lam": 0})),
            one(json!({"shape": []})),
            one(json!({"shape": [0, 3], "lam": 1e9})),
        ]
    },
};

impl Op for RandomPoisson {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if !(0.0..=LARGEST).contains(&self.lam) {
            return Err(Error::invalid(format!("lam {} must be between 0 and {LARGEST:e}", self.lam)));
        }
        params::check_size(&self.shape, DType::I64)?;
        Ok(ArrayMeta::new(&self.shape, DType::I64).with_grid(self.chunks.grid(&self.shape, DType::I64)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (seed, lam) = (self.seed, self.lam);
        let out = elements_mut::<i64>(out)?;
        let inversion = Inversion::new(lam);
        let ptrs = Ptrs::new(lam);
        for_each_run(at.out, &at.out_meta.shape, |linear, position, len| {
            let out = &mut out[position..position + len];
            if lam < 10.0 {
                fill(seed, Stream::Poisson, linear, out, |words, _, out: &mut [i64; 16]| {
                    for (j, out) in out.iter_mut().enumerate() {
                        *out = inversion.count(unit_f64(long_word(words, j)));
                    }
                });
            } else {
                fill(seed, Stream::Poisson, linear, out, |words, first, out: &mut [i64; 8]| {
                    for (j, out) in out.iter_mut().enumerate() {
                        *out =
                            ptrs.draw([words[j], words[8 + j], words[16 + j], words[24 + j]], seed, first + j as u64);
                    }
                });
            }
        });
        Ok(())
    }
}

/// The distribution function as a table, for small expected counts.
struct Inversion {
    below: Vec<f64>,
}

impl Inversion {
    fn new(lam: f64) -> Self {
        let mut below = Vec::new();
        let (mut p, mut sum) = ((-lam).exp(), 0.0);
        // With a count of 10 expected, what lies beyond 64 is less likely than the smallest step of the random number.
        for k in 1..64 {
            sum += p;
            below.push(sum);
            p *= lam / k as f64;
        }
        Inversion { below: if lam < 10.0 { below } else { Vec::new() } }
    }

    #[inline(always)]
    fn count(&self, unit: f64) -> i64 {
        self.below.iter().take_while(|&&sum| unit >= sum).count() as i64
    }
}

/// Hoermann, "The transformed rejection method for generating Poisson random variables", 1993.
struct Ptrs {
    lam: f64,
    log_lam: f64,
    a: f64,
    b: f64,
    inverse_alpha: f64,
    v_r: f64,
}

impl Ptrs {
    fn new(lam: f64) -> Self {
        let b = 0.931 + 2.53 * lam.sqrt();
        Ptrs {
            lam,
            log_lam: lam.ln(),
            a: -0.059 + 0.02483 * b,
            b,
            inverse_alpha: 1.1239 + 1.1328 / (b - 3.4),
            v_r: 0.9277 - 3.6224 / (b - 2.0),
        }
    }

    fn draw(&self, mut words: [u32; 4], seed: u64, index: u64) -> i64 {
        let mut attempt = 0;
        loop {
            let long = |hi: u32, lo: u32| (hi as u64) << 32 | lo as u64;
            let u = open_unit_f64(long(words[0], words[1])) - 0.5;
            if let Some(count) = self.accept(u, open_unit_f64(long(words[2], words[3]))) {
                return count;
            }
            attempt += 1;
            words = retry(seed, Stream::Poisson, index, attempt);
        }
    }

    fn accept(&self, u: f64, v: f64) -> Option<i64> {
        let us = 0.5 - u.abs();
        let k = ((2.0 * self.a / us + self.b) * u + self.lam + 0.43).floor();
        if us >= 0.07 && v <= self.v_r {
            return Some(k as i64);
        }
        if k < 0.0 || (us < 0.013 && v > us) {
            return None;
        }
        let left = v.ln() + self.inverse_alpha.ln() - (self.a / (us * us) + self.b).ln();
        (left <= k * self.log_lam - self.lam - log_factorial(k)).then_some(k as i64)
    }
}

/// The logarithm of `k!`, by Stirling's series after moving small arguments up.
fn log_factorial(k: f64) -> f64 {
    let mut x = k + 1.0;
    let mut shift = 1.0;
    while x < 10.0 {
        shift *= x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 + r * (-1.0 / 360.0 + r * (1.0 / 1260.0 + r * (-1.0 / 1680.0 + r / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift.ln()
}

#[cfg(test)]
mod tests {
    use super::super::statistics::{Moments, draw};
    use super::*;

    #[test]
    fn factorials() {
        let mut exact = 0.0f64;
        for k in 1..200 {
            exact += (k as f64).ln();
            assert!((log_factorial(k as f64) - exact).abs() < 1e-10 * exact.max(1.0), "{k}");
        }
        assert!(log_factorial(0.0).abs() < 1e-12);
    }

    #[test]
    fn moments_and_neighbours() {
        for lam in [0.0, 0.1, 1.0, 4.5, 9.99, 10.0, 33.3, 1000.0, 1e6] {
            let n = 200_000;
            let values = draw("random_poisson", json!({"shape": n, "lam": lam, "seed": 4}));
            let moments = Moments::of(&values);
            let sigma = (lam / n as f64).sqrt();
            assert!((moments.mean - lam).abs() <= 5.0 * sigma, "{lam}: {moments:?}");
            let spread = ((2.0 * lam * lam + lam) / n as f64).sqrt();
            assert!((moments.variance - lam).abs() <= 5.0 * spread, "{lam}: {moments:?}");
            if lam > 0.0 {
                assert!([1, 2, 8, 16].iter().all(|&lag| moments.correlation(&values, lag).abs() < 0.012), "{lam}");
            }
        }
    }

    #[test]
    fn counts_follow_the_distribution() {
        for lam in [3.0f64, 12.0] {
            let n = 500_000.0;
            let values = draw("random_poisson", json!({"shape": n as usize, "lam": lam, "seed": 11}));
            let mut bins = [0.0; 40];
            values.iter().for_each(|&v| bins[(v as usize).min(39)] += 1.0);
            let mut chi2 = 0.0;
            let mut freedom = 0;
            for (k, &seen) in bins.iter().enumerate() {
                let want = n * (k as f64 * lam.ln() - lam - log_factorial(k as f64)).exp();
                if want > 20.0 {
                    chi2 += (seen - want).powi(2) / want;
                    freedom += 1;
                }
            }
            assert!(chi2 < freedom as f64 + 6.0 * (2.0 * freedom as f64).sqrt(), "{lam}: {chi2} of {freedom}");
        }
    }
}
