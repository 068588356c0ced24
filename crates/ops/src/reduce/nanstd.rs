//! `nanstd`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DDOF, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `nanstd`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nanstd",
        theme: "reduce",
        summary: "Standard deviation over axes, without NaNs.",
        doc: "As std over the elements that are not NaN; NaN where there are no more than ddof of them.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, DDOF, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Std,
    skip: true,
};
