//! Conversion between element types, as NumPy's `astype` does it on x86-64.
//!
//! Integers wrap. Floats lose their fraction towards zero; where the whole part does not fit, C leaves the result open and NumPy gives
//! what the machine gives. Here it is x86-64's answer on every machine: NaN and values beyond the range of the conversion become the
//! smallest integer of its width. Types of 8 and 16 bits convert through 32 bits; unsigned types of 32 and 64 bits convert their upper
//! half with an offset.
#![allow(unsafe_code)]

use voxmill_core::{B8, Complex32, Complex64, Element, bf16, f16};

use super::halves::Half;

/// Conversion to `T`, with NumPy's rules: integers wrap, floats truncate towards zero, complex numbers lose their imaginary part,
/// everything but zero is true.
pub trait ConvertTo<T> {
    /// The converted value.
    fn convert(self) -> T;
}

macro_rules! by_cast {
    ($($from:ty),* => $to:tt) => {$( by_cast!(@one $from, $to); )*};
    (@one $from:ty, ($($to:ty),*)) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as $to
            }
        }
    )*};
}

by_cast!(u8, u16, u32, u64, i8, i16, i32, i64 => (u8, u16, u32, u64, i8, i16, i32, i64, f32, f64));
by_cast!(f32, f64 => (f32, f64));

/// From the integers to the types that have no cast.
macro_rules! from_integer {
    ($($from:ty),*) => {$(
        impl ConvertTo<f16> for $from {
            /// Integers that `f32` would round are beyond `f16` anyway.
            #[inline(always)]
            fn convert(self) -> f16 {
                f16::down(self as f32)
            }
        }
        impl ConvertTo<bf16> for $from {
            #[inline(always)]
            fn convert(self) -> bf16 {
                // Bits that `f64` would round away are kept as one bit below its precision, so that only the last step rounds.
                let wide = self as i128;
                let kept = if wide.unsigned_abs() >> 53 == 0 { wide } else { (wide >> 12 << 12) | 1 << 11 };
                let exact = wide.unsigned_abs() >> 53 == 0 || wide & 0xfff == 0;
                bf16::down_f64(if exact { wide as f64 } else { kept as f64 })
            }
        }
        impl ConvertTo<Complex32> for $from {
            #[inline(always)]
            fn convert(self) -> Complex32 {
                Complex32::new(self as f32, 0.0)
            }
        }
        impl ConvertTo<Complex64> for $from {
            #[inline(always)]
            fn convert(self) -> Complex64 {
                Complex64::new(self as f64, 0.0)
            }
        }
        impl ConvertTo<B8> for $from {
            #[inline(always)]
            fn convert(self) -> B8 {
                B8::from(self != 0)
            }
        }
    )*};
}

from_integer!(u8, u16, u32, u64, i8, i16, i32, i64);

/// From `f32` and `f64`. `$low32` is the largest value below the range of `i32`.
macro_rules! from_float {
    ($from:ty, $low32:expr, $half:ident) => {
        impl ConvertTo<i32> for $from {
            #[inline(always)]
            fn convert(self) -> i32 {
                let inside = self > $low32 && self < 2147483648.0;
                let value: $from = if inside { self } else { -2147483648.0 };
                // SAFETY: the value is finite and its whole part is in the range of i32. An ordinary cast would saturate, which costs
                // a second comparison for nothing.
                unsafe { value.to_int_unchecked::<i32>() }
            }
        }
        impl ConvertTo<i64> for $from {
            #[inline(always)]
            fn convert(self) -> i64 {
                let inside = (-9223372036854775808.0..9223372036854775808.0).contains(&self);
                let value: $from = if inside { self } else { -9223372036854775808.0 };
                // SAFETY: the value is finite and its whole part is in the range of i64.
                unsafe { value.to_int_unchecked::<i64>() }
            }
        }
        impl ConvertTo<u32> for $from {
            #[inline(always)]
            fn convert(self) -> u32 {
                let upper = self >= 2147483648.0;
                let value: $from = if upper { self - 2147483648.0 } else { self };
                ConvertTo::<i32>::convert(value) as u32 ^ (u32::from(upper) << 31)
            }
        }
        impl ConvertTo<u64> for $from {
            #[inline(always)]
            fn convert(self) -> u64 {
                let upper = self >= 9223372036854775808.0;
                let value: $from = if upper { self - 9223372036854775808.0 } else { self };
                ConvertTo::<i64>::convert(value) as u64 ^ (u64::from(upper) << 63)
            }
        }
        from_float!(@narrow $from => u8, u16, i8, i16);
        impl ConvertTo<f16> for $from {
            #[inline(always)]
            fn convert(self) -> f16 {
                f16::$half(self)
            }
        }
        impl ConvertTo<bf16> for $from {
            #[inline(always)]
            fn convert(self) -> bf16 {
                bf16::$half(self)
            }
        }
        impl ConvertTo<Complex32> for $from {
            #[inline(always)]
            fn convert(self) -> Complex32 {
                Complex32::new(self as f32, 0.0)
            }
        }
        impl ConvertTo<Complex64> for $from {
            #[inline(always)]
            fn convert(self) -> Complex64 {
                Complex64::new(self as f64, 0.0)
            }
        }
        impl ConvertTo<B8> for $from {
            #[inline(always)]
            fn convert(self) -> B8 {
                B8::from(self != 0.0)
            }
        }
    };
    (@narrow $from:ty => $($to:ty),*) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                ConvertTo::<i32>::convert(self) as $to
            }
        }
    )*};
}

from_float!(f32, -2147483904.0, down);
from_float!(f64, -2147483649.0, down_f64);

/// A source that converts by first becoming another type.
macro_rules! through {
    ($from:ty, $via:ty, $get:expr => $($to:ty),*) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                ConvertTo::<$to>::convert($get(self) as $via)
            }
        }
    )*};
}

through!(f16, f32, |v: f16| v.up() => u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bf16, Complex32, Complex64, B8);
through!(bf16, f32, |v: bf16| v.up() => u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, f16, Complex32, Complex64, B8);
through!(B8, u8, |v: B8| v.get() as u8 => u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Complex32, Complex64);
through!(Complex32, f32, |v: Complex32| v.re => u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64);
through!(Complex64, f64, |v: Complex64| v.re => u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64);

macro_rules! same {
    ($($t:ty),*) => {$(
        impl ConvertTo<$t> for $t {
            #[inline(always)]
            fn convert(self) -> $t {
                self
            }
        }
    )*};
}

same!(B8, f16, bf16, Complex32, Complex64);

impl ConvertTo<Complex64> for Complex32 {
    #[inline(always)]
    fn convert(self) -> Complex64 {
        Complex64::new(self.re.into(), self.im.into())
    }
}

impl ConvertTo<Complex32> for Complex64 {
    #[inline(always)]
    fn convert(self) -> Complex32 {
        Complex32::new(self.re as f32, self.im as f32)
    }
}

macro_rules! complex_to_bool {
    ($($t:ty),*) => {$(
        impl ConvertTo<B8> for $t {
            #[inline(always)]
            fn convert(self) -> B8 {
                B8::from(self.re != 0.0 || self.im != 0.0)
            }
        }
    )*};
}

complex_to_bool!(Complex32, Complex64);

/// Converts a run of elements.
pub fn convert_slice<A: Element + ConvertTo<B>, B: Element>(src: &[A], dst: &mut [B]) {
    super::simd::map1(src, dst, |v: A| v.convert());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to<B>(v: impl ConvertTo<B>) -> B {
        v.convert()
    }

    #[test]
    fn what_does_not_fit_is_what_x86_64_gives() {
        assert_eq!(to::<i32>(f64::NAN), i32::MIN);
        assert_eq!(to::<i32>(2147483647.9), i32::MAX);
        assert_eq!(to::<i32>(-2147483648.9), i32::MIN);
        assert_eq!(to::<i64>(1e30f32), i64::MIN);
        assert_eq!(to::<u8>(300.7f32), 44);
        assert_eq!(to::<u8>(-1.5f64), 255);
        assert_eq!(to::<u8>(3e9f64), 0);
        assert_eq!(to::<u32>(3e9f64), 3_000_000_000);
        assert_eq!(to::<u32>(f32::INFINITY), 0);
        assert_eq!(to::<u32>(f32::NAN), 1 << 31);
        assert_eq!(to::<u64>(1.8e19f64), 18_000_000_000_000_000_000);
        assert_eq!(to::<u64>(-1.0f32), u64::MAX);
    }

    #[test]
    fn long_integers_round_once() {
        assert_eq!(to::<Complex32>(u64::MAX - (1 << 39)).re, (u64::MAX - (1 << 39)) as f32);
        // A tie between two bfloat16 values, and one more.
        let tie = (1u64 << 63) + (1 << 55);
        assert_eq!(to::<bf16>(tie).up(), 2f32.powi(63));
        assert_eq!(to::<bf16>(tie + 1).up(), 2f32.powi(63) + 2f32.powi(56));
        assert_eq!(to::<bf16>(-(1i64 << 62) - (1 << 54) - 1).up(), -(2f32.powi(62) + 2f32.powi(55)));
    }
}
