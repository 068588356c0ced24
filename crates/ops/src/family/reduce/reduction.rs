//! The ops that users call: arguments, dtypes, and the way to blocks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar};
use voxmill_plan::{Array, Op, OpDef, Param, Sample, SampleInput};

use super::{Kind, blocks, kernel, shapes};
use crate::creation::full::Full;
use crate::family::map::{casts, expect_inputs};
use crate::family::params::{Axes, normalize_axes};
use crate::numeric::fold::RUN;
use crate::reduce::direct::ReduceDirect;
use crate::reduce::finish::ReduceFinish;
use crate::reduce::merge::ReduceMerge;
use crate::reduce::part::ReducePart;

/// The parameter `axis` of reductions over any axes.
pub const AXIS: Param =
    Param { name: "axis", kind: "int or list of int", default: Some("null"), doc: "axes to reduce; all by default" };
/// The parameter `axis` of reductions that give an index.
pub const ONE_AXIS: Param = Param {
    name: "axis",
    kind: "int",
    default: Some("null"),
    doc: "axis to search along; by default the index counts through the whole array in C order",
};
/// The parameter `keepdims`.
pub const KEEPDIMS: Param =
    Param { name: "keepdims", kind: "bool", default: Some("false"), doc: "leave reduced axes in place with length 1" };
/// The parameter `dtype`.
pub const DTYPE: Param =
    Param { name: "dtype", kind: "dtype", default: Some("null"), doc: "dtype of the result; as NumPy by default" };
/// The parameter `ddof`.
pub const DDOF: Param = Param {
    name: "ddof",
    kind: "float",
    default: Some("0"),
    doc: "the sum of squares is divided by the number of elements minus ddof",
};

/// A reduction as users know it.
pub struct ReductionDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// What it computes.
    pub kind: Kind,
    /// True if NaNs do not count.
    pub skip: bool,
}

/// Arguments of all reductions; each uses those that its definition lists.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Args {
    /// Axes to reduce; all by default.
    pub axis: Option<Axes>,
    /// Dtype of the result.
    pub dtype: Option<DType>,
    /// Delta degrees of freedom.
    pub ddof: f64,
    /// Keep reduced axes with length 1.
    pub keepdims: bool,
}

/// The op of a [`ReductionDef`].
#[derive(Clone)]
pub struct Reduction {
    def: &'static ReductionDef,
    args: Args,
}

impl std::fmt::Debug for Reduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?})", self.def.op.name, self.args)
    }
}

impl Reduction {
    /// The op from its JSON parameters.
    pub fn build(def: &'static ReductionDef, params: &Value) -> Result<Arc<dyn Op>> {
        let args =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Reduction { def, args }))
    }

    /// The reduction of `array`.
    pub fn apply(def: &'static ReductionDef, array: &Array, args: Args) -> Result<Array> {
        Array::from_op(Arc::new(Reduction { def, args }), vec![array.clone()])
    }

    fn axes(&self, rank: usize) -> Result<Vec<usize>> {
        let axes = normalize_axes(self.args.axis.as_ref(), rank)?;
        let index = matches!(self.def.kind, Kind::Argmin | Kind::Argmax);
        if index && self.args.axis.is_some() && axes.len() != 1 {
            return Err(Error::invalid(format!("axis must be one axis, got {}", axes.len())));
        }
        Ok(axes)
    }
}

impl Op for Reduction {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        let all = json!(self.args);
        let own = self.def.op.params.iter().map(|p| (p.name.to_string(), all[p.name].clone()));
        Value::Object(own.collect::<Map<_, _>>())
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&self.def.op, ins.len())?;
        let axes = self.axes(ins[0].rank())?;
        let out = self.def.kind.dtypes(ins[0].dtype, self.args.dtype)?.out;
        let empty = axes.iter().any(|&a| ins[0].shape[a] == 0);
        let meta = shapes::reduced_meta(ins[0], &axes, self.args.keepdims, out);
        if self.def.kind.needs_elements() && empty && (meta.size() > 0 || axes.len() == ins[0].rank()) {
            let name = self.def.op.name;
            return Err(Error::invalid(format!("zero-size array to reduction operation {name} which has no identity")));
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let dtypes = self.def.kind.dtypes(ins[0].dtype(), self.args.dtype)?;
        let x = cast(&cast(&ins[0], dtypes.asked)?, dtypes.work)?;
        let axes = self.axes(x.rank())?;
        let what = What { kind: self.def.kind, skip: self.def.skip && !ins[0].dtype().is_exact() };
        reduce(&x, what, Last { axes, ddof: self.args.ddof, keepdims: self.args.keepdims, out: dtypes.out }).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let axes = self.axes(ins[0].rank()).unwrap_or_default();
        vec![shapes::reduced_reads(out, &ins[0].shape, &axes, self.args.keepdims)]
    }
}

/// `x` as `dtype`; a bare number becomes an array.
pub fn cast(x: &Array, dtype: DType) -> Result<Array> {
    if x.size() == 0 && x.dtype() != dtype {
        return Full::apply(x.shape(), Scalar::Int(0), dtype);
    }
    Ok(casts(std::slice::from_ref(x), &[dtype])?.map_or_else(|| x.clone(), |cast| cast[0].clone()))
}

/// What is computed: shared by all steps of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct What {
    /// The reduction.
    pub kind: Kind,
    /// True if NaNs do not count.
    #[serde(default)]
    pub skip: bool,
}

impl What {
    /// The loops for elements of `dtype`.
    pub fn kernel(self, dtype: DType) -> Result<Box<dyn kernel::Kernel>> {
        kernel::kernel(self.kind, self.skip, dtype)
    }

    /// Bytes that the loops allocate for `n` blocks.
    pub fn scratch(self, dtype: DType, n: usize) -> u64 {
        self.kernel(dtype).map_or(0, |kernel| (kernel.scratch_words() * n * 8) as u64)
    }

    /// Bytes that the states of `n` blocks take while their elements are being made, with the runs that are not complete.
    pub fn gather_scratch(self, dtype: DType, n: usize) -> u64 {
        let words = self.kernel(dtype).map_or(0, |kernel| kernel.words() + kernel.scratch_words());
        (n * words * 8 + 2 * RUN * dtype.size()) as u64
    }

    /// What turns states into values, for `n` elements each.
    pub fn finish(self, n: u64, ddof: f64, dtype: DType) -> kernel::Finish {
        let signed = dtype.kind() != voxmill_core::Kind::Unsigned;
        kernel::Finish { kind: self.kind, n, ddof, signed, skip: self.skip }
    }
}

/// The last step of a reduction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// Reduced axes, rising.
    pub axes: Vec<usize>,
    /// Delta degrees of freedom.
    #[serde(default)]
    pub ddof: f64,
    /// Keep reduced axes with length 1.
    #[serde(default)]
    pub keepdims: bool,
    /// Dtype of the result.
    pub out: DType,
}

/// `x` reduced along some axes: at once where one block covers them, else block by block.
pub fn reduce(x: &Array, what: What, last: Last) -> Result<Array> {
    let Some(block) = blocks::choose(x.meta(), &last.axes) else {
        return Array::from_op(Arc::new(ReduceDirect { what, last }), vec![x.clone()]);
    };
    reduce_in_blocks(x, what, last, block)
}

/// `x` reduced by way of blocks of these lengths.
pub fn reduce_in_blocks(x: &Array, what: What, last: Last, block: Vec<usize>) -> Result<Array> {
    let axes = last.axes.clone();
    let n = axes.iter().map(|&a| x.shape()[a] as u64).product();
    let part = ReducePart { what, axes: axes.clone(), block };
    let states = Array::from_op(Arc::new(part), vec![x.clone()])?;
    let states = merge_all(states, what, x.dtype(), &axes)?;
    Array::from_op(Arc::new(ReduceFinish { what, dtype: x.dtype(), n, last }), vec![states])
}

/// Joins states until one step can take the rest.
pub fn merge_all(mut states: Array, what: What, dtype: DType, axes: &[usize]) -> Result<Array> {
    loop {
        let counts: Vec<usize> = axes.iter().map(|&a| states.shape()[a]).collect();
        let Some(fan) = blocks::fan(&counts) else { return Ok(states) };
        let merge = ReduceMerge { what, dtype, axes: axes.to_vec(), fan };
        states = Array::from_op(Arc::new(merge), vec![states])?;
    }
}

/// Samples of a reduction over `dtypes`: all axes, one, several, kept axes, rank 0, size 1; empty where that has a value.
pub fn samples(dtypes: &[DType], needs_elements: bool, one_axis: bool) -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all: Vec<Sample> = dtypes.iter().map(|&d| one(json!({}), &[5, 7], d)).collect();
    all.extend(dtypes.iter().map(|&d| one(json!({"axis": 0}), &[6, 9], d)));
    let Some(&dtype) = dtypes.first() else { return all };
    all.extend([
        one(json!({"axis": -1, "keepdims": true}), &[4, 3, 5], dtype),
        one(json!({"keepdims": true}), &[4, 3], dtype),
        one(json!({}), &[], dtype),
        one(json!({}), &[1], dtype),
    ]);
    if !one_axis {
        all.extend([one(json!({"axis": [0, 2]}), &[4, 3, 5], dtype), one(json!({"axis": []}), &[2, 3], dtype)]);
    }
    if !needs_elements {
        all.extend([one(json!({}), &[0, 3], dtype), one(json!({"axis": 0}), &[0, 3], dtype)]);
    }
    all
}
