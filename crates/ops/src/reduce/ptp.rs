//! `ptp`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `ptp`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "ptp",
        theme: "reduce",
        summary: "Largest minus smallest element over axes.",
        doc: "The dtype is kept, so that the range of narrow integers may wrap around, as in NumPy. A NaN gives \
              NaN.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL[1..], true, false),
    },
    kind: Kind::Ptp,
    skip: false,
};
