//! `argmax`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{KEEPDIMS, ONE_AXIS, Reduction, ReductionDef, samples};

/// The op `argmax`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "argmax",
        theme: "reduce",
        summary: "Index of the first largest element.",
        doc: "The first NaN counts as the largest element, as in NumPy. Without axis the index counts in C order \
              through the whole array.",
        inputs: Inputs::Named(&["x"]),
        params: &[ONE_AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, true, true),
    },
    kind: Kind::Argmax,
    skip: false,
};
