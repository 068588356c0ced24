//! `threshold_sauvola`

use voxmill_core::Error;
use voxmill_plan::Param;

use super::local_threshold::{K, WINDOW, mean_and_deviation, samples};
use crate::family::compose::{both, composite_op, limits, with};
use crate::family::neighborhood::PerAxis;

composite_op!(
    ThresholdSauvola, "threshold_sauvola", "exposure",
    "A threshold for each element: the mean of its window, lower where the window is uniform (Sauvola).",
    "As skimage.filters: mean * (1 + k * (deviation / r - 1)); the image is mirrored beyond its border. float32 stays float32, everything \
     else gives float64.",
    ["image"],
    {
        window_size: PerAxis<i64> = PerAxis::One(15), WINDOW;
        k: f64 = 0.2, K;
        r: Option<f64> = None, Param {
            name: "r",
            kind: "float",
            default: Some("null"),
            doc: "the largest standard deviation; half of the range of the dtype by default",
        };
    },
    samples,
    |op, ins| {
        let (low, high) = limits(ins[0].dtype());
        let r = op.r.unwrap_or(0.5 * (high - low));
        if r == 0.0 || r.is_nan() {
            return Err(Error::invalid(format!("r must not be {r}")));
        }
        let (mean, deviation) = mean_and_deviation(&ins[0], &op.window_size)?;
        let share = with("subtract", &with("divide", &deviation, r)?, 1.0)?;
        both("multiply", &mean, &with("add", &with("multiply", &share, op.k)?, 1.0)?)
    }
);
