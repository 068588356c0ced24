//! `all`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `all`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "all",
        theme: "reduce",
        summary: "True where no element over axes is zero.",
        doc: "NaN is not zero. Of nothing it is true. The result is bool.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::All,
    skip: false,
};
