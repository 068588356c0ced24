//! `mean`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `mean`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "mean",
        theme: "reduce",
        summary: "Arithmetic mean over axes.",
        doc: "Integers give float64, other types keep theirs; the work is done in float64 or, for integers of up \
              to 16 bits, exactly. The mean of nothing is NaN.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Mean,
    skip: false,
};
