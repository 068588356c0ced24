//! One value of any dtype: literals, fill values and parameters.

use std::fmt;

use num_complex::Complex64;
use serde::{Deserialize, Serialize};

use crate::{DType, Element, dispatch};

/// A single value. Integers are wide enough for every integer dtype.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "ScalarText", try_from = "ScalarText")]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// Any integer.
    Int(i128),
    /// Any real number.
    Float(f64),
    /// A complex number.
    Complex(Complex64),
}

impl Scalar {
    /// As a real number; the imaginary part is dropped.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => b as u8 as f64,
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) => f,
            Scalar::Complex(c) => c.re,
        }
    }

    /// As a complex number.
    pub fn to_c128(self) -> Complex64 {
        match self {
            Scalar::Complex(c) => c,
            other => Complex64::new(other.to_f64(), 0.0),
        }
    }

    /// NumPy's truth value: everything but zero is true.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(f) => f != 0.0,
            Scalar::Complex(c) => c.re != 0.0 || c.im != 0.0,
        }
    }

    /// The dtype NumPy gives the bare value.
    pub fn default_dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(i) if i > i64::MAX as i128 => DType::U64,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F64,
            Scalar::Complex(_) => DType::C128,
        }
    }

    /// The bytes of the value as an element of `dtype`, wrapped as NumPy's `astype` does.
    pub fn to_bytes(self, dtype: DType) -> Vec<u8> {
        dispatch!(all dtype, T => bytemuck::bytes_of(&T::from_scalar(self)).to_vec())
    }

    /// The value in the first bytes of `bytes`, read as `dtype`.
    pub fn from_bytes(bytes: &[u8], dtype: DType) -> Scalar {
        dispatch!(all dtype, T => bytemuck::pod_read_unaligned::<T>(&bytes[..dtype.size()]).to_scalar())
    }

    /// True if an integer `dtype` holds the value exactly; always true for other dtypes and other values.
    pub fn fits(self, dtype: DType) -> bool {
        match self {
            Scalar::Int(i) => dispatch!(int dtype, T => i >= T::MIN as i128 && i <= T::MAX as i128, else true),
            _ => true,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(b) => write!(f, "{b}"),
            Scalar::Int(i) => write!(f, "{i}"),
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Complex(c) => write!(f, "{:?}{}{:?}j", c.re, if c.im < 0.0 { "-" } else { "+" }, c.im.abs()),
        }
    }
}

macro_rules! scalar_from {
    ($($t:ty => $v:ident),*) => {$(
        impl From<$t> for Scalar {
            fn from(value: $t) -> Self {
                Scalar::$v(value.into())
            }
        }
    )*};
}

scalar_from!(bool => Bool, u8 => Int, u16 => Int, u32 => Int, u64 => Int, i8 => Int, i16 => Int, i32 => Int, i64 => Int,
    f32 => Float, f64 => Float, Complex64 => Complex);

impl From<usize> for Scalar {
    fn from(value: usize) -> Self {
        Scalar::Int(value as i128)
    }
}

/// The written form: plain JSON where JSON can say it, strings for what it cannot (`"nan"`, `"inf"`), a pair for complex.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ScalarText {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Word(String),
    Complex([Box<ScalarText>; 2]),
}

impl From<Scalar> for ScalarText {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool(b) => ScalarText::Bool(b),
            Scalar::Int(i) => i64::try_from(i).map_or(ScalarText::Unsigned(i as u64), ScalarText::Signed),
            Scalar::Float(f) if f.is_nan() => ScalarText::Word("nan".into()),
            Scalar::Float(f) if f.is_infinite() => ScalarText::Word(if f > 0.0 { "inf" } else { "-inf" }.into()),
            Scalar::Float(f) => ScalarText::Float(f),
            Scalar::Complex(c) => {
                ScalarText::Complex([Box::new(Scalar::Float(c.re).into()), Box::new(Scalar::Float(c.im).into())])
            }
        }
    }
}

impl TryFrom<ScalarText> for Scalar {
    type Error = String;

    fn try_from(text: ScalarText) -> Result<Self, String> {
        Ok(match text {
            ScalarText::Bool(b) => Scalar::Bool(b),
            ScalarText::Signed(i) => Scalar::Int(i.into()),
            ScalarText::Unsigned(u) => Scalar::Int(u.into()),
            ScalarText::Float(f) => Scalar::Float(f),
            ScalarText::Word(word) => match word.to_ascii_lowercase().as_str() {
                "nan" => Scalar::Float(f64::NAN),
                "inf" | "infinity" | "+inf" => Scalar::Float(f64::INFINITY),
                "-inf" | "-infinity" => Scalar::Float(f64::NEG_INFINITY),
                _ => return Err(format!("'{word}' is not a number; write a number, \"nan\", \"inf\" or \"-inf\"")),
            },
            ScalarText::Complex([re, im]) => {
                let part = |t: Box<ScalarText>| Scalar::try_from(*t).map(Scalar::to_f64);
                Scalar::Complex(Complex64::new(part(re)?, part(im)?))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_for_every_dtype() {
        for dtype in DType::ALL {
            let one = Scalar::Int(1).to_bytes(dtype);
            assert_eq!(one.len(), dtype.size());
            assert_eq!(Scalar::from_bytes(&one, dtype).to_f64(), 1.0);
        }
    }

    #[test]
    fn integers_wrap_as_in_numpy() {
        assert_eq!(u8::from_scalar(Scalar::Int(300)), 44);
        assert_eq!(u8::from_scalar(Scalar::Float(-1.0)), 255);
        assert!(!Scalar::Int(300).fits(DType::U8));
        assert!(Scalar::Int(300).fits(DType::F32));
    }
}
