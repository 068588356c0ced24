//! `scan_offsets` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::merge::{ELEMENTS, check_states};
use super::part::{KIND, SKIP};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::family::reduce::reduction::What;

/// For each block, the joined states of all blocks before it along one axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScanOffsets {
    /// The reduction.
    #[serde(flatten)]
    pub what: What,
    /// Dtype of the elements the states were made from.
    pub dtype: DType,
    /// The axis of the blocks.
    pub axis: usize,
}

/// The axis along which is summed.
pub const SCAN_AXIS: Param = Param { name: "axis", kind: "int", default: None, doc: "the axis along which is summed" };

/// The op `scan_offsets`.
pub static DEF: OpDef = OpDef {
    name: "scan_offsets",
    theme: "reduce",
    summary: "Internal: what a cumulative sum carries into each block.",
    doc: "Internal. Takes the result of reduce_part along one axis and joins, for each block, all blocks before it.",
    inputs: Inputs::Named(&["states"]),
    params: &[KIND, SKIP, ELEMENTS, SCAN_AXIS],
    form: Form::Kernel,
    cost: 10.0,
    hold: true,
    build: params::build::<ScanOffsets>,
    samples: || {
        let one = |kind: &str, dtype: DType, words: usize, axis: usize| Sample {
            params: json!({"kind": kind, "dtype": dtype, "axis": axis}),
            ins: vec![SampleInput::new(&[3, 5, 4, words], DType::U64)],
        };
        vec![one("sum", DType::U64, 1, 1), one("prod", DType::U64, 1, 0), one("sum", DType::F64, 2, 2)]
    },
};

impl Op for ScanOffsets {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        check_states(ins[0], self.what.kernel(self.dtype)?.words())?;
        if self.axis + 1 >= ins[0].rank() {
            return Err(Error::invalid(format!("states of rank {} have no axis {}", ins[0].rank(), self.axis)));
        }
        Ok(ArrayMeta::new(&ins[0].shape, DType::U64))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![out.clone()];
        }
        let last = ins[0].rank() - 1;
        vec![out.with_axis(self.axis, 0, out.end(self.axis)).with_axis(last, 0, ins[0].shape[last])]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let kernel = self.what.kernel(self.dtype)?;
        let (read, last) = (&at.reads[0], at.out.rank() - 1);
        let (first, n, words) = (at.out.start[last], at.out.shape[last], kernel.words());
        let (Some(x), Some(out)) = (ins[0].as_slice::<u64>(), out.as_slice_mut::<u64>()) else {
            return Err(Error::internal("states are not contiguous"));
        };
        let inner: usize = read.shape[self.axis + 1..last].iter().product();
        let outer: usize = read.shape[..self.axis].iter().product();
        let (len, skipped, kept) = (read.shape[self.axis], at.out.start[self.axis], at.out.shape[self.axis]);
        let mut state = [0; crate::family::reduce::walk::MAX_WORDS];
        let state = &mut state[..words];
        for o in 0..outer {
            for i in 0..inner {
                kernel.empty(state);
                for k in 0..len {
                    if k >= skipped {
                        let to = ((o * kept + k - skipped) * inner + i) * n;
                        out[to..to + n].copy_from_slice(&state[first..first + n]);
                    }
                    let from = ((o * len + k) * inner + i) * words;
                    kernel.join(state, &x[from..from + words]);
                }
            }
        }
        Ok(())
    }
}
