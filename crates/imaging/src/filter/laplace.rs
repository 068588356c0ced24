//! `laplace`

use serde_json::json;
use voxmill_core::{DType, Scalar};
use voxmill_ops::family::params::Axes;

use super::derivative::{Setting, samples};
use super::line::OUTPUT;
use super::sliding::AXES;
use crate::family::compose::composite_op;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

composite_op!(
    Laplace, "laplace", "filter",
    "Sum of second differences along the axes.",
    "As scipy.ndimage: the weights 1, -2, 1 along each axis, each stored in the dtype of the result, and added in it.",
    ["input"],
    {
        output: Option<DType> = None, OUTPUT;
        mode: PerAxis<Border> = PerAxis::One(Border::Reflect), MODE;
        cval: Scalar = Scalar::Float(0.0), CVAL;
        axes: Option<Axes> = None, AXES;
    },
    || samples(json!({})),
    |op, ins| {
        let setting = Setting { output: op.output, mode: &op.mode, cval: op.cval };
        setting.sum(&ins[0], op.axes.as_ref(), |axis, mode| setting.line(&ins[0], &[1.0, -2.0, 1.0], axis, mode))
    }
);
