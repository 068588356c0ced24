//! `max`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `max`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "max",
        theme: "reduce",
        summary: "Largest element over axes.",
        doc: "A NaN among the elements gives NaN. Complex numbers are ordered by their real, then by their \
              imaginary part. An array without elements has no maximum and is refused.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, true, false),
    },
    kind: Kind::Max,
    skip: false,
};
