//! `count_nonzero`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `count_nonzero`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "count_nonzero",
        theme: "reduce",
        summary: "Number of elements over axes that are not zero.",
        doc: "NaN is not zero. The result is int64.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::CountNonzero,
    skip: false,
};
