//! `fftshift`

use voxmill_plan::{Form, Inputs, OpDef};

use super::shift::{PARAMS, Shift, ShiftDef, samples};

/// The op `fftshift`.
pub static DEF: ShiftDef = ShiftDef {
    sign: 1,
    op: OpDef {
        name: "fftshift",
        theme: "transform",
        summary: "Moves the zero frequency to the middle of the axes.",
        doc: "Each axis is rolled by half of its length, rounded down.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Shift::build(&DEF, params),
        samples,
    },
};
