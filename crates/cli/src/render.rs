//! Arrays as NumPy prints them.

use voxmill::core::{Chunk, DType, Kind, Scalar};

/// Elements beyond which only the corners are shown, as in NumPy.
const THRESHOLD: usize = 1000;

/// Elements shown at each end of an axis that is cut.
const EDGE: usize = 3;

/// Width of a line.
const WIDTH: usize = 75;

/// The values of `chunk`, large arrays with `...` in the middle.
pub fn values(chunk: &Chunk) -> String {
    if chunk.size() == 0 {
        return "[]".into();
    }
    if chunk.shape().is_empty() {
        return single(chunk.get(&[]), chunk.dtype());
    }
    let cut = chunk.size() > THRESHOLD;
    // The positions that are shown on each axis; `None` is the gap.
    let axes: Vec<Vec<Option<usize>>> = chunk.shape().iter().map(|&n| shown(n, cut)).collect();
    let mut scalars = Vec::new();
    collect(chunk, &axes, &mut Vec::new(), &mut scalars);
    let texts = format_all(&scalars, chunk.dtype());
    let mut text = String::new();
    write(&axes, 0, &mut texts.iter(), &mut text);
    text
}

fn shown(n: usize, cut: bool) -> Vec<Option<usize>> {
    if !cut || n <= 2 * EDGE {
        return (0..n).map(Some).collect();
    }
    (0..EDGE).map(Some).chain([None]).chain((n - EDGE..n).map(Some)).collect()
}

fn collect(chunk: &Chunk, axes: &[Vec<Option<usize>>], at: &mut Vec<usize>, out: &mut Vec<Scalar>) {
    match axes.get(at.len()) {
        None => out.push(chunk.get(at)),
        Some(positions) => {
            for position in positions.iter().flatten() {
                at.push(*position);
                collect(chunk, axes, at, out);
                at.pop();
            }
        }
    }
}

fn write<'a>(
    axes: &[Vec<Option<usize>>],
    depth: usize,
    texts: &mut impl Iterator<Item = &'a String>,
    out: &mut String,
) {
    let Some(positions) = axes.get(depth) else {
        out.push_str(texts.next().map_or("", |text| text));
        return;
    };
    let inner = depth + 1 == axes.len();
    let indent = " ".repeat(depth + 1);
    out.push('[');
    let mut column = indent.len();
    for (k, position) in positions.iter().enumerate() {
        let mut item = String::new();
        match position {
            Some(_) => write(axes, depth + 1, texts, &mut item),
            None => item.push_str("..."),
        }
        if k > 0 && inner {
            let wrap = column + 1 + item.len() >= WIDTH;
            out.push_str(&if wrap { format!("\n{indent}") } else { " ".into() });
            column = if wrap { indent.len() } else { column + 1 };
        } else if k > 0 {
            out.push_str(&"\n".repeat(axes.len() - depth - 1));
            out.push_str(&indent);
        }
        column += item.len();
        out.push_str(&item);
    }
    out.push(']');
}

/// A value without an axis, as Python prints numbers.
fn single(value: Scalar, dtype: DType) -> String {
    match value {
        Scalar::Bool(yes) => if yes { "True" } else { "False" }.into(),
        Scalar::Float(f) if is_single(dtype) => format!("{:?}", f as f32),
        other => other.to_string(),
    }
}

/// True where the parts of the numbers have at most the digits of a `float32`.
fn is_single(dtype: DType) -> bool {
    dtype.size() <= if dtype.is_complex() { 8 } else { 4 }
}

/// All values with the same width.
fn format_all(values: &[Scalar], dtype: DType) -> Vec<String> {
    let single = is_single(dtype);
    match dtype.kind() {
        Kind::Bool => values.iter().map(|v| if v.to_bool() { " True" } else { "False" }.to_string()).collect(),
        Kind::Unsigned | Kind::Signed => align(values.iter().map(Scalar::to_string).collect()),
        Kind::Float => floats(&values.iter().map(|v| v.to_f64()).collect::<Vec<_>>(), single),
        Kind::Complex => {
            let real = floats(&values.iter().map(|v| v.to_c128().re).collect::<Vec<_>>(), single);
            let imag = floats(&values.iter().map(|v| v.to_c128().im.abs()).collect::<Vec<_>>(), single);
            let sign = values.iter().map(|v| if v.to_c128().im.is_sign_negative() { '-' } else { '+' });
            real.iter().zip(&imag).zip(sign).map(|((re, im), sign)| join_complex(re, im, sign)).collect()
        }
    }
}

/// The padding of the imaginary part goes behind the `j`.
fn join_complex(re: &str, im: &str, sign: char) -> String {
    let digits = im.trim();
    format!("{re}{sign}{digits}j{}", " ".repeat(im.len() - digits.len()))
}

fn align(texts: Vec<String>) -> Vec<String> {
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

/// NumPy's choice between fixed and scientific notation, with at most eight digits behind the point.
fn floats(values: &[f64], single: bool) -> Vec<String> {
    let sizes = || values.iter().map(|v| v.abs()).filter(|v| v.is_finite() && *v > 0.0);
    let (max, min) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
    let scientific = max > 0.0 && (max >= 1e8 || min < 1e-4 || max / min > 1000.0);
    let parts: Vec<(String, String, String)> = values.iter().map(|v| split(*v, single, scientific)).collect();
    let places = parts.iter().map(|(_, fraction, _)| fraction.len()).max().unwrap_or(0);
    let join = |(whole, fraction, exponent): &(String, String, String)| {
        if whole.ends_with(|c: char| c.is_ascii_alphabetic()) {
            // A word such as nan ends where the numbers end.
            return whole.clone();
        }
        let fill = if scientific { "0" } else { " " }.repeat(places - fraction.len());
        format!("{whole}.{fraction}{fill}{exponent}")
    };
    align(parts.iter().map(join).collect())
}

/// Digits before the point, behind it, and the exponent.
fn split(value: f64, single: bool, scientific: bool) -> (String, String, String) {
    if !value.is_finite() {
        let word = if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        };
        return (word.into(), String::new(), String::new());
    }
    let shortest = match (single, scientific) {
        (true, false) => (value as f32).to_string(),
        (false, false) => value.to_string(),
        (true, true) => format!("{:e}", value as f32),
        (false, true) => format!("{value:e}"),
    };
    let places = |text: &str| text.split('e').next().and_then(|m| m.split_once('.')).map_or(0, |(_, f)| f.len());
    let text = match (places(&shortest) > 8, scientific) {
        (false, _) => shortest,
        (true, false) => format!("{value:.8}"),
        (true, true) => format!("{value:.8e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = match exponent.parse::<i32>() {
        Ok(e) if scientific => format!("e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs()),
        _ => String::new(),
    };
    (whole.into(), fraction.trim_end_matches('0').into(), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use voxmill::core::{B8, Complex64};

    #[track_caller]
    fn check(chunk: voxmill::core::Result<Chunk>, expected: &str) {
        assert_eq!(values(&chunk.unwrap()), expected);
    }

    #[test]
    fn small_arrays_look_as_in_numpy() {
        check(Chunk::from_slice(&[1i32, 20, -3, 4, 5, 6], &[2, 3]), "[[ 1 20 -3]\n [ 4  5  6]]");
        check(Chunk::from_slice(&[1.0f64, 1.25], &[2]), "[1.   1.25]");
        check(Chunk::from_slice(&[0.1f32, -2.0, f32::NAN], &[3]), "[ 0.1 -2.   nan]");
        check(Chunk::from_slice(&[1.0f64, 1.25e6], &[2]), "[1.00e+00 1.25e+06]");
        check(Chunk::from_slice(&[1.0f64 / 3.0, 2.0], &[2]), "[0.33333333 2.        ]");
        check(Chunk::from_slice(&[B8(1), B8(0)], &[2]), "[ True False]");
        check(Chunk::from_slice(&[Complex64::new(1.0, -2.5), Complex64::new(0.0, 2.0)], &[2]), "[1.-2.5j 0.+2.j ]");
        check(Chunk::from_slice(&[7u8], &[]), "7");
        check(Chunk::from_slice(&[0.1f32], &[]), "0.1");
        check(Chunk::from_slice(&[3.0f64], &[]), "3.0");
        check(Chunk::from_slice::<u8>(&[], &[0, 3]), "[]");
        check(Chunk::from_slice(&[1u8, 2, 3, 4], &[2, 1, 2]), "[[[1 2]]\n\n [[3 4]]]");
    }

    #[test]
    fn large_arrays_are_cut_and_long_lines_wrapped() {
        let many: Vec<i64> = (0..2000).collect();
        check(Chunk::from_slice(&many, &[2000]), "[   0    1    2 ... 1997 1998 1999]");
        let text = values(&Chunk::from_slice(&many, &[50, 40]).unwrap());
        assert_eq!(text.lines().count(), 7);
        assert_eq!(text.lines().nth(3), Some(" ..."));
        let line = values(&Chunk::from_slice(&many[..100], &[100]).unwrap());
        assert!(line.lines().count() > 3 && line.lines().all(|l| l.len() <= 76), "{line}");
    }
}
