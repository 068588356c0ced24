//! Mean and sum of squared distances from it.

use std::marker::PhantomData;

use voxmill_core::{B8, Complex64, Element};

use super::{Fold, Row, STRIP, columns, lanes, tree};
use crate::numeric::fold::real::Real;
use crate::numeric::states::{ExactMoments, Moments, Pair, State};

/// Real numbers in two passes over a cached run: the mean, then the distances from it. With `SKIP`, NaNs do not count.
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

#[inline(always)]
fn spread<T: Copy, const SKIP: bool>(x: &[T], real: impl Fn(T) -> f64, nan: impl Fn(T) -> bool) -> Moments {
    let add = |a: f64, b: f64| a + b;
    let out = |v: T| SKIP && nan(v);
    let n = if SKIP { x.iter().filter(|v| !nan(**v)).count() } else { x.len() } as f64;
    let sums: [f64; 32] = lanes(x, 0.0, |sum, v| sum + if out(v) { 0.0 } else { real(v) });
    let mean = tree(sums, add) / n.max(1.0);
    let distance = |v: T| if out(v) { 0.0 } else { real(v) - mean };
    let mut distances = [0.0; 16];
    let mut squares = [0.0; 16];
    let mut chunks = x.chunks_exact(16);
    for chunk in &mut chunks {
        for k in 0..16 {
            let d = distance(chunk[k]);
            distances[k] += d;
            squares[k] += d * d;
        }
    }
    for (k, v) in chunks.remainder().iter().enumerate() {
        let d = distance(*v);
        distances[k] += d;
        squares[k] += d * d;
    }
    moments(n, mean, tree(distances, add), tree(squares, add))
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
    /// The value.
    fn value(self) -> i32;
}

macro_rules! small {
    ($($t:ty),*) => {$(
        impl Small for $t {
            #[inline(always)]
            fn value(self) -> i32 {
                self.into()
            }
        }
    )*};
}

small!(u8, i8, u16, i16);

impl Small for B8 {
    #[inline(always)]
    fn value(self) -> i32 {
        (self.0 != 0).into()
    }
}

/// Small integers in one exact pass.
#[derive(Debug)]
pub struct SmallSpread<T>(PhantomData<T>);

impl<T: Small> Fold for SmallSpread<T> {
    type In = T;
    type State = ExactMoments;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> ExactMoments {
        let sums: [i32; 32] = lanes(x, 0, |sum, v| sum + v.value());
        let squares: [u64; 32] = lanes(x, 0, |sum, v| sum + u64::from(square(v)));
        let sum: i64 = sums.iter().map(|&s| i64::from(s)).sum();
        ExactMoments { n: x.len() as u64, sum, squares: tree(squares, |a, b| a + b).into() }
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [ExactMoments]) {
        let mut sums = [0i32; STRIP];
        let mut squares = [0u64; STRIP];
        columns(x, rows, &mut sums[..acc.len()], |sum, v| sum + v.value());
        columns(x, rows, &mut squares[..acc.len()], |sum, v| sum + u64::from(square(v)));
        for (k, state) in acc.iter_mut().enumerate() {
            let part = ExactMoments { n: rows.len() as u64, sum: sums[k].into(), squares: squares[k].into() };
            *state = state.join(part);
        }
    }
}

#[inline(always)]
fn square<T: Small>(v: T) -> u32 {
    let value = v.value();
    // 65535 squared fits 32 bits without a sign.
    value.wrapping_mul(value) as u32
}
