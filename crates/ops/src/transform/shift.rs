//! What `fftshift` and `ifftshift` share: both are `roll`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Op, OpDef, Param, Sample, SampleInput};

use crate::TABLE;
use crate::family::map::expect_inputs;
use crate::family::params::{Axes, normalize_axes};

/// One of the two shifts.
pub struct ShiftDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// 1 forward, -1 back.
    pub sign: i64,
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[Param {
    name: "axes",
    kind: "int or list of int",
    default: Some("null"),
    doc: "the axes to shift; all by default",
}];

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShiftParams {
    #[serde(default)]
    axes: Option<Axes>,
}

/// A roll by half the length.
#[derive(Clone)]
pub struct Shift {
    def: &'static ShiftDef,
    params: ShiftParams,
}

impl std::fmt::Debug for Shift {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.def.op.name, self.params)
    }
}

impl Shift {
    /// The op `def` from a JSON object.
    pub fn build(def: &'static ShiftDef, params: &Value) -> Result<Arc<dyn Op>> {
        let params =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Shift { def, params }))
    }
}

impl Op for Shift {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.params)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(self.def(), ins.len())?;
        normalize_axes(self.params.axes.as_ref(), ins[0].rank())?;
        Ok(ins[0].clone().with_dtype(ins[0].dtype))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let axes = normalize_axes(self.params.axes.as_ref(), ins[0].rank())?;
        let shift: Vec<i64> = axes.iter().map(|&a| self.def.sign * (ins[0].shape()[a] as i64 / 2)).collect();
        if axes.is_empty() {
            return Ok(Some(ins[0].clone()));
        }
        let roll = TABLE.build("roll", &json!({"shift": shift, "axis": axes}))?;
        Array::from_op(roll, ins.to_vec()).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}

/// Samples over axes.
pub fn samples() -> Vec<Sample> {
    let one = |params: Value, shape: &[usize]| Sample { params, ins: vec![SampleInput::new(shape, DType::F32)] };
    vec![one(json!({}), &[4, 5]), one(json!({"axes": 1}), &[2, 7]), one(json!({"axes": [0, -1]}), &[3, 2, 4])]
}
