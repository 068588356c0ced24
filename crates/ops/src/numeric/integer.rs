//! Integer arithmetic that never traps: wrapping, and 0 for a division by zero, as NumPy's.

/// An integer in which kernels compute.
pub trait Integer: Copy {
    /// The quotient rounded down; 0 for a zero divisor.
    fn floor_divide(self, divisor: Self) -> Self;
    /// The remainder with the sign of the divisor; 0 for a zero divisor.
    fn remainder(self, divisor: Self) -> Self;
    /// The remainder with the sign of the dividend; 0 for a zero divisor.
    fn fmod(self, divisor: Self) -> Self;
    /// A wrapping power. A negative exponent gives the whole part of the fraction: 0, or 1 and -1 for the bases 1 and -1.
    fn power(self, exponent: Self) -> Self;
    /// Shifted left; 0 for a count below 0 or beyond the width.
    fn left_shift(self, count: Self) -> Self;
    /// Shifted right with the sign; 0 or -1 for a count below 0 or beyond the width.
    fn right_shift(self, count: Self) -> Self;
    /// The largest common divisor.
    fn gcd(self, other: Self) -> Self;
    /// The smallest common multiple, wrapping.
    fn lcm(self, other: Self) -> Self;
    /// -1, 0 or 1.
    fn sign(self) -> Self;
    /// Without its sign, wrapping.
    fn absolute(self) -> Self;
    /// Bits that are set in the absolute value.
    fn bit_count(self) -> u8;
}

macro_rules! shared {
    ($t:ty, $unsigned:ty, $magnitude:expr) => {
        #[inline(always)]
        fn fmod(self, divisor: $t) -> $t {
            if divisor == 0 { 0 } else { self.wrapping_rem(divisor) }
        }
        #[inline(always)]
        fn left_shift(self, count: $t) -> $t {
            let inside = (count as $unsigned) < <$t>::BITS as $unsigned;
            let shifted = self.wrapping_shl(count as u32);
            if inside { shifted } else { 0 }
        }
        #[inline(always)]
        fn gcd(self, other: $t) -> $t {
            let (mut a, mut b): ($unsigned, $unsigned) = ($magnitude(self), $magnitude(other));
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a as $t
        }
        #[inline(always)]
        fn lcm(self, other: $t) -> $t {
            let common = self.gcd(other) as $unsigned;
            if common == 0 {
                return 0;
            }
            let (a, b): ($unsigned, $unsigned) = ($magnitude(self), $magnitude(other));
            (a / common).wrapping_mul(b) as $t
        }
        #[inline(always)]
        fn bit_count(self) -> u8 {
            let magnitude: $unsigned = $magnitude(self);
            magnitude.count_ones() as u8
        }
    };
}

macro_rules! power_loop {
    ($t:ty, $base:expr, $exponent:expr) => {{
        let (mut base, mut left, mut result) = ($base, $exponent, 1 as $t);
        while left > 0 {
            if left & 1 == 1 {
                result = result.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        result
    }};
}

macro_rules! signed {
    ($($t:ty, $unsigned:ty);*) => {$(
        impl Integer for $t {
            shared!($t, $unsigned, |v: $t| v.unsigned_abs());
            #[inline(always)]
            fn floor_divide(self, divisor: $t) -> $t {
                if divisor == 0 {
                    return 0;
                }
                let (quotient, rest) = (self.wrapping_div(divisor), self.wrapping_rem(divisor));
                quotient.wrapping_sub((rest != 0 && (rest < 0) != (divisor < 0)) as $t)
            }
            #[inline(always)]
            fn remainder(self, divisor: $t) -> $t {
                if divisor == 0 {
                    return 0;
                }
                let rest = self.wrapping_rem(divisor);
                if rest != 0 && (rest < 0) != (divisor < 0) { rest + divisor } else { rest }
            }
            #[inline(always)]
            fn power(self, exponent: $t) -> $t {
                if exponent >= 0 {
                    return power_loop!($t, self, exponent);
                }
                match self {
                    1 => 1,
                    -1 => if exponent & 1 == 0 { 1 } else { -1 },
                    _ => 0,
                }
            }
            #[inline(always)]
            fn right_shift(self, count: $t) -> $t {
                let inside = (count as $unsigned) < <$t>::BITS as $unsigned;
                self >> (if inside { count as u32 } else { <$t>::BITS - 1 })
            }
            #[inline(always)]
            fn sign(self) -> $t {
                self.signum()
            }
            #[inline(always)]
            fn absolute(self) -> $t {
                self.wrapping_abs()
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($t:ty),*) => {$(
        impl Integer for $t {
            shared!($t, $t, |v: $t| v);
            #[inline(always)]
            fn floor_divide(self, divisor: $t) -> $t {
                self.checked_div(divisor).unwrap_or(0)
            }
            #[inline(always)]
            fn remainder(self, divisor: $t) -> $t {
                self.checked_rem(divisor).unwrap_or(0)
            }
            #[inline(always)]
            fn power(self, exponent: $t) -> $t {
                power_loop!($t, self, exponent)
            }
            #[inline(always)]
            fn right_shift(self, count: $t) -> $t {
                let shifted = self.wrapping_shr(count as u32);
                if count < <$t>::BITS as $t { shifted } else { 0 }
            }
            #[inline(always)]
            fn sign(self) -> $t {
                (self > 0) as $t
            }
            #[inline(always)]
            fn absolute(self) -> $t {
                self
            }
        }
    )*};
}

signed!(i8, u8; i16, u16; i32, u32; i64, u64);
unsigned!(u8, u16, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_traps() {
        assert_eq!(i8::MIN.floor_divide(-1), i8::MIN);
        assert_eq!(i8::MIN.remainder(-1), 0);
        assert_eq!(7i32.floor_divide(0), 0);
        assert_eq!(7u32.remainder(0), 0);
        assert_eq!((-7i32).floor_divide(2), -4);
        assert_eq!(1i8.left_shift(-1), 0);
        assert_eq!((-5i8).right_shift(100), -1);
        assert_eq!(2i8.power(-1), 0);
        assert_eq!((-1i8).power(-3), -1);
        assert_eq!(i8::MIN.gcd(0), i8::MIN);
        assert_eq!(4i16.lcm(-6), 12);
        assert_eq!((-7i8).bit_count(), 3);
    }
}
