//! Cumulative sums and products: sums of blocks, what each block starts from, and the elements.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Kind as DKind, Region, Result};
use voxmill_plan::{Array, Op, OpDef, Param, Sample, SampleInput};

use super::reduction::{What, cast};
use super::{Kind, blocks};
use crate::family::map::expect_inputs;
use crate::family::params::normalize_axis;
use crate::reduce::part::ReducePart;
use crate::reduce::scan_finish::ScanFinish;
use crate::reduce::scan_offsets::ScanOffsets;
use crate::shape::reshape::Reshape;

/// The parameter `axis`.
pub const AXIS: Param = Param {
    name: "axis",
    kind: "int",
    default: Some("null"),
    doc: "the axis to go along; by default all elements in C order, as one axis",
};

/// A cumulative op as users know it.
pub struct ScanDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// Sum or product, with or without NaNs.
    pub what: What,
}

/// Arguments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Args {
    /// The axis to go along.
    pub axis: Option<i64>,
    /// Dtype of the result.
    pub dtype: Option<DType>,
}

/// The op of a [`ScanDef`].
#[derive(Clone)]
pub struct Scan {
    def: &'static ScanDef,
    args: Args,
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?})", self.def.op.name, self.args)
    }
}

impl Scan {
    /// The op from its JSON parameters.
    pub fn build(def: &'static ScanDef, params: &Value) -> Result<Arc<dyn Op>> {
        let args =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Scan { def, args }))
    }

    fn out_dtype(&self, input: DType) -> DType {
        self.args.dtype.unwrap_or(match input.kind() {
            DKind::Bool | DKind::Signed => DType::I64,
            DKind::Unsigned => DType::U64,
            _ => input,
        })
    }
}

impl Op for Scan {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.args)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&self.def.op, ins.len())?;
        let out = self.out_dtype(ins[0].dtype);
        match self.args.axis {
            Some(axis) => normalize_axis(axis, ins[0].rank()).map(|_| ins[0].clone().with_dtype(out)),
            None if ins[0].rank() == 1 => Ok(ins[0].clone().with_dtype(out)),
            None => Ok(ArrayMeta::new([ins[0].size()], out)),
        }
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let out = self.out_dtype(ins[0].dtype());
        let work = match out.kind() {
            DKind::Float => DType::F64,
            DKind::Complex => DType::C128,
            _ => DType::U64,
        };
        let x = cast(&cast(&ins[0], out)?, work)?;
        let (x, axis) = match self.args.axis {
            Some(axis) => (x.clone(), normalize_axis(axis, x.rank())?),
            None => (Reshape::apply(&x, &[x.size()])?, 0),
        };
        let (what, n) = (self.def.what, x.shape()[axis]);
        let Some(block) = blocks::choose(x.meta(), &[axis]) else {
            let op = ScanFinish { what, axis, block: n.max(1) };
            return cast(&Array::from_op(Arc::new(op), vec![x])?, out).map(Some);
        };
        scan_in_blocks(&x, what, axis, block[0]).and_then(|scanned| cast(&scanned, out)).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![ins[0].whole()]
    }
}

/// The cumulative sum or product of `x` by way of blocks of this length.
pub fn scan_in_blocks(x: &Array, what: What, axis: usize, block: usize) -> Result<Array> {
    let part = ReducePart { what, axes: vec![axis], block: vec![block] };
    let states = Array::from_op(Arc::new(part), vec![x.clone()])?;
    let offsets = Array::from_op(Arc::new(ScanOffsets { what, dtype: x.dtype(), axis }), vec![states])?;
    Array::from_op(Arc::new(ScanFinish { what, axis, block }), vec![x.clone(), offsets])
}

/// The definition of one of the four ops.
pub const fn what(kind: Kind, skip: bool) -> What {
    What { kind, skip }
}

/// Samples over all dtypes.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all: Vec<Sample> = DType::ALL.iter().map(|&d| one(json!({"axis": 0}), &[5, 7], d)).collect();
    all.extend([
        one(json!({}), &[3, 4], DType::F32),
        one(json!({"axis": -1}), &[2, 3, 4], DType::U8),
        one(json!({}), &[], DType::I16),
        one(json!({"axis": 0}), &[0, 3], DType::F32),
        one(json!({"axis": 1, "dtype": "float32"}), &[2, 3], DType::U8),
    ]);
    all
}
