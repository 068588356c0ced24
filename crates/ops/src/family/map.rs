//! Element-wise ops: promotion, broadcasting and boxes are the same for all; a file only brings its rule and its loop.
//!
//! The executor runs chains of these ops in one pass over short runs, so a kernel is a loop over one run. Before that, [`casts`]
//! brings every input to the exact dtype the kernel was chosen for, by explicit `astype` nodes that the optimiser can see.

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::bytemuck::{cast_slice, cast_slice_mut};
use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Element, Error, Idx, Kind, Region, Result, Scalar};
use voxmill_plan::{Array, MapKernel, Op, OpDef, Sample, SampleInput, What};

use crate::elementwise::astype::Astype;
use crate::numeric::simd;

pub mod kernels;
pub mod parametric;
pub mod rules;

/// Integers, booleans and floats.
pub const REALS: [DType; 13] = {
    use DType::*;
    [Bool, U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64]
};

/// Everything but booleans.
pub const NUMBERS: [DType; 14] = {
    use DType::*;
    [U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128]
};

/// Integers and booleans.
pub const EXACT: [DType; 9] = {
    use DType::*;
    [Bool, U8, U16, U32, U64, I8, I16, I32, I64]
};

/// Integers.
pub const INTEGERS: [DType; 8] = {
    use DType::*;
    [U8, U16, U32, U64, I8, I16, I32, I64]
};

/// Floats, not complex.
pub const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

/// An input as the promotion rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    /// Element type.
    pub dtype: DType,
    /// The value, for a bare number.
    pub weak: Option<Scalar>,
}

impl From<&ArrayMeta> for Operand {
    fn from(meta: &ArrayMeta) -> Self {
        Operand { dtype: meta.dtype, weak: meta.weak }
    }
}

/// The dtypes a kernel works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What each input is cast to.
    pub ins: SmallVec<[DType; 3]>,
    /// What comes out.
    pub out: DType,
}

impl Signature {
    /// `n` inputs of `dtype`, one output of `out`.
    pub fn uniform(n: usize, dtype: DType, out: DType) -> Self {
        Signature { ins: SmallVec::from_elem(dtype, n), out }
    }
}

/// An element-wise op without parameters.
pub struct UfuncDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// The dtypes for these inputs, or why there are none.
    pub signature: fn(&[Operand]) -> Result<Signature>,
    /// The loop for inputs of exactly these dtypes.
    pub kernel: fn(&[DType]) -> Result<MapKernel>,
    /// The same result by a cheaper op, for inputs that allow it.
    pub simpler: fn(&[Array]) -> Result<Option<Array>>,
}

/// The op of a [`UfuncDef`].
#[derive(Clone, Copy)]
pub struct Ufunc(pub &'static UfuncDef);

impl std::fmt::Debug for Ufunc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.op.name)
    }
}

impl Ufunc {
    /// The op applied to `ins`.
    pub fn call(def: &'static UfuncDef, ins: &[&Array]) -> Result<Array> {
        Array::from_op(Arc::new(Ufunc(def)), ins.iter().map(|a| (*a).clone()).collect())
    }
}

impl Op for Ufunc {
    fn def(&self) -> &'static OpDef {
        &self.0.op
    }

    fn params(&self) -> Value {
        json!({})
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(self.def(), ins.len())?;
        let operands: SmallVec<[Operand; 3]> = ins.iter().map(|m| Operand::from(*m)).collect();
        Ok(broadcast_meta(ins)?.with_dtype((self.0.signature)(&operands)?.out))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let operands: SmallVec<[Operand; 3]> = ins.iter().map(|a| Operand::from(a.meta())).collect();
        let signature = (self.0.signature)(&operands)?;
        match casts(ins, &signature.ins)? {
            Some(ins) => Array::from_op(Arc::new(*self), ins).map(Some),
            None => (self.0.simpler)(ins),
        }
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        broadcast_reads(out, ins)
    }

    fn kernel(&self, ins: &[&ArrayMeta]) -> Result<MapKernel> {
        let dtypes: SmallVec<[DType; 3]> = ins.iter().map(|m| m.dtype).collect();
        let operands: SmallVec<[Operand; 3]> = ins.iter().map(|m| Operand::from(*m)).collect();
        expect_dtypes(self.def(), &dtypes, &(self.0.signature)(&operands)?)?;
        (self.0.kernel)(&dtypes)
    }
}

/// Refuses a wrong number of inputs.
pub fn expect_inputs(def: &OpDef, n: usize) -> Result<()> {
    match def.inputs {
        voxmill_plan::Inputs::Named(names) if names.len() != n => {
            Err(Error::invalid(format!("{} takes {} input(s) ({}), got {n}", def.name, names.len(), names.join(", "))))
        }
        voxmill_plan::Inputs::Many(_) if n == 0 => {
            Err(Error::invalid(format!("{} needs at least one input", def.name)))
        }
        _ => Ok(()),
    }
}

/// Refuses inputs that were not cast to what the kernel works with.
fn expect_dtypes(def: &OpDef, dtypes: &[DType], signature: &Signature) -> Result<()> {
    if signature.ins[..] == *dtypes {
        return Ok(());
    }
    let names = |dtypes: &[DType]| dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
    Err(Error::internal(format!(
        "the kernel of {} works on {}, got {}",
        def.name,
        names(&signature.ins),
        names(dtypes)
    )))
}

/// The inputs brought to `dtypes`; `None` if they all are already and no bare number is left.
pub fn casts(ins: &[Array], dtypes: &[DType]) -> Result<Option<Vec<Array>>> {
    if ins.iter().zip(dtypes).all(|(a, &d)| a.dtype() == d && a.meta().weak.is_none()) {
        return Ok(None);
    }
    let cast = |(array, &dtype): (&Array, &DType)| match array.what() {
        What::Literal(value) => Ok(Array::scalar(*value, dtype)),
        _ if array.dtype() == dtype => Ok(array.clone()),
        _ => Astype::apply(array, dtype),
    };
    ins.iter().zip(dtypes).map(cast).collect::<Result<Vec<_>>>().map(Some)
}

/// The common dtype of some inputs, as NumPy 2 finds it (NEP 50): bare numbers adapt to arrays, and must fit them.
pub fn promote(operands: &[Operand]) -> Result<DType> {
    let dtype = common(operands)?;
    match operands.iter().filter_map(|o| o.weak).find(|value| !value.fits(dtype)) {
        Some(value) => Err(Error::invalid(format!(
            "the number {value} does not fit {dtype}; cast the array to a wider type first"
        ))),
        None => Ok(dtype),
    }
}

/// As [`promote`], for ops that do not store the bare numbers in that dtype.
pub fn common(operands: &[Operand]) -> Result<DType> {
    let strong = operands.iter().filter(|o| o.weak.is_none()).map(|o| o.dtype).reduce(DType::promote);
    let Some(strong) = strong else {
        let weak = operands.iter().map(|o| o.dtype).reduce(DType::promote);
        return weak.ok_or_else(|| Error::invalid("no inputs"));
    };
    Ok(operands.iter().filter_map(|o| o.weak).fold(strong, meet_weak))
}

/// The dtype of an array that meets a bare number: the number decides at most the kind.
fn meet_weak(dtype: DType, value: Scalar) -> DType {
    match (value, dtype.kind()) {
        (Scalar::Int(_), Kind::Bool) => DType::I64,
        (Scalar::Float(_), Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::F64,
        (Scalar::Complex(_), Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::C128,
        (Scalar::Complex(_), Kind::Float) => dtype.to_complex(),
        _ => dtype,
    }
}

/// The broadcast shape of several shapes.
pub fn broadcast_shape<'a>(shapes: impl Iterator<Item = &'a [usize]> + Clone) -> Result<Idx> {
    let rank = shapes.clone().map(<[usize]>::len).max().unwrap_or(0);
    let mut out = Idx::from_elem(1, rank);
    for shape in shapes.clone() {
        for (k, &n) in shape.iter().enumerate() {
            let axis = rank - shape.len() + k;
            if out[axis] == 1 {
                out[axis] = n;
            } else if n != 1 && n != out[axis] {
                let all: Vec<String> = shapes.map(|s| format!("{s:?}")).collect();
                return Err(Error::invalid(format!(
                    "shapes {} do not broadcast: axis {axis} is {} in one and {n} in another; lengths must be equal or 1",
                    all.join(" and "),
                    out[axis]
                )));
            }
        }
    }
    Ok(out)
}

/// Shape, chunks and axis names of an element-wise result; the dtype is left to the caller.
pub fn broadcast_meta(ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
    let shape = broadcast_shape(ins.iter().map(|m| &m.shape[..]))?;
    let axis_cuts = |k: usize| {
        let same = ins.iter().filter_map(|m| (k + m.rank()).checked_sub(shape.len()).map(|a| &m.grid.axes[a]));
        // The finest cuts among inputs that have the full length: results are cut like their largest operand.
        let best = same.filter(|cuts| cuts.len() == shape[k]).max_by_key(|cuts| cuts.n_chunks());
        best.cloned().unwrap_or_else(|| AxisCuts::even(shape[k], 0))
    };
    let grid = ChunkGrid { axes: (0..shape.len()).map(axis_cuts).collect() };
    let axes = ins.iter().find(|m| m.shape == shape).map(|m| m.axes.clone()).unwrap_or_default();
    let mut meta = ArrayMeta::new(&shape, DType::F64).with_grid(grid);
    meta.axes = axes;
    Ok(meta)
}

/// The boxes of broadcast inputs under the box `out`.
pub fn broadcast_reads(out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
    let one = |meta: &&ArrayMeta| {
        let lead = out.rank() - meta.rank();
        let bounds = (0..meta.rank()).map(|k| {
            if meta.shape[k] == 1 && !out.is_empty() { (0, 1) } else { (out.start[lead + k], out.end(lead + k)) }
        });
        Region::from_bounds(bounds)
    };
    ins.iter().map(one).collect()
}

/// A kernel that leaves empty runs alone: they may lie at any address.
fn on_runs(run: impl Fn(&[&[u8]], &mut [u8]) + Send + Sync + 'static) -> MapKernel {
    MapKernel(Arc::new(move |ins, out| {
        if !out.is_empty() {
            run(ins, out)
        }
    }))
}

/// A loop of one input.
pub fn unary<A: Element, O: Element>(f: impl Fn(A) -> O + Copy + Send + Sync + 'static) -> MapKernel {
    on_runs(move |ins, out| simd::map1(cast_slice::<u8, A>(ins[0]), cast_slice_mut::<u8, O>(out), f))
}

/// A loop of two inputs.
pub fn binary<A: Element, B: Element, O: Element>(f: impl Fn(A, B) -> O + Copy + Send + Sync + 'static) -> MapKernel {
    on_runs(move |ins, out| {
        simd::map2(cast_slice::<u8, A>(ins[0]), cast_slice::<u8, B>(ins[1]), cast_slice_mut::<u8, O>(out), f)
    })
}

/// A loop of three inputs.
pub fn ternary<A: Element, B: Element, C: Element, O: Element>(
    f: impl Fn(A, B, C) -> O + Copy + Send + Sync + 'static,
) -> MapKernel {
    on_runs(move |ins, out| {
        let (a, b, c) = (cast_slice::<u8, A>(ins[0]), cast_slice::<u8, B>(ins[1]), cast_slice::<u8, C>(ins[2]));
        simd::map3(a, b, c, cast_slice_mut::<u8, O>(out), f)
    })
}

/// The error for a dtype that an op does not take.
pub fn no_kernel(name: &str, dtypes: &[DType]) -> Error {
    let names: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
    Error::invalid(format!("{name} is not defined for {}", names.join(" and ")))
}

/// Samples over `dtypes` for an op of `arity` inputs: equal shapes, broadcasting, rank 0, size 1 and empty.
pub fn samples(arity: usize, dtypes: &[DType], low: f64, high: f64) -> Vec<Sample> {
    let one = |shapes: &[&[usize]], dtype: DType| Sample {
        params: json!({}),
        ins: (0..arity).map(|k| SampleInput::new(shapes[k % shapes.len()], dtype).between(low, high)).collect(),
    };
    let mut all: Vec<Sample> = dtypes.iter().map(|&d| one(&[&[5, 7]], d)).collect();
    if let Some(&dtype) = dtypes.first() {
        let shapes: [&[&[usize]]; 5] = [&[&[3, 1, 4], &[2, 4]], &[&[]], &[&[1]], &[&[0, 3]], &[&[4, 3], &[3]]];
        all.extend(shapes.iter().map(|shapes| one(shapes, dtype)));
    }
    all
}
