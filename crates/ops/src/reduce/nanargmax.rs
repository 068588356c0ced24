//! `nanargmax`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{KEEPDIMS, ONE_AXIS, Reduction, ReductionDef, samples};

/// The op `nanargmax`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nanargmax",
        theme: "reduce",
        summary: "Index of the first largest element that is not NaN.",
        doc: "As argmax without NaNs. Where all elements are NaN the index is -1; NumPy raises an error there, \
              which a lazy array cannot.",
        inputs: Inputs::Named(&["x"]),
        params: &[ONE_AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, true, true),
    },
    kind: Kind::Argmax,
    skip: true,
};
