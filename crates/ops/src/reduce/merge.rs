//! `reduce_merge` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::part::{AXES, KIND, SKIP, check_axes};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::kernel::Kernel;
use crate::family::reduce::reduction::What;
use crate::family::reduce::shapes::{grouped_reads, grouped_shape};
use crate::family::reduce::walk::{Blocks, for_each_member};

/// Groups of states joined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReduceMerge {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// Dtype of the elements the states were made from.
    pub dtype: DType,
    /// Reduced axes, rising.
    pub axes: Vec<usize>,
    /// How many states are joined along each of them.
    pub fan: Vec<usize>,
}

/// The dtype of the elements behind the states.
pub const ELEMENTS: Param =
    Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the elements the states were made from" };

/// The op `reduce_merge`.
pub static DEF: OpDef = OpDef {
    name: "reduce_merge",
    theme: "reduce",
    summary: "Internal: joins the states of neighbouring blocks of a reduction.",
    doc: "Internal. Takes the result of reduce_part and joins states in groups, in a fixed order.",
    inputs: Inputs::Named(&["states"]),
    params: &[
        KIND,
        SKIP,
        ELEMENTS,
        AXES,
        Param {
            name: "fan",
            kind: "list of int",
            default: None,
            doc: "states that are joined along each reduced axis",
        },
    ],
    form: Form::Kernel,
    cost: 5.0,
    hold: true,
    build: params::build::<ReduceMerge>,
    samples: || {
        let one = |kind: &str, dtype: DType, words: usize, shape: &[usize]| {
            let shape = [shape, &[words]].concat();
            Sample {
                params: json!({"kind": kind, "dtype": dtype, "axes": [0, 2], "fan": [2, 3]}),
                ins: vec![SampleInput::new(&shape, DType::U64)],
            }
        };
        vec![
            one("sum", DType::U8, 1, &[5, 3, 7]),
            one("max", DType::U16, 1, &[1, 1, 1]),
            one("argmin", DType::I32, 2, &[4, 3, 2]),
            one("sum", DType::U8, 1, &[5, 0, 7]),
        ]
    },
};

impl Op for ReduceMerge {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        check_states(ins[0], self.what.kernel(self.dtype)?.words())?;
        check_axes(&self.axes, &self.fan, ins[0].rank() - 1)?;
        Ok(ArrayMeta::new(grouped_shape(&ins[0].shape, &self.axes, &self.fan), DType::U64))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let last = ins[0].rank() - 1;
        let read = grouped_reads(out, &ins[0].shape, &self.axes, &self.fan);
        vec![if read.is_empty() { read } else { read.with_axis(last, 0, ins[0].shape[last]) }]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        states_bytes(out, ins[0])
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let kernel = self.what.kernel(self.dtype)?;
        let states = joined(kernel.as_ref(), at, &ins[0], &self.axes, &self.fan)?;
        let last = at.out.rank() - 1;
        let (first, n) = (at.out.start[last], at.out.shape[last]);
        let Some(out) = out.as_slice_mut::<u64>() else { return Err(Error::internal("states are not contiguous")) };
        for (out, state) in out.chunks_exact_mut(n).zip(states.chunks_exact(kernel.words())) {
            out.copy_from_slice(&state[first..first + n]);
        }
        Ok(())
    }
}

/// Refuses arrays that do not hold states of `words`.
pub fn check_states(meta: &ArrayMeta, words: usize) -> Result<()> {
    if meta.dtype != DType::U64 || meta.shape.last() != Some(&words) {
        return Err(Error::invalid(format!("{:?} {} does not hold states of {words} words", meta.shape, meta.dtype)));
    }
    Ok(())
}

/// Bytes of the joined states behind the box `out`; its last axis may be a part of a state.
pub fn states_bytes(out: &Region, states: &ArrayMeta) -> u64 {
    let words = states.shape.last().copied().unwrap_or(0);
    (out.size() * words * 8) as u64
}

/// The states under a box of the result, joined in groups.
pub fn joined(
    kernel: &dyn Kernel,
    at: &Place<'_>,
    states: &View<'_>,
    axes: &[usize],
    fan: &[usize],
) -> Result<Vec<u64>> {
    let words = kernel.words();
    let rank = at.ins[0].rank() - 1;
    let read = Region::new(&at.reads[0].start[..rank], &at.reads[0].shape[..rank]);
    let shape = &at.ins[0].shape[..rank];
    let blocks = Blocks { read: &read, shape, axes, block: fan };
    let mut all = vec![0; blocks.n_blocks() * words];
    all.chunks_exact_mut(words).for_each(|state| kernel.empty(state));
    if states.size() == 0 {
        return Ok(all);
    }
    let Some(states) = states.as_slice::<u64>() else { return Err(Error::internal("states are not contiguous")) };
    for_each_member(&blocks, &mut |group, member| {
        kernel.join(&mut all[group * words..(group + 1) * words], &states[member * words..(member + 1) * words]);
    });
    Ok(all)
}
