//! `hfft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `hfft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Hfft,
    op: OpDef {
        name: "hfft",
        theme: "transform",
        summary: "Real spectrum of a Hermitian signal, given by its first half.",
        doc: "As irfft of the conjugate, scaled as a forward transform; n is 2 * (length - 1) by default.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 6.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(true),
    },
};
