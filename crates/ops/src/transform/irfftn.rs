//! `irfftn`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS, samples};

/// The op `irfftn`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Irfft,
    axes: None,
    op: OpDef {
        name: "irfftn",
        theme: "transform",
        summary: "Real values from the half of their Fourier transform along several axes.",
        doc: "ifft along all axes but the last, then irfft along that one. The last entry of s is the length of \
              the result there, which is even by default.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(true),
    },
};
