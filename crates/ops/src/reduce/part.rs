//! `reduce_part` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Idx, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput, Taker};

use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::Kind;
use crate::family::reduce::gather::Gather;
use crate::family::reduce::kernel::work_dtype;
use crate::family::reduce::reduction::What;
use crate::family::reduce::shapes::{grouped_reads, grouped_shape};
use crate::family::reduce::walk::Blocks;

/// The states of blocks along some axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReducePart {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// Reduced axes, rising.
    pub axes: Vec<usize>,
    /// Length of a block along each of them.
    pub block: Vec<usize>,
}

/// The parameters that say what is reduced.
pub const KIND: Param = Param { name: "kind", kind: "string", default: None, doc: "the reduction" };
/// True if NaNs do not count.
pub const SKIP: Param = Param { name: "skip", kind: "bool", default: Some("false"), doc: "true if NaNs do not count" };
/// Reduced axes.
pub const AXES: Param = Param { name: "axes", kind: "list of int", default: None, doc: "reduced axes, rising" };

/// The op `reduce_part`.
pub static DEF: OpDef = OpDef {
    name: "reduce_part",
    theme: "reduce",
    summary: "Internal: the states of the blocks of a reduction.",
    doc: "Internal. The first step of every reduction over more than one block: each reduced axis is replaced by its blocks, and a last \
          axis holds the 64-bit words of the state.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        KIND,
        SKIP,
        AXES,
        Param { name: "block", kind: "list of int", default: None, doc: "length of a block along each reduced axis" },
    ],
    form: Form::Kernel,
    cost: 0.3,
    hold: true,
    build: params::build::<ReducePart>,
    samples,
};

impl Op for ReducePart {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        check_axes(&self.axes, &self.block, ins[0].rank())?;
        let words = self.what.kernel(ins[0].dtype)?.words();
        Ok(blocks_meta(ins[0], &self.axes, &self.block, words))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![grouped_reads(out, &ins[0].shape, &self.axes, &self.block)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let n: usize = out.shape[..ins[0].rank()].iter().product();
        self.what.scratch(ins[0].dtype, n).max(self.what.gather_scratch(ins[0].dtype, n))
    }

    fn takes_runs(&self, read: &Region, ins: &[&ArrayMeta]) -> bool {
        self.blocks(read, ins).take_runs()
    }

    fn taker(&self, at: &Place<'_>) -> Result<Box<dyn Taker>> {
        let gather = self.what.kernel(at.ins[0].dtype)?.gather(&self.blocks(&at.reads[0], at.ins));
        let rank = at.ins[0].rank();
        Ok(Box::new(PartTaker { gather, first: at.out.start[rank], n: at.out.shape[rank] }))
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let rank = at.ins[0].rank();
        let (first, n) = (at.out.start[rank], at.out.shape[rank]);
        let Some(out) = out.as_slice_mut::<u64>() else { return Err(Error::internal("states are not contiguous")) };
        let blocks = self.blocks(&at.reads[0], at.ins);
        self.what.kernel(at.ins[0].dtype)?.reduce(&ins[0], &blocks, &mut |k, words| {
            out[k * n..(k + 1) * n].copy_from_slice(&words[first..first + n]);
        })
    }
}

impl ReducePart {
    fn blocks<'a>(&'a self, read: &'a Region, ins: &'a [&ArrayMeta]) -> Blocks<'a> {
        Blocks { read, shape: &ins[0].shape, axes: &self.axes, block: &self.block }
    }
}

/// Blocks that come as runs.
struct PartTaker {
    gather: Box<dyn Gather>,
    /// The first word of the states that is wanted.
    first: usize,
    /// How many are wanted.
    n: usize,
}

impl Taker for PartTaker {
    fn take(&mut self, run: &[u8]) {
        self.gather.take(run);
    }

    fn finish(&mut self, out: &mut ViewMut<'_>) -> Result<()> {
        let Some(out) = out.as_slice_mut::<u64>() else { return Err(Error::internal("states are not contiguous")) };
        let (first, n) = (self.first, self.n);
        self.gather.emit(&mut |k, words| out[k * n..(k + 1) * n].copy_from_slice(&words[first..first + n]));
        Ok(())
    }
}

/// Refuses axes that an array does not have and lengths that are none.
pub fn check_axes(axes: &[usize], lengths: &[usize], rank: usize) -> Result<()> {
    let rising = axes.windows(2).all(|w| w[0] < w[1]);
    if !rising || axes.iter().any(|&a| a >= rank) || axes.len() != lengths.len() || lengths.contains(&0) {
        return Err(Error::invalid(format!(
            "axes {axes:?} with lengths {lengths:?} do not suit an array of rank {rank}"
        )));
    }
    Ok(())
}

/// The meta of states of blocks: cut along with the chunks of the input.
pub fn blocks_meta(input: &ArrayMeta, axes: &[usize], block: &[usize], words: usize) -> ArrayMeta {
    let mut shape: Idx = grouped_shape(&input.shape, axes, block);
    let mut cuts: Vec<AxisCuts> = input.grid.axes.clone();
    for (&axis, &n) in axes.iter().zip(block) {
        let together = (input.grid.axes[axis].longest() / n).max(1);
        cuts[axis] = AxisCuts::even(shape[axis], together);
    }
    shape.push(words);
    cuts.push(AxisCuts::even(words, 0));
    ArrayMeta::new(&shape, DType::U64).with_grid(ChunkGrid { axes: cuts })
}

fn samples() -> Vec<Sample> {
    let one = |kind: &str, skip: bool, axes: &[usize], block: &[usize], shape: &[usize], dtype| Sample {
        params: json!({"kind": kind, "skip": skip, "axes": axes, "block": block}),
        ins: vec![SampleInput::new(shape, dtype)],
    };
    let what = |kind: &str| serde_json::from_value(json!(kind)).unwrap_or(Kind::Sum);
    let mut all = Vec::new();
    let kinds = ["sum", "prod", "mean", "var", "min", "max", "ptp", "argmin", "argmax", "any"];
    for kind in kinds {
        for dtype in DType::ALL.into_iter().filter(|&d| work_dtype(what(kind), d) == d) {
            all.push(one(kind, false, &[0, 1], &[2, 3], &[5, 7], dtype));
            all.push(one(kind, !dtype.is_exact(), &[0, 2], &[2, 3], &[5, 4, 7], dtype));
            all.push(one(kind, false, &[1], &[3], &[3, 8, 6], dtype));
        }
    }
    all.extend([
        one("sum", false, &[], &[], &[3, 4], DType::F32),
        one("sum", false, &[], &[], &[], DType::F32),
        one("var", false, &[0], &[2], &[0, 3], DType::F32),
        one("sum", false, &[0], &[300], &[700, 1100], DType::U8),
        one("var", true, &[0, 1], &[3, 9000], &[5, 9000], DType::F32),
    ]);
    all
}
