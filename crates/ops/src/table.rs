//! The table of all ops: adding an op is one file and one word in the list of its theme.

use voxmill_plan::OpTable;

use crate::{creation, elementwise, filter, linalg, morphology, reduce, shape, transform};

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
]);
