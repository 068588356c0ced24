//! `select_pick` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::select_count::BITS;
use crate::family::params;
use crate::family::reduce::quantile::Method;
use crate::family::reduce::select::Picks;

/// With which digits the wanted elements begin, one digit further.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SelectPick {
    /// Bits of the digit.
    pub bits: u32,
    /// The quantiles.
    pub q: Vec<f64>,
    /// How a quantile between two elements is found.
    pub method: Method,
}

/// The op `select_pick`.
pub static DEF: OpDef = OpDef {
    name: "select_pick",
    theme: "reduce",
    summary: "Internal: finds the next digit of wanted elements from counts.",
    doc: "Internal. Follows select_count; the first time it also turns quantiles into ranks.",
    inputs: Inputs::Many("counts, then picks"),
    params: &[
        BITS,
        Param { name: "q", kind: "list of float", default: None, doc: "the quantiles" },
        Param { name: "method", kind: "string", default: None, doc: "how a quantile between two elements is found" },
    ],
    form: Form::Kernel,
    cost: 10.0,
    hold: true,
    build: params::build::<SelectPick>,
    samples: || {
        let params = json!({"bits": 3, "q": [0.2, 0.7], "method": "linear"});
        let first = vec![SampleInput::new(&[5, 1, 9], DType::U64)];
        let later = vec![
            SampleInput::new(&[5, 1, 4 * 8], DType::U64),
            SampleInput::new(&[5, 1, Picks::words(4)], DType::U64).between(0.0, 20.0),
        ];
        vec![Sample { params: params.clone(), ins: first }, Sample { params, ins: later }]
    },
};

impl Op for SelectPick {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let wanted = 2 * self.q.len();
        let words = if ins.len() == 1 { (1 << self.bits) + 1 } else { wanted << self.bits };
        if ins.len() > 2 || ins[0].dtype != DType::U64 || ins[0].shape.last() != Some(&words) {
            return Err(Error::invalid(format!("{:?} does not hold {words} counts", ins[0].shape)));
        }
        let mut shape = ins[0].shape.clone();
        let last = shape.len() - 1;
        shape[last] = Picks::words(wanted);
        Ok(ArrayMeta::new(&shape, DType::U64))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let last = out.rank() - 1;
        let words = |meta: &&ArrayMeta| if out.is_empty() { 0 } else { meta.shape[last] };
        ins.iter().map(|meta| out.with_axis(last, 0, words(meta))).collect()
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        Picks::words(2 * self.q.len()) as u64 * 8
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let last = at.out.rank() - 1;
        let (first, n) = (at.out.start[last], at.out.shape[last]);
        let (Some(counts), Some(out)) = (ins[0].as_slice::<u64>(), out.as_slice_mut::<u64>()) else {
            return Err(Error::internal("counts are not contiguous"));
        };
        let words = Picks::words(2 * self.q.len());
        let picks: &[u64] = ins.get(1).and_then(View::as_slice).unwrap_or_default();
        let mut next = vec![0; words];
        for (k, counts) in counts.chunks_exact(at.ins[0].shape[last]).enumerate() {
            match picks.get(k * words..(k + 1) * words) {
                None => self.start(counts, &mut next),
                Some(picks) => self.go_on(counts, Picks(picks), &mut next),
            }
            out[k * n..(k + 1) * n].copy_from_slice(&next[first..first + n]);
        }
        Ok(())
    }
}

impl SelectPick {
    /// Quantiles become ranks, ranks become first digits.
    fn start(&self, counts: &[u64], next: &mut [u64]) {
        let (counts, nan) = counts.split_at(1 << self.bits);
        next.fill(0);
        next[0] = counts.iter().sum();
        next[1] = nan[0];
        if next[0] == 0 {
            return;
        }
        for (k, &q) in self.q.iter().enumerate() {
            let spot = self.method.spot(next[0], q);
            for (side, rank) in [spot.low, spot.high].into_iter().enumerate() {
                let (digit, rank) = find(counts, rank);
                (next[2 + 2 * (2 * k + side)], next[3 + 2 * (2 * k + side)]) = (digit, rank);
            }
        }
    }

    /// One digit more.
    fn go_on(&self, counts: &[u64], picks: Picks<'_>, next: &mut [u64]) {
        (next[0], next[1]) = (picks.n_valid(), picks.n_nan());
        for k in 0..picks.n() {
            let from = picks.slot(k) << self.bits;
            let (digit, rank) = find(&counts[from..from + (1 << self.bits)], picks.rank(k));
            (next[2 + 2 * k], next[3 + 2 * k]) = (picks.prefix(k).wrapping_shl(self.bits) | digit, rank);
        }
    }
}

/// The digit of the element with this rank, and its rank among elements of the same digit.
fn find(counts: &[u64], rank: u64) -> (u64, u64) {
    let mut left = rank;
    for (digit, &n) in counts.iter().enumerate() {
        if left < n {
            return (digit as u64, left);
        }
        left -= n;
    }
    (counts.len() as u64 - 1, 0)
}
