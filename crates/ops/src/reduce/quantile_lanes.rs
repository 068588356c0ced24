//! `quantile_lanes` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, DType, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::finish::{OUT, write_values};
use super::part::{AXES, SKIP};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::quantile::{Method, Spot};
use crate::family::reduce::reduction::KEEPDIMS;
use crate::family::reduce::shapes::{reduced_meta, reduced_reads};
use crate::family::reduce::walk::{Blocks, Lanes};
use crate::numeric::order::Ordered;

/// What quantiles are asked of which axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The quantiles, each between 0 and 1.
    pub q: Vec<f64>,
    /// How a quantile between two elements is found.
    pub method: Method,
    /// True if NaNs do not count.
    #[serde(default)]
    pub skip: bool,
    /// Reduced axes, rising.
    pub axes: Vec<usize>,
    /// Keep reduced axes with length 1.
    #[serde(default)]
    pub keepdims: bool,
    /// True where there is one quantile, without an axis of its own.
    #[serde(default)]
    pub scalar: bool,
    /// Dtype of the result.
    pub out: DType,
}

/// The parameters of [`Quantiles`].
pub const QUANTILES: [Param; 7] = [
    Param { name: "q", kind: "list of float", default: None, doc: "the quantiles" },
    Param { name: "method", kind: "string", default: None, doc: "how a quantile between two elements is found" },
    SKIP,
    AXES,
    KEEPDIMS,
    Param { name: "scalar", kind: "bool", default: Some("false"), doc: "true where quantiles have no axis" },
    OUT,
];

impl Quantiles {
    /// The meta of the result for an input: an axis of quantiles, then what is left.
    pub fn meta(&self, input: &ArrayMeta) -> ArrayMeta {
        let mut meta = reduced_meta(input, &self.axes, self.keepdims, self.out);
        if !self.scalar {
            meta.shape.insert(0, self.q.len());
            meta.grid.axes.insert(0, AxisCuts::even(self.q.len(), 0));
            if !meta.axes.is_empty() {
                meta.axes.insert(0, Default::default());
            }
        }
        meta
    }

    /// The quantiles in a box of the result, and the box without their axis.
    pub fn split(&self, out: &Region) -> ((usize, usize), Region) {
        if self.scalar {
            return ((0, 1), out.clone());
        }
        let rest = Region::new(&out.start[1..], &out.shape[1..]);
        ((out.start[0], out.end(0)), rest)
    }

    /// The box of the input behind a box of the result.
    pub fn reads(&self, out: &Region, input: &[usize]) -> Region {
        let (_, rest) = self.split(out);
        let read = reduced_reads(&rest, input, &self.axes, self.keepdims);
        if out.is_empty() { Region::new(&read.start, voxmill_core::Idx::from_elem(0, input.len())) } else { read }
    }
}

/// Quantiles of whole lanes in memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QuantileLanes {
    /// What is asked.
    #[serde(flatten)]
    pub asked: Quantiles,
}

/// The op `quantile_lanes`.
pub static DEF: OpDef = OpDef {
    name: "quantile_lanes",
    theme: "reduce",
    summary: "Internal: quantiles of lanes that fit into memory whole.",
    doc: "Internal. What quantile, percentile and median become where few elements make up one value.",
    inputs: Inputs::Named(&["x"]),
    params: &QUANTILES,
    form: Form::Kernel,
    cost: 8.0,
    hold: false,
    build: params::build::<QuantileLanes>,
    samples: || {
        let one = |axes: &[usize], scalar: bool, keepdims: bool, shape: &[usize], dtype: DType| {
            let q: &[f64] = if scalar { &[0.4] } else { &[0.0, 0.3, 0.9] };
            let params = json!({"q": q, "method": "linear", "axes": axes, "scalar": scalar, "keepdims": keepdims,
                "out": "float64"});
            Sample { params, ins: vec![SampleInput::new(shape, dtype)] }
        };
        vec![
            one(&[0, 1], true, false, &[5, 7], DType::F32),
            one(&[1], false, true, &[5, 7, 3], DType::U8),
            one(&[2], false, false, &[5, 2, 30], DType::F64),
            one(&[0], true, true, &[6, 9], DType::I64),
            one(&[], false, false, &[], DType::U16),
        ]
    },
};

impl Op for QuantileLanes {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if matches!(ins[0].dtype, DType::Bool | DType::F16 | DType::BF16 | DType::C64 | DType::C128) {
            return Err(Error::invalid(format!("lanes of {} are cast first", ins[0].dtype)));
        }
        Ok(self.asked.meta(ins[0]))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![self.asked.reads(out, &ins[0].shape)]
    }

    /// One lane of keys, and the values of a few quantiles for each lane.
    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let lane: usize = self.asked.axes.iter().map(|&a| ins[0].shape[a]).product();
        (lane * ins[0].dtype.size() + out.size() * size_of::<Scalar>()) as u64 + 4096
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (range, _) = self.asked.split(at.out);
        let asked = &self.asked.q[range.0..range.1];
        let block: Vec<usize> = self.asked.axes.iter().map(|&a| at.ins[0].shape[a].max(1)).collect();
        let blocks = Blocks { read: &at.reads[0], shape: &at.ins[0].shape, axes: &self.asked.axes, block: &block };
        let lanes = Lanes::new(&blocks);
        let dtype = at.ins[0].dtype;
        let values = dispatch!(int dtype, T => self.values::<T>(&ins[0], &lanes, asked)?,
            else if dtype == DType::F32 { self.values::<f32>(&ins[0], &lanes, asked)? }
            else { self.values::<f64>(&ins[0], &lanes, asked)? });
        // Lanes were visited one by one; the result has one quantile after the other.
        let n = lanes.n();
        write_values(out, |k| values[k % n * asked.len() + k / n])
    }
}

impl QuantileLanes {
    /// The quantiles of each lane, lane by lane.
    fn values<T: Ordered>(&self, x: &View<'_>, lanes: &Lanes, asked: &[f64]) -> Result<Vec<Scalar>> {
        let slice = if x.size() == 0 { Some(&[][..]) } else { x.as_slice::<T>() };
        let Some(x) = slice else { return Err(Error::internal(format!("lanes of {} expected", T::DTYPE))) };
        let mut values = Vec::with_capacity(lanes.n() * asked.len());
        let lane = if lanes.n() == 0 { 0 } else { x.len() / lanes.n() };
        let mut keys: Vec<T::Key> = Vec::with_capacity(lane);
        for k in 0..lanes.n() {
            keys.clear();
            let mut n = 0;
            lanes.for_each_run(k, |start, len| {
                n += len;
                keys.extend(x[start..start + len].iter().filter(|v| !v.unordered()).map(|v| v.key()));
            });
            let undefined = keys.is_empty() || (keys.len() < n && !self.asked.skip);
            if undefined {
                values.extend(asked.iter().map(|_| Scalar::Float(f64::NAN)));
            } else {
                self.select::<T>(&mut keys, asked, &mut values);
            }
        }
        Ok(values)
    }

    /// Moves the wanted elements of a lane to their sorted places and reads them there.
    fn select<T: Ordered>(&self, keys: &mut [T::Key], asked: &[f64], values: &mut Vec<Scalar>) {
        let method = self.asked.method;
        let spots: Vec<Spot> = asked.iter().map(|&q| method.spot(keys.len() as u64, q)).collect();
        let mut ranks: Vec<usize> = spots.iter().flat_map(|s| [s.low as usize, s.high as usize]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut from = 0;
        for rank in ranks {
            keys[from..].select_nth_unstable(rank - from);
            from = rank + 1;
        }
        let at = |rank: u64| T::unkey(keys[rank as usize]).to_scalar();
        values.extend(spots.iter().map(|s| method.value(at(s.low), at(s.high), s.weight)));
    }
}
