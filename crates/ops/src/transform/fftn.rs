//! `fftn`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS, samples};

/// The op `fftn`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Fft,
    axes: None,
    op: OpDef {
        name: "fftn",
        theme: "transform",
        summary: "Discrete Fourier transform along several axes.",
        doc: "fft along each axis, the last first.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(true),
    },
};
