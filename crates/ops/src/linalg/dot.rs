//! `dot`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Sample, SampleInput};

use super::contract::Contract;
use super::labels::letters;
use crate::TABLE;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Product over the last axis of a and the second to last of b.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dot {}

/// The op `dot`.
pub static DEF: OpDef = OpDef {
    name: "dot",
    theme: "linalg",
    summary: "Product over the last axis of a and the second to last of b.",
    doc: "As NumPy: the inner product of two 1-d arrays, the matrix product of two 2-d ones, and for more axes all combinations of the \
          others: dot(a, b)[i, j, k, m] = sum(a[i, j, :] * b[k, :, m]). A single number is multiplied.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Dot>,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(json!({}), &[3, 4], &[4, 5], DType::F32),
            one(json!({}), &[2, 3, 4], &[5, 4, 2], DType::I64),
            one(json!({}), &[4], &[4], DType::C64),
        ]
    },
};

impl Dot {
    /// The product for inputs of these ranks, neither of them 0.
    fn contraction(&self, a: usize, b: usize) -> Result<Contract> {
        let label_a = letters(0, a);
        let mut label_b: Vec<char> = letters(a, b).chars().collect();
        let (Some(last), sum) = (label_a.chars().last(), b.saturating_sub(2)) else { return label_error() };
        let kept: String = label_b.iter().enumerate().filter(|&(k, _)| k != sum).map(|(_, c)| *c).collect();
        label_b[sum] = last;
        Ok(Contract::new(&label_a, &String::from_iter(&label_b), &(letters(0, a - 1) + &kept)))
    }
}

fn label_error() -> Result<Contract> {
    Err(Error::internal("a product of an array without axes"))
}

impl Op for Dot {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() == 0 || ins[1].rank() == 0 {
            return TABLE.build("multiply", &json!({}))?.infer(ins);
        }
        self.contraction(ins[0].rank(), ins[1].rank())?.infer(ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        if ins[0].rank() == 0 || ins[1].rank() == 0 {
            return Array::from_op(TABLE.build("multiply", &json!({}))?, ins.to_vec()).map(Some);
        }
        let op = self.contraction(ins[0].rank(), ins[1].rank())?;
        Array::from_op(std::sync::Arc::new(op), ins.to_vec()).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}
