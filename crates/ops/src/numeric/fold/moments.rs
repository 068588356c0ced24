//! Mean and sum of squared distances from it.

use std::marker::PhantomData;

use voxmill_core::{B8, Complex64, Element};

use super::{Fold, Row, STRIP, columns, lanes, loaded_lanes, tree};
use crate::numeric::fold::real::Real;
use crate::numeric::states::{ExactMoments, Moments, Pair, State};

/// Real numbers in one pass over a run: distances from a value near the mean. With `SKIP`, NaNs do not count.
#[derive(Debug)]
pub struct Spread<T, const SKIP: bool>(PhantomData<T>);

/// The moments of `n` elements with sum `sum`, from the distances to `mean` and their squares.
#[inline(always)]
fn moments(n: f64, mean: f64, distances: f64, squares: f64) -> Moments {
    if n == 0.0 {
        return Moments::EMPTY;
    }
    // The mean was rounded: the sum of distances, zero in theory, says by how much.
    let off = distances / n;
    Moments { n, mean: mean + off, squares: squares - distances * off }
}

impl<T: Real, const SKIP: bool> Fold for Spread<T, SKIP> {
    type In = T;
    type State = Moments;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> Moments {
        spread::<T, SKIP>(x, |v| v.real(), |v| v.nan())
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [Moments]) {
        spread_rows::<T, SKIP>(x, rows, acc, |v| v.real(), |v| v.nan());
    }
}

/// Elements whose mean stands in for the mean of a run. As they belong to the run, its variance cannot be small beside their distance
/// from its mean: at most six of 53 bits are lost, and in practice none.
const FIRST: usize = 64;

#[inline(always)]
fn spread<T: Copy, const SKIP: bool>(x: &[T], real: impl Fn(T) -> f64, nan: impl Fn(T) -> bool) -> Moments {
    let add = |a: f64, b: f64| a + b;
    let out = |v: T| SKIP && nan(v);
    let count = |x: &[T]| if SKIP { x.iter().filter(|v| !nan(**v)).count() } else { x.len() } as f64;
    let first = &x[..x.len().min(FIRST)];
    let sums: [f64; 32] = lanes(first, 0.0, |sum, v| sum + if out(v) { 0.0 } else { real(v) });
    let near = tree(sums, add) / count(first).max(1.0);
    let distance = |v: T| if out(v) { 0.0 } else { real(v) - near };
    let (distances, squares) = with_squares::<T, 64>(x, distance);
    moments(count(x), near, tree(distances, add), tree(squares, add))
}

/// Sums of values and of their squares, in `N` accumulators each. With so many, the compiler sees a loop over arrays and vectorises it;
/// with fewer, it makes pairs of a value and its square.
#[inline(always)]
fn with_squares<T: Copy, const N: usize>(x: &[T], value: impl Fn(T) -> f64) -> ([f64; N], [f64; N]) {
    let (mut sums, mut squares) = ([0.0; N], [0.0; N]);
    let mut groups = x.chunks_exact(N);
    for group in &mut groups {
        add_squares(group, &mut sums, &mut squares, &value);
    }
    add_squares(groups.remainder(), &mut sums, &mut squares, &value);
    (sums, squares)
}

#[inline(always)]
fn add_squares<T: Copy>(group: &[T], sums: &mut [f64], squares: &mut [f64], value: &impl Fn(T) -> f64) {
    for ((sum, square), v) in sums.iter_mut().zip(squares.iter_mut()).zip(group) {
        let value = value(*v);
        *sum += value;
        *square += value * value;
    }
}

#[inline(always)]
fn spread_rows<T: Copy, const SKIP: bool>(
    x: &[T],
    rows: &[Row],
    acc: &mut [Moments],
    real: impl Fn(T) -> f64,
    nan: impl Fn(T) -> bool,
) {
    let width = acc.len();
    let out = |v: T| SKIP && nan(v);
    let mut n = [rows.len() as f64; STRIP];
    if SKIP {
        n = [0.0; STRIP];
        columns(x, rows, &mut n[..width], |n, v| n + if nan(v) { 0.0 } else { 1.0 });
    }
    let mut means = [0.0; STRIP];
    columns(x, rows, &mut means[..width], |sum, v| sum + if out(v) { 0.0 } else { real(v) });
    for (mean, n) in means.iter_mut().zip(&n) {
        *mean /= n.max(1.0);
    }
    let mut distances = [0.0; STRIP];
    let mut squares = [0.0; STRIP];
    for row in rows {
        let values = &x[row.start..row.start + width];
        let sums = distances[..width].iter_mut().zip(&mut squares[..width]);
        for ((v, mean), (distance, square)) in values.iter().zip(&means[..width]).zip(sums) {
            let d = if out(*v) { 0.0 } else { real(*v) - mean };
            *distance += d;
            *square += d * d;
        }
    }
    for (k, state) in acc.iter_mut().enumerate() {
        *state = state.join(moments(n[k], means[k], distances[k], squares[k]));
    }
}

/// Complex numbers: both parts for themselves.
#[derive(Debug)]
pub struct ComplexSpread<const SKIP: bool>;

#[inline(always)]
fn undefined(v: Complex64) -> bool {
    v.re.is_nan() || v.im.is_nan()
}

impl<const SKIP: bool> Fold for ComplexSpread<SKIP> {
    type In = Complex64;
    type State = Pair<Moments, Moments>;
    #[inline(always)]
    fn run(x: &[Complex64], _at: u64) -> Self::State {
        let real = spread::<_, SKIP>(x, |v: Complex64| v.re, undefined);
        Pair(real, spread::<_, SKIP>(x, |v: Complex64| v.im, undefined))
    }
    #[inline(always)]
    fn rows(x: &[Complex64], rows: &[Row], acc: &mut [Self::State]) {
        let mut parts = [Moments::EMPTY; STRIP];
        spread_rows::<_, SKIP>(x, rows, &mut parts[..acc.len()], |v: Complex64| v.re, undefined);
        for (state, part) in acc.iter_mut().zip(&parts) {
            state.0 = state.0.join(*part);
        }
        parts = [Moments::EMPTY; STRIP];
        spread_rows::<_, SKIP>(x, rows, &mut parts[..acc.len()], |v: Complex64| v.im, undefined);
        for (state, part) in acc.iter_mut().zip(&parts) {
            state.1 = state.1.join(*part);
        }
    }
}

/// An integer of at most 16 bits, whose moments are exact.
pub trait Small: Element {
    /// Holds the sum of 128 squares.
    type Squares: Copy;
    /// No squares yet.
    const ZERO: Self::Squares;
    /// The value.
    fn value(self) -> i32;
    /// The square.
    fn square(self) -> Self::Squares;
    /// A sum of squares.
    fn add(a: Self::Squares, b: Self::Squares) -> Self::Squares;
    /// The sum of squares.
    fn squares(sum: Self::Squares) -> u64;
}

macro_rules! small {
    ($($t:ty, $squares:ty, $value:expr);*) => {$(
        impl Small for $t {
            type Squares = $squares;
            const ZERO: $squares = 0;
            #[inline(always)]
            fn value(self) -> i32 {
                $value(self)
            }
            #[inline(always)]
            fn square(self) -> $squares {
                // 65535 squared fits 32 bits without a sign.
                (self.value().wrapping_mul(self.value()) as u32).into()
            }
            #[inline(always)]
            fn add(a: $squares, b: $squares) -> $squares {
                a + b
            }
            #[inline(always)]
            fn squares(sum: $squares) -> u64 {
                sum.into()
            }
        }
    )*};
}

small!(
    B8, u32, |v: B8| i32::from(v.0 != 0);
    u8, u32, i32::from;
    i8, u32, i32::from;
    u16, u64, i32::from;
    i16, u64, i32::from
);

/// Small integers in exact passes.
#[derive(Debug)]
pub struct SmallSpread<T>(PhantomData<T>);

impl<T: Small> Fold for SmallSpread<T> {
    type In = T;
    type State = ExactMoments;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> ExactMoments {
        let sums: [i32; 32] = lanes(x, 0, |sum, v: T| sum + v.value());
        let squares: [T::Squares; 32] = loaded_lanes(x, T::ZERO, T::square, T::add);
        let squares: u64 = tree(squares.map(T::squares), |a, b| a + b);
        ExactMoments { n: x.len() as u64, sum: tree(sums.map(i64::from), |a, b| a + b), squares: squares.into() }
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [ExactMoments]) {
        let mut sums = [0i32; STRIP];
        let mut squares = [T::ZERO; STRIP];
        columns(x, rows, &mut sums[..acc.len()], |sum, v: T| sum + v.value());
        columns(x, rows, &mut squares[..acc.len()], |sum, v: T| T::add(sum, v.square()));
        for (k, state) in acc.iter_mut().enumerate() {
            let squares = T::squares(squares[k]).into();
            *state = state.join(ExactMoments { n: rows.len() as u64, sum: sums[k].into(), squares });
        }
    }
}
