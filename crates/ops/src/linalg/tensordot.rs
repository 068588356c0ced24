//! `tensordot`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Sample, SampleInput};

use super::contract::Contract;
use super::labels::letters;
use crate::family::map::expect_inputs;
use crate::family::params::{self, Axes, normalize_axis};

/// Product of two arrays, summed over the given axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tensordot {
    /// How many axes, or which, are added up.
    #[serde(default = "two")]
    pub axes: SumAxes,
}

/// The op `tensordot`.
pub static DEF: OpDef = OpDef {
    name: "tensordot",
    theme: "linalg",
    summary: "Product of two arrays, summed over the given axes.",
    doc: "As NumPy: axes is the number of last axes of a and first axes of b, or a pair of lists of axes. 0 gives the outer product.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[Param {
        name: "axes",
        kind: "int or pair of lists of int",
        default: Some("2"),
        doc: "how many axes, or which axes of a and of b, are added up",
    }],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Tensordot>,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(json!({}), &[3, 4, 5], &[4, 5, 2], DType::F64),
            one(json!({"axes": 1}), &[3, 4], &[4], DType::U8),
            one(json!({"axes": [[1, 0], [0, 1]]}), &[3, 4, 5], &[4, 3, 2], DType::F32),
            one(json!({"axes": [0, -1]}), &[3, 4], &[5, 3], DType::C64),
            one(json!({"axes": 0}), &[3], &[2, 2], DType::I16),
        ]
    },
};

/// The parameter `axes` of `tensordot`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SumAxes {
    /// So many last axes of the first array and first axes of the second.
    Count(i64),
    /// These axes of the first and of the second array.
    Pair(Axes, Axes),
}

fn two() -> SumAxes {
    SumAxes::Count(2)
}

impl Tensordot {
    /// The axes of both inputs that are added up together.
    fn pairs(&self, a: usize, b: usize) -> Result<Vec<(usize, usize)>> {
        match &self.axes {
            SumAxes::Count(n) if *n < 0 || *n > a.min(b) as i64 => {
                Err(Error::invalid(format!("axes {n} is out of range for arrays of rank {a} and {b}")))
            }
            SumAxes::Count(n) => Ok((0..*n as usize).map(|k| (a - *n as usize + k, k)).collect()),
            SumAxes::Pair(of_a, of_b) => {
                let (of_a, of_b) = (list(of_a), list(of_b));
                if of_a.len() != of_b.len() {
                    return Err(Error::invalid(format!("axes names {} axes of a and {} of b", of_a.len(), of_b.len())));
                }
                let one = |(&i, &j): (&i64, &i64)| Ok((normalize_axis(i, a)?, normalize_axis(j, b)?));
                of_a.iter().zip(&of_b).map(one).collect()
            }
        }
    }

    /// The product for inputs of these ranks.
    fn contraction(&self, a: usize, b: usize) -> Result<Contract> {
        let pairs = self.pairs(a, b)?;
        let label_a: Vec<char> = letters(0, a).chars().collect();
        let mut label_b: Vec<char> = letters(a, b).chars().collect();
        pairs.iter().for_each(|&(i, j)| label_b[j] = label_a[i]);
        let kept = label_a.iter().enumerate().filter(|(i, _)| pairs.iter().all(|p| p.0 != *i)).map(|(_, c)| *c);
        let added = label_b.iter().enumerate().filter(|(j, _)| pairs.iter().all(|p| p.1 != *j)).map(|(_, c)| *c);
        let out: String = kept.chain(added).collect();
        Ok(Contract::new(&String::from_iter(&label_a), &String::from_iter(&label_b), &out))
    }
}

fn list(axes: &Axes) -> Vec<i64> {
    match axes {
        Axes::One(axis) => vec![*axis],
        Axes::Many(axes) => axes.clone(),
    }
}

impl Op for Tensordot {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        self.contraction(ins[0].rank(), ins[1].rank())?.infer(ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let op = self.contraction(ins[0].rank(), ins[1].rank())?;
        Array::from_op(std::sync::Arc::new(op), ins.to_vec()).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}
