//! `nancumsum`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::DTYPE;
use crate::family::reduce::scan::{AXIS, Scan, ScanDef, samples, what};

/// The op `nancumsum`.
pub static DEF: ScanDef = ScanDef {
    op: OpDef {
        name: "nancumsum",
        theme: "reduce",
        summary: "Sum of all elements up to each one, with NaN as zero.",
        doc: "As cumsum.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Scan::build(&DEF, params),
        samples,
    },
    what: what(Kind::Sum, true),
};
