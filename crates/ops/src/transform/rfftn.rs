//! `rfftn`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS, samples};

/// The op `rfftn`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Rfft,
    axes: None,
    op: OpDef {
        name: "rfftn",
        theme: "transform",
        summary: "Discrete Fourier transform of real values along several axes.",
        doc: "rfft along the last of the axes, then fft along the others.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(false),
    },
};
