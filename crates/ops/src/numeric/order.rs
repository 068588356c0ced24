//! Elements as integers in the same order, so that one integer loop finds extremes of every type.

use voxmill_core::{Complex64, Element};

/// An integer key, or a pair of them for complex numbers.
pub trait Key: Copy + Ord + std::fmt::Debug {
    /// 64-bit words that hold a key.
    const WORDS: usize;
    /// Below every key of a number; for floats, the key of a NaN.
    const LOW: Self;
    /// Above every key of a number; for floats, the key of a NaN.
    const HIGH: Self;
    /// Writes the key into words.
    fn store(self, words: &mut [u64]);
    /// Reads the key from words.
    fn load(words: &[u64]) -> Self;
}

macro_rules! integer_key {
    ($($t:ty),*) => {$(
        impl Key for $t {
            const WORDS: usize = 1;
            const LOW: Self = <$t>::MIN;
            const HIGH: Self = <$t>::MAX;
            #[inline(always)]
            fn store(self, words: &mut [u64]) {
                words[0] = self as u64;
            }
            #[inline(always)]
            fn load(words: &[u64]) -> Self {
                words[0] as $t
            }
        }
    )*};
}

integer_key!(u8, u16, u32, u64, i8, i16, i32, i64);

impl Key for (i64, i64) {
    const WORDS: usize = 2;
    const LOW: Self = (i64::MIN, i64::MIN);
    const HIGH: Self = (i64::MAX, i64::MAX);
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        (words[0], words[1]) = (self.0 as u64, self.1 as u64);
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        (words[0] as i64, words[1] as i64)
    }
}

/// A key of one integer, as unsigned digits in the same order.
pub trait Digits: Key {
    /// The key as an unsigned number of the same width.
    fn digits(self) -> u64;
    /// The key of such a number.
    fn from_digits(digits: u64) -> Self;
}

macro_rules! digits {
    ($($t:ty, $unsigned:ty),*) => {$(
        impl Digits for $t {
            #[inline(always)]
            fn digits(self) -> u64 {
                // Subtracting the smallest value turns signed order into unsigned order, and leaves unsigned numbers alone.
                (self as $unsigned).wrapping_sub(<$t>::MIN as $unsigned).into()
            }
            #[inline(always)]
            fn from_digits(digits: u64) -> Self {
                (digits as $unsigned).wrapping_add(<$t>::MIN as $unsigned) as $t
            }
        }
    )*};
}

digits!(u8, u8, u16, u16, u32, u32, u64, u64, i8, u8, i16, u16, i32, u32, i64, u64);

/// An element with a place in NumPy's order: complex numbers by their real, then by their imaginary part.
pub trait Ordered: Element {
    /// Its key.
    type Key: Key;
    /// The key; that of a NaN is arbitrary.
    fn key(self) -> Self::Key;
    /// The element of a key; a NaN for [`Key::LOW`] and [`Key::HIGH`] of floats.
    fn unkey(key: Self::Key) -> Self;
    /// True for not-a-number.
    #[inline(always)]
    fn unordered(self) -> bool {
        false
    }
    /// The same value with the sign of zero removed, so that equal values have equal keys.
    #[inline(always)]
    fn plain(self) -> Self {
        self
    }
}

macro_rules! integer_order {
    ($($t:ty),*) => {$(
        impl Ordered for $t {
            type Key = $t;
            #[inline(always)]
            fn key(self) -> $t {
                self
            }
            #[inline(always)]
            fn unkey(key: $t) -> $t {
                key
            }
        }
    )*};
}

integer_order!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! float_order {
    ($($t:ty, $bits:ty, $key:ty, $zero:expr);*) => {$(
        impl Ordered for $t {
            type Key = $key;
            #[inline(always)]
            fn key(self) -> $key {
                flip::<$key>(self.to_bits() as $key)
            }
            #[inline(always)]
            fn unkey(key: $key) -> $t {
                <$t>::from_bits(flip::<$key>(key) as $bits)
            }
            #[inline(always)]
            fn unordered(self) -> bool {
                let magnitude = self.to_bits() & (<$bits>::MAX >> 1);
                magnitude > <$t>::INFINITY.to_bits()
            }
            #[inline(always)]
            fn plain(self) -> Self {
                if self.to_bits() << 1 == 0 { $zero } else { self }
            }
        }
    )*};
}

/// Signed integers whose negative half can be turned around.
trait Flip {
    fn flipped(self) -> Self;
}

macro_rules! flip {
    ($($t:ty, $shift:expr);*) => {$(
        impl Flip for $t {
            #[inline(always)]
            fn flipped(self) -> Self {
                self ^ ((self >> $shift) & <$t>::MAX)
            }
        }
    )*};
}

flip!(i32, 31; i64, 63);

/// The bits of a negative float run backwards; turning them around gives the order of signed integers, and back.
#[inline(always)]
fn flip<K: Flip>(bits: K) -> K {
    bits.flipped()
}

float_order!(f32, u32, i32, 0.0; f64, u64, i64, 0.0);

impl Ordered for Complex64 {
    type Key = (i64, i64);
    #[inline(always)]
    fn key(self) -> (i64, i64) {
        (self.re.plain().key(), self.im.plain().key())
    }
    #[inline(always)]
    fn unkey(key: (i64, i64)) -> Self {
        Complex64::new(f64::unkey(key.0), f64::unkey(key.1))
    }
    #[inline(always)]
    fn unordered(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_and_come_back() {
        let values = [f32::NEG_INFINITY, -1e30, -1.5, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::MAX, f32::INFINITY];
        for pair in values.windows(2) {
            assert!(pair[0].key() < pair[1].key(), "{pair:?}");
        }
        for value in values {
            assert_eq!(f32::unkey(value.key()).to_bits(), value.to_bits());
        }
        assert!(f32::unkey(i32::LOW).is_nan() && f32::unkey(i32::HIGH).is_nan());
        for key in [i32::MIN, -5, 0, 7, i32::MAX] {
            assert_eq!(i32::from_digits(key.digits()), key);
        }
        assert!((-5i32).digits() < 7i32.digits());
        assert_eq!((-0.0f64).plain().key(), 0.0f64.key());
    }
}
