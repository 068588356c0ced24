//! `select_finish` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::finish::{OUT, write_values};
use super::merge::ELEMENTS;
use super::part::{AXES, SKIP};
use super::quantile_lanes::{QUANTILES, Quantiles};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::reduction::KEEPDIMS;
use crate::family::reduce::select::Picks;
use crate::numeric::order::{Digits, Ordered};

/// Quantiles from the elements that were found digit by digit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SelectFinish {
    /// What is asked.
    #[serde(flatten)]
    pub asked: Quantiles,
    /// Dtype of the elements.
    pub dtype: DType,
}

const PARAMS: [Param; 8] = [QUANTILES[0], QUANTILES[1], SKIP, AXES, KEEPDIMS, QUANTILES[5], OUT, ELEMENTS];

/// The op `select_finish`.
pub static DEF: OpDef = OpDef {
    name: "select_finish",
    theme: "reduce",
    summary: "Internal: quantiles from elements that were found digit by digit.",
    doc: "Internal. Follows the last select_pick.",
    inputs: Inputs::Named(&["picks"]),
    params: &PARAMS,
    form: Form::Kernel,
    cost: 10.0,
    hold: true,
    build: params::build::<SelectFinish>,
    samples: || {
        let one = |scalar: bool, keepdims: bool, out: DType| Sample {
            params: json!({"q": if scalar { vec![0.5] } else { vec![0.1, 0.2] }, "method": "linear", "axes": [1],
                "keepdims": keepdims, "scalar": scalar, "out": out, "dtype": "uint16"}),
            ins: vec![SampleInput::new(&[6, 1, 3, Picks::words(if scalar { 2 } else { 4 })], DType::U64)],
        };
        vec![one(true, false, DType::F64), one(false, true, DType::F64), one(false, false, DType::U16)]
    },
};

impl Op for SelectFinish {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].shape.last() != Some(&Picks::words(2 * self.asked.q.len())) {
            return Err(Error::invalid(format!("{:?} does not hold picks", ins[0].shape)));
        }
        let mut elements = ins[0].clone();
        elements.shape.pop();
        elements.grid.axes.pop();
        Ok(self.asked.meta(&elements))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = ins[0].rank() - 1;
        let mut read = self.asked.reads(out, &ins[0].shape[..rank]);
        read.start.push(0);
        read.shape.push(ins[0].shape[rank]);
        vec![read]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let Some(picks) = ins[0].as_slice::<u64>() else { return Err(Error::internal("picks are not contiguous")) };
        let ((first, _), _) = self.asked.split(at.out);
        let words = Picks::words(2 * self.asked.q.len());
        let n = picks.len() / words;
        write_values(out, |k| self.value(Picks(&picks[k % n * words..(k % n + 1) * words]), first + k / n))
    }
}

impl SelectFinish {
    fn value(&self, picks: Picks<'_>, k: usize) -> Scalar {
        if picks.n_valid() == 0 || (picks.n_nan() > 0 && !self.asked.skip) {
            return Scalar::Float(f64::NAN);
        }
        let weight = self.asked.method.spot(picks.n_valid(), self.asked.q[k]).weight;
        let [low, high] = [2 * k, 2 * k + 1].map(|r| element(self.dtype, picks.prefix(r)));
        self.asked.method.value(low, high, weight)
    }
}

/// The element with these digits.
fn element(dtype: DType, digits: u64) -> Scalar {
    fn of<T: Ordered>(digits: u64) -> Scalar
    where
        T::Key: Digits,
    {
        T::unkey(T::Key::from_digits(digits)).to_scalar()
    }
    dispatch!(int dtype, T => of::<T>(digits), else if dtype == DType::F32 { of::<f32>(digits) } else { of::<f64>(digits) })
}
