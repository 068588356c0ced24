//! `extend`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::pad::padded_meta;
use crate::family::boxes::{gather, gather_scratch, input_bytes, nothing, output_bytes};
use crate::family::map::expect_inputs;
use crate::family::params;

/// Padding whose values are copies of elements: the edge, or a mirror image.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extend {
    /// Elements added before the first on each axis.
    pub before: Vec<usize>,
    /// Elements added behind the last on each axis.
    pub after: Vec<usize>,
    /// Which element a new one is a copy of, for each axis.
    pub mode: Vec<Mirror>,
}

/// How an axis goes on beyond its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mirror {
    /// `a a | a b c | c c`
    Edge,
    /// `c b | a b c | b a`
    Reflect,
    /// `b a | a b c | c b`
    Symmetric,
}

impl Mirror {
    /// The element of an axis of `n` that stands at position `at`, which may lie outside.
    pub fn source(self, at: i64, n: usize) -> usize {
        let n = n as i64;
        let source = match self {
            Mirror::Edge => at.clamp(0, n - 1),
            Mirror::Reflect if n == 1 => 0,
            Mirror::Reflect => {
                let place = at.rem_euclid(2 * (n - 1));
                place.min(2 * (n - 1) - place)
            }
            Mirror::Symmetric => {
                let place = at.rem_euclid(2 * n);
                place.min(2 * n - 1 - place)
            }
        };
        source as usize
    }

    /// First and last element that the positions `begin..end` copy.
    pub fn sources(self, begin: i64, end: i64, n: usize) -> (usize, usize) {
        let (a, b) = (self.source(begin, n), self.source(end - 1, n));
        let period = match self {
            Mirror::Edge => return (a, b),
            Mirror::Reflect if n == 1 => return (0, 0),
            Mirror::Reflect => 2 * (n as i64 - 1),
            Mirror::Symmetric => 2 * n as i64,
        };
        // Between its turning points the wave is monotone, so that only these and the ends matter.
        let passes = |place: i64| begin + (place - begin).rem_euclid(period) < end;
        let low = if passes(0) { 0 } else { a.min(b) };
        let high = if passes(n as i64 - 1) { n - 1 } else { a.max(b) };
        (low, high)
    }
}

impl Extend {
    /// `array` with `before` and `after` new elements on each axis.
    pub fn apply(array: &Array, before: Vec<usize>, after: Vec<usize>, mode: Vec<Mirror>) -> Result<Array> {
        Array::from_op(Arc::new(Extend { before, after, mode }), vec![array.clone()])
    }
}

/// The op `extend`.
pub static DEF: OpDef = OpDef {
    name: "extend",
    theme: "shape",
    summary: "The array continued beyond its ends by its edge or mirror image.",
    doc: "What pad with modes \"edge\", \"reflect\" and \"symmetric\" is made of. A box in the padding reads the elements that it copies, \
          and nothing between them and the border; mirror images repeat where the padding is longer than the axis.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param {
            name: "before",
            kind: "list of int",
            default: None,
            doc: "elements added before the first on each axis",
        },
        Param { name: "after", kind: "list of int", default: None, doc: "elements added behind the last on each axis" },
        Param {
            name: "mode",
            kind: "list of \"edge\", \"reflect\" or \"symmetric\"",
            default: None,
            doc: "which element a new one is a copy of, for each axis",
        },
    ],
    form: Form::Kernel,
    cost: 0.3,
    hold: false,
    build: params::build::<Extend>,
    samples: || {
        let one = |before: &[usize], after: &[usize], mode: &[&str], shape: &[usize], dtype| Sample {
            params: json!({"before": before, "after": after, "mode": mode}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(&[2, 0], &[0, 3], &["edge", "edge"], &[5, 7], DType::F32),
            one(&[2, 9], &[12, 3], &["reflect", "reflect"], &[5, 4], DType::U8),
            one(&[2, 9, 1], &[12, 3, 0], &["symmetric", "symmetric", "edge"], &[5, 4, 3], DType::C128),
            one(&[3, 1], &[3, 1], &["reflect", "symmetric"], &[1, 2], DType::U16),
            one(&[0, 0], &[0, 1], &["reflect", "symmetric"], &[0, 2], DType::Bool),
            one(&[], &[], &[], &[], DType::I64),
        ]
    },
};

impl Op for Extend {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if self.mode.len() != ins[0].rank() {
            return Err(Error::invalid(format!("{} modes do not go with {} axes", self.mode.len(), ins[0].rank())));
        }
        let meta = padded_meta(ins[0], &self.before, &self.after)?;
        match (0..meta.rank()).find(|&k| ins[0].shape[k] == 0 && meta.shape[k] > 0) {
            Some(k) => Err(Error::invalid(format!("axis {k} is empty: there is nothing to continue it by"))),
            None => Ok(meta),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(out.rank())];
        }
        let bounds = out.bounds().enumerate().map(|(k, (a, b))| {
            let shift = self.before[k] as i64;
            let (low, high) = self.mode[k].sources(a as i64 - shift, b as i64 - shift, ins[0].shape[k]);
            (low, high + 1)
        });
        vec![Region::from_bounds(bounds)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        gather_scratch(out)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let line = |k: usize| {
            let (shift, n) = (self.before[k] as i64, at.ins[0].shape[k]);
            let source = |i: usize| self.mode[k].source(i as i64 - shift, n) - at.reads[0].start[k];
            (at.out.start[k]..at.out.end(k)).map(source).collect()
        };
        let indices: Vec<Vec<usize>> = (0..at.out.rank()).map(line).collect();
        let width = out.dtype().size();
        gather(input_bytes(&ins[0])?, &at.reads[0].shape, &indices, output_bytes(out)?, width);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_sources_are_those_of_all_elements() {
        for mode in [Mirror::Edge, Mirror::Reflect, Mirror::Symmetric] {
            for n in 1..6 {
                for begin in -15i64..15 {
                    for len in 1..20 {
                        let all: Vec<usize> = (begin..begin + len).map(|at| mode.source(at, n)).collect();
                        let want = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
                        assert_eq!(mode.sources(begin, begin + len, n), want, "{mode:?} {n} {begin} {len}");
                    }
                }
            }
        }
    }
}
