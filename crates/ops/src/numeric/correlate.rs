//! Correlation of lanes with a short row of weights.
//!
//! A box is `outer x len x inner`. Pieces of it are converted to the compute type into a buffer that holds the border too; there, one
//! step along the axis is a fixed stride, so the same loop over neighbouring elements serves every axis. The order of additions is
//! that of scipy's `correlate1d`: pairs for symmetric weights, from the outside in, then the rest.

use voxmill_core::Element;

use super::convert::ConvertTo;
use super::simd::{self, Loop};
use crate::family::neighborhood::{Border, Halo};

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

    /// Positions that a window reaches before and after its own, for weights moved by `origin`.
    pub fn reach(&self, origin: i64) -> Halo {
        let half = (self.weights.len() / 2) as i64;
        let rest = self.weights.len() as i64 - half - 1;
        Halo { before: (half + origin).max(0) as usize, after: (rest - origin).max(0) as usize }
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
from_sum!(f64 => u8, |v| v as i32 as u8; i8, |v| v as i32 as i8; u16, |v| v as i32 as u16; i16, |v| v as i32 as i16;
    i32, |v| v as i32; u32, |v: f64| v.convert(); i64, |v: f64| v.convert(); u64, |v: f64| v.convert(); f32, |v| v as f32;
    f64, |v| v; voxmill_core::f16, |v: f64| v.convert(); voxmill_core::bf16, |v: f64| v.convert();
    voxmill_core::B8, |v| voxmill_core::B8::from(v as i32 as u8 != 0));
from_sum!(f32 => f32, |v| v);

/// A correlation of the lanes of a box.
#[derive(Debug)]
pub struct Lines<'a> {
    /// The weights.
    pub taps: &'a Taps,
    /// What lies beyond the border, and how far windows reach.
    pub border: Border,
    /// How far windows reach.
    pub halo: Halo,
    /// Values of the constant border: of even and of odd elements, which differ for complex numbers.
    pub constant: [f64; 2],
    /// Product of the axes before.
    pub outer: usize,
    /// Product of the axes after, times 2 for complex numbers.
    pub inner: usize,
    /// Length of the whole axis.
    pub axis_len: usize,
    /// Positions of the axis in the input box.
    pub read: (usize, usize),
    /// Positions of the axis in the output box.
    pub out: (usize, usize),
}

/// Elements of one step of the loop: four vectors of 32 bytes.
const LANES: [usize; 2] = [16, 32];
/// Elements beside each other that are worked on at a time on an axis that is not the last.
const WIDTH: usize = 128;

impl Lines<'_> {
    fn width(&self) -> usize {
        if self.inner > 2 * WIDTH { WIDTH } else { self.inner.max(1) }
    }

    /// Positions of the axis that are worked on at a time.
    fn rows(&self) -> usize {
        let enough = (4096 / self.width()).max(64).max(2 * (self.halo.before + self.halo.after));
        enough.min((self.out.1 - self.out.0).max(1))
    }

    /// Bytes that [`Lines::run`] allocates.
    pub fn scratch(&self) -> u64 {
        let rows = 2 * self.rows() + self.halo.before + self.halo.after;
        ((rows * self.width() + LANES[1]) * 8 + 16 * self.taps.weights.len()) as u64
    }

    /// Correlates `src` into `dst`, computing in `C`.
    pub fn run<A: Element + ConvertTo<C>, C: Compute, B: FromSum<C>>(&self, src: &[A], dst: &mut [B]) {
        let (width, rows) = (self.width(), self.rows());
        let reach = self.halo.before + self.halo.after;
        let weights: Vec<C> = self.taps.weights.iter().map(|&w| C::from_f64(w)).collect();
        let mut lines = vec![C::zero(); (rows + reach) * width + LANES[1]];
        let mut sums = vec![C::zero(); rows * width];
        let (src_step, dst_step) = ((self.read.1 - self.read.0) * self.inner, (self.out.1 - self.out.0) * self.inner);
        for o in 0..self.outer {
            let src = &src[o * src_step..(o + 1) * src_step];
            let dst = &mut dst[o * dst_step..(o + 1) * dst_step];
            for begin in (self.out.0..self.out.1).step_by(rows) {
                let n_rows = rows.min(self.out.1 - begin);
                for first in (0..self.inner).step_by(width) {
                    let width = width.min(self.inner - first);
                    self.load(src, begin, n_rows + reach, first, width, &mut lines);
                    let sums = &mut sums[..n_rows * width];
                    correlate(&weights, self.taps.symmetry, &lines, width, sums);
                    self.store(sums, begin, first, width, dst);
                }
            }
        }
    }

    /// Converts `n_rows` rows of `width` elements, from `before` positions before `begin` on, with what lies beyond the border.
    fn load<A: Element + ConvertTo<C>, C: Compute>(
        &self,
        src: &[A],
        begin: usize,
        n_rows: usize,
        first: usize,
        width: usize,
        lines: &mut [C],
    ) {
        let low = begin as i64 - self.halo.before as i64;
        let shift = if self.border == Border::Valid { self.halo.before as i64 } else { 0 };
        // Rows inside the array lie beside each other, so they are converted in one go where they are whole.
        let inside = (low + shift).max(0)..(low + shift + n_rows as i64).min(self.axis_len as i64);
        let (from, to) = (inside.start as usize, inside.end as usize);
        let at = |position: usize| (position - self.read.0) * self.inner + first;
        let mut target = (from as i64 - low - shift) as usize * width;
        if width == self.inner {
            let n = (to - from) * width;
            convert(&src[at(from)..at(from) + n], &mut lines[target..target + n]);
        } else {
            for position in from..to {
                convert(&src[at(position)..at(position) + width], &mut lines[target..target + width]);
                target += width;
            }
        }
        let outside = (low..from as i64 - shift).chain(to as i64 - shift..low + n_rows as i64);
        for position in outside {
            let row = (position - low) as usize * width;
            let row = &mut lines[row..row + width];
            match self.border.source(position, self.axis_len, self.halo) {
                Some(source) => convert(&src[at(source)..at(source) + width], row),
                None => {
                    for (k, v) in row.iter_mut().enumerate() {
                        *v = C::from_f64(self.constant[(first + k) % 2]);
                    }
                }
            }
        }
    }

    fn store<C: Compute, B: FromSum<C>>(&self, sums: &[C], begin: usize, first: usize, width: usize, dst: &mut [B]) {
        let at = (begin - self.out.0) * self.inner + first;
        if width == self.inner {
            return simd::map1(sums, &mut dst[at..at + sums.len()], B::from_sum);
        }
        for (k, row) in sums.chunks_exact(width).enumerate() {
            let at = at + k * self.inner;
            simd::map1(row, &mut dst[at..at + width], B::from_sum);
        }
    }
}

fn convert<A: Element + ConvertTo<C>, C: Element>(src: &[A], dst: &mut [C]) {
    simd::map1(src, dst, |v: A| v.convert());
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
