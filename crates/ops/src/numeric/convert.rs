//! Conversion between element types, as NumPy's `astype` does it.

use voxmill_core::{B8, Complex32, Complex64, Element, bf16, f16};

/// Conversion to `T`, with NumPy's rules: integers wrap, floats truncate towards zero, complex numbers lose their imaginary part,
/// everything but zero is true.
pub trait ConvertTo<T> {
    /// The converted value.
    fn convert(self) -> T;
}

macro_rules! primitive {
    ($from:ty => $($to:ty),*) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as $to
            }
        }
    )*};
}

/// Out of range, a float goes through a 64-bit integer and wraps from there, as NumPy does on x86-64 for narrow types.
macro_rules! float_to_int {
    ($from:ty => $($to:ty),*) => {$(
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as i64 as $to
            }
        }
    )*};
}

macro_rules! integer_source {
    ($($from:ty),*) => {$(
        primitive!($from => u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);
        rest!($from, |v: $from| v as f64, |v: $from| v != 0);
    )*};
}

/// To half floats, complex and bool, by way of `f64`.
macro_rules! rest {
    ($from:ty, $to_f64:expr, $to_bool:expr) => {
        impl ConvertTo<f16> for $from {
            #[inline(always)]
            fn convert(self) -> f16 {
                f16::from_f64($to_f64(self))
            }
        }
        impl ConvertTo<bf16> for $from {
            #[inline(always)]
            fn convert(self) -> bf16 {
                bf16::from_f64($to_f64(self))
            }
        }
        impl ConvertTo<Complex32> for $from {
            #[inline(always)]
            fn convert(self) -> Complex32 {
                Complex32::new($to_f64(self) as f32, 0.0)
            }
        }
        impl ConvertTo<Complex64> for $from {
            #[inline(always)]
            fn convert(self) -> Complex64 {
                Complex64::new($to_f64(self), 0.0)
            }
        }
        impl ConvertTo<B8> for $from {
            #[inline(always)]
            fn convert(self) -> B8 {
                B8::from($to_bool(self))
            }
        }
    };
}

integer_source!(u8, u16, u32, u64, i8, i16, i32, i64);
primitive!(f32 => f32, f64);
primitive!(f64 => f32, f64);
float_to_int!(f32 => u8, u16, u32, i8, i16, i32, i64);
float_to_int!(f64 => u8, u16, u32, i8, i16, i32, i64);
rest!(f32, |v: f32| v as f64, |v: f32| v != 0.0);
rest!(f64, |v: f64| v, |v: f64| v != 0.0);

macro_rules! float_to_u64 {
    ($($from:ty),*) => {$(
        impl ConvertTo<u64> for $from {
            /// Values above the signed range are representable, negative ones wrap.
            #[inline(always)]
            fn convert(self) -> u64 {
                if self >= 9.223372036854775808e18 { self as u64 } else { self as i64 as u64 }
            }
        }
    )*};
}

float_to_u64!(f32, f64);

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

through!(f16, f32, |v: f16| v.to_f32() => u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bf16, Complex32, Complex64, B8);
through!(bf16, f32, |v: bf16| v.to_f32() => u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, f16, Complex32, Complex64, B8);
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
