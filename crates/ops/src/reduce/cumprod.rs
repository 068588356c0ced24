//! `cumprod`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::DTYPE;
use crate::family::reduce::scan::{AXIS, Scan, ScanDef, samples, what};

/// The op `cumprod`.
pub static DEF: ScanDef = ScanDef {
    op: OpDef {
        name: "cumprod",
        theme: "reduce",
        summary: "Product of all elements up to each one.",
        doc: "Integers and booleans are multiplied in 64 bits and wrap around, as in NumPy; floats in float64 \
              before they are rounded to the result.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Scan::build(&DEF, params),
        samples,
    },
    what: what(Kind::Prod, false),
};
