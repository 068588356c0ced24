//! `cumsum`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::DTYPE;
use crate::family::reduce::scan::{AXIS, Scan, ScanDef, samples, what};

/// The op `cumsum`.
pub static DEF: ScanDef = ScanDef {
    op: OpDef {
        name: "cumsum",
        theme: "reduce",
        summary: "Sum of all elements up to each one.",
        doc: "Integers and booleans are added up in 64 bits and wrap around, as in NumPy; floats in twice the \
              precision of float64 before they are rounded to the result.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Scan::build(&DEF, params),
        samples,
    },
    what: what(Kind::Sum, false),
};
