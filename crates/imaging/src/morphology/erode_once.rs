//! `erode_once`

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::filter::footprint::{Placed, Placing};
use crate::filter::line::lost;
use crate::numeric::bits::Erosion;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;

/// One erosion or dilation of truth values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErodeOnce {
    /// The structure, over all axes.
    pub structure: Grid,
    /// What lies beyond the border.
    pub border_value: bool,
    /// How far the structure is moved, per axis.
    pub origin: Vec<i64>,
    /// Erode what is false instead of what is true: a dilation by the mirrored structure.
    pub invert: bool,
    /// What follows from the structure, which is asked for once per tile.
    #[serde(skip)]
    pub prepared: OnceLock<Arc<(Placed, Erosion)>>,
}

/// The op `erode_once`.
pub static DEF: OpDef = OpDef {
    name: "erode_once",
    theme: "morphology",
    summary: "Internal: one erosion of what is true, or of what is false.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "structure",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "positions that must all be true",
        },
        Param { name: "border_value", kind: "bool", default: None, doc: "what lies beyond the border" },
        Param { name: "origin", kind: "list of int", default: None, doc: "how far the structure is moved" },
        Param { name: "invert", kind: "bool", default: None, doc: "erode what is false" },
    ],
    form: Form::Kernel,
    cost: 1.0,
    hold: false,
    build: params::build::<ErodeOnce>,
    samples: || {
        let one = |structure: Value, border: bool, invert: bool, shape: &[usize]| Sample {
            params: json!({"structure": structure, "border_value": border, "origin": vec![0; shape.len()], "invert": invert}),
            ins: vec![SampleInput::new(shape, DType::Bool)],
        };
        vec![
            one(json!([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), false, false, &[9, 70]),
            one(json!("ball(3)"), true, false, &[9, 8, 11]),
            one(json!([[1, 1], [0, 1]]), false, true, &[7, 130]),
            one(json!([1]), false, true, &[0]),
        ]
    },
};

impl ErodeOnce {
    fn placed(&self, rank: usize) -> Result<Placed> {
        let (mode, origin) = (PerAxis::One(Border::Constant), PerAxis::Each(self.origin.clone()));
        Placing { mode, cval: Scalar::Bool(self.border_value), origin, axes: None }.over(&self.structure, rank)
    }

    fn prepared(&self) -> Result<Arc<(Placed, Erosion)>> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared.clone());
        }
        let placed = self.placed(self.structure.shape.len())?;
        let erosion = Erosion::new(&placed.grid);
        Ok(self.prepared.get_or_init(|| Arc::new((placed, erosion))).clone())
    }
}

impl Op for ErodeOnce {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].dtype != DType::Bool {
            return Err(Error::internal("truth values are eroded"));
        }
        Ok(self.placed(ins[0].rank())?.window.infer(ins[0]))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let prepared = self.prepared();
        prepared.map_or_else(|_| vec![ins[0].whole()], |prepared| vec![prepared.0.window.reads(out, ins[0])])
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let Ok(prepared) = self.prepared() else { return 0 };
        let (placed, erosion) = prepared.as_ref();
        let padded = placed.window.padded_shape(out);
        padded.iter().product::<usize>() as u64 + erosion.scratch(&padded, &out.shape)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let prepared = self.prepared()?;
        let (placed, erosion) = prepared.as_ref();
        let src = ins[0].bytes().ok_or_else(lost)?;
        let constant = u8::from(self.border_value);
        let padded = placed.window.padded(src, &at.reads[0], at.out, &at.ins[0].shape, constant);
        let dst = out.bytes_mut().ok_or_else(lost)?;
        erosion.run(&padded, &placed.window.padded_shape(at.out), &at.out.shape, self.invert, dst);
        Ok(())
    }
}
