//! Rust types behind the element types, and the one macro that goes from a run-time dtype to a generic kernel.

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::{DType, Scalar};

/// A boolean element: one byte that is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct B8(pub u8);

impl B8 {
    /// As a Rust `bool`; any byte but 0 is true.
    #[inline(always)]
    pub fn get(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for B8 {
    #[inline(always)]
    fn from(value: bool) -> Self {
        B8(value as u8)
    }
}

/// A Rust type that can be the element of an array.
pub trait Element: Pod + Send + Sync + std::fmt::Debug + PartialEq + Default + 'static {
    /// Its dtype.
    const DTYPE: DType;
    /// The nearest value to `scalar`, with NumPy's wrapping for integers.
    fn from_scalar(scalar: Scalar) -> Self;
    /// The value as a scalar.
    fn to_scalar(self) -> Scalar;
}

macro_rules! integer_elements {
    ($($t:ty => $d:ident),*) => {$(
        impl Element for $t {
            const DTYPE: DType = DType::$d;
            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Bool(b) => b as $t,
                    Scalar::Int(i) => i as $t,
                    // NumPy truncates through 64 bits, so out-of-range floats wrap instead of saturating.
                    Scalar::Float(f) => f as i64 as $t,
                    Scalar::Complex(c) => c.re as i64 as $t,
                }
            }
            fn to_scalar(self) -> Scalar {
                Scalar::Int(self as i128)
            }
        }
    )*};
}

integer_elements!(u8 => U8, u16 => U16, u32 => U32, u64 => U64, i8 => I8, i16 => I16, i32 => I32, i64 => I64);

macro_rules! float_elements {
    ($($t:ty => $d:ident, $from:expr, $to:expr);*) => {$(
        impl Element for $t {
            const DTYPE: DType = DType::$d;
            fn from_scalar(scalar: Scalar) -> Self {
                $from(scalar.to_f64())
            }
            fn to_scalar(self) -> Scalar {
                Scalar::Float($to(self))
            }
        }
    )*};
}

float_elements!(
    f32 => F32, |v: f64| v as f32, f64::from;
    f64 => F64, |v: f64| v, f64::from;
    f16 => F16, f16::from_f64, f16::to_f64;
    bf16 => BF16, bf16::from_f64, bf16::to_f64
);

impl Element for B8 {
    const DTYPE: DType = DType::Bool;
    fn from_scalar(scalar: Scalar) -> Self {
        B8::from(scalar.to_bool())
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Bool(self.get())
    }
}

impl Element for Complex32 {
    const DTYPE: DType = DType::C64;
    fn from_scalar(scalar: Scalar) -> Self {
        let c = scalar.to_c128();
        Complex32::new(c.re as f32, c.im as f32)
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(Complex64::new(self.re.into(), self.im.into()))
    }
}

impl Element for Complex64 {
    const DTYPE: DType = DType::C128;
    fn from_scalar(scalar: Scalar) -> Self {
        scalar.to_c128()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(self)
    }
}

/// Calls generic code with the Rust type of a run-time dtype: `dispatch!(dtype, T => kernel::<T>(..))`.
///
/// A leading list narrows the types (`dispatch!(int dtype, T => ..)`): `all`, `real` (everything but complex), `int`, `float`,
/// `complex`, `number` (everything but bool). A dtype outside the list evaluates the `else` arm.
#[macro_export]
macro_rules! dispatch {
    (@arms $dtype:expr, $T:ident => $body:expr, [$($D:ident $R:ty),*], $other:expr) => {
        match $dtype {
            $($crate::DType::$D => { type $T = $R; $body })*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
    (all $dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => { type $T = $crate::B8; $body }
            $crate::DType::U8 => { type $T = u8; $body }
            $crate::DType::U16 => { type $T = u16; $body }
            $crate::DType::U32 => { type $T = u32; $body }
            $crate::DType::U64 => { type $T = u64; $body }
            $crate::DType::I8 => { type $T = i8; $body }
            $crate::DType::I16 => { type $T = i16; $body }
            $crate::DType::I32 => { type $T = i32; $body }
            $crate::DType::I64 => { type $T = i64; $body }
            $crate::DType::F16 => { type $T = $crate::f16; $body }
            $crate::DType::BF16 => { type $T = $crate::bf16; $body }
            $crate::DType::F32 => { type $T = f32; $body }
            $crate::DType::F64 => { type $T = f64; $body }
            $crate::DType::C64 => { type $T = $crate::Complex32; $body }
            $crate::DType::C128 => { type $T = $crate::Complex64; $body }
        }
    };
    (real $dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!(@arms $dtype, $T => $body, [Bool $crate::B8, U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16,
            I32 i32, I64 i64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64], $other)
    };
    (number $dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!(@arms $dtype, $T => $body, [U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64,
            F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64, C64 $crate::Complex32, C128 $crate::Complex64], $other)
    };
    (int $dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!(@arms $dtype, $T => $body, [U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32,
            I64 i64], $other)
    };
    (float $dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!(@arms $dtype, $T => $body, [F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64], $other)
    };
    (complex $dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!(@arms $dtype, $T => $body, [C64 $crate::Complex32, C128 $crate::Complex64], $other)
    };
}
