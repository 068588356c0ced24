//! `gaussian_gradient_magnitude`

use serde_json::json;
use voxmill_core::{DType, Scalar};
use voxmill_ops::family::params::Axes;

use super::derivative::{Setting, samples};
use super::gaussian_filter::{GaussianFilter, RADIUS, SIGMA};
use super::gaussian_filter1d::TRUNCATE;
use super::line::OUTPUT;
use super::sliding::AXES;
use crate::family::compose::composite_op;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

composite_op!(
    GaussianGradientMagnitude, "gaussian_gradient_magnitude", "filter",
    "Length of the gradient of a Gaussian.",
    "As scipy.ndimage: one gaussian_filter per axis, each stored in the dtype of the result, where squares are added, too: whole numbers \
     may wrap around; use output=\"float32\" to avoid that. Each uses the border of the axis it derives along for all axes, and smooths \
     along all axes, also those that are not among axes.",
    ["input"],
    {
        sigma: PerAxis<f64> = PerAxis::One(1.0), SIGMA;
        output: Option<DType> = None, OUTPUT;
        mode: PerAxis<Border> = PerAxis::One(Border::Reflect), MODE;
        cval: Scalar = Scalar::Float(0.0), CVAL;
        axes: Option<Axes> = None, AXES;
        truncate: f64 = 4.0, TRUNCATE;
        radius: Option<PerAxis<i64>> = None, RADIUS;
    },
    || samples(json!({"sigma": 1.2, "output": "float32"})),
    |op, ins| {
        let setting = Setting { output: op.output, mode: &op.mode, cval: op.cval };
        setting.magnitude(&ins[0], op.axes.as_ref(), |axis, mode| {
            let order = PerAxis::Each((0..ins[0].rank()).map(|k| i64::from(k == axis)).collect());
            GaussianFilter {
                sigma: op.sigma.clone(),
                order,
                output: op.output,
                mode: PerAxis::One(mode),
                cval: op.cval,
                truncate: op.truncate,
                radius: op.radius.clone(),
                axes: None,
            }
            .of(&ins[0])
        })
    }
);
