//! `correlate1d`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::line::{AXIS, Line, OUTPUT, Work, check_window};
use crate::family::neighborhood::{Border, CVAL, MODE};
use crate::numeric::correlate::Taps;
use voxmill_ops::family::params;

/// Weighted sums along one axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlate1d {
    /// The weights.
    pub weights: Vec<f64>,
    /// The axis.
    #[serde(default = "last")]
    pub axis: i64,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default)]
    pub mode: Border,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the weights are moved.
    #[serde(default)]
    pub origin: i64,
}

/// The default of `axis`.
pub(super) fn last() -> i64 {
    -1
}

/// The default of `cval`.
pub(super) fn zero() -> Scalar {
    Scalar::Float(0.0)
}

impl Correlate1d {
    fn line(&self) -> Line {
        let (axis, mode, cval) = (self.axis, self.mode, self.cval);
        let work = Work::Taps(Taps::new(self.weights.clone()));
        Line { work, origin: self.origin, axis, mode, cval, output: self.output }
    }
}

/// The parameter `weights`.
pub(super) const WEIGHTS: Param =
    Param { name: "weights", kind: "list of float", default: None, doc: "one weight per position of the window" };

/// The parameter `origin`.
pub(super) const ORIGIN: Param =
    Param { name: "origin", kind: "int", default: Some("0"), doc: "how far the window is moved along the axis" };

/// The op `correlate1d`.
pub static DEF: OpDef = OpDef {
    name: "correlate1d",
    theme: "filter",
    summary: "Weighted sums of neighbours along one axis.",
    doc: "As scipy.ndimage: sums in double precision, integers cut off towards zero, complex numbers part by part. float32 with at \
          most 65 weights between 0 and 1 is summed in single precision.",
    inputs: Inputs::Named(&["input"]),
    params: &[WEIGHTS, AXIS, OUTPUT, MODE, CVAL, ORIGIN],
    form: Form::Kernel,
    cost: 3.0,
    hold: false,
    build: params::build::<Correlate1d>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        let mut all: Vec<Sample> =
            DType::ALL.iter().map(|&d| one(json!({"weights": [0.25, 0.5, 0.25], "axis": 0}), &[6, 5], d)).collect();
        for mode in ["reflect", "mirror", "nearest", "constant", "wrap", "valid"] {
            let long = vec![0.1; 9];
            all.push(one(json!({"weights": [1, -2, 0.5, 3], "mode": mode, "cval": 7}), &[3, 17], DType::I32));
            all.push(one(json!({"weights": long, "axis": 1, "mode": mode}), &[2, 9, 300], DType::F32));
            all.push(one(json!({"weights": long, "axis": 1, "mode": mode, "origin": -3}), &[2, 13, 3], DType::U8));
        }
        all.push(one(json!({"weights": [1, 0, -1]}), &[0, 4], DType::F64));
        all.push(one(json!({"weights": [1, 0, -1], "output": "int16"}), &[3, 4], DType::F64));
        all
    },
};

impl Op for Correlate1d {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        check_window(self.weights.len(), self.origin)?;
        self.line().infer(&DEF, ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let op: Arc<dyn Op> = Arc::new(self.clone());
        self.line().expand(&op, ins)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        self.line().reads(out, ins)
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.line().scratch(out, reads, ins)
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        self.line().work(out)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        self.line().run(at, ins, out)
    }
}
