//! Signatures that several ufuncs share: from the inputs to the dtypes of a kernel, as NumPy 2 resolves them.

use voxmill_core::smallvec::smallvec;
use voxmill_core::{DType, Error, Kind, Result, Scalar};

use super::{Operand, Signature, common, promote};

/// The error for inputs that an op does not take; `takes` says what it does.
fn refuse(operands: &[Operand], takes: &str) -> Error {
    let names: Vec<&str> = operands.iter().map(|o| o.dtype.name()).collect();
    Error::invalid(format!("not defined for {}; it takes {takes}", names.join(" and ")))
}

/// The common dtype goes in and comes out.
pub fn same(ins: &[Operand]) -> Result<Signature> {
    promote(ins).map(|d| Signature::uniform(ins.len(), d, d))
}

/// As [`same`], for numbers only.
pub fn numbers(ins: &[Operand]) -> Result<Signature> {
    match promote(ins)? {
        DType::Bool => Err(refuse(ins, "numbers; use logical_xor or logical_not on booleans")),
        d => Ok(Signature::uniform(ins.len(), d, d)),
    }
}

/// As [`same`], where booleans count as `int8`.
pub fn bool_as_int8(ins: &[Operand]) -> Result<Signature> {
    let d = promote(ins)?;
    let d = if d == DType::Bool { DType::I8 } else { d };
    Ok(Signature::uniform(ins.len(), d, d))
}

/// As [`bool_as_int8`], without complex numbers.
pub fn real_bool_as_int8(ins: &[Operand]) -> Result<Signature> {
    let signature = bool_as_int8(ins)?;
    if signature.out.is_complex() { Err(refuse(ins, "real numbers")) } else { Ok(signature) }
}

/// As [`same`], without complex numbers.
pub fn real(ins: &[Operand]) -> Result<Signature> {
    let signature = same(ins)?;
    if signature.out.is_complex() { Err(refuse(ins, "real numbers")) } else { Ok(signature) }
}

/// Integers and booleans.
pub fn bits(ins: &[Operand]) -> Result<Signature> {
    match promote(ins) {
        Ok(d) if d.is_exact() => Ok(Signature::uniform(ins.len(), d, d)),
        Ok(_) => Err(refuse(ins, "integers and booleans that have a common integer type")),
        Err(e) => Err(e),
    }
}

/// Integers; booleans count as `int8`.
pub fn shifts(ins: &[Operand]) -> Result<Signature> {
    bits(ins)?;
    bool_as_int8(ins)
}

/// Integers only.
pub fn integers(ins: &[Operand]) -> Result<Signature> {
    match bits(ins)? {
        signature if signature.out == DType::Bool => Err(refuse(ins, "integers")),
        signature => Ok(signature),
    }
}

/// The float type in which real inputs are computed: `float16` up to 8 bits, `float32` up to 16 bits, `float64` beyond.
pub fn float_type(ins: &[Operand]) -> Result<DType> {
    if ins.iter().any(|o| o.dtype.is_complex()) {
        return Err(refuse(ins, "real numbers"));
    }
    let strong = ins.iter().filter(|o| o.weak.is_none());
    let Some(kind) = strong.clone().map(|o| o.dtype.kind()).max() else { return Ok(common(ins)?.to_float()) };
    // A bare number only lifts the kind, and then to the default type of that kind.
    let lifted = ins.iter().filter_map(|o| o.weak).any(|value| match value {
        Scalar::Float(_) => kind < Kind::Float,
        Scalar::Int(_) => kind == Kind::Bool,
        _ => false,
    });
    if lifted {
        return Ok(DType::F64);
    }
    strong.map(|o| o.dtype.to_float()).reduce(DType::promote).ok_or_else(|| Error::internal("no inputs"))
}

/// Floats in, floats out.
pub fn floats(ins: &[Operand]) -> Result<Signature> {
    float_type(ins).map(|d| Signature::uniform(ins.len(), d, d))
}

/// Floats in, booleans out.
pub fn floats_to_bool(ins: &[Operand]) -> Result<Signature> {
    float_type(ins).map(|d| Signature::uniform(ins.len(), d, DType::Bool))
}

/// One float or complex input, of the same type as the output.
pub fn inexact(ins: &[Operand]) -> Result<Signature> {
    match ins[0].dtype {
        d if d.is_complex() => Ok(Signature::uniform(1, d, d)),
        _ => floats(ins),
    }
}

/// As [`same`], with `float64` for everything exact.
pub fn quotient(ins: &[Operand]) -> Result<Signature> {
    let d = common(ins)?;
    let d = if d.is_exact() { DType::F64 } else { d };
    Ok(Signature::uniform(ins.len(), d, d))
}

/// `float64`, or `complex128` where an input is complex.
pub fn widest(ins: &[Operand]) -> Result<Signature> {
    let d = if common(ins)?.is_complex() { DType::C128 } else { DType::F64 };
    Ok(Signature::uniform(ins.len(), d, d))
}

/// Truth values in and out.
pub fn truth(ins: &[Operand]) -> Result<Signature> {
    Ok(Signature::uniform(ins.len(), DType::Bool, DType::Bool))
}

/// A question about one float or complex number. Exact inputs come as booleans, for which the answer is always the same.
pub fn question(ins: &[Operand]) -> Result<Signature> {
    let d = if ins[0].dtype.is_exact() { DType::Bool } else { ins[0].dtype };
    Ok(Signature::uniform(1, d, DType::Bool))
}

/// A comparison. Integers compare by value, also `uint64` with signed ones and with bare numbers that the array's type cannot hold.
pub fn comparison(ins: &[Operand]) -> Result<Signature> {
    let d = common(ins)?;
    if d.is_exact() && ins.iter().filter_map(|o| o.weak).all(|value| value.fits(d)) {
        return Ok(Signature::uniform(2, d, DType::Bool));
    }
    if !ins.iter().all(|o| o.dtype.is_exact()) {
        return Ok(Signature::uniform(2, d, DType::Bool));
    }
    let wide = |o: &Operand| match (o.weak, o.dtype) {
        (Some(value), _) if !value.fits(DType::I64) => DType::U64,
        (None, DType::U64) => DType::U64,
        _ => DType::I64,
    };
    Ok(Signature { ins: ins.iter().map(wide).collect(), out: DType::Bool })
}

/// A float and a whole exponent.
pub fn float_and_exponent(ins: &[Operand]) -> Result<Signature> {
    let exponent = ins[1].dtype;
    if !exponent.can_cast(DType::I64, voxmill_core::Casting::Safe) {
        return Err(Error::invalid(format!("the exponent must be an integer that fits int64, got {exponent}")));
    }
    let d = float_type(&ins[..1])?;
    Ok(Signature { ins: smallvec![d, DType::I64], out: d })
}

/// A condition and two alternatives.
pub fn choice(ins: &[Operand]) -> Result<Signature> {
    let d = promote(&ins[1..])?;
    Ok(Signature { ins: smallvec![DType::Bool, d, d], out: d })
}

/// The real type of the parts of a number; real numbers stay.
pub fn part(ins: &[Operand]) -> Result<Signature> {
    let d = ins[0].dtype;
    Ok(Signature::uniform(1, d, if d.is_complex() { d.to_float() } else { d }))
}
