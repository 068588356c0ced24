//! Elements as bytes: byte order, truth values, and the JSON forms of a fill value.

use serde_json::Value;
use voxmill_core::{DType, Error, Result, Scalar};

/// Turns every number around.
pub(crate) fn swap_bytes(bytes: &mut [u8], dtype: DType) {
    // A complex element is two numbers.
    match if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() } {
        2 => swap::<2>(bytes),
        4 => swap::<4>(bytes),
        8 => swap::<8>(bytes),
        _ => {}
    }
}

fn swap<const N: usize>(bytes: &mut [u8]) {
    for number in bytes.as_chunks_mut::<N>().0 {
        number.reverse();
    }
}

/// Makes every truth value 0 or 1; other programs store any non-zero byte.
pub(crate) fn normalize_bools(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = u8::from(*byte != 0);
    }
}

/// True if every element has the bytes of `fill`.
pub(crate) fn is_all(bytes: &[u8], fill: &[u8]) -> bool {
    let n = fill.len();
    // Comparing the bytes with themselves, one element on, is one pass of the fastest loop there is.
    bytes.is_empty() || (bytes.len() >= n && bytes[..n] == *fill && bytes[n..] == bytes[..bytes.len() - n])
}

/// The bytes of the fill value in array metadata. `null` means that missing elements may be anything; they are 0.
pub(crate) fn fill_from_json(value: &Value, dtype: DType) -> Result<Vec<u8>> {
    let wrong = || Error::corrupt(format!("fill_value {value} is not a value of {dtype}"));
    if value.is_null() {
        return Ok(vec![0; dtype.size()]);
    }
    if let Some(bytes) = value.as_str().and_then(|text| hex_bytes(text, dtype.size())) {
        return Ok(bytes);
    }
    if let Some([re, im]) = value.as_array().map(Vec::as_slice).filter(|_| dtype.is_complex()) {
        let half = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
        let mut bytes = fill_from_json(re, half)?;
        bytes.extend(fill_from_json(im, half)?);
        return Ok(bytes);
    }
    let scalar = scalar_from_json(value).ok_or_else(wrong)?;
    let scalar = match scalar {
        Scalar::Float(f) if dtype.is_integer() && f.fract() == 0.0 && f.abs() < 1e19 => Scalar::Int(f as i128),
        Scalar::Float(_) if dtype.is_integer() => return Err(wrong()),
        other => other,
    };
    if scalar.fits(dtype) { Ok(scalar.to_bytes(dtype)) } else { Err(wrong()) }
}

fn scalar_from_json(value: &Value) -> Option<Scalar> {
    match value {
        Value::Bool(b) => Some(Scalar::Bool(*b)),
        Value::Number(n) => {
            let int = n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from));
            int.map(Scalar::Int).or_else(|| n.as_f64().map(Scalar::Float))
        }
        Value::String(text) => match text.as_str() {
            "NaN" => Some(Scalar::Float(f64::NAN)),
            "Infinity" => Some(Scalar::Float(f64::INFINITY)),
            "-Infinity" => Some(Scalar::Float(f64::NEG_INFINITY)),
            text => text.parse().ok().map(Scalar::Float),
        },
        _ => None,
    }
}

/// The bits of a value as version 3 may write them: `"0x7fc00000"`, most significant byte first.
fn hex_bytes(text: &str, size: usize) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    if digits.len() != 2 * size || !digits.is_ascii() {
        return None;
    }
    let bytes = (0..size).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok());
    let mut bytes = bytes.collect::<Option<Vec<u8>>>()?;
    if cfg!(target_endian = "little") {
        bytes.reverse();
    }
    Some(bytes)
}

/// The JSON form of a fill value, the same in both versions for the dtypes we have.
pub(crate) fn fill_to_json(fill: &[u8], dtype: DType) -> Value {
    match Scalar::from_bytes(fill, dtype) {
        Scalar::Bool(b) => b.into(),
        Scalar::Int(i) => i64::try_from(i).map_or_else(|_| (i as u64).into(), Value::from),
        Scalar::Float(f) => float_to_json(f),
        Scalar::Complex(c) => Value::Array(vec![float_to_json(c.re), float_to_json(c.im)]),
    }
}

fn float_to_json(f: f64) -> Value {
    match f {
        f if f.is_nan() => "NaN".into(),
        f if f == f64::INFINITY => "Infinity".into(),
        f if f == f64::NEG_INFINITY => "-Infinity".into(),
        f => f.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fill_values_read_in_all_their_forms() {
        let check =
            |value: Value, dtype, want: &[u8]| assert_eq!(fill_from_json(&value, dtype).unwrap(), want, "{value}");
        check(json!(null), DType::U16, &[0, 0]);
        check(json!(u64::MAX), DType::U64, &[255; 8]);
        check(json!(-1), DType::I16, &[255, 255]);
        check(json!(3.0), DType::U8, &[3]);
        check(json!("NaN"), DType::F32, &f32::NAN.to_ne_bytes());
        check(json!("0x7fc00001"), DType::F32, &0x7fc0_0001u32.to_ne_bytes());
        check(json!("-Infinity"), DType::F64, &f64::NEG_INFINITY.to_ne_bytes());
        check(json!(true), DType::Bool, &[1]);
        check(json!([1.0, "NaN"]), DType::C64, &[1f32.to_ne_bytes(), f32::NAN.to_ne_bytes()].concat());
        for (value, dtype) in
            [(json!(256), DType::U8), (json!(0.5), DType::I32), (json!([1]), DType::C64), (json!("x"), DType::F32)]
        {
            assert!(fill_from_json(&value, dtype).is_err(), "{value} for {dtype}");
        }
    }

    #[test]
    fn fill_values_survive_the_round_trip() {
        for dtype in DType::ALL {
            let fill = Scalar::Int(1).to_bytes(dtype);
            assert_eq!(fill_from_json(&fill_to_json(&fill, dtype), dtype).unwrap(), fill, "{dtype}");
        }
    }

    #[test]
    fn all_fill_is_seen() {
        assert!(is_all(&[1, 2, 1, 2], &[1, 2]));
        assert!(!is_all(&[1, 2, 1, 3], &[1, 2]));
        assert!(is_all(&[], &[1, 2]));
    }
}
