//! `nanmin`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `nanmin`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nanmin",
        theme: "reduce",
        summary: "Smallest element over axes, without NaNs.",
        doc: "As min over the elements that are not NaN; NaN where there are none.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, true, false),
    },
    kind: Kind::Min,
    skip: true,
};
