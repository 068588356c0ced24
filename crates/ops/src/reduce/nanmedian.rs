//! `nanmedian`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::quantiles::{Quantile, QuantileDef, samples};
use crate::family::reduce::reduction::{AXIS, KEEPDIMS};

/// The op `nanmedian`.
pub static DEF: QuantileDef = QuantileDef {
    op: OpDef {
        name: "nanmedian",
        theme: "reduce",
        summary: "Median over axes, without NaNs.",
        doc: "As median over the elements that are not NaN; NaN where there are none.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Quantile::build(&DEF, params),
        samples: || samples(false, 0.0),
    },
    whole: 0.0,
    skip: true,
};
