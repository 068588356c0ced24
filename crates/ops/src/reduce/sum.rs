//! `sum`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `sum`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "sum",
        theme: "reduce",
        summary: "Sum of elements over axes.",
        doc: "Integers and booleans are added up in 64 bits and wrap around, as in NumPy; float16 and float32 are \
              added up in float64, float64 in twice its precision. The sum of nothing is 0.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Sum,
    skip: false,
};
