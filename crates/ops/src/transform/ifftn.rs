//! `ifftn`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS, samples};

/// The op `ifftn`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Ifft,
    axes: None,
    op: OpDef {
        name: "ifftn",
        theme: "transform",
        summary: "Inverse discrete Fourier transform along several axes.",
        doc: "ifft along each axis, the last first.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(true),
    },
};
