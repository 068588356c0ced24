//! `fft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `fft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Fft,
    op: OpDef {
        name: "fft",
        theme: "transform",
        summary: "Discrete Fourier transform along one axis.",
        doc: "Single precision stays single (complex64), everything else becomes complex128, as in NumPy 2. The \
              whole axis is read for any part of it.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 10.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(true),
    },
};
