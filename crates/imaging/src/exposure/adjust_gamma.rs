//! `adjust_gamma`

use serde_json::json;
use voxmill_core::{DType, Error};
use voxmill_plan::Param;

use super::adjust::{GAIN, adjusted, samples};
use super::byte_table::ByteTable;
use crate::family::compose::{composite_op, with};

composite_op!(
    AdjustGamma, "adjust_gamma", "exposure",
    "Brightness to a power.",
    "As skimage.exposure: gain * (value / largest)^gamma * largest, where the largest value is that of the dtype, 1 for floats. uint8 is \
     rounded, other whole numbers are cut off towards zero. A negative value is an error when it is met.",
    ["image"],
    {
        gamma: f64 = 1.0, Param { name: "gamma", kind: "float", default: Some("1.0"), doc: "the power; not negative" };
        gain: f64 = 1.0, GAIN;
    },
    || samples(json!({"gamma": 0.6, "gain": 0.9})),
    |op, ins| {
        if op.gamma < 0.0 || op.gamma.is_nan() {
            return Err(Error::invalid(format!("gamma should be a non-negative real number, got {}", op.gamma)));
        }
        if ins[0].dtype() == DType::U8 {
            let step = 1.0 / 255.0;
            let share = |v: u8| if v == 255 { 1.0 } else { f64::from(v) * step };
            return ByteTable::of(&ins[0], |v| (255.0 * op.gain * share(v).powf(op.gamma)).round_ties_even().min(255.0));
        }
        adjusted(&ins[0], op.gain, |share| with("power", share, op.gamma))
    }
);
