//! `median`

use voxmill_plan::{Form, Inputs, OpDef};

use crate::family::reduce::quantiles::{Quantile, QuantileDef, samples};
use crate::family::reduce::reduction::{AXIS, KEEPDIMS};

/// The op `median`.
pub static DEF: QuantileDef = QuantileDef {
    op: OpDef {
        name: "median",
        theme: "reduce",
        summary: "Median over axes.",
        doc: "The mean of the two middle elements where their number is even. A NaN among the elements gives NaN; \
              so does an empty lane. Integers give float64.",
        inputs: Inputs::Named(&["x"]),
        params: &[AXIS, KEEPDIMS],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Quantile::build(&DEF, params),
        samples: || samples(false, 0.0),
    },
    whole: 0.0,
    skip: false,
};
