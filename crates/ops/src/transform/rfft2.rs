//! `rfft2`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS_2, samples};

/// The op `rfft2`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Rfft,
    axes: Some(&[-2, -1]),
    op: OpDef {
        name: "rfft2",
        theme: "transform",
        summary: "Discrete Fourier transform of real values along two axes.",
        doc: "rfft along the last of the axes, then fft along the others.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS_2,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(false),
    },
};
