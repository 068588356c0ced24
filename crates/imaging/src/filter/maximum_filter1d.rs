//! `maximum_filter1d`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use super::line::Work;
use super::sliding::{PARAMS, Sliding, SlidingDef, samples};

/// The op `maximum_filter1d`.
pub static DEF: SlidingDef = SlidingDef {
    work: Work::Largest,
    op: OpDef {
        name: "maximum_filter1d",
        theme: "filter",
        summary: "Largest element of the window along one axis.",
        doc: "As scipy.ndimage. Compares elements in their own type, so 64-bit integers stay exact. A NaN in the window gives NaN. Complex numbers are refused.",
        inputs: Inputs::Named(&["input"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 0.4,
        hold: false,
        build: |params| Sliding::build(&DEF, params),
        samples: || samples(DType::ALL.iter().copied().filter(|d| !d.is_complex())),
    },
};
