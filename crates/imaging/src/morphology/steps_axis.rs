//! `steps_axis`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;
use crate::numeric::steps::{self, FAR, Metric};

/// Distances in whole steps, along one more axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepsAxis {
    /// The axis.
    pub axis: usize,
    /// How steps are counted.
    pub metric: Metric,
    /// The last axis gives -1 where there is no background.
    pub last: bool,
}

/// The op `steps_axis`.
pub static DEF: OpDef = OpDef {
    name: "steps_axis",
    theme: "morphology",
    summary: "Internal: distances to the nearest false element in whole steps, along one more axis.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis" },
        Param { name: "metric", kind: "string", default: None, doc: "taxicab or chessboard" },
        Param { name: "last", kind: "bool", default: None, doc: "give -1 where there is no background" },
    ],
    form: Form::Kernel,
    cost: 10.0,
    hold: false,
    build: params::build::<StepsAxis>,
    samples: || {
        let one = |axis: usize, metric: &str, last: bool, dtype| Sample {
            params: json!({"axis": axis, "metric": metric, "last": last}),
            ins: vec![SampleInput::new(&[7, 20, 5], dtype).between(0.0, 4.0)],
        };
        vec![
            one(2, "chessboard", false, DType::Bool),
            one(1, "chessboard", false, DType::I32),
            one(0, "taxicab", true, DType::I32),
            one(1, "taxicab", true, DType::Bool),
        ]
    },
};

/// Lanes that are worked on at a time.
const LANES: usize = 16;

impl Op for StepsAxis {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if !matches!(ins[0].dtype, DType::Bool | DType::I32) || self.axis >= ins[0].rank() {
            return Err(Error::internal("steps are counted in int32"));
        }
        Ok(ins[0].clone().with_dtype(DType::I32))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let len = if out.is_empty() { 0 } else { ins[0].shape[self.axis] };
        vec![out.with_axis(self.axis, 0, len)]
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let len = ins[0].shape[self.axis].max(1);
        (len * (4 * LANES + 36) + 256) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let shape = &at.reads[0].shape;
        let (len, inner) = (shape[self.axis], shape[self.axis + 1..].iter().product::<usize>());
        let (from, wanted) = (at.out.start[self.axis], at.out.shape[self.axis]);
        let truth = if ins[0].dtype() == DType::Bool { ins[0].bytes().ok_or_else(lost)? } else { &[] };
        let known = if ins[0].dtype() == DType::I32 { ins[0].as_slice::<i32>().ok_or_else(lost)? } else { &[] };
        let load = |flat: usize| match truth.get(flat) {
            Some(0) => 0,
            Some(_) => FAR,
            None => known[flat],
        };
        let store = |v: i32| if self.last && v == FAR { -1 } else { v };
        let out = out.as_slice_mut::<i32>().ok_or_else(lost)?;
        let (mut lanes, mut room) = (vec![0; LANES * len], Vec::new());
        for outer in 0..shape[..self.axis].iter().product::<usize>() {
            for first in (0..inner).step_by(LANES) {
                let n = LANES.min(inner - first);
                for k in 0..len {
                    for lane in 0..n {
                        lanes[lane * len + k] = load((outer * len + k) * inner + first + lane);
                    }
                }
                lanes[..n * len].chunks_exact_mut(len).for_each(|lane| steps::lane(self.metric, lane, &mut room));
                for x in 0..wanted {
                    for lane in 0..n {
                        out[(outer * wanted + x) * inner + first + lane] = store(lanes[lane * len + from + x]);
                    }
                }
            }
        }
        Ok(())
    }
}
