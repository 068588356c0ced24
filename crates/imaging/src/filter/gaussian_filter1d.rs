//! `gaussian_filter1d`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::correlate1d::{last, zero};
use super::line::{AXIS, Line, OUTPUT, Work};
use crate::family::neighborhood::{Border, CVAL, MODE};
use crate::numeric::correlate::Taps;
use crate::numeric::gaussian;
use voxmill_ops::family::params;

/// A Gaussian along one axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaussianFilter1d {
    /// Standard deviation.
    pub sigma: f64,
    /// The axis.
    #[serde(default = "last")]
    pub axis: i64,
    /// Order of the derivative.
    #[serde(default)]
    pub order: i64,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default)]
    pub mode: Border,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// Where the window ends, in standard deviations.
    #[serde(default = "four")]
    pub truncate: f64,
    /// Where the window ends, in positions.
    #[serde(default)]
    pub radius: Option<i64>,
}

/// The default of `truncate`.
pub(super) fn four() -> f64 {
    4.0
}

/// The parameter `truncate`.
pub(super) const TRUNCATE: Param = Param {
    name: "truncate",
    kind: "float",
    default: Some("4.0"),
    doc: "where the window ends, in standard deviations",
};

/// Windows longer than this are refused rather than computed for hours.
const LONGEST: i64 = 1 << 24;

impl GaussianFilter1d {
    fn radius(&self) -> Result<usize> {
        let radius = self.radius.unwrap_or((self.truncate * self.sigma + 0.5) as i64);
        if !(0..LONGEST).contains(&radius) || !self.sigma.is_finite() {
            return Err(Error::invalid(format!(
                "sigma {} and truncate {} give a window radius of {radius}; it must be 0 or more and below {LONGEST}",
                self.sigma, self.truncate
            )));
        }
        Ok(radius as usize)
    }

    fn line(&self) -> Result<Line> {
        let order = usize::try_from(self.order).map_err(|_| {
            Error::invalid(format!("order {} is negative; 0 smooths, 1 is the first derivative", self.order))
        })?;
        let mut weights = gaussian::weights(self.sigma, order, self.radius()?);
        // A correlation runs over its weights the other way round.
        weights.reverse();
        let (axis, mode, cval) = (self.axis, self.mode, self.cval);
        Ok(Line { work: Work::Taps(Taps::new(weights)), origin: 0, axis, mode, cval, output: self.output })
    }
}

/// The op `gaussian_filter1d`.
pub static DEF: OpDef = OpDef {
    name: "gaussian_filter1d",
    theme: "filter",
    summary: "Gaussian smoothing, or a derivative of it, along one axis.",
    doc: "As scipy.ndimage: the result has the dtype of the input; sums are double, integers are cut off towards zero. float32 \
          without derivative and with a radius up to 32 is summed in single precision (relative error below 1e-6).",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "sigma", kind: "float", default: None, doc: "standard deviation, in elements" },
        AXIS,
        Param { name: "order", kind: "int", default: Some("0"), doc: "order of the derivative; 0 smooths" },
        OUTPUT,
        MODE,
        CVAL,
        TRUNCATE,
        Param {
            name: "radius",
            kind: "int",
            default: Some("null"),
            doc: "where the window ends, in elements; replaces truncate",
        },
    ],
    form: Form::Kernel,
    cost: 3.0,
    hold: false,
    build: params::build::<GaussianFilter1d>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        let mut all: Vec<Sample> =
            DType::ALL.iter().map(|&d| one(json!({"sigma": 1.3, "axis": 0}), &[9, 7], d)).collect();
        for mode in ["reflect", "mirror", "nearest", "constant", "wrap"] {
            all.push(one(json!({"sigma": 2, "mode": mode, "order": 1, "cval": 3}), &[3, 11], DType::F32));
            all.push(one(json!({"sigma": 3.5, "mode": mode, "axis": 0}), &[5, 300], DType::U16));
        }
        all.push(one(json!({"sigma": 1, "radius": 0}), &[4], DType::F64));
        all.push(one(json!({"sigma": 1, "order": 2, "truncate": 2.5}), &[2, 1], DType::I16));
        all
    },
};

impl Op for GaussianFilter1d {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        self.line()?.infer(&DEF, ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let op: Arc<dyn Op> = Arc::new(self.clone());
        self.line()?.expand(&op, ins)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        self.line().map_or_else(|_| vec![ins[0].whole()], |line| line.reads(out, ins))
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.line().map_or(0, |line| line.scratch(out, reads, ins))
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        self.line().map_or(0.0, |line| line.work(out))
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        self.line()?.run(at, ins, out)
    }
}
