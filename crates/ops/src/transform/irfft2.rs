//! `irfft2`

use voxmill_plan::{Form, Inputs, OpDef};

use super::lane::Kind;
use super::nd::{Nd, NdDef, PARAMS_2, samples};

/// The op `irfft2`.
pub static DEF: NdDef = NdDef {
    kind: Kind::Irfft,
    axes: Some(&[-2, -1]),
    op: OpDef {
        name: "irfft2",
        theme: "transform",
        summary: "Real values from the half of their Fourier transform along two axes.",
        doc: "ifft along the first axis, then irfft along the second. The last entry of s is the length of the \
              result there, which is even by default.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS_2,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Nd::build(&DEF, params),
        samples: || samples(true),
    },
};
