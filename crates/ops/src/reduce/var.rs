//! `var`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DDOF, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `var`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "var",
        theme: "reduce",
        summary: "Variance over axes.",
        doc: "Mean of the squared distances from the mean, computed without cancellation; exact up to the last \
              division for integers of up to 16 bits. Integers give float64, complex numbers a real result.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, DDOF, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Var,
    skip: false,
};
