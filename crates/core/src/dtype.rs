//! Element types, NumPy 2 promotion and casting rules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum DType {
    /// True or false, one byte.
    Bool,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// IEEE half precision.
    F16,
    /// Brain float: 8 exponent bits, 7 mantissa bits.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Complex of two `F32`.
    C64,
    /// Complex of two `F64`.
    C128,
}

/// The family of an element type, in NumPy's order of promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `bool`
    Bool,
    /// unsigned integers
    Unsigned,
    /// signed integers
    Signed,
    /// floating point
    Float,
    /// complex
    Complex,
}

/// How far a cast may go, as in `numpy.can_cast`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Casting {
    /// No change at all.
    No,
    /// Every value must survive.
    Safe,
    /// Within the kind, or to a wider kind.
    SameKind,
    /// Anything.
    #[default]
    Unsafe,
}

impl DType {
    /// Every element type, in promotion order.
    pub const ALL: [DType; 15] = [
        DType::Bool,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 | DType::I8 => 1,
            DType::U16 | DType::I16 | DType::F16 | DType::BF16 => 2,
            DType::U32 | DType::I32 | DType::F32 => 4,
            DType::U64 | DType::I64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// NumPy's name.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// The family.
    pub const fn kind(self) -> Kind {
        match self {
            DType::Bool => Kind::Bool,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Kind::Unsigned,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Signed,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Kind::Float,
            DType::C64 | DType::C128 => Kind::Complex,
        }
    }

    /// True for signed and unsigned integers.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Unsigned | Kind::Signed)
    }

    /// True for floating point, not complex.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// True for complex.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// True where values are exact: booleans and integers.
    pub const fn is_exact(self) -> bool {
        matches!(self.kind(), Kind::Bool | Kind::Unsigned | Kind::Signed)
    }

    /// The float type of the parts of a complex type, or of a computation with this type: `float16` for 8 bits,
    /// `float32` up to 16 bits, `float64` beyond, as NumPy's `sqrt` chooses.
    pub const fn to_float(self) -> DType {
        match self {
            DType::Bool | DType::U8 | DType::I8 | DType::F16 => DType::F16,
            DType::BF16 => DType::BF16,
            DType::U16 | DType::I16 | DType::F32 | DType::C64 => DType::F32,
            DType::U32 | DType::I32 | DType::U64 | DType::I64 | DType::F64 | DType::C128 => DType::F64,
        }
    }

    /// The complex type whose parts hold this type.
    pub const fn to_complex(self) -> DType {
        match self.to_float() {
            DType::F16 | DType::BF16 | DType::F32 => DType::C64,
            _ => DType::C128,
        }
    }

    /// The common type of two arrays, as `numpy.promote_types`. `bfloat16` goes with wider floats as `float16` does; with
    /// `float16` it gives `float32`.
    pub fn promote(self, other: DType) -> DType {
        let (low, high) = if self.kind() <= other.kind() { (self, other) } else { (other, self) };
        match (low.kind(), high.kind()) {
            (a, b) if a == b => promote_same_kind(low, high),
            (Kind::Bool, _) => high,
            (Kind::Unsigned, Kind::Signed) => promote_mixed_sign(low, high),
            (_, Kind::Float) => promote_same_kind(high, float_for_integer(low)),
            (Kind::Float, _) => promote_same_kind(low.to_complex(), high),
            (_, Kind::Complex) => promote_same_kind(float_for_integer(low).to_complex(), high),
            _ => high,
        }
    }

    /// True if a cast from `self` to `to` is allowed under `casting`.
    pub fn can_cast(self, to: DType, casting: Casting) -> bool {
        match casting {
            Casting::No => self == to,
            Casting::Safe => self.promote(to) == to,
            Casting::SameKind => self.kind() <= to.kind(),
            Casting::Unsafe => true,
        }
    }
}

/// Within one kind the wider type wins; the two half-width floats meet at `float32`.
fn promote_same_kind(a: DType, b: DType) -> DType {
    match (a, b) {
        (DType::F16, DType::BF16) | (DType::BF16, DType::F16) => DType::F32,
        _ if a.size() >= b.size() => a,
        _ => b,
    }
}

/// A signed type that holds both, or `float64` where there is none.
fn promote_mixed_sign(unsigned: DType, signed: DType) -> DType {
    if signed.size() > unsigned.size() {
        return signed;
    }
    match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => DType::F64,
    }
}

/// The smallest float NumPy lets an integer of this width meet.
fn float_for_integer(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::F16,
        2 => DType::F32,
        _ => DType::F64,
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = Error;

    /// Reads NumPy's names, Rust's (`u8`), and array-protocol codes (`<u2`, `|b1`); `float`, `int` and `complex` are the 64- and
    /// 128-bit ones.
    fn from_str(text: &str) -> Result<Self, Error> {
        let found = match text.trim_start_matches(['<', '>', '|', '=']) {
            "bool" | "b1" | "?" => DType::Bool,
            "uint8" | "u8" | "u1" => DType::U8,
            "uint16" | "u16" | "u2" => DType::U16,
            "uint32" | "u32" | "u4" => DType::U32,
            "uint64" | "u64" => DType::U64,
            "int8" | "i1" => DType::I8,
            "int16" | "i16" | "i2" => DType::I16,
            "int32" | "i32" | "i4" => DType::I32,
            "int64" | "int" | "i64" => DType::I64,
            "i8" => return Ok(if text.starts_with(['<', '>', '=']) { DType::I64 } else { DType::I8 }),
            "float16" | "half" | "f16" | "f2" => DType::F16,
            "bfloat16" | "bf16" => DType::BF16,
            "float32" | "single" | "f32" | "f4" => DType::F32,
            "float64" | "float" | "double" | "f64" | "f8" => DType::F64,
            "complex64" | "c64" | "c8" => DType::C64,
            "complex128" | "complex" | "c128" | "c16" => DType::C128,
            _ => {
                let names: Vec<_> = DType::ALL.iter().map(|d| d.name()).collect();
                return Err(Error::invalid(format!("unknown dtype '{text}'; known are {}", names.join(", "))));
            }
        };
        // `<u8` is NumPy's code for 64 bits, `u8` Rust's name for 8.
        let coded = text.starts_with(['<', '>', '=']);
        Ok(if coded && found == DType::U8 && text.ends_with('8') { DType::U64 } else { found })
    }
}

impl From<DType> for String {
    fn from(dtype: DType) -> String {
        dtype.name().to_string()
    }
}

impl TryFrom<String> for DType {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_follows_numpy() {
        use DType::*;
        let cases = [
            (U8, I8, I16),
            (U64, I8, F64),
            (U32, I32, I64),
            (Bool, U8, U8),
            (U8, F16, F16),
            (I16, F16, F32),
            (I32, F32, F64),
            (U16, F32, F32),
            (F32, C64, C64),
            (F64, C64, C128),
            (I32, C64, C128),
            (I16, C64, C64),
            (F16, BF16, F32),
            (U8, BF16, F32), // the pair meets where float16 and bfloat16 do
        ];
        for (a, b, want) in cases {
            assert_eq!(a.promote(b), want, "{a} with {b}");
            assert_eq!(b.promote(a), want, "{b} with {a}");
        }
    }

    #[test]
    fn names_codes_and_rust_names_are_read() {
        for dtype in DType::ALL {
            assert_eq!(dtype.name().parse::<DType>().unwrap(), dtype);
        }
        assert_eq!("<u8".parse::<DType>().unwrap(), DType::U64);
        assert_eq!("u8".parse::<DType>().unwrap(), DType::U8);
        assert_eq!(">i8".parse::<DType>().unwrap(), DType::I64);
        assert_eq!("|u1".parse::<DType>().unwrap(), DType::U8);
        assert!("float31".parse::<DType>().unwrap_err().message().contains("float32"));
    }

    #[test]
    fn casting_levels() {
        assert!(DType::U8.can_cast(DType::I16, Casting::Safe));
        assert!(!DType::I16.can_cast(DType::U16, Casting::SameKind));
        assert!(DType::F64.can_cast(DType::F32, Casting::SameKind));
        assert!(!DType::F64.can_cast(DType::I64, Casting::SameKind));
        assert!(DType::F64.can_cast(DType::U8, Casting::Unsafe));
    }
}
