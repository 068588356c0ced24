//! The table of the array ops: adding one is one file and one word in the list of its theme. Ops on images have a crate of their own.

use voxmill_plan::OpTable;

use crate::{creation, elementwise, linalg, reduce, shape, transform};

/// Every op of this build, theme by theme.
pub static TABLE: OpTable =
    OpTable::new(&[elementwise::OPS, creation::OPS, shape::OPS, reduce::OPS, transform::OPS, linalg::OPS]);
