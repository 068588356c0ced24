//! Selection by comparisons, for as many windows at a time as a vector holds: elements that cannot be the wanted one are forgotten as
//! soon as that is certain, so only about half the window is ever held.

use super::{Ranks, SMALL, registers};
use crate::family::window::{each_row, strides};
use voxmill_ops::numeric::order::Key;
use voxmill_ops::numeric::simd::{self, Loop};

pub fn scratch() -> u64 {
    8 * (SMALL as u64 + 2) * 64
}

pub fn run<K: Key + 'static>(ranks: &Ranks, padded: &[K], padded_shape: &[usize], shape: &[usize], out: &mut [K]) {
    let steps = strides(padded_shape);
    let offset = |tap: &Vec<usize>| tap.iter().zip(&steps).map(|(a, s)| a * s).sum();
    let offsets: Vec<usize> = ranks.footprint.iter().map(offset).collect();
    let width = shape.last().copied().unwrap_or(1);
    each_row(shape, padded_shape, |at, first| {
        let (padded, out) = (&padded[first..], &mut out[at..at + width]);
        if offsets.len() == 2 * ranks.rank + 1 && registers::medians(padded, &offsets, out) {
            return;
        }
        match size_of::<K>() {
            1 => simd::dispatch(Row::<K, 64> { padded, offsets: &offsets, rank: ranks.rank, out }),
            2 => simd::dispatch(Row::<K, 32> { padded, offsets: &offsets, rank: ranks.rank, out }),
            4 => simd::dispatch(Row::<K, 16> { padded, offsets: &offsets, rank: ranks.rank, out }),
            _ => simd::dispatch(Row::<K, 8> { padded, offsets: &offsets, rank: ranks.rank, out }),
        }
    });
}

struct Row<'a, K, const L: usize> {
    padded: &'a [K],
    offsets: &'a [usize],
    rank: usize,
    out: &'a mut [K],
}

impl<K: Key, const L: usize> Loop for Row<'_, K, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Row { padded, offsets, rank, out } = self;
        let n = out.len();
        let mut held = [[K::LOW; L]; SMALL + 2];
        if n < L {
            // Too short for a vector: the same windows, with the last one repeated.
            let gather = |offset: usize| std::array::from_fn(|k| padded[offset + k.min(n - 1)]);
            let found = select::<K, L>(offsets, rank, &mut held, gather);
            out.copy_from_slice(&found[..n]);
            return;
        }
        for begin in (0..n).step_by(L).map(|begin| begin.min(n - L)) {
            let found = select::<K, L>(offsets, rank, &mut held, |offset| {
                let mut block = [K::LOW; L];
                block.copy_from_slice(&padded[begin + offset..begin + offset + L]);
                block
            });
            out[begin..begin + L].copy_from_slice(&found);
        }
    }
}

/// The element at `rank` of each of `L` windows. With `below` elements to forget at the lower end and `above` at the upper one, the
/// smallest of `above + 2` elements is too small, and the largest of `below + 2` too large.
#[inline(always)]
fn select<K: Key, const L: usize>(
    offsets: &[usize],
    rank: usize,
    held: &mut [[K; L]; SMALL + 2],
    gather: impl Fn(usize) -> [K; L],
) -> [K; L] {
    let (mut below, mut above) = (rank, offsets.len() - 1 - rank);
    let mut n = 0;
    let mut rest = offsets.iter();
    while below > 0 && above > 0 {
        while n < below.max(above) + 2 {
            let Some(&offset) = rest.next() else { break };
            held[n] = gather(offset);
            n += 1;
        }
        extremes_outside(&mut held[..n]);
        // The smallest is at the front and the largest at the back: both are forgotten.
        held[0] = held[n - 2];
        n -= 2;
        (below, above) = (below - 1, above - 1);
    }
    // With nothing to forget on one side, the wanted element is the extreme of that side.
    extreme(held[..n].iter().copied().chain(rest.map(|&offset| gather(offset))), above == 0)
}

/// The largest or the smallest of all, lane by lane.
#[inline(always)]
fn extreme<K: Key, const L: usize>(all: impl Iterator<Item = [K; L]>, largest: bool) -> [K; L] {
    let mut best = [if largest { K::LOW } else { K::HIGH }; L];
    for next in all {
        for k in 0..L {
            let take = if largest { next[k] > best[k] } else { next[k] < best[k] };
            best[k] = if take { next[k] } else { best[k] };
        }
    }
    best
}

/// Brings the smallest to the front and the largest to the back, lane by lane.
#[inline(always)]
fn extremes_outside<K: Key, const L: usize>(held: &mut [[K; L]]) {
    let n = held.len();
    for k in 0..n / 2 {
        exchange(held, k, n - 1 - k);
    }
    for k in 1..n.div_ceil(2) {
        exchange(held, 0, k);
    }
    for k in n / 2..n - 1 {
        exchange(held, k, n - 1);
    }
}

/// The smaller of two to the place `low`, the larger to `high`.
#[inline(always)]
fn exchange<K: Key, const L: usize>(held: &mut [[K; L]], low: usize, high: usize) {
    let (a, b) = (held[low], held[high]);
    let (mut smaller, mut larger) = (a, a);
    for k in 0..L {
        smaller[k] = if b[k] < a[k] { b[k] } else { a[k] };
        larger[k] = if b[k] < a[k] { a[k] } else { b[k] };
    }
    (held[low], held[high]) = (smaller, larger);
}
