//! `getitem`

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::expand_dims::ExpandDims;
use super::slice::Slice;
use super::squeeze::Squeeze;
use crate::family::composite::{Compose, Composite};

/// NumPy's basic indexing: `x[...]` with integers, slices, new axes and an ellipsis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Getitem {
    /// What stands between the brackets.
    pub index: Index,
}

/// One entry, or several as in `x[a, b]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Index {
    /// Several entries.
    Many(Vec<Entry>),
    /// One entry.
    One(Entry),
}

/// One entry of an index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    /// One element; the axis goes.
    At(i64),
    /// A range of elements.
    Range(Range),
    /// `"..."`: all axes that are not named otherwise.
    Word(String),
    /// `null`: a new axis.
    New,
}

/// A Python slice; what is missing or null has Python's default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Option<i64>>")]
pub struct Range {
    /// First element.
    pub start: Option<i64>,
    /// One past the last element.
    pub stop: Option<i64>,
    /// Distance of elements.
    pub step: Option<i64>,
}

/// Only an object is a slice: a struct would also be read from a list, which means something else in an index.
impl TryFrom<BTreeMap<String, Option<i64>>> for Range {
    type Error = String;

    fn try_from(mut parts: BTreeMap<String, Option<i64>>) -> Result<Self, String> {
        let mut part = |name| parts.remove(name).flatten();
        let range = Range { start: part("start"), stop: part("stop"), step: part("step") };
        match parts.keys().next() {
            None => Ok(range),
            Some(name) => Err(format!("a slice has start, stop and step, not '{name}'")),
        }
    }
}

impl Getitem {
    /// `array[entries]`.
    pub fn apply(array: &Array, entries: Vec<Entry>) -> Result<Array> {
        Composite::call(Getitem { index: Index::Many(entries) }, &[array])
    }
}

impl Range {
    /// First element, step and number of elements on an axis of `n`, clamped as Python does.
    pub fn resolve(&self, n: usize) -> Result<(usize, i64, usize)> {
        let (n, step) = (n as i128, self.step.unwrap_or(1) as i128);
        if step == 0 {
            return Err(Error::invalid("slice step cannot be zero"));
        }
        // Backwards, positions before the first element are all "-1".
        let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let place = |at: Option<i64>, default: i128| match at {
            None => default,
            Some(at) if at < 0 => (at as i128 + n).clamp(low, high),
            Some(at) => (at as i128).clamp(low, high),
        };
        let start = place(self.start, if step > 0 { low } else { high });
        let stop = place(self.stop, if step > 0 { high } else { low });
        let span = if step > 0 { stop - start } else { start - stop };
        let count = if span > 0 { (span + step.abs() - 1) / step.abs() } else { 0 };
        let start = if count > 0 { start } else { 0 };
        Ok((start as usize, if count > 1 { step as i64 } else { 1 }, count as usize))
    }
}

/// The op `getitem`.
pub static DEF: OpDef = OpDef {
    name: "getitem",
    theme: "shape",
    summary: "Basic indexing: x[index] with integers, slices, new axes and an ellipsis.",
    doc: "An index is a list of entries, one per axis: an integer (negative ones count from the end) takes one element and drops the \
          axis; {\"start\": .., \"stop\": .., \"step\": ..} is a slice, in which missing or null parts have Python's defaults and \
          places outside the axis are clamped; null is a new axis of length 1; \"...\" stands for all axes that are not named. \
          Axes behind the last entry are kept whole. Only the elements between the first and the last chosen one are read.",
    inputs: Inputs::Named(&["x"]),
    params: &[Param {
        name: "index",
        kind: "int, slice, null, \"...\" or a list of these",
        default: None,
        doc: "what stands between the brackets",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Getitem>::build,
    samples: || {
        let one = |index: Value, shape: &[usize]| Sample {
            params: json!({"index": index}),
            ins: vec![SampleInput::new(shape, DType::F32)],
        };
        vec![
            one(json!([1, {"start": 2, "stop": null}]), &[5, 7]),
            one(json!([null, "...", {"step": -2}]), &[4, 3, 9]),
            one(json!([{"start": -3, "stop": 100, "step": 2}, null, -1]), &[8, 2]),
            one(json!("..."), &[]),
            one(json!([{"start": 4, "stop": 2}]), &[6]),
        ]
    },
};

impl Compose for Getitem {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let entries = match &self.index {
            Index::Many(entries) => &entries[..],
            Index::One(entry) => std::slice::from_ref(entry),
        };
        let entries = without_ellipsis(entries, ins[0].rank())?;
        let shape = ins[0].shape();
        let mut slice = Slice::whole(shape);
        let (mut dropped, mut new) = (Vec::new(), Vec::new());
        let (mut axis, mut out_axis) = (0, 0);
        for entry in &entries {
            match entry {
                Entry::New => {
                    new.push(out_axis);
                    out_axis += 1;
                    continue;
                }
                Entry::At(at) => {
                    slice = slice.with_axis(axis, element(*at, axis, shape[axis])?, 1, 1);
                    dropped.push(axis);
                }
                Entry::Range(range) => {
                    let (start, step, count) = range.resolve(shape[axis])?;
                    slice = slice.with_axis(axis, start, step, count);
                    out_axis += 1;
                }
                Entry::Word(_) => out_axis += 1,
            }
            axis += 1;
        }
        ExpandDims::apply(&Squeeze::apply(&slice.apply(&ins[0])?, &dropped)?, &new)
    }
}

fn element(at: i64, axis: usize, n: usize) -> Result<usize> {
    let normal = if at < 0 { at + n as i64 } else { at };
    if normal < 0 || normal >= n as i64 {
        return Err(Error::invalid(format!("index {at} is out of bounds for axis {axis} with size {n}")));
    }
    Ok(normal as usize)
}

/// The entries with the ellipsis replaced by whole axes, and whole axes added for those not named.
fn without_ellipsis(entries: &[Entry], rank: usize) -> Result<Vec<Entry>> {
    let mut ellipses = Vec::new();
    for (k, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Word(word) if word == "..." => ellipses.push(k),
            Entry::Word(word) => {
                return Err(Error::invalid(format!("'{word}' is no index; write a number, a slice, null or \"...\"")));
            }
            _ => {}
        }
    }
    if ellipses.len() > 1 {
        return Err(Error::invalid("an index can only have a single ellipsis ('...')"));
    }
    let named = entries.iter().filter(|e| matches!(e, Entry::At(_) | Entry::Range(_))).count();
    if named > rank {
        return Err(Error::invalid(format!("too many indices: the array has {rank} axes, but {named} were indexed")));
    }
    let at = ellipses.first().copied().unwrap_or(entries.len());
    let whole = std::iter::repeat_n(Entry::Range(Range::default()), rank - named);
    let rest = entries.iter().skip(at + 1).cloned();
    Ok(entries[..at].iter().cloned().chain(whole).chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_clamped_as_in_python() {
        let range = |start, stop, step| Range { start, stop, step };
        let check =
            |range: Range, n, want: (usize, i64, usize)| assert_eq!(range.resolve(n).unwrap(), want, "{range:?}");
        check(range(None, None, None), 5, (0, 1, 5));
        check(range(None, None, Some(-1)), 5, (4, -1, 5));
        check(range(Some(-100), Some(100), Some(2)), 5, (0, 2, 3));
        check(range(Some(100), Some(-100), Some(-3)), 5, (4, -3, 2));
        check(range(Some(3), Some(1), None), 5, (0, 1, 0));
        check(range(Some(i64::MIN), Some(i64::MAX), Some(i64::MAX)), 5, (0, 1, 1));
        check(range(None, None, Some(-1)), 0, (0, 1, 0));
        assert!(range(None, None, Some(0)).resolve(3).is_err());
    }

    #[test]
    fn entries_survive_json() {
        let text = json!({"index": [1, null, "...", {"start": 1, "stop": null, "step": -1}]});
        let op: Getitem = serde_json::from_value(text.clone()).unwrap();
        assert_eq!(json!(op), text);
    }
}
