//! `rfftfreq`

use voxmill_plan::{Form, Inputs, OpDef};

use super::frequency::{Frequency, FrequencyDef, PARAMS, samples};

/// The op `rfftfreq`.
pub static DEF: FrequencyDef = FrequencyDef {
    half: true,
    op: OpDef {
        name: "rfftfreq",
        theme: "transform",
        summary: "Frequencies of the values of a Fourier transform of real values.",
        doc: "Cycles per unit of d: 0, 1, ... , n // 2, divided by n * d. float64.",
        inputs: Inputs::Named(&[]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 0.5,
        hold: false,
        build: |params| Frequency::build(&DEF, params),
        samples,
    },
};
