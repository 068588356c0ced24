//! `condense`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::boxes::{elements, elements_mut, nothing};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

/// What stands above the diagonal, one row after the other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condense {}

/// Elements of a declared chunk of the condensed form.
pub(super) const CHUNK: usize = 1 << 19;

/// The op `condense`.
pub static DEF: OpDef = OpDef {
    name: "condense",
    theme: "distance",
    summary: "What stands above the diagonal of a square matrix, one row after the other.",
    doc: "Internal: the last step of pdist, and one direction of squareform.",
    inputs: Inputs::Named(&["x"]),
    params: &[],
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<Condense>,
    samples: || {
        [0, 1, 2, 9].map(|n| Sample { params: json!({}), ins: vec![SampleInput::new(&[n, n], DType::F64)] }).to_vec()
    },
};

/// The number of pairs of `n`.
pub(super) fn n_pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// The place of the pair `i < j` in the condensed form of `n`.
pub(super) fn place(i: usize, j: usize, n: usize) -> usize {
    row_start(i, n) + j - i - 1
}

/// The place of the first pair of row `i`.
fn row_start(i: usize, n: usize) -> usize {
    i * (2 * n - i - 1) / 2
}

/// The pair at a place.
fn pair(at: usize, n: usize) -> (usize, usize) {
    let (mut low, mut high) = (0, n - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if row_start(middle, n) <= at { low = middle } else { high = middle }
    }
    (low, at - row_start(low, n) + low + 1)
}

impl Op for Condense {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() != 2 || ins[0].shape[0] != ins[0].shape[1] {
            return Err(Error::invalid(format!(
                "the condensed form is that of a square matrix, not of shape {:?}",
                ins[0].shape
            )));
        }
        if ins[0].dtype != DType::F64 {
            return Err(Error::invalid(format!("distances are float64, not {}", ins[0].dtype)));
        }
        let n = n_pairs(ins[0].shape[0]);
        let axes = vec![AxisCuts::even(n, CHUNK)];
        Ok(ArrayMeta::new([n], DType::F64).with_grid(ChunkGrid { axes: axes.into_iter().collect() }))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(2)];
        }
        let n = ins[0].shape[0];
        let ((first, from), (last, to)) = (pair(out.start[0], n), pair(out.end(0) - 1, n));
        let cols = if first == last { (from, to + 1) } else { (first + 1, n) };
        vec![Region::from_bounds([(first, last + 1), cols])]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (src, n, read) = (elements::<f64>(&ins[0])?, at.ins[0].shape[0], &at.reads[0]);
        let mut rest = elements_mut::<f64>(out)?;
        let (mut i, mut j) = pair(at.out.start[0], n);
        while !rest.is_empty() {
            let len = (n - j).min(rest.len());
            let (row, next) = rest.split_at_mut(len);
            let start = (i - read.start[0]) * read.shape[1] + j - read.start[1];
            row.copy_from_slice(&src[start..start + len]);
            (i, j, rest) = (i + 1, i + 2, next);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_pairs_belong_together() {
        for n in 2..9 {
            let all: Vec<_> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
            assert_eq!(all.len(), n_pairs(n));
            for (k, &(i, j)) in all.iter().enumerate() {
                assert_eq!((place(i, j, n), pair(k, n)), (k, (i, j)));
            }
        }
    }
}
