//! `fftfreq`

use voxmill_plan::{Form, Inputs, OpDef};

use super::frequency::{Frequency, FrequencyDef, PARAMS, samples};

/// The op `fftfreq`.
pub static DEF: FrequencyDef = FrequencyDef {
    half: false,
    op: OpDef {
        name: "fftfreq",
        theme: "transform",
        summary: "Frequencies of the values of a Fourier transform.",
        doc: "Cycles per unit of d: 0, 1, ... , -2, -1, divided by n * d. float64.",
        inputs: Inputs::Named(&[]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 0.5,
        hold: false,
        build: |params| Frequency::build(&DEF, params),
        samples,
    },
};
