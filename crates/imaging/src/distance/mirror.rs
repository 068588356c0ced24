//! `mirror`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::boxes::{elements, elements_mut, nothing};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

/// A symmetric matrix from what stands on and above its diagonal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {}

/// The op `mirror`.
pub static DEF: OpDef = OpDef {
    name: "mirror",
    theme: "distance",
    summary: "A symmetric matrix from what stands on and above its diagonal.",
    doc: "Internal: the last step of pairwise_distance. Both inputs are the same matrix.",
    inputs: Inputs::Named(&["upper", "lower"]),
    params: &[],
    form: Form::Kernel,
    cost: 2.0,
    hold: false,
    build: params::build::<Mirror>,
    samples: || {
        [1, 2, 9].map(|n| Sample { params: json!({}), ins: vec![SampleInput::new(&[n, n], DType::F64); 2] }).to_vec()
    },
};

impl Op for Mirror {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let square = ins.iter().all(|m| m.rank() == 2 && m.shape[0] == m.shape[1] && m.dtype == DType::F64);
        if !square || ins[0].shape != ins[1].shape {
            return Err(Error::invalid("two square matrices of float64 are needed"));
        }
        Ok(ins[0].clone())
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        let (rows, cols) = ((out.start[0], out.end(0)), (out.start[1], out.end(1)));
        let above = if rows.0 < cols.1 { Region::from_bounds([rows, cols]) } else { nothing(2) };
        let below = if rows.1 > cols.0 + 1 { Region::from_bounds([cols, rows]) } else { nothing(2) };
        if out.is_empty() { vec![nothing(2), nothing(2)] } else { vec![above, below] }
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (above, below) = (elements::<f64>(&ins[0])?, elements::<f64>(&ins[1])?);
        let (rows, cols) = (at.out.shape[0], at.out.shape[1]);
        if rows * cols == 0 {
            return Ok(());
        }
        for (i, row) in elements_mut::<f64>(out)?.chunks_exact_mut(cols).enumerate() {
            // Columns before the diagonal stand in a row of the other box.
            let split = (at.out.start[0] + i).saturating_sub(at.out.start[1]).min(cols);
            let (left, right) = row.split_at_mut(split);
            left.iter_mut().enumerate().for_each(|(j, v)| *v = below[j * rows + i]);
            if !right.is_empty() {
                right.copy_from_slice(&above[i * cols + split..(i + 1) * cols]);
            }
        }
        Ok(())
    }
}
