//! `gaussian_laplace`

use serde_json::json;
use voxmill_core::{DType, Scalar};
use voxmill_ops::family::params::{Axes, distinct_axes};

use super::derivative::{Setting, samples};
use super::gaussian_filter::{GaussianFilter, RADIUS, SIGMA};
use super::gaussian_filter1d::TRUNCATE;
use super::line::OUTPUT;
use super::sliding::AXES;
use crate::family::compose::composite_op;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

composite_op!(
    GaussianLaplace, "gaussian_laplace", "filter",
    "Sum of second derivatives of a Gaussian along the axes.",
    "As scipy.ndimage: one gaussian_filter per axis, each stored in the dtype of the result, and added in it. Each uses the border of \
     the axis it derives along for all axes.",
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
    || samples(json!({"sigma": 1.2})),
    |op, ins| {
        let axes = distinct_axes(op.axes.as_ref(), ins[0].rank())?;
        let mut sigmas = vec![0.0; ins[0].rank()];
        for (sigma, &axis) in op.sigma.values("sigma", axes.len())?.into_iter().zip(&axes) {
            sigmas[axis] = sigma;
        }
        let setting = Setting { output: op.output, mode: &op.mode, cval: op.cval };
        setting.sum(&ins[0], op.axes.as_ref(), |axis, mode| {
            let order = PerAxis::Each((0..ins[0].rank()).map(|k| if k == axis { 2 } else { 0 }).collect());
            GaussianFilter {
                sigma: PerAxis::Each(sigmas.clone()),
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
