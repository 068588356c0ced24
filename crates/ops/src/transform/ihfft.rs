//! `ihfft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `ihfft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Ihfft,
    op: OpDef {
        name: "ihfft",
        theme: "transform",
        summary: "First half of the Hermitian signal whose spectrum is real.",
        doc: "The inverse of hfft: the conjugate of rfft, scaled as an inverse transform.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 6.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(false),
    },
};
