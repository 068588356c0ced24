//! `threshold_yen`

use super::threshold::{Rule, threshold_op};

threshold_op!(
    ThresholdYen,
    "threshold_yen",
    "Threshold with the largest entropic correlation of both sides (Yen).",
    super::threshold::samples,
    nbins: usize = 256, super::bins::NBINS;
    |op| Rule::Yen
);
