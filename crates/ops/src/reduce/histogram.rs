//! `histogram`, `histogram_bin_edges` and `bincount`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::bin_count::BinCount;
use super::bin_density::BinDensity;
use super::bin_edges::{BinEdges, BinList};
use crate::family::composite::{Compose, Composite};
use crate::family::reduce::reduction::{Last, What, cast, reduce};
use crate::family::reduce::{Kind, blocks};

/// A number of equal bins, or the edges of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bins {
    /// Equal bins.
    Count(usize),
    /// Edges.
    Edges(Vec<Scalar>),
}

const BINS: Param = Param {
    name: "bins",
    kind: "int or list of number",
    default: Some("10"),
    doc: "number of equal bins, or the edges of all bins, rising",
};
const RANGE: Param = Param {
    name: "range",
    kind: "pair of number",
    default: Some("null"),
    doc: "lower and upper end of equal bins; the smallest and the largest element by default",
};

/// Where the bins are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistogramBinEdges {
    /// The bins.
    #[serde(default = "ten")]
    pub bins: Bins,
    /// Lower and upper end.
    #[serde(default)]
    pub range: Option<(Scalar, Scalar)>,
}

fn ten() -> Bins {
    Bins::Count(10)
}

/// The op `histogram_bin_edges`.
pub static EDGES: OpDef = OpDef {
    name: "histogram_bin_edges",
    theme: "reduce",
    summary: "The edges of the bins of a histogram.",
    doc: "As numpy.histogram_bin_edges with a number of bins or a list of edges; NumPy's named estimators are not there. Edges of equal \
          bins have the dtype of floats, float64 for other elements. Where elements are not finite and no range is given the edges are \
          NaN; NumPy raises an error there, which a lazy array cannot.",
    inputs: Inputs::Named(&["x"]),
    params: &[BINS, RANGE],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<HistogramBinEdges>::build,
    samples: || samples(false),
};

impl Compose for HistogramBinEdges {
    fn def() -> &'static OpDef {
        &EDGES
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let x = &ins[0];
        if x.dtype().is_complex() {
            return Err(Error::invalid(format!("a histogram is not defined for {}", x.dtype())));
        }
        let bins = match &self.bins {
            Bins::Edges(edges) => return Array::from_op(Arc::new(BinList { edges: edges.clone() }), Vec::new()),
            Bins::Count(0) => return Err(Error::invalid("bins must be at least 1")),
            Bins::Count(n) => *n,
        };
        let dtype = if x.dtype().is_float() { x.dtype() } else { DType::F64 };
        let (low, high) = match self.range {
            Some((low, high)) => self.given(low.to_f64(), high.to_f64())?,
            None if x.size() == 0 => (Array::scalar(0.0, DType::F64), Array::scalar(1.0, DType::F64)),
            None => (extreme(x, Kind::Min)?, extreme(x, Kind::Max)?),
        };
        Array::from_op(Arc::new(BinEdges { bins, dtype }), vec![low, high])
    }
}

impl HistogramBinEdges {
    fn given(&self, low: f64, high: f64) -> Result<(Array, Array)> {
        if !(low.is_finite() && high.is_finite()) {
            return Err(Error::invalid(format!("the range {low} to {high} is not finite")));
        }
        if low > high {
            return Err(Error::invalid(format!("the range {low} to {high} falls")));
        }
        Ok((Array::scalar(low, DType::F64), Array::scalar(high, DType::F64)))
    }
}

fn extreme(x: &Array, kind: Kind) -> Result<Array> {
    let dtypes = kind.dtypes(x.dtype(), None)?;
    let last = Last { axes: (0..x.rank()).collect(), ddof: 0.0, keepdims: false, out: dtypes.out };
    reduce(&cast(x, dtypes.work)?, What { kind, skip: false }, last)
}

/// Counts per bin.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// The bins.
    #[serde(default = "ten")]
    pub bins: Bins,
    /// Lower and upper end.
    #[serde(default)]
    pub range: Option<(Scalar, Scalar)>,
    /// Divide by the number of elements and the width of bins.
    #[serde(default)]
    pub density: bool,
}

/// The op `histogram`.
pub static DEF: OpDef = OpDef {
    name: "histogram",
    theme: "reduce",
    summary: "Number of elements in each bin.",
    doc: "As the first result of numpy.histogram; histogram_bin_edges gives the second. A bin holds what lies at or above its lower edge and \
          below its upper one, the last bin also its upper edge; to the last bit as in NumPy. NaN and what lies outside is not counted. \
          Weights and NumPy's named estimators are not there.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        BINS,
        RANGE,
        Param {
            name: "density",
            kind: "bool",
            default: Some("false"),
            doc: "divide by the number of counted elements and the width of each bin",
        },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Histogram>::build,
    samples: || samples(true),
};

impl Compose for Histogram {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let placed = HistogramBinEdges { bins: self.bins.clone(), range: self.range };
        let edges = placed.compose(ins)?;
        let work = match ins[0].dtype() {
            DType::F16 | DType::BF16 => DType::F32,
            DType::Bool => DType::U8,
            dtype => dtype,
        };
        let x = cast(&ins[0], work)?;
        let equal = matches!(self.bins, Bins::Count(_));
        let counts = count(&x, Some(&edges), edges.size() - 1, equal)?;
        if !self.density {
            return Ok(counts);
        }
        Array::from_op(Arc::new(BinDensity {}), vec![counts, edges])
    }
}

/// Counts per bin over the whole array, as int64.
pub fn count(x: &Array, edges: Option<&Array>, bins: usize, equal: bool) -> Result<Array> {
    let axes: Vec<usize> = (0..x.rank()).collect();
    // Counts of a block should be small next to the block.
    let elements = (64 * bins).clamp(256 << 10, 16 << 20);
    let whole = || axes.iter().map(|&a| x.shape()[a].max(1)).collect();
    let block = blocks::choose_up_to(x.meta(), &axes, elements).unwrap_or_else(whole);
    let ins = [Some(x), edges].into_iter().flatten().cloned().collect();
    let counts = Array::from_op(Arc::new(BinCount { block, bins, equal }), ins)?;
    let last = Last { axes, ddof: 0.0, keepdims: false, out: DType::I64 };
    reduce(&counts, What { kind: Kind::Sum, skip: false }, last)
}

/// Occurrences of each whole number.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bincount {
    /// Length of the result.
    pub minlength: usize,
}

/// The op `bincount`.
pub static BINCOUNT: OpDef = OpDef {
    name: "bincount",
    theme: "reduce",
    summary: "How often each whole number from 0 occurs.",
    doc: "As numpy.bincount for arrays of any rank, with a length that must be given: shapes are known before anything is read. A negative \
          element, or one of minlength or more, is an error when it is met.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param { name: "minlength", kind: "int", default: None, doc: "length of the result, at least 1" }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Bincount>::build,
    samples: || {
        let one = |shape: &[usize], dtype| Sample {
            params: json!({"minlength": 101}),
            ins: vec![SampleInput::new(shape, dtype).between(0.0, 100.0)],
        };
        vec![one(&[50], DType::U8), one(&[5, 6], DType::I64), one(&[0], DType::U16)]
    },
};

impl Compose for Bincount {
    fn def() -> &'static OpDef {
        &BINCOUNT
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if self.minlength == 0 {
            return Err(Error::invalid("minlength must be at least 1"));
        }
        count(&ins[0], None, self.minlength, false)
    }
}

fn samples(density: bool) -> Vec<Sample> {
    let one =
        |params: Value, shape: &[usize], dtype: DType| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all: Vec<Sample> = [DType::U8, DType::I32, DType::F16, DType::F32, DType::F64, DType::Bool]
        .into_iter()
        .map(|d| one(json!({"bins": 7}), &[5, 9], d))
        .collect();
    all.extend([
        one(json!({"range": [0, 50]}), &[30], DType::F32),
        one(json!({"bins": [0, 1, 10.5, 50]}), &[30], DType::F64),
        one(json!({}), &[0], DType::F64),
        one(json!({}), &[], DType::F64),
    ]);
    if density {
        all.push(one(json!({"density": true, "bins": 4}), &[30], DType::F64));
    }
    all
}
