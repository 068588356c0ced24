//! `edt_axis`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, bytemuck};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;
use crate::numeric::distance::Lanes;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::{self, normalize_axis};

/// Squared distances along one more axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdtAxis {
    /// The axis.
    pub axis: i64,
    /// Distance of neighbours, for squares in `float64`; whole steps in `uint32` if not given.
    #[serde(default)]
    pub sampling: Option<f64>,
    /// The last axis gives distances, all others their squares.
    #[serde(default)]
    pub last: bool,
}

/// The op `edt_axis`.
pub static DEF: OpDef = OpDef {
    name: "edt_axis",
    theme: "morphology",
    summary: "Internal: squared distances to the nearest false element, along one more axis.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis" },
        Param { name: "sampling", kind: "float", default: Some("null"), doc: "distance of neighbours" },
        Param { name: "last", kind: "bool", default: Some("false"), doc: "give distances instead of squares" },
    ],
    form: Form::Kernel,
    cost: 15.0,
    hold: false,
    build: params::build::<EdtAxis>,
    samples: || {
        let one = |params: Value, dtype| Sample { params, ins: vec![SampleInput::new(&[7, 9, 5], dtype)] };
        vec![
            one(json!({"axis": -1}), DType::Bool),
            one(json!({"axis": 0}), DType::Bool),
            one(json!({"axis": 1}), DType::U32),
            one(json!({"axis": 0, "last": true}), DType::U32),
            one(json!({"axis": 0, "last": true, "sampling": 3}), DType::Bool),
            one(json!({"axis": 2, "sampling": 0.5}), DType::Bool),
            Sample {
                params: json!({"axis": 0, "sampling": 2.5}),
                ins: vec![SampleInput::new(&[7, 40], DType::F64).between(0.0, 9.0)],
            },
        ]
    },
};

impl EdtAxis {
    fn lanes(&self, out: &Region, meta: &ArrayMeta) -> Result<Lanes> {
        let axis = normalize_axis(self.axis, meta.rank())?;
        Ok(Lanes {
            outer: out.shape[..axis].iter().product(),
            inner: out.shape[axis + 1..].iter().product(),
            len: meta.shape[axis],
            out: (out.start[axis], out.end(axis)),
            step: self.sampling.unwrap_or(1.0),
        })
    }

    fn run_as<B: Element>(
        &self,
        lanes: &Lanes,
        input: &View<'_>,
        out: &mut ViewMut<'_>,
        store: impl Fn(f64) -> B + Copy,
    ) -> Result<()> {
        let src = input.bytes().ok_or_else(lost)?;
        let dst: &mut [B] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
        match input.dtype() {
            DType::Bool => lanes.first(src, dst, store),
            DType::U32 => lanes.next::<u32, B>(bytemuck::try_cast_slice(src).map_err(|_| lost())?, dst, store),
            _ => lanes.next::<f64, B>(bytemuck::try_cast_slice(src).map_err(|_| lost())?, dst, store),
        }
        Ok(())
    }
}

impl Op for EdtAxis {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        normalize_axis(self.axis, ins[0].rank())?;
        let squares = if self.sampling.is_some() { DType::F64 } else { DType::U32 };
        if ins[0].dtype != DType::Bool && ins[0].dtype != squares {
            return Err(Error::internal("distances change their type between axes"));
        }
        Ok(ins[0].clone().with_dtype(if self.last { DType::F64 } else { squares }))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let Ok(axis) = normalize_axis(self.axis, ins[0].rank()) else { return vec![ins[0].whole()] };
        let len = if out.is_empty() { 0 } else { ins[0].shape[axis] };
        vec![out.with_axis(axis, 0, len)]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.lanes(out, ins[0]).map_or(0, |lanes| lanes.scratch())
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let lanes = self.lanes(at.out, at.ins[0])?;
        match out.dtype() {
            DType::U32 => {
                self.run_as(&lanes, &ins[0], out, |square| if square.is_finite() { square as u32 } else { u32::MAX })
            }
            _ if self.last => self.run_as(&lanes, &ins[0], out, f64::sqrt),
            _ => self.run_as(&lanes, &ins[0], out, |square| square),
        }
    }
}
