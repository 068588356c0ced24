//! Arithmetic between plain numbers, as in Python.

use std::cmp::Ordering;

use voxmill_core::{Complex64, Scalar};

/// The value of `a mark b`; the error says why there is none.
pub(super) fn binary(mark: &str, a: Scalar, b: Scalar) -> Result<Scalar, String> {
    if matches!(mark, "==" | "!=" | "<" | "<=" | ">" | ">=") {
        return compare(mark, a, b);
    }
    if let (Scalar::Bool(a), Scalar::Bool(b)) = (a, b) {
        match mark {
            "&" => return Ok(Scalar::Bool(a & b)),
            "|" => return Ok(Scalar::Bool(a | b)),
            "^" => return Ok(Scalar::Bool(a ^ b)),
            _ => {}
        }
    }
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => integers(mark, a, b),
        _ if matches!(a, Scalar::Complex(_)) || matches!(b, Scalar::Complex(_)) => {
            complex(mark, a.to_c128(), b.to_c128())
        }
        _ => floats(mark, a.to_f64(), b.to_f64()),
    }
}

/// The value of `mark a`.
pub(super) fn unary(mark: &str, a: Scalar) -> Result<Scalar, String> {
    match (mark, a) {
        ("~", Scalar::Bool(b)) => Ok(Scalar::Bool(!b)),
        ("~", Scalar::Int(i)) => Ok(Scalar::Int(!i)),
        ("~", other) => Err(format!("~ needs an integer or a boolean, not {other}")),
        ("-", Scalar::Float(f)) => Ok(Scalar::Float(-f)),
        ("-", Scalar::Complex(c)) => Ok(Scalar::Complex(-c)),
        ("-", other) => match integer(other).and_then(i128::checked_neg) {
            Some(i) => Ok(Scalar::Int(i)),
            None => Err(too_large()),
        },
        (_, other) => Ok(integer(other).map_or(other, Scalar::Int)),
    }
}

fn integer(a: Scalar) -> Option<i128> {
    match a {
        Scalar::Bool(b) => Some(b.into()),
        Scalar::Int(i) => Some(i),
        _ => None,
    }
}

fn too_large() -> String {
    "the result is too large for an integer; write one number as a float, such as 2.0".into()
}

fn integers(mark: &str, a: i128, b: i128) -> Result<Scalar, String> {
    let zero = || if b == 0 { "division by zero".to_string() } else { too_large() };
    let value = match mark {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "//" | "%" => {
            let (q, r) = a.checked_div(b).zip(a.checked_rem(b)).ok_or_else(zero)?;
            // Rounds down, and the remainder has the sign of the divisor.
            let down = r != 0 && (r < 0) != (b < 0);
            Some(if mark == "//" { q - i128::from(down) } else { r + if down { b } else { 0 } })
        }
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" | ">>" if b < 0 => return Err("a shift must not be negative".into()),
        "<<" => {
            u32::try_from(b).ok().and_then(|n| 1i128.checked_shl(n)).filter(|f| *f > 0).and_then(|f| a.checked_mul(f))
        }
        ">>" => Some(a >> b.min(127)),
        "**" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        _ => return floats(mark, a as f64, b as f64),
    };
    value.map(Scalar::Int).ok_or_else(too_large)
}

fn floats(mark: &str, a: f64, b: f64) -> Result<Scalar, String> {
    let value = match mark {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b == 0.0 => return Err("division by zero".into()),
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        "**" if a == 0.0 && b < 0.0 => return Err("division by zero".into()),
        "**" if a < 0.0 && b.fract() != 0.0 => {
            return Ok(Scalar::Complex(Complex64::new(a, 0.0).powf(b)));
        }
        "**" => a.powf(b),
        _ => return Err(format!("'{mark}' is not defined between {a:?} and {b:?}")),
    };
    Ok(Scalar::Float(value))
}

fn complex(mark: &str, a: Complex64, b: Complex64) -> Result<Scalar, String> {
    let value = match mark {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b.re == 0.0 && b.im == 0.0 => return Err("division by zero".into()),
        "/" => a / b,
        "**" if b.im == 0.0 && b.re.fract() == 0.0 && b.re.abs() < 1e6 => a.powi(b.re as i32),
        "**" => a.powc(b),
        _ => return Err(format!("'{mark}' is not defined for complex numbers")),
    };
    Ok(Scalar::Complex(value))
}

fn compare(mark: &str, a: Scalar, b: Scalar) -> Result<Scalar, String> {
    if let "==" | "!=" = mark {
        let equal = match (integer(a), integer(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a.to_c128() == b.to_c128(),
        };
        return Ok(Scalar::Bool(equal == (mark == "==")));
    }
    if matches!(a, Scalar::Complex(_)) || matches!(b, Scalar::Complex(_)) {
        return Err("complex numbers have no order".into());
    }
    let order = match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.to_f64().partial_cmp(&b.to_f64()),
    };
    let value = match (mark, order) {
        (_, None) => false,
        ("<", Some(order)) => order == Ordering::Less,
        ("<=", Some(order)) => order != Ordering::Greater,
        (">", Some(order)) => order == Ordering::Greater,
        (_, Some(order)) => order != Ordering::Less,
    };
    Ok(Scalar::Bool(value))
}
