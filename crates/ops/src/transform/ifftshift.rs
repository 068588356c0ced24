//! `ifftshift`

use voxmill_plan::{Form, Inputs, OpDef};

use super::shift::{PARAMS, Shift, ShiftDef, samples};

/// The op `ifftshift`.
pub static DEF: ShiftDef = ShiftDef {
    sign: -1,
    op: OpDef {
        name: "ifftshift",
        theme: "transform",
        summary: "Moves the zero frequency back to the front: the inverse of fftshift.",
        doc: "Each axis is rolled back by half of its length, rounded down; differs from fftshift for odd lengths.",
        inputs: Inputs::Named(&["x"]),
        params: PARAMS,
        form: Form::Composite,
        cost: 0.0,
        hold: false,
        build: |params| Shift::build(&DEF, params),
        samples,
    },
};
