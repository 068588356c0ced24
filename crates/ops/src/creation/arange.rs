//! `arange`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, B8, Complex32, Complex64, DType, Element, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_core::{bf16, dispatch, f16};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample};

use crate::family::params;

/// Evenly spaced values: `start`, `start + step`, ... below `stop`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arange {
    /// First value; without `stop` it is the end, and the first value is 0.
    pub start: Scalar,
    /// End, which is not included.
    #[serde(default)]
    pub stop: Option<Scalar>,
    /// Distance of values.
    #[serde(default = "one")]
    pub step: Scalar,
    /// Element type; that of the arguments by default.
    #[serde(default)]
    pub dtype: Option<DType>,
    /// Declared chunks.
    #[serde(default)]
    pub chunks: params::Chunks,
}

fn one() -> Scalar {
    Scalar::Int(1)
}

/// The op `arange`.
pub static DEF: OpDef = OpDef {
    name: "arange",
    theme: "creation",
    summary: "Evenly spaced values in an interval, its end left out.",
    doc: "As NumPy: with one argument the values begin at 0; there are ceil((stop - start) / step) of them; without dtype integers give \
          int64 and floats float64; value i is start + i * delta in the element type, where delta is the difference of the first two \
          values after they were cast to it.",
    inputs: Inputs::Named(&[]),
    params: &[
        Param { name: "start", kind: "number", default: None, doc: "first value, or the end where it stands alone" },
        Param { name: "stop", kind: "number", default: Some("null"), doc: "end, which is not included" },
        Param { name: "step", kind: "number", default: Some("1"), doc: "distance of values" },
        Param {
            name: "dtype",
            kind: "dtype",
            default: Some("null"),
            doc: "element type; that of the arguments by default",
        },
        params::CHUNKS,
    ],
    form: Form::Kernel,
    cost: 0.3,
    hold: false,
    build: params::build::<Arange>,
    samples: || {
        let one = |params: Value| Sample { params, ins: Vec::new() };
        let mut all = vec![
            one(json!({"start": 7})),
            one(json!({"start": 3.5, "stop": -4, "step": -0.25})),
            one(json!({"start": 5, "stop": 1})),
            one(json!({"start": 0.5, "stop": 9, "step": 0.7, "dtype": "int16"})),
        ];
        let typed = DType::ALL.into_iter().filter(|&d| d != DType::Bool);
        all.extend(typed.map(|dtype| one(json!({"start": 1, "stop": 40, "step": 3, "dtype": dtype}))));
        all
    },
};

impl Arange {
    /// First value, end, step; booleans count as integers.
    fn bounds(&self) -> [Scalar; 3] {
        let plain = |value| if let Scalar::Bool(b) = value { Scalar::Int(b.into()) } else { value };
        match self.stop {
            Some(stop) => [self.start, stop, self.step].map(plain),
            None => [Scalar::Int(0), self.start, self.step].map(plain),
        }
    }

    fn dtype(&self) -> DType {
        let [start, stop, step] = self.bounds().map(Scalar::default_dtype);
        self.dtype.unwrap_or(start.promote(stop).promote(step))
    }

    fn len(&self) -> Result<usize> {
        let [start, stop, step] = self.bounds();
        if [start, stop, step].iter().any(|v| matches!(v, Scalar::Complex(_))) {
            return Err(Error::unsupported("arange of complex numbers"));
        }
        let span = sum(stop, negated(start)).to_f64();
        let ratio = span / step.to_f64();
        if step.to_f64() == 0.0 || !ratio.is_finite() {
            return Err(Error::invalid(format!("there is no number of steps of {step} from {start} to {stop}")));
        }
        if ratio == 0.0 && span != 0.0 {
            // The quotient is too small to be told from zero.
            return Ok(usize::from(ratio.is_sign_positive()));
        }
        Ok(ratio.ceil().max(0.0) as usize)
    }

    /// The first two values, from which all others follow.
    fn first_two(&self) -> [Scalar; 2] {
        let [start, _, step] = self.bounds();
        [start, sum(start, step)]
    }
}

fn sum(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.saturating_add(b)),
        (a, b) => Scalar::Float(a.to_f64() + b.to_f64()),
    }
}

fn negated(value: Scalar) -> Scalar {
    match value {
        Scalar::Int(i) => Scalar::Int(-i),
        other => Scalar::Float(-other.to_f64()),
    }
}

impl Op for Arange {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let (len, dtype) = (self.len()?, self.dtype());
        params::check_size(&[len], dtype)?;
        if dtype == DType::Bool && len > 2 {
            return Err(Error::invalid("arange has no boolean form of more than two values"));
        }
        let whole = |value| if let Scalar::Float(v) = value { Scalar::Int(v as i128) } else { value };
        if let Some(value) = self.first_two().map(whole).iter().take(len).find(|v| !v.fits(dtype)) {
            return Err(Error::invalid(format!("the value {value} does not fit {dtype}")));
        }
        Ok(ArrayMeta::new([len], dtype).with_grid(self.chunks.grid(&[len], dtype)?))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let values = self.first_two();
        dispatch!(all out.dtype(), T => {
            let [first, second] = values.map(T::from_scalar);
            if let Some(out) = out.as_slice_mut::<T>() {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = match at.out.start[0] + k {
                        0 => first,
                        1 => second,
                        i => T::ramp(first, second, i),
                    };
                }
            }
        });
        Ok(())
    }
}

/// `first + i * (second - first)` as NumPy computes it in each type.
trait Ramp: Element {
    fn ramp(first: Self, second: Self, i: usize) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Ramp for $t {
            #[inline(always)]
            fn ramp(first: Self, second: Self, i: usize) -> Self {
                first.wrapping_add(second.wrapping_sub(first).wrapping_mul(i as $t))
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Ramp for $t {
            #[inline(always)]
            fn ramp(first: Self, second: Self, i: usize) -> Self {
                first + i as $t * (second - first)
            }
        }
    )*};
}

macro_rules! halves {
    ($($t:ty),*) => {$(
        impl Ramp for $t {
            #[inline(always)]
            fn ramp(first: Self, second: Self, i: usize) -> Self {
                <$t>::from_f32(f32::ramp(first.to_f32(), second.to_f32(), i))
            }
        }
    )*};
}

macro_rules! complex {
    ($($t:ty),*) => {$(
        impl Ramp for $t {
            #[inline(always)]
            fn ramp(first: Self, second: Self, i: usize) -> Self {
                <$t>::new(Ramp::ramp(first.re, second.re, i), Ramp::ramp(first.im, second.im, i))
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, i8, i16, i32, i64);
floats!(f32, f64);
halves!(f16, bf16);
complex!(Complex32, Complex64);

impl Ramp for B8 {
    fn ramp(_first: Self, second: Self, _i: usize) -> Self {
        second
    }
}
