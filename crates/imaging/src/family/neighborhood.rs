//! Filters that look at neighbours: what lies beyond the border, and which box a window needs.
//!
//! Boxes are clipped to the array; a kernel asks [`Border::source`] for every position outside. This gives the answer of the whole
//! array for any halo, also one longer than the array. Wrapping around needs the far end of the axis, so a long axis is first
//! extended by slices of itself ([`wrapped`]), and no box grows to the whole axis.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use voxmill_core::{Error, Result};
use voxmill_plan::{Array, Param};

use voxmill_ops::TABLE;

/// What lies beyond the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Border {
    /// `d c b a | a b c d | d c b a`
    #[default]
    #[serde(alias = "grid-mirror")]
    Reflect,
    /// `d c b | a b c d | c b a`
    Mirror,
    /// `a a a a | a b c d | d d d d`
    Nearest,
    /// One value.
    #[serde(alias = "grid-constant")]
    Constant,
    /// `a b c d | a b c d | a b c d`
    #[serde(alias = "grid-wrap")]
    Wrap,
    /// Nothing: the result is shorter by the halo.
    Valid,
}

/// The parameter `mode`.
pub const MODE: Param = Param {
    name: "mode",
    kind: "\"reflect\", \"mirror\", \"nearest\", \"constant\", \"wrap\" or \"valid\"",
    default: Some("\"reflect\""),
    doc: "what lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value; cval; the other \
          side; or nothing, which makes the result shorter by the halo",
};

/// The parameter `cval`.
pub const CVAL: Param = Param {
    name: "cval",
    kind: "number",
    default: Some("0.0"),
    doc: "the value beyond the border for mode \"constant\"",
};

/// How far a window reaches before and after its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halo {
    /// Positions before.
    pub before: usize,
    /// Positions after.
    pub after: usize,
}

impl Border {
    /// The position inside an axis of `n` whose value stands at position `at`; `None` for the constant. With [`Border::Valid`]
    /// positions count from the first whole window.
    pub fn source(self, at: i64, n: usize, halo: Halo) -> Option<usize> {
        let n = n as i64;
        let inside = match self {
            Border::Valid => at + halo.before as i64,
            _ if (0..n).contains(&at) => at,
            Border::Constant => return None,
            Border::Nearest => at.clamp(0, n - 1),
            Border::Wrap => at.rem_euclid(n),
            Border::Mirror if n == 1 => 0,
            Border::Mirror => folded(at.rem_euclid(2 * n - 2), 2 * n - 2, n),
            Border::Reflect => folded(at.rem_euclid(2 * n), 2 * n - 1, n),
        };
        Some(inside as usize)
    }

    /// The positions of an axis of `n` that the windows of `begin..end` look at.
    pub fn span(self, begin: usize, end: usize, n: usize, halo: Halo) -> (usize, usize) {
        if begin >= end {
            return (begin.min(n), begin.min(n));
        }
        if self == Border::Valid {
            return (begin, (end + halo.before + halo.after).min(n));
        }
        let (low, high) = (begin as i64 - halo.before as i64, (end + halo.after) as i64);
        let len = n as i64;
        let (under, over) = (-low, high - len);
        let (mut first, mut last) = (low.max(0), high.min(len));
        let extra = match self {
            Border::Reflect => 0,
            Border::Mirror => 1,
            Border::Wrap if under > 0 || over > 0 => return (0, n),
            _ => return (first as usize, last as usize),
        };
        // What is folded back from beyond a border lies as far inside.
        if under > 0 {
            last = last.max((under + extra).min(len));
        }
        if over > 0 {
            first = first.min((len - over - extra).max(0));
        }
        (first as usize, last as usize)
    }
}

/// A position of a period, folded back where it runs backwards.
fn folded(at: i64, back: i64, n: i64) -> i64 {
    if at < n { at } else { back - at }
}

/// `array` with `halo` more values on both sides of `axis`, taken from the other side: wrapping around made of slices, so that each
/// box reads only what it needs. `None` where the axis is so short that reading all of it is no loss.
pub fn wrapped(array: &Array, axis: usize, halo: Halo) -> Result<Option<Array>> {
    let n = array.shape()[axis];
    let worth = n > 4 * (halo.before + halo.after) && halo.before + halo.after > 0;
    if !worth || TABLE.find("concatenate").is_err() || TABLE.find("getitem").is_err() {
        return Ok(None);
    }
    let slice = |begin: usize, end: usize| {
        let mut index: Vec<_> = vec![json!({"start": null, "stop": null, "step": null}); array.rank()];
        index[axis] = json!({"start": begin, "stop": end, "step": null});
        Array::from_op(TABLE.build("getitem", &json!({"index": index}))?, vec![array.clone()])
    };
    let mut parts = Vec::new();
    if halo.before > 0 {
        parts.push(slice(n - halo.before, n)?);
    }
    parts.push(array.clone());
    if halo.after > 0 {
        parts.push(slice(0, halo.after)?);
    }
    Array::from_op(TABLE.build("concatenate", &json!({"axis": axis}))?, parts).map(Some)
}

/// One value for all axes, or one for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PerAxis<T> {
    /// The same for all.
    One(T),
    /// One for each.
    Each(Vec<T>),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for PerAxis<T> {
    /// The message of a wrong value is that of `T`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let one = |value| serde_json::from_value::<T>(value).map_err(serde::de::Error::custom);
        match Value::deserialize(deserializer)? {
            Value::Array(items) => items.into_iter().map(one).collect::<Result<_, _>>().map(PerAxis::Each),
            value => one(value).map(PerAxis::One),
        }
    }
}

impl<T: Copy> PerAxis<T> {
    /// The values for `n` axes; `name` is the parameter, for the message.
    pub fn values(&self, name: &str, n: usize) -> Result<Vec<T>> {
        match self {
            PerAxis::One(value) => Ok(vec![*value; n]),
            PerAxis::Each(values) if values.len() == n => Ok(values.clone()),
            PerAxis::Each(values) => Err(Error::invalid(format!("{name} has {} values for {n} axes", values.len()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BORDERS: [Border; 5] = [Border::Reflect, Border::Mirror, Border::Nearest, Border::Constant, Border::Wrap];

    #[test]
    fn borders_repeat_as_drawn() {
        let drawn = |border: Border| -> String {
            let letter = |at| border.source(at, 4, Halo { before: 0, after: 0 }).map_or('k', |i| b"abcd"[i] as char);
            (-9..13).map(letter).collect()
        };
        assert_eq!(drawn(Border::Reflect), "aabcddcbaabcddcbaabcdd");
        assert_eq!(drawn(Border::Mirror), "dcbabcdcbabcdcbabcdcba");
        assert_eq!(drawn(Border::Nearest), "aaaaaaaaaabcdddddddddd");
        assert_eq!(drawn(Border::Constant), "kkkkkkkkkabcdkkkkkkkkk");
        assert_eq!(drawn(Border::Wrap), "dabcdabcdabcdabcdabcda");
    }

    #[test]
    fn spans_hold_every_source() {
        for border in BORDERS {
            for n in 1..7 {
                for (before, after) in [(0, 0), (1, 1), (2, 0), (0, 3), (9, 9), (5, 17)] {
                    let halo = Halo { before, after };
                    for (begin, end) in (0..n).flat_map(|b| (b + 1..=n).map(move |e| (b, e))) {
                        let (first, last) = border.span(begin, end, n, halo);
                        let window = begin as i64 - before as i64..(end + after) as i64;
                        for source in window.filter_map(|at| border.source(at, n, halo)) {
                            assert!((first..last).contains(&source), "{border:?} {n} {halo:?} {begin}..{end}");
                        }
                    }
                }
            }
        }
    }
}
