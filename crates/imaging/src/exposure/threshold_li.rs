//! `threshold_li`

use serde::{Deserialize, Serialize};
use voxmill_core::{Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param};

use super::threshold::{Rule, integer_samples, threshold};

/// Its parameters.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdLi {
    /// The search ends when the threshold moves less than this.
    pub tolerance: Option<f64>,
    /// Where the search begins.
    pub initial_guess: Option<f64>,
    /// Smallest and largest value of an image of more than 16 bits.
    pub range: Option<(i64, i64)>,
}

/// The op `threshold_li`.
pub static DEF: OpDef = OpDef {
    name: "threshold_li",
    theme: "exposure",
    summary: "Threshold with the smallest cross entropy (Li).",
    doc: "As skimage.filters, over the whole image, for whole numbers; floats, for which scikit-image looks at every \
          single value in each step, are refused here. An image of one value gives that value.",
    inputs: Inputs::Named(&["image"]),
    params: &[
        Param {
            name: "tolerance",
            kind: "float",
            default: Some("null"),
            doc: "the search ends when the threshold moves less than this; 0.5 by default",
        },
        Param {
            name: "initial_guess",
            kind: "float",
            default: Some("null"),
            doc: "where the search begins; the mean by default",
        },
        super::bins::RANGE,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<ThresholdLi>::build,
    samples: integer_samples,
};

impl Compose for ThresholdLi {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        if ins[0].dtype().is_float() {
            return Err(Error::invalid(format!(
                "threshold_li is not defined for {}; scale the image and cast it to uint16 first, or take voxmill.filters.threshold_li of Python",
                ins[0].dtype()
            )));
        }
        threshold(&ins[0], 256, self.range, Rule::Li(self.tolerance.unwrap_or(0.5), self.initial_guess))
    }
}
