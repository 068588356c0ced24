//! `irfft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `irfft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Irfft,
    op: OpDef {
        name: "irfft",
        theme: "transform",
        summary: "Real values from the first half of their Fourier transform.",
        doc: "The inverse of rfft; n is 2 * (length - 1) by default, so an odd length must be given. The imaginary \
              part of the first value, and of the last one for even n, is ignored. complex64 gives float32, \
              complex128 float64.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 6.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(true),
    },
};
