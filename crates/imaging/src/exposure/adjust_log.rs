//! `adjust_log`

use serde_json::json;

use super::adjust::{GAIN, INV, adjusted, samples};
use crate::family::compose::{composite_op, one, with};

composite_op!(
    AdjustLog, "adjust_log", "exposure",
    "Logarithm of brightness.",
    "As skimage.exposure: gain * log2(1 + value / largest) * largest, or gain * (2^(value / largest) - 1) * largest the other way round, \
     where the largest value is that of the dtype, 1 for floats. Whole numbers are cut off towards zero. A negative value is an error when \
     it is met.",
    ["image"],
    {
        gain: f64 = 1.0, GAIN;
        inv: bool = false, INV;
    },
    || samples(json!({"inv": true, "gain": 0.9})),
    |op, ins| adjusted(&ins[0], op.gain, |share| {
        if op.inv { with("subtract", &one("exp2", share)?, 1.0) } else { one("log2", &with("add", share, 1.0)?) }
    })
);
