//! Extremes over windows whose positions have heights: the smallest or largest sum of a value and its height.

use super::stencil::Tap;
use crate::family::window::each_row;
use voxmill_ops::numeric::simd::{self, Loop};

/// Elements of one step of the loop.
const LANES: usize = 32;

/// Fills `out` (of lengths `shape`) with the extremes of all windows of `padded` (of lengths `padded_shape`). Sums but the first are
/// compared as `stored` makes them, which is what scipy does with those that a dtype cannot hold.
pub fn extreme(
    padded: &[f64],
    padded_shape: &[usize],
    taps: &[Tap<f64>],
    shape: &[usize],
    largest: bool,
    stored: impl Fn(f64) -> f64 + Copy,
    out: &mut [f64],
) {
    let width = shape.last().copied().unwrap_or(1);
    each_row(shape, padded_shape, |at, first| {
        let (padded, out) = (&padded[first..], &mut out[at..at + width]);
        match largest {
            true => simd::dispatch(Row { padded, taps, out, stored, better: |new: f64, old: f64| new > old }),
            false => simd::dispatch(Row { padded, taps, out, stored, better: |new: f64, old: f64| new < old }),
        }
    });
}

struct Row<'a, S, F> {
    padded: &'a [f64],
    taps: &'a [Tap<f64>],
    out: &'a mut [f64],
    stored: S,
    better: F,
}

impl<S: Fn(f64) -> f64, F: Fn(f64, f64) -> bool> Loop for Row<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Row { padded, taps, out, stored, better } = self;
        let Some((first, rest)) = taps.split_first() else { return };
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            let padded = &padded[block * LANES..];
            out.iter_mut().zip(&padded[first.offset..]).for_each(|(out, &value)| *out = value + first.weight);
            for tap in rest {
                for (out, &value) in out.iter_mut().zip(&padded[tap.offset..]) {
                    let sum = stored(value + tap.weight);
                    *out = if better(sum, *out) { sum } else { *out };
                }
            }
        }
    }
}
