//! `nanmean`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `nanmean`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nanmean",
        theme: "reduce",
        summary: "Arithmetic mean over axes, without NaNs.",
        doc: "As mean over the elements that are not NaN; NaN where there are none.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Mean,
    skip: true,
};
