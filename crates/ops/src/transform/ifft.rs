//! `ifft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `ifft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Ifft,
    op: OpDef {
        name: "ifft",
        theme: "transform",
        summary: "Inverse discrete Fourier transform along one axis.",
        doc: "The inverse of fft with the same norm. Dtypes as for fft.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 10.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(true),
    },
};
