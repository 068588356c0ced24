//! `scan_finish` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Complex64, DType, Element, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::part::{KIND, SKIP};
use super::scan_offsets::SCAN_AXIS;
use crate::family::params;
use crate::family::reduce::Kind;
use crate::family::reduce::reduction::What;
use crate::numeric::fold::Fold;
use crate::numeric::fold::product::Prod;
use crate::numeric::fold::sum::Sum;
use crate::numeric::states::{ComplexProduct, FloatProduct, FloatTotal, Pair, Product, State, Total};

/// Cumulative sums or products inside blocks, from what comes before each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScanFinish {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// The axis along which is summed.
    pub axis: usize,
    /// Length of a block along it.
    pub block: usize,
}

/// The op `scan_finish`.
pub static DEF: OpDef = OpDef {
    name: "scan_finish",
    theme: "reduce",
    summary: "Internal: cumulative sums or products inside blocks.",
    doc: "Internal. The last step of cumsum and cumprod; a box reads from the start of its first block. Without offsets there is one \
          block only.",
    inputs: Inputs::Many("x, then offsets"),
    params: &[
        KIND,
        SKIP,
        SCAN_AXIS,
        Param { name: "block", kind: "int", default: None, doc: "length of a block along the axis" },
    ],
    form: Form::Kernel,
    cost: 2.0,
    hold: false,
    build: params::build::<ScanFinish>,
    samples: || {
        let one = |kind: &str, dtype: DType, axis: usize, words: usize| Sample {
            params: json!({"kind": kind, "axis": axis, "block": 3}),
            ins: vec![
                SampleInput::new(&[8, 8, 8], dtype).between(-2.0, 2.0),
                SampleInput::new(
                    &(0..3).map(|k| if k == axis { 3 } else { 8 }).chain([words]).collect::<Vec<_>>(),
                    DType::U64,
                ),
            ],
        };
        let alone = Sample {
            params: json!({"kind": "sum", "axis": 0, "block": 9, "skip": true}),
            ins: vec![SampleInput::new(&[9, 4], DType::F64)],
        };
        vec![
            one("sum", DType::U64, 0, 1),
            one("sum", DType::F64, 1, 2),
            one("prod", DType::F64, 2, 1),
            one("sum", DType::C128, 2, 4),
            one("prod", DType::C128, 0, 2),
            alone,
        ]
    },
};

impl Op for ScanFinish {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let works = matches!(ins[0].dtype, DType::U64 | DType::F64 | DType::C128)
            && matches!(self.what.kind, Kind::Sum | Kind::Prod)
            && self.axis < ins[0].rank()
            && self.block > 0
            && (ins.len() > 1 || self.block >= ins[0].shape[self.axis]);
        if !works || ins.len() > 2 {
            return Err(Error::invalid(format!("{self:?} does not suit {:?} {}", ins[0].shape, ins[0].dtype)));
        }
        Ok(ins[0].clone().with_dtype(ins[0].dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let first = out.start[self.axis] / self.block;
        let begin = first * self.block;
        let mut reads = vec![out.with_axis(self.axis, begin, out.end(self.axis) - begin)];
        if let Some(offsets) = ins.get(1) {
            let last = out.end(self.axis).div_ceil(self.block);
            let mut read = out.with_axis(self.axis, first, last - first);
            read.start.push(0);
            read.shape.push(offsets.shape[offsets.rank() - 1]);
            reads.push(read);
        }
        if out.is_empty() {
            reads.iter_mut().for_each(|read| read.shape.iter_mut().for_each(|n| *n = 0));
        }
        reads
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        out.shape[self.axis + 1..].iter().product::<usize>() as u64 * 32
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        match (at.out_meta.dtype, self.what.kind, self.what.skip) {
            (DType::U64, Kind::Sum, _) => self.scan::<Sum<u64, false>>(at, ins, out),
            (DType::F64, Kind::Sum, false) => self.scan::<Sum<f64, false>>(at, ins, out),
            (DType::F64, Kind::Sum, true) => self.scan::<Sum<f64, true>>(at, ins, out),
            (_, Kind::Sum, false) => self.scan::<Sum<Complex64, false>>(at, ins, out),
            (_, Kind::Sum, true) => self.scan::<Sum<Complex64, true>>(at, ins, out),
            (DType::U64, ..) => self.scan::<Prod<u64, false>>(at, ins, out),
            (DType::F64, _, false) => self.scan::<Prod<f64, false>>(at, ins, out),
            (DType::F64, _, true) => self.scan::<Prod<f64, true>>(at, ins, out),
            (_, _, false) => self.scan::<Prod<Complex64, false>>(at, ins, out),
            (_, _, true) => self.scan::<Prod<Complex64, true>>(at, ins, out),
        }
    }
}

impl ScanFinish {
    /// Row by row: the states of all columns move on together.
    fn scan<F: Fold>(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()>
    where
        F::In: FromState<F::State>,
    {
        let read = &at.reads[0];
        let (Some(x), Some(out)) = (ins[0].as_slice::<F::In>(), out.as_slice_mut::<F::In>()) else {
            return Err(Error::internal("a scan got another dtype"));
        };
        let offsets: &[u64] = ins.get(1).and_then(View::as_slice).unwrap_or_default();
        let inner: usize = read.shape[self.axis + 1..].iter().product();
        let outer: usize = read.shape[..self.axis].iter().product();
        let (begin, len) = (read.start[self.axis], read.shape[self.axis]);
        let skipped = at.out.start[self.axis] - begin;
        let n_blocks = at.reads.get(1).map_or(0, |r| r.shape[self.axis]);
        let mut states = vec![F::State::EMPTY; inner];
        for o in 0..outer {
            for k in 0..len {
                if k % self.block == 0 {
                    let first = (o * n_blocks + k / self.block) * inner;
                    load_states(&mut states, offsets, first);
                }
                let row = &x[(o * len + k) * inner..][..inner];
                for (state, v) in states.iter_mut().zip(row) {
                    *state = state.join(F::run(std::slice::from_ref(v), 0));
                }
                if k >= skipped {
                    let to = &mut out[(o * (len - skipped) + k - skipped) * inner..][..inner];
                    to.iter_mut().zip(&states).for_each(|(to, state)| *to = F::In::from_state(*state));
                }
            }
        }
        Ok(())
    }
}

/// The states at the start of a block; empty ones where there are no blocks before.
fn load_states<S: State>(states: &mut [S], offsets: &[u64], first: usize) {
    for (k, state) in states.iter_mut().enumerate() {
        let words = offsets.get((first + k) * S::WORDS..(first + k + 1) * S::WORDS);
        *state = words.map_or(S::EMPTY, S::load);
    }
}

/// An element from a state of its own type.
trait FromState<S>: Element {
    fn from_state(state: S) -> Self;
}

impl FromState<Total> for u64 {
    fn from_state(state: Total) -> u64 {
        state.0
    }
}

impl FromState<Product> for u64 {
    fn from_state(state: Product) -> u64 {
        state.0
    }
}

impl FromState<FloatTotal> for f64 {
    fn from_state(state: FloatTotal) -> f64 {
        state.get()
    }
}

impl FromState<FloatProduct> for f64 {
    fn from_state(state: FloatProduct) -> f64 {
        state.0
    }
}

impl FromState<Pair<FloatTotal, FloatTotal>> for Complex64 {
    fn from_state(state: Pair<FloatTotal, FloatTotal>) -> Complex64 {
        Complex64::new(state.0.get(), state.1.get())
    }
}

impl FromState<ComplexProduct> for Complex64 {
    fn from_state(state: ComplexProduct) -> Complex64 {
        state.0
    }
}
