//! `prod`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `prod`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "prod",
        theme: "reduce",
        summary: "Product of elements over axes.",
        doc: "Integers and booleans are multiplied in 64 bits and wrap around, as in NumPy; floats in float64. The \
              product of nothing is 1.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Prod,
    skip: false,
};
