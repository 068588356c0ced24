//! Exact quantiles of lanes that do not fit into memory, by digits.
//!
//! Elements are seen as unsigned numbers in the same order. The first pass counts their leading digits; a running sum of the counts
//! tells with which digits the wanted elements begin. Each further pass reads the array again and counts the next digit of those
//! elements that begin like a wanted one. All quantiles share the passes, and nothing is ever gathered.

use std::sync::Arc;

use voxmill_core::{DType, Result};
use voxmill_plan::Array;

use super::reduction::{Last, What, reduce};
use super::{Kind, blocks};
use crate::reduce::quantile_lanes::Quantiles;
use crate::reduce::select_count::SelectCount;
use crate::reduce::select_finish::SelectFinish;
use crate::reduce::select_pick::SelectPick;

/// Elements of a block: counts of 2048 digits are small next to it.
const BLOCK: usize = 4 << 20;
/// Up to this many elements, 16-bit numbers are counted in one pass.
const ONE_PASS: usize = 1 << 31;

/// Bits of each digit, leading digit first.
fn digits(dtype: DType, n: usize) -> &'static [u32] {
    match dtype.size() {
        1 => &[8],
        2 if n <= ONE_PASS => &[16],
        2 => &[11, 5],
        4 => &[11, 11, 10],
        _ => &[11, 11, 11, 11, 10, 10],
    }
}

/// The quantiles of `x` by digits; blocks follow from the array unless they are given.
pub fn by_digits(x: &Array, asked: Quantiles, block: Option<Vec<usize>>) -> Result<Array> {
    let axes = asked.axes.clone();
    let n: usize = axes.iter().map(|&a| x.shape()[a]).product();
    let digits = digits(x.dtype(), n);
    let elements = if digits[0] > 11 { 4 * BLOCK } else { BLOCK };
    let whole = || axes.iter().map(|&a| x.shape()[a].max(1)).collect();
    let block = block.unwrap_or_else(|| blocks::choose_up_to(x.meta(), &axes, elements).unwrap_or_else(whole));
    let mut picks: Option<Array> = None;
    let mut shift = 8 * x.dtype().size() as u32;
    for &bits in digits {
        shift -= bits;
        let count = SelectCount { axes: axes.clone(), block: block.clone(), bits, shift };
        let ins = [Some(x.clone()), picks.clone()].into_iter().flatten().collect();
        let counts = Array::from_op(Arc::new(count), ins)?;
        let last = Last { axes: axes.clone(), ddof: 0.0, keepdims: true, out: DType::U64 };
        let counts = reduce(&counts, What { kind: Kind::Sum, skip: false }, last)?;
        let pick = SelectPick { bits, q: asked.q.clone(), method: asked.method };
        let ins = [Some(counts), picks].into_iter().flatten().collect();
        picks = Some(Array::from_op(Arc::new(pick), ins)?);
    }
    let picks = picks.ok_or_else(|| voxmill_core::Error::internal("a dtype without digits"))?;
    Array::from_op(Arc::new(SelectFinish { asked, dtype: x.dtype() }), vec![picks])
}

/// What is known of the wanted elements: how many elements there are, how many NaNs, and for each wanted element its leading digits
/// and its rank among those that begin with them.
#[derive(Debug, Clone, Copy)]
pub struct Picks<'a>(pub &'a [u64]);

impl Picks<'_> {
    /// Words for `n` wanted elements.
    pub fn words(n: usize) -> usize {
        2 + 2 * n
    }

    /// Number of wanted elements.
    pub fn n(self) -> usize {
        (self.0.len() - 2) / 2
    }

    /// Number of elements that are not NaN.
    pub fn n_valid(self) -> u64 {
        self.0[0]
    }

    /// Number of NaNs.
    pub fn n_nan(self) -> u64 {
        self.0[1]
    }

    /// Leading digits of wanted element `k`.
    pub fn prefix(self, k: usize) -> u64 {
        self.0[2 + 2 * k]
    }

    /// Rank of wanted element `k` among those with the same leading digits.
    pub fn rank(self, k: usize) -> u64 {
        self.0[3 + 2 * k]
    }

    /// The first wanted element with the same leading digits as `k`: its counts serve both.
    pub fn slot(self, k: usize) -> usize {
        (0..k).find(|&j| self.prefix(j) == self.prefix(k)).unwrap_or(k)
    }
}
