//! `rotate`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::spline_image::{CVAL, MODE, ORDER, PREFILTER, RULES, Splines};
use super::spline_sample::Mapping;
use crate::filter::line::OUTPUT;
use voxmill_ops::family::params::normalize_axis;

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rotate {
    /// Degrees.
    pub angle: f64,
    /// The plane.
    #[serde(default = "plane")]
    pub axes: [i64; 2],
    /// Whether the result is large enough for the whole image.
    #[serde(default = "yes")]
    pub reshape: bool,
    /// Splines and borders.
    #[serde(flatten)]
    pub splines: Splines,
}

fn plane() -> [i64; 2] {
    [1, 0]
}

fn yes() -> bool {
    true
}

/// The op `rotate`.
pub static DEF: OpDef = OpDef {
    name: "rotate",
    theme: "geometry",
    summary: "An image turned in a plane.",
    doc: RULES,
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "angle", kind: "float", default: None, doc: "degrees" },
        Param { name: "axes", kind: "list of two int", default: Some("[1, 0]"), doc: "the plane" },
        Param {
            name: "reshape",
            kind: "bool",
            default: Some("true"),
            doc: "make the result large enough for the whole image",
        },
        OUTPUT,
        ORDER,
        MODE,
        CVAL,
        PREFILTER,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Rotate>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"angle": 30}), &[6, 7], DType::U8),
            one(json!({"angle": 90, "axes": [0, 2], "order": 1, "reshape": false}), &[4, 5, 6], DType::F32),
        ]
    },
};

/// Cosine and sine of an angle in degrees: of what is left of it after quarter turns, so that these are exact.
fn cos_sin(angle: f64) -> (f64, f64) {
    let quarters = ((angle.abs() + 45.0) / 90.0).floor();
    let (sine, cosine) = ((angle.abs() - 90.0 * quarters) * (std::f64::consts::PI / 180.0)).sin_cos();
    let (c, s) = match quarters.rem_euclid(4.0) as u8 {
        0 => (cosine, sine),
        1 => (-sine, cosine),
        2 => (-cosine, -sine),
        _ => (sine, -cosine),
    };
    (c, if angle < 0.0 { -s } else { s })
}

impl Compose for Rotate {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.splines.check(&ins[0])?;
        let (shape, rank) = (ins[0].shape(), ins[0].rank());
        if rank < 2 || !self.angle.is_finite() {
            return Err(Error::invalid(format!(
                "a plane to turn in needs two axes and an angle; there are {rank} axes, and the angle is {}",
                self.angle
            )));
        }
        let (a, b) = (normalize_axis(self.axes[0], rank)?, normalize_axis(self.axes[1], rank)?);
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return Err(Error::invalid(format!("the axes {:?} are no plane", self.axes)));
        }
        let (c, s) = cos_sin(self.angle);
        let (n, m) = (shape[a] as f64, shape[b] as f64);
        let extent = |x: f64, y: f64| {
            let corners = [0.0, x * m, y * n, y * n + x * m];
            let (low, high) = corners.iter().fold((0.0f64, 0.0f64), |(low, high), &v| (low.min(v), high.max(v)));
            (high - low + 0.5) as usize
        };
        let (rows, cols) = if self.reshape { (extent(s, c), extent(c, -s)) } else { (shape[a], shape[b]) };
        let middle = |n: usize| (n as f64 - 1.0) / 2.0;
        let (y, x) = (middle(rows), middle(cols));
        let mut matrix: Vec<Vec<f64>> =
            (0..rank).map(|k| (0..rank).map(|l| f64::from(u8::from(k == l))).collect()).collect();
        (matrix[a][a], matrix[a][b], matrix[b][a], matrix[b][b]) = (c, s, -s, c);
        let mut offset = vec![0.0; rank];
        offset[a] = middle(shape[a]) - (c * y + s * x);
        offset[b] = middle(shape[b]) - (-s * y + c * x);
        let mut to = shape.to_vec();
        (to[a], to[b]) = (rows, cols);
        let still: Vec<usize> = (0..rank).filter(|&k| k != a && k != b).collect();
        self.splines.sampled(&ins[0], Mapping::Matrix { matrix, offset }, &to, &still)
    }
}
