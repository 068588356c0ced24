//! `prewitt`

use serde_json::json;
use voxmill_core::{DType, Scalar};

use super::derivative::{Setting, samples};
use super::line::{AXIS, OUTPUT};
use crate::family::compose::composite_op;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};

composite_op!(
    Prewitt, "prewitt", "filter",
    "Prewitt's differences along one axis, smoothed along the others.",
    "As scipy.ndimage: differences along one axis, then sums of three along the others, each stored in the dtype of the result: \
     unsigned numbers wrap around below zero; use output=\"float32\" to avoid that.",
    ["input"],
    {
        axis: i64 = -1, AXIS;
        output: Option<DType> = None, OUTPUT;
        mode: PerAxis<Border> = PerAxis::One(Border::Reflect), MODE;
        cval: Scalar = Scalar::Float(0.0), CVAL;
    },
    || samples(json!({})),
    |op, ins| Setting { output: op.output, mode: &op.mode, cval: op.cval }.smoothed(&ins[0], op.axis, [1.0, 1.0, 1.0])
);
