//! `gaussian_filter`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Region, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Sample, SampleInput};

use super::correlate1d::zero;
use super::gaussian_filter1d::{GaussianFilter1d, TRUNCATE, four};
use super::line::{OUTPUT, out_dtype};
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::{self, Axes, distinct_axes};

/// A Gaussian along several axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaussianFilter {
    /// Standard deviations.
    pub sigma: PerAxis<f64>,
    /// Orders of the derivatives.
    #[serde(default = "smooth")]
    pub order: PerAxis<i64>,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default = "reflect")]
    pub mode: PerAxis<Border>,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// Where the window ends, in standard deviations.
    #[serde(default = "four")]
    pub truncate: f64,
    /// Where the window ends, in positions.
    #[serde(default)]
    pub radius: Option<PerAxis<i64>>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

fn smooth() -> PerAxis<i64> {
    PerAxis::One(0)
}

fn reflect() -> PerAxis<Border> {
    PerAxis::One(Border::Reflect)
}

/// The parameter `sigma`.
pub(super) const SIGMA: Param = Param {
    name: "sigma",
    kind: "float or list of float",
    default: None,
    doc: "standard deviation in elements, for all axes or for each",
};

/// The parameter `radius`.
pub(super) const RADIUS: Param = Param {
    name: "radius",
    kind: "int or list of int",
    default: Some("null"),
    doc: "where the window ends, in elements; replaces truncate",
};

impl GaussianFilter {
    /// The filter on `input`.
    pub fn of(self, input: &Array) -> Result<Array> {
        Array::from_op(Arc::new(self), vec![input.clone()])
    }

    /// The filters along one axis, first to last. An axis with a sigma of 0 is left out.
    fn steps(&self, rank: usize) -> Result<Vec<GaussianFilter1d>> {
        let axes = distinct_axes(self.axes.as_ref(), rank)?;
        let (sigmas, orders) = (self.sigma.values("sigma", axes.len())?, self.order.values("order", axes.len())?);
        let modes = self.mode.values("mode", axes.len())?;
        let radii = match &self.radius {
            Some(radius) => radius.values("radius", axes.len())?.into_iter().map(Some).collect(),
            None => vec![None; axes.len()],
        };
        let step = |k: usize| GaussianFilter1d {
            sigma: sigmas[k],
            axis: axes[k] as i64,
            order: orders[k],
            output: self.output,
            mode: modes[k],
            cval: self.cval,
            truncate: self.truncate,
            radius: radii[k],
        };
        Ok((0..axes.len()).filter(|&k| sigmas[k] > 1e-15).map(step).collect())
    }
}

/// The op `gaussian_filter`.
pub static DEF: OpDef = OpDef {
    name: "gaussian_filter",
    theme: "filter",
    summary: "Gaussian smoothing, or derivatives of it, along several axes.",
    doc: "As scipy.ndimage: gaussian_filter1d along one axis after the other, each stored in the dtype of the result, so integers \
          are cut off towards zero after every axis; use output=\"float32\" to avoid that. Integers equal scipy's to the last \
          bit (for derivatives from the second on, up to the last bit of the weights), float32 to 1e-6, float64 to 1e-12. Also takes float16, which scipy does not.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        SIGMA,
        Param {
            name: "order",
            kind: "int or list of int",
            default: Some("0"),
            doc: "order of the derivative along each axis; 0 smooths",
        },
        OUTPUT,
        MODE,
        CVAL,
        TRUNCATE,
        RADIUS,
        Param {
            name: "axes",
            kind: "int or list of int",
            default: Some("null"),
            doc: "the axes to filter; all by default",
        },
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: params::build::<GaussianFilter>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"sigma": 1}), &[8, 9], DType::U8),
            one(
                json!({"sigma": [1, 0, 2.5], "mode": ["reflect", "wrap", "grid-constant"], "cval": 3}),
                &[5, 6, 7],
                DType::F32,
            ),
            one(json!({"sigma": 2, "order": [1, 0], "axes": [-1, 0], "output": "float64"}), &[5, 2, 6], DType::I16),
            one(json!({"sigma": [1, 2], "radius": [3, 1], "truncate": 2}), &[5, 6], DType::C64),
            one(json!({"sigma": 1}), &[], DType::F32),
        ]
    },
};

impl Op for GaussianFilter {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let start = ins[0].clone().with_dtype(ins[0].dtype);
        let meta = self.steps(ins[0].rank())?.iter().try_fold(start, |meta, step| step.infer(&[&meta]))?;
        Ok(meta.with_dtype(out_dtype(self.output, ins[0].dtype)?))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let steps = self.steps(ins[0].rank())?;
        if steps.is_empty() {
            return Astype::apply(&ins[0], out_dtype(self.output, ins[0].dtype())?).map(Some);
        }
        let chain = |array, step| Array::from_op(Arc::new(step), vec![array]);
        steps.into_iter().try_fold(ins[0].clone(), chain).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}
