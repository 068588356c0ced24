//! `bin_edges` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut, bf16, f16};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::finish::write_values;
use crate::family::map::expect_inputs;
use crate::family::params;

/// The edges of equal bins between two values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinEdges {
    /// Number of bins.
    pub bins: usize,
    /// Dtype of the edges.
    pub dtype: DType,
}

/// The op `bin_edges`.
pub static DEF: OpDef = OpDef {
    name: "bin_edges",
    theme: "reduce",
    summary: "Internal: the edges of equal bins between two values.",
    doc: "Internal. As NumPy's linspace, in the precision of the values; two equal values are moved apart by a half each.",
    inputs: Inputs::Named(&["low", "high"]),
    params: &[
        Param { name: "bins", kind: "int", default: None, doc: "number of bins" },
        Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the edges" },
    ],
    form: Form::Kernel,
    cost: 5.0,
    hold: true,
    build: params::build::<BinEdges>,
    samples: || {
        let one = |bins: usize, dtype: DType, low: f64| Sample {
            params: json!({"bins": bins, "dtype": dtype}),
            ins: vec![
                SampleInput::new(&[], dtype).between(low, 10.0),
                SampleInput::new(&[], dtype).between(10.0, 20.0),
            ],
        };
        vec![one(10, DType::F64, 0.0), one(7, DType::F32, 0.0), one(1, DType::F64, 10.0), one(5, DType::F16, 0.0)]
    },
};

impl Op for BinEdges {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if self.bins == 0 || ins.iter().any(|m| m.rank() != 0) {
            return Err(Error::invalid(format!("{} bins between arrays of rank {}", self.bins, ins[0].rank())));
        }
        Ok(ArrayMeta::new([self.bins + 1], self.dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let _ = out;
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let value = |view: &View<'_>| {
            let bytes = view.bytes().filter(|b| !b.is_empty());
            bytes.map(|b| Scalar::from_bytes(b, view.dtype())).ok_or_else(|| Error::internal("a bound has no value"))
        };
        let (low, high) = (value(&ins[0])?, value(&ins[1])?);
        let round = rounding(at.ins[0].dtype);
        let (low, high) = (low.to_f64(), high.to_f64());
        let (low, high) = if low == high { (round(low - 0.5), round(high + 0.5)) } else { (low, high) };
        let step = round(round(high - low) / self.bins as f64);
        write_values(out, |k| {
            let k = at.out.start[0] + k;
            Scalar::Float(if k == self.bins { high } else { round(round(k as f64 * step) + low) })
        })
    }
}

/// What one operation in this dtype leaves of a number; integers are computed with as `float64`.
fn rounding(dtype: DType) -> fn(f64) -> f64 {
    match dtype {
        DType::F16 => |v| f16::from_f64(v).to_f64(),
        DType::BF16 => |v| bf16::from_f64(v).to_f64(),
        DType::F32 => |v| f64::from(v as f32),
        _ => |v| v,
    }
}

/// Given edges as an array.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinList {
    /// The edges.
    pub edges: Vec<Scalar>,
}

impl BinList {
    /// Whole numbers give int64, others float64.
    pub fn dtype(&self) -> DType {
        let whole = self.edges.iter().all(|e| matches!(e, Scalar::Int(_) | Scalar::Bool(_)));
        if whole { DType::I64 } else { DType::F64 }
    }
}

/// The op `bin_list`.
pub static LIST: OpDef = OpDef {
    name: "bin_list",
    theme: "reduce",
    summary: "Internal: given edges of bins as an array.",
    doc: "Internal. What histogram makes of a list of edges.",
    inputs: Inputs::Named(&[]),
    params: &[Param { name: "edges", kind: "list of number", default: None, doc: "the edges, rising" }],
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<BinList>,
    samples: || {
        let one = |edges: Value| Sample { params: json!({"edges": edges}), ins: Vec::new() };
        vec![one(json!([1, 2, 5])), one(json!([0.5, 0.75, 2.0, 9.0]))]
    },
};

impl Op for BinList {
    fn def(&self) -> &'static OpDef {
        &LIST
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, _ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let falls = |w: &[Scalar]| w[0].to_f64() > w[1].to_f64() || w[0].to_f64().is_nan() || w[1].to_f64().is_nan();
        if self.edges.len() < 2 || self.edges.windows(2).any(falls) {
            return Err(Error::invalid("bins must be at least two edges that never fall"));
        }
        Ok(ArrayMeta::new([self.edges.len()], self.dtype()))
    }

    fn reads(&self, _out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        Vec::new()
    }

    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        write_values(out, |k| self.edges[at.out.start[0] + k])
    }
}
