//! `nanprod`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `nanprod`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nanprod",
        theme: "reduce",
        summary: "Product of elements over axes, with NaN as one.",
        doc: "As prod; a product of NaNs only is 1.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Prod,
    skip: true,
};
