//! The lowest place of a ball under a surface: smallest sums of elements and heights.

use voxmill_core::Element;
use voxmill_ops::numeric::simd::{self, Loop};

use crate::family::window::each_row;

/// A float that heights are added in.
pub trait Height: Element + PartialOrd + std::ops::Add<Output = Self> {
    /// More than any number.
    const INFINITY: Self;
    /// A height in this precision.
    fn from_f64(value: f64) -> Self;
}

impl Height for f32 {
    const INFINITY: f32 = f32::INFINITY;

    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

impl Height for f64 {
    const INFINITY: f64 = f64::INFINITY;

    fn from_f64(value: f64) -> f64 {
        value
    }
}

/// Fills `out` (of lengths `shape`) with the smallest sums over all windows of `padded`. NaN does not count.
pub fn smallest<T: Height>(padded: &[T], padded_shape: &[usize], taps: &[(usize, T)], shape: &[usize], out: &mut [T]) {
    let width = shape.last().copied().unwrap_or(1);
    each_row(shape, padded_shape, |at, first| {
        simd::dispatch(Row { padded: &padded[first..], taps, out: &mut out[at..at + width] });
    });
}

struct Row<'a, T> {
    padded: &'a [T],
    taps: &'a [(usize, T)],
    out: &'a mut [T],
}

impl<T: Height> Loop for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        const LANES: usize = 64;
        let Row { padded, taps, out } = self;
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            out.fill(T::INFINITY);
            for &(offset, height) in taps {
                let values = &padded[block * LANES + offset..][..out.len()];
                for (low, &value) in out.iter_mut().zip(values) {
                    let sum = value + height;
                    *low = if sum < *low { sum } else { *low };
                }
            }
        }
    }
}
