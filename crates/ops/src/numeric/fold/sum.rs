//! Sums and counts.

use std::marker::PhantomData;

use voxmill_core::{Complex64, Element};

use super::{Fold, Row, STRIP, columns, lanes, tree};
use crate::numeric::fold::real::Real;
use crate::numeric::states::{FloatTotal, Pair, State, Total};

/// An element that can be added up.
pub trait Summand: Element {
    /// The accumulator of a short run: wide enough for 256 elements.
    type Lane: Copy;
    /// The sum of many runs.
    type Total: State;
    /// Nothing added yet.
    const ZERO: Self::Lane;
    /// The element as an accumulator.
    fn lane(self) -> Self::Lane;
    /// The sum of two accumulators.
    fn add(a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// The accumulator of a whole run.
    fn total(lane: Self::Lane) -> Self::Total;
    /// True for not-a-number.
    #[inline(always)]
    fn skipped(self) -> bool {
        false
    }
}

macro_rules! integer_sum {
    ($($t:ty => $lane:ty),*) => {$(
        impl Summand for $t {
            type Lane = $lane;
            type Total = Total;
            const ZERO: $lane = 0;
            #[inline(always)]
            fn lane(self) -> $lane {
                self as $lane
            }
            #[inline(always)]
            fn add(a: $lane, b: $lane) -> $lane {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn total(lane: $lane) -> Total {
                Total(lane as u64)
            }
        }
    )*};
}

integer_sum!(u8 => u16, i8 => i16, u16 => u32, i16 => i32, u32 => u64, i32 => i64, u64 => u64);

macro_rules! float_sum {
    ($($t:ty),*) => {$(
        impl Summand for $t {
            type Lane = f64;
            type Total = FloatTotal;
            const ZERO: f64 = 0.0;
            #[inline(always)]
            fn lane(self) -> f64 {
                self.real()
            }
            #[inline(always)]
            fn add(a: f64, b: f64) -> f64 {
                a + b
            }
            #[inline(always)]
            fn total(lane: f64) -> FloatTotal {
                FloatTotal::new(lane)
            }
            #[inline(always)]
            fn skipped(self) -> bool {
                self.nan()
            }
        }
    )*};
}

float_sum!(f32, f64);

impl Summand for Complex64 {
    type Lane = Complex64;
    type Total = Pair<FloatTotal, FloatTotal>;
    const ZERO: Complex64 = Complex64::new(0.0, 0.0);
    #[inline(always)]
    fn lane(self) -> Complex64 {
        self
    }
    #[inline(always)]
    fn add(a: Complex64, b: Complex64) -> Complex64 {
        a + b
    }
    #[inline(always)]
    fn total(lane: Complex64) -> Self::Total {
        Pair(FloatTotal::new(lane.re), FloatTotal::new(lane.im))
    }
    #[inline(always)]
    fn skipped(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }
}

/// The sum; with `SKIP`, NaNs count as zero.
#[derive(Debug)]
pub struct Sum<T, const SKIP: bool>(PhantomData<T>);

impl<T: Summand, const SKIP: bool> Sum<T, SKIP> {
    #[inline(always)]
    fn add(lane: T::Lane, v: T) -> T::Lane {
        let value = if SKIP && v.skipped() { T::ZERO } else { v.lane() };
        T::add(lane, value)
    }
}

impl<T: Summand, const SKIP: bool> Fold for Sum<T, SKIP> {
    type In = T;
    type State = T::Total;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> T::Total {
        if x.len() < 16 {
            return T::total(x.iter().fold(T::ZERO, |lane, v| Self::add(lane, *v)));
        }
        // Accumulators of 8-bit sums could overflow where lanes meet, so they are widened first.
        let lanes: [T::Lane; 32] = lanes(x, T::ZERO, Self::add);
        tree(lanes.map(T::total), T::Total::join)
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [T::Total]) {
        let mut sums = [T::ZERO; STRIP];
        columns(x, rows, &mut sums[..acc.len()], Self::add);
        for (state, sum) in acc.iter_mut().zip(&sums) {
            *state = state.join(T::total(*sum));
        }
    }
}

/// A property of elements that is counted.
pub trait Test<T> {
    /// True if the element counts.
    fn holds(v: T) -> bool;
}

/// Everything but zero.
#[derive(Debug)]
pub struct NonZero;

impl<T: Element> Test<T> for NonZero {
    #[inline(always)]
    fn holds(v: T) -> bool {
        v != T::default()
    }
}

/// Everything but NaN.
#[derive(Debug)]
pub struct NotNan;

impl<T: Summand> Test<T> for NotNan {
    #[inline(always)]
    fn holds(v: T) -> bool {
        !v.skipped()
    }
}

/// Number of elements that pass a test.
#[derive(Debug)]
pub struct Count<T, P>(PhantomData<(T, P)>);

/// Runs `$body` with a counter as wide as the elements, which vectorises best; 128 elements fit the narrowest.
macro_rules! with_counter {
    ($t:ty, $C:ident => $body:expr) => {
        match size_of::<$t>() {
            1 => {
                type $C = u8;
                $body
            }
            2 => {
                type $C = u16;
                $body
            }
            4 => {
                type $C = u32;
                $body
            }
            _ => {
                type $C = u64;
                $body
            }
        }
    };
}

#[allow(clippy::useless_conversion, reason = "the counter is u64 for one of the types only")]
impl<T: Element, P: Test<T>> Fold for Count<T, P> {
    type In = T;
    type State = Total;
    #[inline(always)]
    fn run(x: &[T], _at: u64) -> Total {
        if x.len() < 512 {
            return Total(x.iter().map(|v| u64::from(P::holds(*v))).sum());
        }
        with_counter!(T, C => {
            // So many that the compiler keeps them as an array and vectorises the loop over it.
            let counts: [C; 256] = lanes(x, 0, |n: C, v| n + C::from(P::holds(v)));
            Total(counts.iter().map(|&n| u64::from(n)).sum())
        })
    }
    #[inline(always)]
    fn rows(x: &[T], rows: &[Row], acc: &mut [Total]) {
        with_counter!(T, C => {
            let mut counts = [0 as C; STRIP];
            columns(x, rows, &mut counts[..acc.len()], |n: C, v| n + C::from(P::holds(v)));
            for (state, n) in acc.iter_mut().zip(&counts) {
                *state = state.join(Total(u64::from(*n)));
            }
        });
    }
}
