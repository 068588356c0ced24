//! `quantile`

use voxmill_plan::{Form, Inputs, OpDef, Param};

use crate::family::reduce::quantiles::{METHOD, Quantile, QuantileDef, samples};
use crate::family::reduce::reduction::{AXIS, KEEPDIMS};

/// The op `quantile`.
pub static DEF: QuantileDef = QuantileDef {
    op: OpDef {
        name: "quantile",
        theme: "reduce",
        summary: "Quantiles over axes.",
        doc: "A NaN among the elements gives NaN. Integers give float64 unless the method always takes an element; \
              one quantile of floats keeps their dtype, several come as float64. Exact for arrays of any size: \
              lanes of more than 32 MiB are read once per digit and never gathered.",
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
    skip: false,
};
