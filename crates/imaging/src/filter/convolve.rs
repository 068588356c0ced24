//! `convolve`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Sample, SampleInput};

use super::correlate::{Correlate, WEIGHTS};
use super::correlate1d::zero;
use super::line::{OUTPUT, check_window};
use super::sliding::{AXES, ORIGINS, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_ops::family::params::Axes;

/// A convolution over several axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolve {
    /// The weights.
    pub weights: Grid,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default = "reflect")]
    pub mode: PerAxis<Border>,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the window is moved.
    #[serde(default = "centred")]
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

/// The op `convolve`.
pub static DEF: OpDef = OpDef {
    name: "convolve",
    theme: "filter",
    summary: "Convolution with weights over several axes.",
    doc: "As scipy.ndimage: correlate with the weights turned around.",
    inputs: Inputs::Named(&["input"]),
    params: &[WEIGHTS, OUTPUT, MODE, CVAL, ORIGINS, AXES],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Convolve>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"weights": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}), &[8, 9], DType::F32),
            one(json!({"weights": [[1, 2], [3, 4]], "mode": ["wrap", "constant"], "cval": 2.5}), &[5, 6], DType::I32),
            one(json!({"weights": [[1, 2]], "origin": [0, -1], "axes": [2, 0]}), &[3, 4, 5], DType::C64),
        ]
    },
};

impl Compose for Convolve {
    fn def() -> &'static OpDef {
        &DEF
    }

    /// Turned around, the middle of an even number of weights is on the other side.
    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let origins = self.origin.values("origin", self.weights.shape.len())?;
        let turned = |(&n, &origin): (&usize, &i64)| {
            let turned = -origin - i64::from(n.is_multiple_of(2));
            check_window(n, turned).map(|()| turned)
        };
        let origins = self.weights.shape.iter().zip(&origins).map(turned).collect::<Result<Vec<_>>>()?;
        let (mode, axes) = (self.mode.clone(), self.axes.clone());
        let (output, cval, origin) = (self.output, self.cval, PerAxis::Each(origins));
        Correlate { weights: self.weights.reversed(), output, mode, cval, origin, axes }.of(&ins[0])
    }
}
