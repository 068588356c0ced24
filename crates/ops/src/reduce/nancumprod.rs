//! `nancumprod`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::DTYPE;
use crate::family::reduce::scan::{AXIS, Scan, ScanDef, samples, what};

/// The op `nancumprod`.
pub static DEF: ScanDef = ScanDef {
    op: OpDef {
        name: "nancumprod",
        theme: "reduce",
        summary: "Product of all elements up to each one, with NaN as one.",
        doc: "As cumprod.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Scan::build(&DEF, params),
        samples,
    },
    what: what(Kind::Prod, true),
};
