//! The table of all ops of this build.

use voxmill_imaging::{distance, exposure, filter, geometry, measure, morphology, restoration, ridge, segment};
use voxmill_ops::{creation, elementwise, linalg, reduce, shape, transform};
use voxmill_plan::OpTable;

/// Every op of this build, theme by theme.
pub static TABLE: OpTable = OpTable::new(&[
    elementwise::OPS,
    creation::OPS,
    shape::OPS,
    reduce::OPS,
    transform::OPS,
    linalg::OPS,
    filter::OPS,
    morphology::OPS,
    measure::OPS,
    exposure::OPS,
    ridge::OPS,
    geometry::OPS,
    distance::OPS,
    restoration::OPS,
    segment::OPS,
]);
