//! `squareform`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::boxes::{elements, elements_mut, nothing};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

use super::condense::{CHUNK, n_pairs, place};

/// The matrix of a condensed form.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Squareform {}

/// The op `squareform`.
pub static DEF: OpDef = OpDef {
    name: "squareform",
    theme: "distance",
    summary: "The matrix of distances from its condensed form.",
    doc: "Internal: one direction of squareform in Python, for float64. The diagonal is 0. Both inputs are the same condensed form.",
    inputs: Inputs::Named(&["upper", "lower"]),
    params: &[],
    form: Form::Kernel,
    cost: 2.0,
    hold: false,
    build: params::build::<Squareform>,
    samples: || {
        [0, 1, 3, 36].map(|n| Sample { params: json!({}), ins: vec![SampleInput::new(&[n], DType::F64); 2] }).to_vec()
    },
};

/// The number of rows of which there are `pairs` pairs.
fn n_rows(pairs: usize) -> Option<usize> {
    let guess = ((2.0 * pairs as f64).sqrt().ceil() as usize).max(1);
    (guess.saturating_sub(1)..guess + 2).find(|&n| n > 0 && n_pairs(n) == pairs)
}

/// The places of the pairs `i < j` of a box.
fn span(rows: (usize, usize), cols: (usize, usize), n: usize) -> Region {
    if rows.0 + 1 >= cols.1 {
        return nothing(1);
    }
    let first = place(rows.0, cols.0.max(rows.0 + 1), n);
    let last = place((rows.1 - 1).min(cols.1 - 2), cols.1 - 1, n);
    Region::from_bounds([(first, last + 1)])
}

impl Op for Squareform {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins.iter().any(|m| m.rank() != 1 || m.dtype != DType::F64) || ins[0].shape != ins[1].shape {
            return Err(Error::invalid("a condensed form has one axis and float64 elements"));
        }
        let n = n_rows(ins[0].shape[0]).ok_or_else(|| {
            Error::invalid(format!(
                "{} is not the number of pairs of any number of rows: the length must be n (n - 1) / 2",
                ins[0].shape[0]
            ))
        })?;
        let side = (CHUNK as f64).sqrt() as usize;
        let axes = vec![AxisCuts::even(n, side), AxisCuts::even(n, side)];
        Ok(ArrayMeta::new([n, n], DType::F64).with_grid(ChunkGrid { axes: axes.into_iter().collect() }))
    }

    fn expand(&self, _ins: &[Array]) -> Result<Option<Array>> {
        Ok(None)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let Some(n) = n_rows(ins[0].shape[0]).filter(|_| !out.is_empty()) else { return vec![nothing(1), nothing(1)] };
        let (rows, cols) = ((out.start[0], out.end(0)), (out.start[1], out.end(1)));
        vec![span(rows, cols, n), span(cols, rows, n)]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (above, below) = (elements::<f64>(&ins[0])?, elements::<f64>(&ins[1])?);
        let (n, cols) = (at.out_meta.shape[0], at.out.shape[1]);
        if at.out.is_empty() {
            return Ok(());
        }
        for (i, row) in elements_mut::<f64>(out)?.chunks_exact_mut(cols).enumerate() {
            let i = at.out.start[0] + i;
            for (j, v) in row.iter_mut().enumerate() {
                let j = at.out.start[1] + j;
                *v = match i.cmp(&j) {
                    std::cmp::Ordering::Less => above[place(i, j, n) - at.reads[0].start[0]],
                    std::cmp::Ordering::Equal => 0.0,
                    std::cmp::Ordering::Greater => below[place(j, i, n) - at.reads[1].start[0]],
                };
            }
        }
        Ok(())
    }
}
