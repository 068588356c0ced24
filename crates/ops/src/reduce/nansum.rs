//! `nansum`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::Kind;
use crate::family::reduce::reduction::{AXIS, DTYPE, KEEPDIMS, Reduction, ReductionDef, samples};

/// The op `nansum`.
pub static DEF: ReductionDef = ReductionDef {
    op: OpDef {
        name: "nansum",
        theme: "reduce",
        summary: "Sum of elements over axes, with NaN as zero.",
        doc: "As sum; a sum of NaNs only is 0.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, DTYPE, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Reduction::build(&DEF, params),
        samples: || samples(&DType::ALL, false, false),
    },
    kind: Kind::Sum,
    skip: true,
};
