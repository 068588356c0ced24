//! `threshold_minimum`

use voxmill_plan::Param;

use super::threshold::{Rule, threshold_op};

const ROUNDS: Param = Param {
    name: "max_num_iter",
    kind: "int",
    default: Some("10000"),
    doc: "how often the histogram is smoothed at most",
};

threshold_op!(
    ThresholdMinimum,
    "threshold_minimum",
    "Threshold at the lowest point between the two peaks of a histogram that is smoothed until it has two.",
    // Random numbers do not have the two peaks that it needs.
    Vec::new,
    nbins: usize = 256, super::bins::NBINS;
    max_num_iter: usize = 10000, ROUNDS;
    |op| Rule::Minimum(op.max_num_iter)
);
