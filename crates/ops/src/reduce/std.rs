//! `std`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DDOF, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `std`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "std",
        theme: "reduce",
        summary: "Standard deviation over axes.",
        doc: "The square root of the variance; see var.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, DDOF, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Std,
    skip: false,
};
