//! `threshold_niblack`

use super::local_threshold::{K, WINDOW, mean_and_deviation, samples};
use crate::family::compose::{both, composite_op, with};
use crate::family::neighborhood::PerAxis;

composite_op!(
    ThresholdNiblack, "threshold_niblack", "exposure",
    "A threshold for each element: the mean of its window minus a share of the standard deviation (Niblack).",
    "As skimage.filters: the image is mirrored beyond its border. float32 stays float32, everything else gives float64. The standard \
     deviation of a window of almost equal values is known to half of the digits only.",
    ["image"],
    {
        window_size: PerAxis<i64> = PerAxis::One(15), WINDOW;
        k: f64 = 0.2, K;
    },
    samples,
    |op, ins| {
        let (mean, deviation) = mean_and_deviation(&ins[0], &op.window_size)?;
        both("subtract", &mean, &with("multiply", &deviation, op.k)?)
    }
);
