//! Loops that reduce: along a run of neighbours (horizontally), or many columns at once over some rows (vertically).
//!
//! The order of operations depends only on the number of elements or rows, never on where a tile ends, so results are the same bits
//! however an array is cut. All loops have fixed-size accumulators on the stack and are compiled once per instruction set.

use voxmill_core::Element;

use super::states::State;

pub mod extreme;
pub mod moments;
pub mod product;
pub mod real;
pub mod sum;

/// Longest run that is reduced in one go: it stays in the first-level cache when it is read twice.
pub const RUN: usize = 2048;
/// Most rows that are reduced in one go: 8-bit sums fit 16 bits, and a strip is still cached when it is read twice.
pub const ROWS: usize = 128;
/// Most columns that are reduced side by side.
pub const STRIP: usize = 1024;

/// A row of a vertical reduction: where it begins in the slice, and its index in C order over the reduced axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Row {
    /// Position of its first element.
    pub start: usize,
    /// Index along the reduced axes.
    pub at: u64,
}

/// A reduction of elements of one type. Implementations mark both loops as `#[inline(always)]`.
pub trait Fold {
    /// The elements.
    type In: Element;
    /// Their reduction.
    type State: State;
    /// Reduces a run of at most [`RUN`] elements, of which the first has index `at`.
    fn run(x: &[Self::In], at: u64) -> Self::State;
    /// Reduces at most [`ROWS`] rows of `x`, column by column, and joins the result to `acc` (at most [`STRIP`] columns).
    fn rows(x: &[Self::In], rows: &[Row], acc: &mut [Self::State]);
}

/// `N` accumulators that take turns: `lanes[i % N] = f(lanes[i % N], x[i])`.
#[inline(always)]
pub(crate) fn lanes<T: Copy, L: Copy, const N: usize>(x: &[T], zero: L, f: impl Fn(L, T) -> L) -> [L; N] {
    let mut lanes = [zero; N];
    let mut chunks = x.chunks_exact(N);
    for chunk in &mut chunks {
        for k in 0..N {
            lanes[k] = f(lanes[k], chunk[k]);
        }
    }
    for (lane, v) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = f(*lane, *v);
    }
    lanes
}

/// As [`lanes`] with `f(lane, v) = add(lane, load(v))`, for a `load` of several steps: each step runs over a whole group of elements, which
/// the compiler then vectorises.
#[inline(always)]
pub(crate) fn loaded_lanes<T: Copy, L: Copy, const N: usize>(
    x: &[T],
    zero: L,
    load: impl Fn(T) -> L,
    add: impl Fn(L, L) -> L,
) -> [L; N] {
    let mut lanes = [zero; N];
    let mut chunks = x.chunks_exact(N);
    for chunk in &mut chunks {
        let mut loaded = [zero; N];
        for (loaded, v) in loaded.iter_mut().zip(chunk) {
            *loaded = load(*v);
        }
        for (lane, loaded) in lanes.iter_mut().zip(&loaded) {
            *lane = add(*lane, *loaded);
        }
    }
    for (lane, v) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = add(*lane, load(*v));
    }
    lanes
}

/// Joins neighbours, then pairs of neighbours, and so on.
#[inline(always)]
pub(crate) fn tree<L: Copy, const N: usize>(mut lanes: [L; N], join: impl Fn(L, L) -> L) -> L {
    let mut n = N;
    while n > 1 {
        n /= 2;
        for k in 0..n {
            lanes[k] = join(lanes[k], lanes[k + n]);
        }
    }
    lanes[0]
}

/// One accumulator per column: `columns[j] = f(columns[j], x[row + j])` for every row.
#[inline(always)]
pub(crate) fn columns<T: Copy, L: Copy>(x: &[T], rows: &[Row], columns: &mut [L], f: impl Fn(L, T) -> L) {
    for row in rows {
        let values = &x[row.start..row.start + columns.len()];
        for (column, v) in columns.iter_mut().zip(values) {
            *column = f(*column, *v);
        }
    }
}
