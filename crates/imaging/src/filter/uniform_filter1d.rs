//! `uniform_filter1d`

use voxmill_core::DType;
use voxmill_plan::{Form, Inputs, OpDef};

use super::line::Work;
use super::sliding::{PARAMS, Sliding, SlidingDef, samples};

/// The op `uniform_filter1d`.
pub static DEF: SlidingDef = SlidingDef {
    work: Work::Mean,
    op: OpDef {
        name: "uniform_filter1d",
        theme: "filter",
        summary: "Mean of the window along one axis.",
        doc: "As scipy.ndimage: integers are cut off towards zero, complex numbers are averaged part by part. Sums are exact for integers below 2^53 and \
              double precision for floats, added up in an order of their own (relative error below 1e-15 for float64).",
        inputs: Inputs::Named(&["input"]),
        params: PARAMS,
        form: Form::Kernel,
        cost: 0.4,
        hold: false,
        build: |params| Sliding::build(&DEF, params),
        samples: || samples(DType::ALL.iter().copied()),
    },
};
