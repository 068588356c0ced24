//! `matmul`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Sample, SampleInput};

use super::contract::Contract;
use super::labels::letters;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Matrix product, over stacks of matrices where there are more axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matmul {}

/// The op `matmul`.
pub static DEF: OpDef = OpDef {
    name: "matmul",
    theme: "linalg",
    summary: "Matrix product, over stacks of matrices where there are more axes.",
    doc: "As NumPy: a 1-d array is a row on the left and a column on the right and loses that axis in the result; leading axes \
          broadcast. Integers wrap around, booleans are a logical or of ands, float16 is summed in float32. Long sums are computed \
          in blocks whose number follows from the shapes alone.",
    inputs: Inputs::Named(&["a", "b"]),
    params: &[],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<Matmul>,
    samples: || {
        let one = |params: Value, a: &[usize], b: &[usize], dtype: DType| Sample {
            params,
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        vec![
            one(json!({}), &[3, 4], &[4, 5], DType::F32),
            one(json!({}), &[4], &[2, 4, 5], DType::I32),
            one(json!({}), &[2, 1, 3, 4], &[4, 5], DType::F16),
            one(json!({}), &[4], &[4], DType::Bool),
        ]
    },
};

impl Matmul {
    /// The product for inputs of these ranks.
    fn contraction(&self, a: usize, b: usize) -> Result<Contract> {
        if a == 0 || b == 0 {
            return Err(Error::invalid("matmul needs arrays of at least one axis; use multiply for a single number"));
        }
        let (stack_a, stack_b) = (a.saturating_sub(2), b.saturating_sub(2));
        let stack = letters(3, stack_a.max(stack_b));
        let [m, k, n] = [letters(0, 1), letters(1, 1), letters(2, 1)];
        let (m, n) = (if a > 1 { m } else { String::new() }, if b > 1 { n } else { String::new() });
        let last = |count: usize| stack.chars().skip(stack.chars().count() - count).collect::<String>();
        Ok(Contract::new(&(last(stack_a) + &m + &k), &(last(stack_b) + &k + &n), &(stack.clone() + &m + &n)))
    }
}

impl Op for Matmul {
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
