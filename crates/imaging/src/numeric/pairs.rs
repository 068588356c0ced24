//! Sums over features for all pairs of rows: the loops of distances that are no products.
//!
//! Rows lie in panels of a few hundred features, so that a group of them stays in the second-level cache and eight accumulators stay in
//! registers. Each pair is added up in the same lanes and the same order wherever it lies, so its bits do not depend on tiles.

use voxmill_core::Element;
use voxmill_ops::numeric::simd::{self, Loop};

/// Where the sums of a box of pairs go: `states` matrices of `rows` x `cols`.
#[derive(Debug)]
pub struct Target<'a> {
    /// The sums.
    pub sums: &'a mut [f64],
    /// Number of rows and of columns.
    pub shape: (usize, usize),
    /// The first state in `sums`, and how many of them there are.
    pub states: (usize, usize),
    /// First row and first column, where only pairs with `row <= column` are wanted.
    pub upper: Option<(usize, usize)>,
}

impl Target<'_> {
    /// True if the pair is wanted.
    #[inline(always)]
    pub fn wants(&self, i: usize, j: usize) -> bool {
        self.upper.is_none_or(|(row, col)| row + i <= col + j)
    }

    /// Where the sum of a pair stands.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> usize {
        i * self.shape.1 + j
    }

    /// Where the state `s` of a pair stands, if it is asked for.
    #[inline(always)]
    fn state(&self, s: usize, i: usize, j: usize) -> Option<usize> {
        let wanted = (self.states.0..self.states.0 + self.states.1).contains(&s);
        wanted.then(|| (s - self.states.0) * self.shape.0 * self.shape.1 + self.at(i, j))
    }
}

/// Rows of features in one block of memory, each `stride` long and filled up with zeros.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a, C> {
    /// All rows.
    pub values: &'a [C],
    /// Elements from row to row; a multiple of 64.
    pub stride: usize,
}

impl<'a, C> Panel<'a, C> {
    /// Row `i`, or the last one: groups at the end repeat it.
    #[inline(always)]
    pub fn row(&self, i: usize, n: usize) -> &'a [C] {
        let i = i.min(n - 1);
        &self.values[i * self.stride..(i + 1) * self.stride]
    }
}

/// A floating-point type in which differences are taken.
pub trait Lane: Element + num_traits::Float + Into<f64> {}

impl Lane for f32 {}
impl Lane for f64 {}

/// What a feature adds to the sums of a pair.
pub trait Rule<C, const S: usize>: Copy {
    /// What values `a` and `b` add.
    fn terms(self, a: C, b: C) -> [C; S];

    /// A sum with one more term.
    #[inline(always)]
    fn join(sum: C, term: C) -> C
    where
        C: Lane,
    {
        sum + term
    }

    /// Sums of two parts together.
    #[inline(always)]
    fn merge(sum: f64, part: f64) -> f64 {
        sum + part
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $s:literal, |$self:ident, $a:ident, $b:ident| $terms:expr);* $(;)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
        impl<C: Lane> Rule<C, $s> for $name {
            #[inline(always)]
            fn terms($self, $a: C, $b: C) -> [C; $s] {
                $terms
            }
        }
    )*};
}

#[inline(always)]
fn count<C: Lane>(condition: bool) -> C {
    if condition { C::one() } else { C::zero() }
}

rules! {
    /// `(a - b)^2`
    Squares, 1, |self, a, b| [(a - b) * (a - b)];
    /// `|a - b|`
    Differences, 1, |self, a, b| [(a - b).abs()];
    /// `|a - b| / (|a| + |b|)`, 0 for two zeros
    Shares, 1, |self, a, b| {
        let whole = a.abs() + b.abs();
        [if whole == C::zero() { C::zero() } else { (a - b).abs() / whole }]
    };
    /// 1 where they differ
    Differing, 1, |self, a, b| [count(a != b)];
    /// `|a - b|` and `|a + b|`
    DifferencesAndSums, 2, |self, a, b| [(a - b).abs(), (a + b).abs()];
    /// For zeros and ones: 1 where only one of both is zero, and 1 where not both are
    OnlyOne, 2, |self, a, b| [(a - b).abs(), if a > b { a } else { b }];
}

/// The largest `|a - b|`; NaN is passed over.
#[derive(Debug, Clone, Copy)]
pub struct Largest;

impl<C: Lane> Rule<C, 1> for Largest {
    #[inline(always)]
    fn terms(self, a: C, b: C) -> [C; 1] {
        [(a - b).abs()]
    }

    #[inline(always)]
    fn join(sum: C, term: C) -> C {
        if term > sum { term } else { sum }
    }

    #[inline(always)]
    fn merge(sum: f64, part: f64) -> f64 {
        if part > sum { part } else { sum }
    }
}

/// `|a - b|^p` for a whole `p`, perhaps with a half.
#[derive(Debug, Clone, Copy)]
pub struct WholePower<const N: u32, const HALF: bool>;

impl<C: Lane, const N: u32, const HALF: bool> Rule<C, 1> for WholePower<N, HALF> {
    #[inline(always)]
    fn terms(self, a: C, b: C) -> [C; 1] {
        let d = (a - b).abs();
        let mut power = if HALF { d.sqrt() } else { C::one() };
        for _ in 0..N {
            power = power * d;
        }
        [power]
    }
}

/// `|a - b|^p`
#[derive(Debug, Clone, Copy)]
pub struct Power(pub f64);

impl<C: Lane> Rule<C, 1> for Power {
    #[inline(always)]
    fn terms(self, a: C, b: C) -> [C; 1] {
        [C::from((a - b).abs().into().powf(self.0)).unwrap_or_else(C::nan)]
    }
}

/// A rule that passes over features where one of both is NaN.
#[derive(Debug, Clone, Copy)]
pub struct Known<R>(pub R);

impl<C: Lane, const S: usize, R: Rule<C, S>> Rule<C, S> for Known<R> {
    #[inline(always)]
    fn terms(self, a: C, b: C) -> [C; S] {
        let unknown = a.is_nan() | b.is_nan();
        self.0.terms(a, b).map(|term| if unknown { C::zero() } else { term })
    }

    #[inline(always)]
    fn join(sum: C, term: C) -> C {
        R::join(sum, term)
    }

    #[inline(always)]
    fn merge(sum: f64, part: f64) -> f64 {
        R::merge(sum, part)
    }
}

/// Adds what the features of two panels give to the sums of all wanted pairs.
pub fn add_panels<C: Lane, const S: usize, R: Rule<C, S>>(
    rule: R,
    a: Panel<'_, C>,
    b: Panel<'_, C>,
    target: &mut Target<'_>,
) {
    struct Work<'a, 'b, C, R, const S: usize>(R, Panel<'a, C>, Panel<'a, C>, &'a mut Target<'b>);
    impl<C: Lane, R: Rule<C, S>, const S: usize> Loop for Work<'_, '_, C, R, S> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            let Work(rule, a, b, target) = self;
            // Accumulators of one vector each: eight for one state, as many for two.
            match (size_of::<C>(), S) {
                (4, 1) => groups::<C, S, R, 2, 4, 8>(rule, a, b, target),
                (4, _) => groups::<C, S, R, 1, 4, 8>(rule, a, b, target),
                (_, 1) => groups::<C, S, R, 2, 4, 4>(rule, a, b, target),
                _ => groups::<C, S, R, 1, 4, 4>(rule, a, b, target),
            }
        }
    }
    simd::dispatch(Work(rule, a, b, target));
}

/// Columns that stay in the first-level cache while all rows pass: a multiple of four.
#[inline(always)]
pub(super) fn group_of<C>(panel: &Panel<'_, C>) -> usize {
    const BYTES: usize = 16 << 10;
    (BYTES / (panel.stride * size_of::<C>()).max(1)).max(4) / 4 * 4
}

#[inline(always)]
fn groups<C: Lane, const S: usize, R: Rule<C, S>, const RA: usize, const RB: usize, const L: usize>(
    rule: R,
    a: Panel<'_, C>,
    b: Panel<'_, C>,
    target: &mut Target<'_>,
) {
    let (rows, cols) = target.shape;
    let group = group_of(&b);
    for first in (0..cols).step_by(group) {
        for i in (0..rows).step_by(RA) {
            for j in (first..(first + group).min(cols)).step_by(RB) {
                if !target.wants(i, (j + RB - 1).min(cols - 1)) {
                    continue;
                }
                let left: [&[C]; RA] = std::array::from_fn(|k| a.row(i + k, rows));
                let right: [&[C]; RB] = std::array::from_fn(|k| b.row(j + k, cols));
                let sums = tile::<C, S, R, RA, RB, L>(rule, left, right);
                store::<C, S, R, RA, RB>(&sums, i, j, target);
            }
        }
    }
}

#[inline(always)]
fn store<C: Lane, const S: usize, R: Rule<C, S>, const RA: usize, const RB: usize>(
    sums: &[[[f64; RB]; RA]; S],
    i: usize,
    j: usize,
    target: &mut Target<'_>,
) {
    for (s, sums) in sums.iter().enumerate() {
        for (k, sums) in sums.iter().enumerate().take(target.shape.0 - i) {
            for (l, &sum) in sums.iter().enumerate().take(target.shape.1 - j) {
                if target.wants(i + k, j + l)
                    && let Some(at) = target.state(s, i + k, j + l)
                {
                    target.sums[at] = R::merge(target.sums[at], sum);
                }
            }
        }
    }
}

#[inline(always)]
fn tile<C: Lane, const S: usize, R: Rule<C, S>, const RA: usize, const RB: usize, const L: usize>(
    rule: R,
    a: [&[C]; RA],
    b: [&[C]; RB],
) -> [[[f64; RB]; RA]; S] {
    let (a, b) = (a.map(|row| row.as_chunks::<L>().0), b.map(|row| row.as_chunks::<L>().0));
    let mut lanes = [[[[C::zero(); L]; RB]; RA]; S];
    for k in 0..a[0].len() {
        for i in 0..RA {
            let left = &a[i][k];
            for j in 0..RB {
                let right = &b[j][k];
                let terms: [[C; S]; L] = std::array::from_fn(|l| rule.terms(left[l], right[l]));
                for s in 0..S {
                    let sums = &mut lanes[s][i][j];
                    *sums = std::array::from_fn(|l| R::join(sums[l], terms[l][s]));
                }
            }
        }
    }
    lanes.map(|lanes| lanes.map(|lanes| lanes.map(|lanes| lanes.iter().fold(0.0, |sum, &v| R::merge(sum, v.into())))))
}
