//! `edge_filter`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Scalar};
use voxmill_ops::family::params::{Axes, distinct_axes};
use voxmill_plan::{Param, Sample, SampleInput};

use super::derivative::Setting;
use crate::family::compose::{both, cast, composite_op, float_image, float_of, one, with};
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

/// Whose weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// Sobel.
    Sobel,
    /// Prewitt.
    Prewitt,
    /// Scharr.
    Scharr,
    /// Farid and Simoncelli.
    Farid,
}

impl Operator {
    /// Weights along the axis of an edge, as a correlation counts them, and along the others, which add up to 1.
    fn weights(self) -> (Vec<f64>, Vec<f64>) {
        let plain = vec![-1.0, 0.0, 1.0];
        match self {
            Operator::Sobel => (plain, vec![0.25, 0.5, 0.25]),
            Operator::Prewitt => (plain, vec![1.0 / 3.0; 3]),
            Operator::Scharr => (plain, vec![0.1875, 0.625, 0.1875]),
            Operator::Farid => {
                let edge = [0.109603762960254, 0.276690988455557];
                let smooth = [0.0376593171958126, 0.249153396177344, 0.426374573253687];
                let edge = vec![-edge[0], -edge[1], 0.0, edge[1], edge[0]];
                (edge, vec![smooth[0], smooth[1], smooth[2], smooth[1], smooth[0]])
            }
        }
    }
}

const OPERATOR: Param = Param {
    name: "operator",
    kind: "\"sobel\", \"prewitt\", \"scharr\" or \"farid\"",
    default: Some("\"sobel\""),
    doc: "whose weights",
};
const EDGE_AXIS: Param = Param {
    name: "axis",
    kind: "int or list of int",
    default: Some("null"),
    doc: "edges across this axis, with their sign; of several axes, or all by default, the root of the mean square",
};

composite_op!(
    EdgeFilter, "edge_filter", "filter",
    "Strength of edges, by the weights of Sobel, Prewitt, Scharr or Farid.",
    "As sobel, prewitt, scharr and farid of skimage.filters, n-dimensional: smoothed along all axes but the one of the edge. Whole \
     numbers are divided by the largest one of their dtype; float32 stays float32, everything else gives float64. Several axes are \
     divided by the root of the number of all axes, as scikit-image does.",
    ["image"],
    {
        operator: Operator = Operator::Sobel, OPERATOR;
        axis: Option<Axes> = None, EDGE_AXIS;
        mode: Border = Border::Reflect, MODE;
        cval: Scalar = Scalar::Float(0.0), CVAL;
    },
    || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({}), &[8, 9], DType::U8),
            one(json!({"operator": "farid", "mode": "constant", "cval": 3}), &[5, 6, 7], DType::F32),
            one(json!({"operator": "scharr", "axis": 0, "mode": "wrap"}), &[5, 6], DType::I16),
            one(json!({"operator": "prewitt", "axis": [0, -1]}), &[4, 5, 6], DType::F64),
        ]
    },
    |op, ins| {
        let image = cast(&float_image(&ins[0])?, float_of(ins[0].dtype())?)?;
        let axes = distinct_axes(op.axis.as_ref(), image.rank())?;
        let mode = PerAxis::One(op.mode);
        let setting = Setting { output: None, mode: &mode, cval: op.cval };
        let (edge, smooth) = op.operator.weights();
        // Smoothing comes first: it leaves a constant border as it is, which differences do not.
        let across = |axis: usize| {
            let others = (0..image.rank()).filter(|&k| k != axis);
            let smoothed = others.into_iter().try_fold(image.clone(), |x, k| setting.line(&x, &smooth, k, op.mode))?;
            setting.line(&smoothed, &edge, axis, op.mode)
        };
        let [first, rest @ ..] = &axes[..] else { return with("multiply", &image, 0.0) };
        if rest.is_empty() {
            return across(*first);
        }
        let square = |axis: usize| across(axis).and_then(|slope| both("multiply", &slope, &slope));
        let sum = rest.iter().try_fold(square(*first)?, |sum, &axis| both("add", &sum, &square(axis)?))?;
        with("divide", &one("sqrt", &sum)?, (image.rank() as f64).sqrt())
    }
);
