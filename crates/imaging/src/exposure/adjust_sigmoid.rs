//! `adjust_sigmoid`

use serde_json::json;
use voxmill_plan::{Array, Param};

use super::adjust::{INV, adjusted, samples};
use crate::family::compose::{both, composite_op, one, with};

composite_op!(
    AdjustSigmoid, "adjust_sigmoid", "exposure",
    "More contrast around a middle brightness, less elsewhere.",
    "As skimage.exposure: largest / (1 + exp(gain * (cutoff - value / largest))), where the largest value is that of the dtype, 1 for \
     floats. Whole numbers are cut off towards zero. A negative value is an error when it is met.",
    ["image"],
    {
        cutoff: f64 = 0.5, Param { name: "cutoff", kind: "float", default: Some("0.5"), doc: "the middle brightness, as a share" };
        gain: f64 = 10.0, Param { name: "gain", kind: "float", default: Some("10.0"), doc: "how much contrast" };
        inv: bool = false, INV;
    },
    || samples(json!({"cutoff": 0.3, "inv": true})),
    |op, ins| adjusted(&ins[0], 1.0, |share| {
        let below = both("subtract", &Array::weak(op.cutoff), share)?;
        let grown = one("exp", &with("multiply", &below, op.gain)?)?;
        let curve = both("divide", &Array::weak(1.0), &with("add", &grown, 1.0)?)?;
        if op.inv { both("subtract", &Array::weak(1.0), &curve) } else { Ok(curve) }
    })
);
