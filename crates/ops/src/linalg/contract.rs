//! `contract`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::contract_join::ContractJoin;
use super::contract_part::ContractPart;
use super::labels::Labels;
use super::product;
use crate::elementwise::astype::Astype;
use crate::family::map::{Operand, casts, expect_inputs, promote};
use crate::family::params;

/// A product of two arrays, summed over some axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contract {
    /// Which axes are kept and which are added up.
    pub labels: Labels,
}

/// Sums of up to this many terms are computed at once, longer ones in blocks.
pub const BLOCK: usize = 4096;

impl Contract {
    /// The product of `ins` with these letters.
    pub fn apply(a: &str, b: &str, out: &str, ins: &[Array]) -> Result<Array> {
        Array::from_op(Arc::new(Contract::new(a, b, out)), ins.to_vec())
    }

    /// The op with these letters.
    pub fn new(a: &str, b: &str, out: &str) -> Contract {
        Contract { labels: Labels { a: a.into(), b: b.into(), out: out.into() } }
    }

    /// The product in blocks of the longest sum, if it is long: the number of blocks follows from the shapes alone, and all of them
    /// together are no larger than the inputs.
    fn in_blocks(&self, ins: &[Array]) -> Result<Option<Array>> {
        let roles = self.labels.roles()?;
        let Some(&(axis, _)) = roles.sums.iter().max_by_key(|&&(i, _)| ins[0].shape()[i]) else { return Ok(None) };
        let n_terms = product::n_terms(&roles, ins[0].meta());
        let (m, n): (usize, usize) = (
            roles.rows.iter().map(|&i| ins[0].shape()[i]).product(),
            roles.cols.iter().map(|&j| ins[1].shape()[j]).product(),
        );
        let len = ins[0].shape()[axis];
        let terms = BLOCK.max(m * n / (m + n).max(1));
        let block = (terms / (n_terms / len.max(1)).max(1)).max(1);
        if n_terms <= terms || block >= len {
            return Ok(None);
        }
        let part = ContractPart { labels: self.labels.clone(), axis, block };
        let parts = Array::from_op(Arc::new(part), ins.to_vec())?;
        ContractJoin::sum(parts).map(Some)
    }
}

/// The parameters as help shows them.
pub(super) const PARAMS: &[Param] = &[
    Param { name: "a", kind: "text", default: None, doc: "one letter per axis of the first array" },
    Param { name: "b", kind: "text", default: None, doc: "one letter per axis of the second array" },
    Param { name: "out", kind: "text", default: None, doc: "one letter per axis of the result" },
];

/// The op `contract`.
pub static DEF: OpDef = OpDef {
    name: "contract",
    theme: "linalg",
    summary: "Product of two arrays, summed over the axes they share and the result has not.",
    doc: "What matmul, dot, tensordot, inner and outer consist of; the letters are those of einsum. Integers wrap around, booleans \
          are a logical or of ands. Sums of more than 4096 terms are computed in blocks and added in a fixed order.",
    inputs: Inputs::Named(&["x1", "x2"]),
    params: PARAMS,
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<Contract>,
    samples: || {
        let one = |labels: [&str; 3], a: &[usize], b: &[usize], dtype: DType| Sample {
            params: json!({"a": labels[0], "b": labels[1], "out": labels[2]}),
            ins: [a, b].map(|shape| SampleInput::new(shape, dtype).between(-9.0, 9.0)).to_vec(),
        };
        let dtypes = DType::ALL.iter().filter(|d| !matches!(d, DType::F16 | DType::BF16));
        let mut all: Vec<Sample> = dtypes.map(|&d| one(["ik", "kj", "ij"], &[5, 9], &[9, 11], d)).collect();
        for dtype in [DType::F64, DType::I32, DType::C64] {
            all.extend([
                one(["bik", "bkj", "bij"], &[3, 4, 5], &[1, 5, 12], dtype),
                one(["abik", "bkj", "abij"], &[2, 1, 4, 5], &[3, 5, 2], dtype),
                one(["ik", "bkj", "bij"], &[4, 5], &[3, 5, 2], dtype),
                one(["k", "k", ""], &[17], &[17], dtype),
                one(["ki", "jk", "ij"], &[6, 5], &[9, 6], dtype),
                one(["kil", "lkj", "ij"], &[3, 5, 4], &[4, 3, 9], dtype),
                one(["i", "j", "ij"], &[4], &[5], dtype),
                one(["ik", "kj", "ij"], &[4, 0], &[0, 3], dtype),
            ]);
        }
        all
    },
};

impl Op for Contract {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        check_ranks(&self.labels, ins)?;
        let operands: Vec<Operand> = ins.iter().map(|m| Operand::from(*m)).collect();
        Ok(self.labels.roles()?.infer(ins[0], ins[1])?.with_dtype(promote(&operands)?))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let operands: Vec<Operand> = ins.iter().map(|a| Operand::from(a.meta())).collect();
        let dtype = promote(&operands)?;
        // Half precision is summed in single, as NumPy does.
        let compute = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
        if let Some(cast) = casts(ins, &[compute, compute])? {
            let product = Array::from_op(Arc::new(self.clone()), cast)?;
            return if compute == dtype { Ok(Some(product)) } else { Astype::apply(&product, dtype).map(Some) };
        }
        self.in_blocks(ins)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        match self.labels.roles() {
            Ok(roles) => roles.reads(out, ins[0], ins[1]).to_vec(),
            Err(_) => ins.iter().map(|m| m.whole()).collect(),
        }
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        scratch(&self.labels, &out.shape, reads, ins[0].dtype)
    }

    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        work(&self.labels, out, reads)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() { Ok(()) } else { run(&self.labels, &at.out.shape, ins, out) }
    }
}

/// Refuses inputs that do not have one axis per letter.
pub(super) fn check_ranks(labels: &Labels, ins: &[&ArrayMeta]) -> Result<()> {
    for (letters, meta) in [&labels.a, &labels.b].into_iter().zip(ins) {
        if letters.chars().count() != meta.rank() {
            return Err(Error::invalid(format!(
                "'{letters}' names {} axes, the array has {}",
                letters.len(),
                meta.rank()
            )));
        }
    }
    Ok(())
}

/// Nanoseconds that [`run`] takes: a product for every term of every sum, and a look at each element before they can be multiplied fast.
pub(super) fn work(labels: &Labels, out: &Region, reads: &[&Region]) -> f64 {
    const PER_TERM: f64 = 0.08;
    const PER_ELEMENT: f64 = 1.0;
    let sums = labels.roles().map(|roles| roles.sums).unwrap_or_default();
    let terms: f64 = sums.iter().map(|&(i, _)| reads[0].shape[i] as f64).product();
    let looked_at = reads.iter().map(|read| read.size()).sum::<usize>() + out.size();
    out.size() as f64 * terms * PER_TERM + looked_at as f64 * PER_ELEMENT
}

/// Bytes that [`run`] allocates.
pub(super) fn scratch(labels: &Labels, out: &[usize], reads: &[Region], dtype: DType) -> u64 {
    let Ok(roles) = labels.roles() else { return 0 };
    match dtype {
        DType::F16 | DType::BF16 => 0,
        DType::Bool => product::scratch::<voxmill_core::B8>(&roles, out, reads),
        DType::F32 => product::scratch::<f32>(&roles, out, reads),
        DType::F64 => product::scratch::<f64>(&roles, out, reads),
        DType::C64 => product::scratch::<voxmill_core::Complex32>(&roles, out, reads),
        DType::C128 => product::scratch::<voxmill_core::Complex64>(&roles, out, reads),
        dtype => dispatch!(int dtype, T => product::scratch::<T>(&roles, out, reads), else 0),
    }
}

/// Fills `out` with the product of the boxes `ins`.
pub(super) fn run(labels: &Labels, out_shape: &[usize], ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
    let roles = labels.roles()?;
    match out.dtype() {
        DType::Bool => product::run::<voxmill_core::B8>(&roles, out_shape, ins, out),
        DType::F32 => product::run::<f32>(&roles, out_shape, ins, out),
        DType::F64 => product::run::<f64>(&roles, out_shape, ins, out),
        DType::C64 => product::run::<voxmill_core::Complex32>(&roles, out_shape, ins, out),
        DType::C128 => product::run::<voxmill_core::Complex64>(&roles, out_shape, ins, out),
        dtype => dispatch!(int dtype, T => product::run::<T>(&roles, out_shape, ins, out),
            else Err(Error::internal(format!("a product of {dtype} was not cast to float32")))),
    }
}
