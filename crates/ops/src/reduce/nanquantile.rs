//! `nanquantile`

use voxmill_plan::{Form, Inputs, OpDef, Param};

use crate::family::reduce::quantiles::{METHOD, Quantile, QuantileDef, samples};
use crate::family::reduce::reduction::{AXIS, KEEPDIMS};

/// The op `nanquantile`.
pub static DEF: QuantileDef = QuantileDef {
    op: OpDef {
        name: "nanquantile",
        theme: "reduce",
        summary: "Quantiles over axes, without NaNs.",
        doc: "As quantile over the elements that are not NaN; NaN where there are none.",
        inputs: Inputs::Named(&["x"]),
        params: &[
            Param {
                name: "q",
                kind: "float or list of float",
                default: None,
                doc: "between 0 and 1; a list gives the result a first axis",
            },
            AXIS,
            METHOD,
            KEEPDIMS,
        ],
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Quantile::build(&DEF, params),
        samples: || samples(true, 1.0),
    },
    whole: 1.0,
    skip: true,
};
