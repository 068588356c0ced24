//! `nanpercentile`

use voxmill_plan::{Form, Inputs, OpDef, Param};

use crate::family::reduce::quantiles::{METHOD, Quantile, QuantileDef, samples};
use crate::family::reduce::reduction::{AXIS, KEEPDIMS};

/// The op `nanpercentile`.
pub static DEF: QuantileDef = QuantileDef {
    op: OpDef {
        name: "nanpercentile",
        theme: "reduce",
        summary: "Percentiles over axes, without NaNs.",
        doc: "As percentile over the elements that are not NaN; NaN where there are none.",
        inputs: Inputs::Named(&["x"]),
        params: &[
            Param {
                name: "q",
                kind: "float or list of float",
                default: None,
                doc: "between 0 and 100; a list gives the result a first axis",
            },
            AXIS,
            METHOD,
            KEEPDIMS,
        ],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Quantile::build(&DEF, params),
        samples: || samples(true, 100.0),
    },
    whole: 100.0,
    skip: true,
};
