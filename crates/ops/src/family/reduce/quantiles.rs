//! The ops around quantiles: arguments, dtypes, and the choice between whole lanes and counting by digits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Op, OpDef, Param, Sample, SampleInput};

use super::quantile::Method;
use super::reduction::cast;
use super::select;
use crate::family::map::expect_inputs;
use crate::family::params::{Axes, normalize_axes};
use crate::reduce::quantile_lanes::{QuantileLanes, Quantiles};

/// The parameter `method`.
pub const METHOD: Param = Param {
    name: "method",
    kind: "string",
    default: Some("\"linear\""),
    doc: "how a quantile between two elements is found: linear, lower, higher, nearest, midpoint, inverted_cdf, \
          averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull, median_unbiased, normal_unbiased",
};

/// Lanes of up to this many bytes are selected from in memory.
const LANE_BYTES: usize = 32 << 20;

/// A quantile op as users know it.
pub struct QuantileDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// What a whole is: 1 for quantiles, 100 for percentiles; 0 for medians, which have no `q`.
    pub whole: f64,
    /// True if NaNs do not count.
    pub skip: bool,
}

/// One quantile or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Q {
    /// One: the result has no axis for it.
    One(f64),
    /// Several: the first axis of the result.
    Many(Vec<f64>),
}

/// Arguments.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Args {
    /// The quantiles.
    pub q: Q,
    /// Axes to reduce; all by default.
    pub axis: Option<Axes>,
    /// How a quantile between two elements is found.
    pub method: Method,
    /// Keep reduced axes with length 1.
    pub keepdims: bool,
}

impl Default for Args {
    fn default() -> Self {
        Args { q: Q::One(0.5), axis: None, method: Method::default(), keepdims: false }
    }
}

/// The op of a [`QuantileDef`].
#[derive(Clone)]
pub struct Quantile {
    def: &'static QuantileDef,
    args: Args,
}

impl std::fmt::Debug for Quantile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?})", self.def.op.name, self.args)
    }
}

impl Quantile {
    /// The op from its JSON parameters.
    pub fn build(def: &'static QuantileDef, params: &Value) -> Result<Arc<dyn Op>> {
        let mut args: Args =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        if def.whole == 0.0 {
            args.method = Method::Median;
        } else if args.method == Method::Median {
            return Err(Error::invalid("median is no method of quantiles; call median"));
        }
        Ok(Arc::new(Quantile { def, args }))
    }

    fn asked(&self, input: &ArrayMeta) -> Result<Quantiles> {
        let whole = if self.def.whole == 0.0 { 1.0 } else { self.def.whole };
        let (q, scalar) = match &self.args.q {
            Q::One(q) => (vec![*q], true),
            Q::Many(q) => (q.clone(), false),
        };
        if let Some(wrong) = q.iter().find(|q| !(0.0..=whole).contains(*q)) {
            return Err(Error::invalid(format!("q must lie between 0 and {whole}, got {wrong}")));
        }
        let axes = normalize_axes(self.args.axis.as_ref(), input.rank())?;
        let out = self.out_dtype(input.dtype, scalar)?;
        let q = q.iter().map(|q| q / whole).collect();
        let (method, keepdims) = (self.args.method, self.args.keepdims);
        Ok(Quantiles { q, method, skip: self.def.skip, axes, keepdims, scalar, out })
    }

    /// As NumPy: one quantile keeps the precision of floats, several come as float64.
    fn out_dtype(&self, input: DType, scalar: bool) -> Result<DType> {
        let method = self.args.method;
        match input {
            d if d.is_complex() => Err(Error::invalid(format!("{} is not defined for {d}", self.def.op.name))),
            d if method.is_discrete() => Ok(d),
            DType::Bool if method != Method::Median => {
                Err(Error::invalid(format!("{} interpolates, which is not defined for bool", self.def.op.name)))
            }
            d if d.is_exact() => Ok(DType::F64),
            d if scalar || method == Method::Median => Ok(d),
            _ => Ok(DType::F64),
        }
    }
}

impl Op for Quantile {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        let all = json!(self.args);
        let own = self.def.op.params.iter().map(|p| (p.name.to_string(), all[p.name].clone()));
        Value::Object(own.collect::<Map<_, _>>())
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&self.def.op, ins.len())?;
        let asked = self.asked(ins[0])?;
        let empty = asked.axes.iter().any(|&a| ins[0].shape[a] == 0);
        if empty && self.args.method != Method::Median {
            return Err(Error::invalid(format!("{} of no elements is not defined", self.def.op.name)));
        }
        Ok(asked.meta(ins[0]))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let asked = self.asked(ins[0].meta())?;
        let work = match ins[0].dtype() {
            DType::F16 | DType::BF16 => DType::F32,
            DType::Bool => DType::U8,
            d => d,
        };
        let x = cast(&ins[0], work)?;
        let lane: usize = asked.axes.iter().map(|&a| x.shape()[a]).product();
        if lane * work.size() <= LANE_BYTES {
            return Array::from_op(Arc::new(QuantileLanes { asked }), vec![x]).map(Some);
        }
        select::by_digits(&x, asked, None).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![self.asked(ins[0]).map_or_else(|_| ins[0].whole(), |asked| asked.reads(out, &ins[0].shape))]
    }
}

/// Samples: one quantile and several, over all axes and some.
pub fn samples(has_q: bool, whole: f64) -> Vec<Sample> {
    let one = |q: Value, rest: Value, shape: &[usize], dtype: DType| {
        let mut params = rest;
        if has_q {
            params["q"] = q;
        }
        Sample { params, ins: vec![SampleInput::new(shape, dtype)] }
    };
    let dtypes = DType::ALL.into_iter().filter(|d| !d.is_complex() && *d != DType::Bool);
    let mut all: Vec<Sample> = dtypes.map(|d| one(json!(whole * 0.3), json!({}), &[5, 7], d)).collect();
    all.extend([
        one(json!([0.0, whole]), json!({"axis": 0}), &[5, 7], DType::F32),
        one(json!([0.5 * whole]), json!({"axis": [0, 2], "keepdims": true}), &[3, 4, 5], DType::U8),
        one(json!(0.25 * whole), json!({}), &[], DType::F64),
    ]);
    all
}
