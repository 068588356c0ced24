//! Which reductions there are, and the dtypes they give.

use serde::{Deserialize, Serialize};
use voxmill_core::{DType, Error, Kind as DKind, Result};

use super::kernel::work_dtype;

/// The dtypes of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dtypes {
    /// What elements are cast to because the caller wants it; that may lose digits.
    pub asked: DType,
    /// What they are cast to for the loops, without loss.
    pub work: DType,
    /// The dtype of the result.
    pub out: DType,
}

/// A reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Arithmetic mean.
    Mean,
    /// Variance.
    Var,
    /// Standard deviation.
    Std,
    /// Smallest element.
    Min,
    /// Largest element.
    Max,
    /// Largest minus smallest element.
    Ptp,
    /// Index of the first smallest element.
    Argmin,
    /// Index of the first largest element.
    Argmax,
    /// True if any element is not zero.
    Any,
    /// True if no element is zero.
    All,
    /// Number of elements that are not zero.
    CountNonzero,
}

impl Kind {
    /// True where a reduction of nothing has no value.
    pub fn needs_elements(self) -> bool {
        matches!(self, Kind::Min | Kind::Max | Kind::Ptp | Kind::Argmin | Kind::Argmax)
    }

    /// The dtypes that elements are brought to, one after the other, and the dtype of the result, for a wish `dtype`.
    pub fn dtypes(self, input: DType, dtype: Option<DType>) -> Result<Dtypes> {
        let (asked, out) = self.asked(input, dtype)?;
        Ok(Dtypes { asked, work: work_dtype(self, asked), out })
    }

    /// The dtype that elements are brought to because of the wish `dtype`, and the dtype of the result.
    fn asked(self, input: DType, dtype: Option<DType>) -> Result<(DType, DType)> {
        match self {
            Kind::Sum | Kind::Prod => Ok(sum_dtypes(input, dtype)),
            Kind::Mean => {
                let out = dtype.unwrap_or(mean_dtype(input));
                Ok((if out.is_exact() { input } else { mean_input(input, out) }, out))
            }
            Kind::Var | Kind::Std => {
                let work = dtype.unwrap_or(mean_dtype(input));
                let out = if work.is_complex() { work.to_float() } else { work };
                Ok((if dtype.is_none() { input } else { mean_input(input, work) }, out))
            }
            Kind::Min | Kind::Max => Ok((input, input)),
            Kind::Ptp if input == DType::Bool => {
                Err(Error::invalid("ptp subtracts, which is not defined for bool; cast to an integer type first"))
            }
            Kind::Ptp => Ok((input, input)),
            Kind::Argmin | Kind::Argmax | Kind::CountNonzero => Ok((input, DType::I64)),
            Kind::Any | Kind::All => Ok((input, DType::Bool)),
        }
    }
}

/// As NumPy: narrow integers are added up in 64 bits. Integer sums wrap, so that the width asked for only matters at the end.
fn sum_dtypes(input: DType, dtype: Option<DType>) -> (DType, DType) {
    let natural = match input.kind() {
        DKind::Bool | DKind::Signed => DType::I64,
        DKind::Unsigned => DType::U64,
        _ => input,
    };
    match dtype {
        None => (input, natural),
        Some(DType::Bool) => (DType::Bool, DType::Bool),
        Some(out) if out.is_integer() && input.is_exact() => (input, out),
        Some(out) => (out, out),
    }
}

fn mean_dtype(input: DType) -> DType {
    if input.is_exact() { DType::F64 } else { input }
}

/// A wish of at least the natural precision changes nothing about the work, which is done in 64 bits anyway.
fn mean_input(input: DType, out: DType) -> DType {
    if input.promote(out) == out { input } else { out }
}
