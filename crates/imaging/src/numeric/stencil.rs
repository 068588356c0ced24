//! Weighted sums over windows of several axes, in the order of additions of scipy's `correlate`: the weights one after the other in C
//! order, leaving out zeros.

use super::correlate::Compute;
use crate::family::window::each_row;
use voxmill_ops::numeric::simd::{self, Loop};

/// A weight, and where it lies in flat memory from the first position of its window.
#[derive(Debug, Clone, Copy)]
pub struct Tap<C> {
    /// Distance from the first position of the window.
    pub offset: usize,
    /// The weight.
    pub weight: C,
}

/// Elements of one step of the loop.
const LANES: usize = 32;

/// Fills `out` (of lengths `shape`) with the sums of all windows of `padded` (of lengths `padded_shape`).
pub fn correlate<C: Compute>(padded: &[C], padded_shape: &[usize], taps: &[Tap<C>], shape: &[usize], out: &mut [C]) {
    let width = shape.last().copied().unwrap_or(1);
    each_row(shape, padded_shape, |at, first| {
        simd::dispatch(Row { padded: &padded[first..], taps, out: &mut out[at..at + width] });
    });
}

struct Row<'a, C> {
    padded: &'a [C],
    taps: &'a [Tap<C>],
    out: &'a mut [C],
}

impl<C: Compute> Loop for Row<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Row { padded, taps, out } = self;
        let n = out.len();
        if n < LANES {
            for (k, out) in out.iter_mut().enumerate() {
                *out = taps.iter().fold(C::zero(), |sum, tap| sum + padded[k + tap.offset] * tap.weight);
            }
            return;
        }
        // The last block begins so early that it ends with the row.
        for begin in (0..n).step_by(LANES).map(|begin| begin.min(n - LANES)) {
            let mut sums = [C::zero(); LANES];
            for tap in taps {
                let values = &padded[begin + tap.offset..begin + tap.offset + LANES];
                for (sum, &value) in sums.iter_mut().zip(values) {
                    *sum = *sum + value * tap.weight;
                }
            }
            out[begin..begin + LANES].copy_from_slice(&sums);
        }
    }
}
