//! `bin_count` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::part::{blocks_meta, check_axes};
use crate::family::params;
use crate::family::reduce::shapes::grouped_reads;
use crate::family::reduce::walk::{Blocks, Lanes};
use crate::numeric::convert::ConvertTo;

/// How many elements of each block fall into each bin.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinCount {
    /// Length of a block along each axis.
    pub block: Vec<usize>,
    /// Number of bins.
    pub bins: usize,
    /// True for bins of equal width.
    #[serde(default)]
    pub equal: bool,
}

/// The op `bin_count`.
pub static DEF: OpDef = OpDef {
    name: "bin_count",
    theme: "reduce",
    summary: "Internal: counts the elements of each block per bin.",
    doc: "Internal. A bin holds what lies at or above its lower edge and below its upper one; the last bin also its upper edge. Without \
          edges, element k counts in bin k, and an element that is no bin is an error.",
    inputs: Inputs::Many("x, then edges"),
    params: &[
        Param { name: "block", kind: "list of int", default: None, doc: "length of a block along each axis" },
        Param { name: "bins", kind: "int", default: None, doc: "number of bins" },
        Param { name: "equal", kind: "bool", default: Some("false"), doc: "true for bins of equal width" },
    ],
    form: Form::Kernel,
    cost: 1.5,
    hold: true,
    build: params::build::<BinCount>,
    samples: || {
        let one = |shape: &[usize], block: &[usize], dtype: DType| Sample {
            params: json!({"block": block, "bins": 3}),
            ins: vec![SampleInput::new(shape, dtype), SampleInput::new(&[4], DType::F64).between(1.0, 1.5)],
        };
        let plain = Sample {
            params: json!({"block": [4], "bins": 10}),
            ins: vec![SampleInput::new(&[9], DType::U8).between(0.0, 9.0)],
        };
        vec![one(&[5, 7], &[2, 3], DType::F32), one(&[6], &[6], DType::U8), one(&[], &[], DType::I64), plain]
    },
};

impl Op for BinCount {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let axes: Vec<usize> = (0..ins[0].rank()).collect();
        check_axes(&axes, &self.block, ins[0].rank())?;
        if ins.len() > 2 || ins.get(1).is_some_and(|edges| edges.shape[..] != [self.bins + 1]) {
            return Err(Error::invalid(format!("{} bins need {} edges", self.bins, self.bins + 1)));
        }
        if ins[0].dtype.is_complex() || (ins.len() == 1 && !ins[0].dtype.is_integer()) {
            return Err(Error::invalid(format!("{} elements do not count in bins", ins[0].dtype)));
        }
        Ok(blocks_meta(ins[0], &axes, &self.block, self.bins))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let axes: Vec<usize> = (0..ins[0].rank()).collect();
        let mut reads = vec![grouped_reads(out, &ins[0].shape, &axes, &self.block)];
        reads.extend(ins.get(1).map(|edges| edges.whole()));
        reads
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        (2 * self.bins as u64 + 1) * 8
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let Some(edges) = ins.get(1) else {
            return dispatch!(int at.ins[0].dtype, T => self.count(at, &ins[0], out, |v: T| plain_bin(v, self.bins)),
                else Err(Error::internal("whole numbers expected")));
        };
        let edges = Edges::new(edges, self.equal)?;
        dispatch!(real at.ins[0].dtype, T => self.count(at, &ins[0], out, |v: T| Ok(edges.find(v.convert()))),
            else Err(Error::internal("real numbers expected")))
    }
}

impl BinCount {
    fn count<T: Element>(
        &self,
        at: &Place<'_>,
        x: &View<'_>,
        out: &mut ViewMut<'_>,
        bin: impl Fn(T) -> Result<Option<usize>>,
    ) -> Result<()> {
        let slice = if x.size() == 0 { Some(&[][..]) } else { x.as_slice::<T>() };
        let (Some(x), Some(out)) = (slice, out.as_slice_mut::<u64>()) else {
            return Err(Error::internal("bins of another dtype"));
        };
        let rank = at.ins[0].rank();
        let (first, n) = (at.out.start[rank], at.out.shape[rank]);
        let axes: Vec<usize> = (0..rank).collect();
        let blocks = Blocks { read: &at.reads[0], shape: &at.ins[0].shape, axes: &axes, block: &self.block };
        let lanes = Lanes::new(&blocks);
        let mut counts = vec![0u64; self.bins];
        let mut wrong = None;
        for k in 0..lanes.n() {
            counts.fill(0);
            lanes.for_each_run(k, |start, len| {
                for v in &x[start..start + len] {
                    match bin(*v) {
                        Ok(Some(bin)) => counts[bin] += 1,
                        Ok(None) => {}
                        Err(error) => wrong = Some(error),
                    }
                }
            });
            out[k * n..(k + 1) * n].copy_from_slice(&counts[first..first + n]);
        }
        wrong.map_or(Ok(()), Err)
    }
}

/// The bin of a whole number.
fn plain_bin<T: ConvertTo<i64> + ConvertTo<u64> + Copy>(v: T, bins: usize) -> Result<Option<usize>> {
    let (signed, value): (i64, u64) = (v.convert(), v.convert());
    if value < bins as u64 {
        return Ok(Some(value as usize));
    }
    Err(Error::invalid(if signed < 0 && value > i64::MAX as u64 {
        format!("bincount needs whole numbers of at least 0, got {signed}")
    } else {
        format!("bincount has {bins} bins, an element is {value}; choose a larger minlength")
    }))
}

/// Edges to look numbers up in.
struct Edges {
    edges: Vec<f64>,
    /// Bins per unit, for equal bins.
    scale: Option<f64>,
}

impl Edges {
    fn new(view: &View<'_>, equal: bool) -> Result<Edges> {
        let edges: Vec<f64> = dispatch!(real view.dtype(), T => {
            view.as_slice::<T>().unwrap_or_default().iter().map(|v| (*v).convert()).collect()
        }, else Vec::new());
        let (Some(first), Some(last)) = (edges.first(), edges.last()) else {
            return Err(Error::internal("bins without edges"));
        };
        let scale = (edges.len() - 1) as f64 / (last - first);
        Ok(Edges { scale: (equal && scale.is_finite()).then_some(scale), edges })
    }

    /// The bin of `v`; none outside and for NaN.
    #[inline(always)]
    fn find(&self, v: f64) -> Option<usize> {
        let last = self.edges.len() - 1;
        if !(v >= self.edges[0] && v <= self.edges[last]) {
            return None;
        }
        let Some(scale) = self.scale else {
            return Some((self.edges.partition_point(|&e| e <= v) - 1).min(last - 1));
        };
        // A guess, set right by the edges themselves: they decide to the last bit.
        let mut bin = (((v - self.edges[0]) * scale) as usize).min(last - 1);
        while bin > 0 && v < self.edges[bin] {
            bin -= 1;
        }
        while bin + 1 < last && v >= self.edges[bin + 1] {
            bin += 1;
        }
        Some(bin)
    }
}
