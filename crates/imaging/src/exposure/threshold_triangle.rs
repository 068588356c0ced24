//! `threshold_triangle`

use super::threshold::{Rule, threshold_op};

threshold_op!(
    ThresholdTriangle,
    "threshold_triangle",
    "Threshold farthest from the line between the peak and the end of a histogram.",
    super::threshold::samples,
    nbins: usize = 256, super::bins::NBINS;
    |op| Rule::Triangle
);
