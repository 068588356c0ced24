//! Correlation of lanes with a short row of weights. The order of additions is that of scipy's `correlate1d`: pairs for symmetric
//! weights, from the outside in, then the rest.

use voxmill_core::Element;

use super::lines::{LineLoop, PAST_END};
use super::whole::Whole;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_ops::numeric::simd::{self, Loop};

/// What the weights have in common with their mirror image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    Even,
    Odd,
    None,
}

/// Weights and how they are added up.
#[derive(Debug, Clone)]
pub struct Taps {
    weights: Vec<f64>,
    symmetry: Symmetry,
}

impl Taps {
    /// These weights, of which there is at least one.
    pub fn new(weights: Vec<f64>) -> Self {
        let half = weights.len() / 2;
        let mirrored =
            |sign: f64| (1..=half).all(|k| (weights[half + k] - sign * weights[half - k]).abs() <= f64::EPSILON);
        let symmetry = match weights.len() % 2 {
            1 if mirrored(1.0) => Symmetry::Even,
            1 if mirrored(-1.0) => Symmetry::Odd,
            _ => Symmetry::None,
        };
        Taps { weights, symmetry }
    }

    /// True if sums in single precision stay within its rounding: few weights, none negative, so nothing cancels.
    pub fn suits_single(&self) -> bool {
        self.weights.len() <= 65 && self.weights.iter().all(|&w| (0.0..=1.0).contains(&w))
    }

    /// Number of weights.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.weights.len()
    }
}

/// A type that sums are computed in.
pub trait Compute: Element + Copy + num_traits::Float {
    /// `(a + b) w`, in an order that does not overflow where the result does not.
    fn pair(a: Self, b: Self, w: Self) -> Self;
    /// A weight or border value in this type.
    fn from_f64(value: f64) -> Self;
}

impl Compute for f64 {
    #[inline(always)]
    fn pair(a: f64, b: f64, w: f64) -> f64 {
        (a + b) * w
    }

    #[inline(always)]
    fn from_f64(value: f64) -> f64 {
        value
    }
}

impl Compute for f32 {
    #[inline(always)]
    fn pair(a: f32, b: f32, w: f32) -> f32 {
        a * w + b * w
    }

    #[inline(always)]
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

/// Storing a sum as an element, as a C cast does: towards zero for integers.
pub trait FromSum<C>: Element {
    /// The element.
    fn from_sum(sum: C) -> Self;
}

macro_rules! from_sum {
    ($c:ty => $($t:ty, $f:expr);*) => {$(
        impl FromSum<$c> for $t {
            #[inline(always)]
            fn from_sum(sum: $c) -> $t {
                $f(sum)
            }
        }
    )*};
}

// Narrow integers go through 32 bits, which vector units convert to; wide ones through 64.
from_sum!(f64 => u8, |v: f64| v.whole() as u8; i8, |v: f64| v.whole() as i8; u16, |v: f64| v.whole() as u16;
    i16, |v: f64| v.whole() as i16; i32, |v: f64| v.whole(); u32, |v| v as i64 as u32; i64, |v: f64| v.convert();
    u64, |v: f64| v.convert(); f32, |v| v as f32;
    f64, |v| v; voxmill_core::f16, |v: f64| v.convert(); voxmill_core::bf16, |v: f64| v.convert();
    voxmill_core::B8, |v: f64| voxmill_core::B8::from(v.whole() as u8 != 0));
from_sum!(f32 => f32, |v| v);

/// Elements of one step of the loop, for doubles and for singles: four vectors of 32 bytes.
const LANES: [usize; 2] = [16, PAST_END];

/// The weights in the type that sums are computed in.
#[derive(Debug)]
pub struct Weights<C> {
    weights: Vec<C>,
    symmetry: Symmetry,
}

impl Taps {
    /// The weights for sums in `C`.
    pub fn weights<C: Compute>(&self) -> Weights<C> {
        Weights { weights: self.weights.iter().map(|&w| C::from_f64(w)).collect(), symmetry: self.symmetry }
    }

    /// Bytes of [`Taps::weights`].
    pub fn bytes(&self) -> u64 {
        16 * self.weights.len() as u64
    }
}

impl<C: Compute> LineLoop<C> for Weights<C> {
    fn run(&self, lines: &mut [C], stride: usize, out: &mut [C]) {
        correlate(&self.weights, self.symmetry, lines, stride, out);
    }
}

/// `sums[i]` from `lines[i + k stride]` for all weights `k`.
fn correlate<C: Compute>(weights: &[C], symmetry: Symmetry, lines: &[C], stride: usize, sums: &mut [C]) {
    struct Work<'a, C>(&'a [C], Symmetry, &'a [C], usize, &'a mut [C]);
    impl<C: Compute> Loop for Work<'_, C> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            let Work(weights, symmetry, lines, stride, sums) = self;
            match size_of::<C>() {
                8 => all_blocks::<C, { LANES[0] }>(weights, symmetry, lines, stride, sums),
                _ => all_blocks::<C, { LANES[1] }>(weights, symmetry, lines, stride, sums),
            }
        }
    }
    simd::dispatch(Work(weights, symmetry, lines, stride, sums));
}

#[inline(always)]
fn all_blocks<C: Compute, const L: usize>(w: &[C], symmetry: Symmetry, lines: &[C], stride: usize, sums: &mut [C]) {
    // The buffer is longer than its rows by one block, so the last block may read past its end.
    for (block, sums) in sums.chunks_mut(L).enumerate() {
        let lines = &lines[block * L..];
        let all = match symmetry {
            Symmetry::Even => pairs::<C, L>(w, lines, stride, |sum, a, b, w| sum + C::pair(a, b, w)),
            Symmetry::Odd => pairs::<C, L>(w, lines, stride, |sum, a, b, w| sum + (a - b) * w),
            Symmetry::None => singles::<C, L>(w, lines, stride),
        };
        match <&mut [C; L]>::try_from(&mut *sums) {
            Ok(sums) => *sums = all,
            Err(_) => sums.copy_from_slice(&all[..sums.len()]),
        }
    }
}

/// The middle first, then pairs from the outside in.
#[inline(always)]
fn pairs<C: Compute, const L: usize>(w: &[C], lines: &[C], stride: usize, add: impl Fn(C, C, C, C) -> C) -> [C; L] {
    let half = w.len() / 2;
    let mut sums = (*block::<C, L>(lines, half * stride)).map(|v| v * w[half]);
    for (k, &w) in w[..half].iter().enumerate() {
        let (a, b) = (block::<C, L>(lines, k * stride), block::<C, L>(lines, (2 * half - k) * stride));
        for l in 0..L {
            sums[l] = add(sums[l], a[l], b[l], w);
        }
    }
    sums
}

/// The last weight first, then the others from the front.
#[inline(always)]
fn singles<C: Compute, const L: usize>(w: &[C], lines: &[C], stride: usize) -> [C; L] {
    let last = w.len() - 1;
    let mut sums = (*block::<C, L>(lines, last * stride)).map(|v| v * w[last]);
    for (k, &w) in w[..last].iter().enumerate() {
        let a = block::<C, L>(lines, k * stride);
        for l in 0..L {
            sums[l] = sums[l] + a[l] * w;
        }
    }
    sums
}

#[inline(always)]
fn block<C: Compute, const L: usize>(lines: &[C], at: usize) -> &[C; L] {
    // A slice of exactly L elements; the empty case cannot be reached and keeps the loop free of panics.
    match lines[at..at + L].first_chunk::<L>() {
        Some(block) => block,
        None => unreachable!("a slice of L elements has L elements"),
    }
}
