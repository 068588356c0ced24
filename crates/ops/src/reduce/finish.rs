//! `reduce_finish` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, Scalar, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::merge::{ELEMENTS, check_states, joined, states_bytes};
use super::part::{AXES, KIND, SKIP};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::reduction::{DDOF, KEEPDIMS, Last, What};
use crate::family::reduce::shapes::{reduced_meta, reduced_reads};

/// All states joined and turned into values.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReduceFinish {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// Dtype of the elements the states were made from.
    pub dtype: DType,
    /// Number of elements behind each value.
    pub n: u64,
    /// Axes and result.
    #[serde(flatten)]
    pub last: Last,
}

/// The dtype of the result.
pub const OUT: Param = Param { name: "out", kind: "dtype", default: None, doc: "dtype of the result" };

/// The op `reduce_finish`.
pub static DEF: OpDef = OpDef {
    name: "reduce_finish",
    theme: "reduce",
    summary: "Internal: joins the last states of a reduction and turns them into values.",
    doc: "Internal. The last step of every reduction over more than one block.",
    inputs: Inputs::Named(&["states"]),
    params: &[
        KIND,
        SKIP,
        ELEMENTS,
        Param { name: "n", kind: "int", default: None, doc: "number of elements behind each value" },
        AXES,
        DDOF,
        KEEPDIMS,
        OUT,
    ],
    form: Form::Kernel,
    cost: 5.0,
    hold: true,
    build: params::build::<ReduceFinish>,
    samples: || {
        let one = |kind: &str, dtype: DType, words: usize, keepdims: bool, out: DType| Sample {
            params: json!({"kind": kind, "dtype": dtype, "axes": [1], "n": 9, "keepdims": keepdims, "out": out}),
            ins: vec![SampleInput::new(&[5, 3, 4, words], DType::U64)],
        };
        vec![
            one("sum", DType::U8, 1, false, DType::U64),
            one("mean", DType::U8, 1, true, DType::F64),
            one("max", DType::U16, 1, false, DType::U16),
            one("argmin", DType::I32, 2, false, DType::I64),
            one("all", DType::F32, 1, true, DType::Bool),
        ]
    },
};

impl Op for ReduceFinish {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        check_states(ins[0], self.what.kernel(self.dtype)?.words())?;
        let mut elements = ins[0].clone();
        elements.shape.pop();
        elements.grid.axes.pop();
        Ok(reduced_meta(&elements, &self.last.axes, self.last.keepdims, self.last.out))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let words = ins[0].rank() - 1;
        let mut read = reduced_reads(out, &ins[0].shape[..words], &self.last.axes, self.last.keepdims);
        read.start.push(0);
        read.shape.push(ins[0].shape[words]);
        vec![read]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        states_bytes(out, ins[0])
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let kernel = self.what.kernel(self.dtype)?;
        let counts: Vec<usize> = self.last.axes.iter().map(|&a| at.ins[0].shape[a].max(1)).collect();
        let states = joined(kernel.as_ref(), at, &ins[0], &self.last.axes, &counts)?;
        let finish = self.what.finish(self.n, self.last.ddof, self.dtype);
        let mut values = states.chunks_exact(kernel.words()).map(|state| kernel.value(state, &finish));
        write_values(out, |_| values.next().unwrap_or(Scalar::Int(0)))
    }
}

/// Fills `out` with `value(0)`, `value(1)` and so on.
pub fn write_values(out: &mut ViewMut<'_>, mut value: impl FnMut(usize) -> Scalar) -> Result<()> {
    dispatch!(all out.dtype(), T => {
        let Some(out) = out.as_slice_mut::<T>() else { return Err(Error::internal("the result is not contiguous")) };
        for (k, element) in out.iter_mut().enumerate() {
            *element = T::from_scalar(value(k));
        }
    });
    Ok(())
}
