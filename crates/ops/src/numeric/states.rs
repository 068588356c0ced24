//! What is kept of a block while it is reduced: small values that can be joined and written as 64-bit words.
//!
//! Joining is exact for integers. Sums of floats carry their rounding error along (double-double), moments follow Chan, Golub and
//! LeVeque, so neither loses digits over millions of blocks.

use std::marker::PhantomData;

use voxmill_core::Complex64;

use super::order::{Key, Ordered};

/// The reduction of some elements.
pub trait State: Copy {
    /// 64-bit words that hold a state.
    const WORDS: usize;
    /// The reduction of nothing.
    const EMPTY: Self;
    /// The reduction of both.
    fn join(self, other: Self) -> Self;
    /// Writes the state into words.
    fn store(self, words: &mut [u64]);
    /// Reads the state from words.
    fn load(words: &[u64]) -> Self;
}

/// An integer sum that wraps around.
#[derive(Debug, Clone, Copy)]
pub struct Total(pub u64);

impl State for Total {
    const WORDS: usize = 1;
    const EMPTY: Self = Total(0);
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Total(self.0.wrapping_add(other.0))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0;
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Total(words[0])
    }
}

/// An integer product that wraps around.
#[derive(Debug, Clone, Copy)]
pub struct Product(pub u64);

impl State for Product {
    const WORDS: usize = 1;
    const EMPTY: Self = Product(1);
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Product(self.0.wrapping_mul(other.0))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0;
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Product(words[0])
    }
}

/// A product of floats.
#[derive(Debug, Clone, Copy)]
pub struct FloatProduct(pub f64);

impl State for FloatProduct {
    const WORDS: usize = 1;
    const EMPTY: Self = FloatProduct(1.0);
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        FloatProduct(self.0 * other.0)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0.to_bits();
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        FloatProduct(f64::from_bits(words[0]))
    }
}

/// A product of complex numbers.
#[derive(Debug, Clone, Copy)]
pub struct ComplexProduct(pub Complex64);

impl State for ComplexProduct {
    const WORDS: usize = 2;
    const EMPTY: Self = ComplexProduct(Complex64::new(1.0, 0.0));
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        ComplexProduct(self.0 * other.0)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        (words[0], words[1]) = (self.0.re.to_bits(), self.0.im.to_bits());
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        ComplexProduct(Complex64::new(f64::from_bits(words[0]), f64::from_bits(words[1])))
    }
}

/// A sum of floats: the rounded value and what rounding lost.
#[derive(Debug, Clone, Copy)]
pub struct FloatTotal {
    /// The rounded sum.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

impl FloatTotal {
    /// The sum of one number.
    #[inline(always)]
    pub fn new(value: f64) -> Self {
        FloatTotal { high: value, low: 0.0 }
    }

    /// The nearest single number.
    #[inline(always)]
    pub fn get(self) -> f64 {
        // The rest of an infinite or undefined sum means nothing.
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }
}

impl State for FloatTotal {
    const WORDS: usize = 2;
    const EMPTY: Self = FloatTotal { high: 0.0, low: 0.0 };
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        let high = self.high + other.high;
        let part = high - self.high;
        let lost = (self.high - (high - part)) + (other.high - part);
        FloatTotal { high, low: self.low + other.low + lost }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        (words[0], words[1]) = (self.high.to_bits(), self.low.to_bits());
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        FloatTotal { high: f64::from_bits(words[0]), low: f64::from_bits(words[1]) }
    }
}

/// Two states of the same elements side by side.
#[derive(Debug, Clone, Copy)]
pub struct Pair<A, B>(pub A, pub B);

impl<A: State, B: State> State for Pair<A, B> {
    const WORDS: usize = A::WORDS + B::WORDS;
    const EMPTY: Self = Pair(A::EMPTY, B::EMPTY);
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Pair(self.0.join(other.0), self.1.join(other.1))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.0.store(&mut words[..A::WORDS]);
        self.1.store(&mut words[A::WORDS..]);
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Pair(A::load(&words[..A::WORDS]), B::load(&words[A::WORDS..]))
    }
}

/// The smallest (`MAX = false`) or largest key of elements of type `T`.
#[derive(Debug, Clone, Copy)]
pub struct Extreme<T: Ordered, const MAX: bool>(pub T::Key, pub PhantomData<T>);

/// The better of two keys.
#[inline(always)]
pub fn better<K: Ord, const MAX: bool>(a: K, b: K) -> K {
    if (b > a) == MAX && a != b { b } else { a }
}

impl<T: Ordered, const MAX: bool> State for Extreme<T, MAX> {
    const WORDS: usize = T::Key::WORDS;
    const EMPTY: Self = Extreme(if MAX { T::Key::LOW } else { T::Key::HIGH }, PhantomData);
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Extreme(better::<T::Key, MAX>(self.0, other.0), PhantomData)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.0.store(words);
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Extreme(T::Key::load(words), PhantomData)
    }
}

/// An extreme key and the index of its first element; the index is `u64::MAX` as long as there is none.
#[derive(Debug, Clone, Copy)]
pub struct Found<T: Ordered, const MAX: bool> {
    /// The key.
    pub key: T::Key,
    /// Its index in C order over the reduced axes.
    pub at: u64,
}

impl<T: Ordered, const MAX: bool> State for Found<T, MAX> {
    const WORDS: usize = T::Key::WORDS + 1;
    const EMPTY: Self = Found { key: if MAX { T::Key::LOW } else { T::Key::HIGH }, at: u64::MAX };
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        let wins = if self.key == other.key { other.at < self.at } else { (other.key > self.key) == MAX };
        if wins { other } else { self }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.key.store(words);
        words[T::Key::WORDS] = self.at;
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Found { key: T::Key::load(words), at: words[T::Key::WORDS] }
    }
}

/// Number, mean and sum of squared distances from the mean.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    /// Number of elements.
    pub n: f64,
    /// Mean.
    pub mean: f64,
    /// Sum of squared distances from the mean.
    pub squares: f64,
}

impl State for Moments {
    const WORDS: usize = 3;
    const EMPTY: Self = Moments { n: 0.0, mean: 0.0, squares: 0.0 };
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        if other.n == 0.0 {
            return self;
        }
        let n = self.n + other.n;
        let apart = other.mean - self.mean;
        let share = other.n / n;
        Moments {
            n,
            mean: self.mean + apart * share,
            squares: self.squares + other.squares + apart * apart * (self.n * share),
        }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        (words[0], words[1], words[2]) = (self.n.to_bits(), self.mean.to_bits(), self.squares.to_bits());
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let [n, mean, squares] = [0, 1, 2].map(|k| f64::from_bits(words[k]));
        Moments { n, mean, squares }
    }
}

/// Number, sum and sum of squares of small integers: exact for up to 2^47 elements.
#[derive(Debug, Clone, Copy)]
pub struct ExactMoments {
    /// Number of elements.
    pub n: u64,
    /// Sum.
    pub sum: i64,
    /// Sum of squares.
    pub squares: u128,
}

impl State for ExactMoments {
    const WORDS: usize = 4;
    const EMPTY: Self = ExactMoments { n: 0, sum: 0, squares: 0 };
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        ExactMoments {
            n: self.n + other.n,
            sum: self.sum.wrapping_add(other.sum),
            squares: self.squares.wrapping_add(other.squares),
        }
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        (words[0], words[1]) = (self.n, self.sum as u64);
        (words[2], words[3]) = (self.squares as u64, (self.squares >> 64) as u64);
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let squares = u128::from(words[2]) | u128::from(words[3]) << 64;
        ExactMoments { n: words[0], sum: words[1] as i64, squares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_sums_keep_what_rounding_loses() {
        let values = [1e16, 1.0, -1e16, 1.0, 1e-3];
        let sum = values.iter().fold(FloatTotal::EMPTY, |sum, &v| sum.join(FloatTotal::new(v)));
        assert_eq!(sum.get(), 2.001);
        let infinite = FloatTotal::new(f64::INFINITY).join(FloatTotal::new(1.0));
        assert_eq!(infinite.get(), f64::INFINITY);
    }

    #[test]
    fn an_unused_side_changes_nothing() {
        let moments = Moments { n: 3.0, mean: 2.5, squares: 1.0 };
        for joined in [moments.join(Moments::EMPTY), Moments::EMPTY.join(moments)] {
            assert_eq!((joined.n, joined.mean, joined.squares), (3.0, 2.5, 1.0));
        }
    }
}
