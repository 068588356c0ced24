//! `fft2`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS_2, samples};

/// The op `fft2`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Fft,
    axes: Some(&[-2, -1]),
    op: OpDef {
        name: "fft2",
        theme: "transform",
        summary: "Discrete Fourier transform along two axes.",
        doc: "fft along each of two axes, the last first.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS_2,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(true),
    },
};
