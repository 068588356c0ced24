//! `threshold_otsu`

use super::threshold::{Rule, threshold_op};

threshold_op!(
    ThresholdOtsu,
    "threshold_otsu",
    "Threshold with the largest variance between the two classes (Otsu).",
    super::threshold::samples,
    nbins: usize = 256, super::bins::NBINS;
    |op| Rule::Otsu
);
