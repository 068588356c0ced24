//! `linspace`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::params;
use crate::numeric::convert::ConvertTo;

/// A number of evenly spaced values from `start` to `stop`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linspace {
    /// First value.
    pub start: Scalar,
    /// Last value, or the end where it is left out.
    pub stop: Scalar,
    /// Number of values.
    #[serde(default = "fifty")]
    pub num: usize,
    /// Whether `stop` is the last value.
    #[serde(default = "yes")]
    pub endpoint: bool,
    /// Element type; `float64` by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

fn fifty() -> usize {
    50
}

fn yes() -> bool {
    true
}

/// The op `linspace`.
pub static DEF: OpDef = OpDef {
    name: "linspace",
    theme: "creation",
    summary: "A number of evenly spaced values from start to stop.",
    doc: "As NumPy, bit for bit: the values are computed in float64 as start + i * step, the last one is stop itself, and integer types \
          get them rounded down. Complex bounds are not supported.",
    inputs: Inputs::Named(&[]),
    params: &[
        Param { name: "start", kind: "number", default: None, doc: "first value" },
        Param { name: "stop", kind: "number", default: None, doc: "last value" },
        Param { name: "num", kind: "int", default: Some("50"), doc: "number of values" },
        Param { name: "endpoint", kind: "bool", default: Some("true"), doc: "whether stop is the last value" },
        Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "element type; float64 by default" },
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 0.3,
    hold: false,
    build: params::build::<Linspace>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        let mut all = vec![
            one(json!({"start": 0, "stop": 1})),
            one(json!({"start": 2.5, "stop": 2.5, "num": 7})),
            one(json!({"start": 5, "stop": -3.5, "num": 13, "endpoint": false})),
            one(json!({"start": 5, "stop": 6, "num": 1})),
            one(json!({"start": 5, "stop": 6, "num": 0})),
        ];
        all.extend(DType::ALL.map(|dtype| one(json!({"start": 0, "stop": 50, "num": 21, "dtype": dtype}))));
        all
    },
};

impl Linspace {
    fn value(&self, i: usize) -> f64 {
        let (start, stop) = (self.start.to_f64(), self.stop.to_f64());
        if self.endpoint && self.num > 1 && i == self.num - 1 {
            return stop;
        }
        ramp(start, stop, i, if self.endpoint { self.num - 1 } else { self.num }, false)
    }
}

/// Value `i` of the way from `start` to `stop` in `div` steps, as `numpy.linspace` computes it. `by_ratio` is NumPy's other order of
/// multiplications, which it takes for all values where one of the steps is zero.
#[inline(always)]
pub fn ramp(start: f64, stop: f64, i: usize, div: usize, by_ratio: bool) -> f64 {
    let delta = stop - start;
    if div == 0 {
        return i as f64 * delta + start;
    }
    let step = delta / div as f64;
    if by_ratio || step == 0.0 { i as f64 / div as f64 * delta + start } else { i as f64 * step + start }
}

impl Op for Linspace {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if matches!(self.start, Scalar::Complex(_)) || matches!(self.stop, Scalar::Complex(_)) {
            return Err(Error::unsupported("linspace between complex numbers"));
        }
        let dtype = self.dtype.unwrap_or(DType::F64);
        params::check_size(&[self.num], dtype)?;
        Ok(ArrayMeta::new([self.num], dtype).with_grid(self.chunks.grid(&[self.num], dtype)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let floor = out.dtype().is_integer();
        dispatch!(all out.dtype(), T => {
            if let Some(out) = out.as_slice_mut::<T>() {
                for (k, out) in out.iter_mut().enumerate() {
                    let value = self.value(at.out.start[0] + k);
                    *out = ConvertTo::<T>::convert(if floor { value.floor() } else { value });
                }
            }
        });
        Ok(())
    }
}
