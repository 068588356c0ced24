//! `threshold_isodata`

use super::threshold::{Rule, threshold_op};

threshold_op!(
    ThresholdIsodata,
    "threshold_isodata",
    "Threshold in the middle between the means of both sides (Ridler and Calvard).",
    super::threshold::samples,
    nbins: usize = 256, super::bins::NBINS;
    |op| Rule::Isodata
);
