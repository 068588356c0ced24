//! `rfft`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::{Kind, Lane, LaneDef, PARAMS, samples};

/// The op `rfft`.
pub static DEF: LaneDef = LaneDef {
    kind: Kind::Rfft,
    op: OpDef {
        name: "rfft",
        theme: "transform",
        summary: "Discrete Fourier transform of real values along one axis.",
        doc: "The first n // 2 + 1 values; the others are their conjugates. float16 and float32 give complex64, \
              everything else complex128. Complex input is an error.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 6.0,
        hold: false,
        build: |params| Lane::build(&DEF, params),
        samples: || samples(false),
    },
};
