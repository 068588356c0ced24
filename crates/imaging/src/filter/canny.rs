//! `canny`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_ops::family::composite::{Compose, Composite};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::thin_edges::ThinEdges;
use super::{gaussian_filter1d, sobel};
use crate::family::compose::{apply, both, call, cast, float_image, float_of, limits, one, with};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE};
use crate::morphology::{binary_erosion, keep_marked};

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Canny {
    /// Width of the Gaussian.
    pub sigma: f64,
    /// Weaker edges are left out.
    pub low_threshold: Option<f64>,
    /// Edges without a part as strong as this are left out.
    pub high_threshold: Option<f64>,
    /// Thresholds are shares of all elements.
    pub use_quantiles: bool,
    /// What lies beyond the border.
    pub mode: Border,
    /// The constant there.
    pub cval: Scalar,
}

impl Default for Canny {
    fn default() -> Self {
        Canny {
            sigma: 1.0,
            low_threshold: None,
            high_threshold: None,
            use_quantiles: false,
            mode: Border::Constant,
            cval: Scalar::Float(0.0),
        }
    }
}

/// The op `canny`.
pub static DEF: OpDef = OpDef {
    name: "canny",
    theme: "filter",
    summary: "Edges of an image, one element thin (Canny).",
    doc: "As skimage.feature, in 2-D. The image is smoothed by a Gaussian; what lies beyond the border (or the mask, a second input) takes \
          no part in that. Edges are where the gradient is largest across them and at least low_threshold; those without an element of \
          at least high_threshold in the whole image are left out. Quantiles are those of the whole image. Whole numbers are divided by \
          the largest one of their dtype, as are the thresholds.",
    inputs: Inputs::Many("image, and perhaps a mask"),
    params: &[
        Param { name: "sigma", kind: "float", default: Some("1.0"), doc: "standard deviation of the Gaussian" },
        Param {
            name: "low_threshold",
            kind: "float",
            default: Some("null"),
            doc: "weaker edges are left out; a tenth of the range of the dtype by default",
        },
        Param {
            name: "high_threshold",
            kind: "float",
            default: Some("null"),
            doc: "edges that are nowhere as strong are left out; a fifth of the range of the dtype by default",
        },
        Param {
            name: "use_quantiles",
            kind: "bool",
            default: Some("false"),
            doc: "thresholds are shares of the elements that are weaker, from 0 to 1",
        },
        MODE,
        CVAL,
    ],
    form: Form::Composite,
    cost: 0.0,
    hold: false,
    build: Composite::<Canny>::build,
    samples: || {
        let image = |dtype: DType, high: f64| SampleInput::new(&[14, 17], dtype).between(0.0, high);
        let mask = SampleInput::new(&[14, 17], DType::Bool).between(0.0, 30.0);
        let one = |params: Value, ins: Vec<SampleInput>| Sample { params, ins };
        vec![
            one(json!({}), vec![image(DType::U8, 255.0)]),
            one(json!({"mode": "nearest", "low_threshold": 0.2, "high_threshold": 0.6}), vec![image(DType::F32, 1.0)]),
            one(
                json!({"use_quantiles": true, "low_threshold": 0.5, "high_threshold": 0.8}),
                vec![image(DType::F64, 1.0), mask],
            ),
        ]
    },
};

impl Canny {
    /// Both thresholds as shares of the range of the dtype, or as quantiles.
    fn thresholds(&self, dtype: DType) -> Result<(f64, f64)> {
        let one = |given: Option<f64>, default: f64| match given {
            None => Ok(default),
            Some(share) if self.use_quantiles && !(0.0..=1.0).contains(&share) => {
                Err(Error::invalid(format!("Quantile thresholds must be between 0 and 1, got {share}")))
            }
            Some(share) if self.use_quantiles => Ok(share),
            Some(level) => Ok(level / limits(dtype).1),
        };
        let (low, high) = (one(self.low_threshold, 0.1)?, one(self.high_threshold, 0.2)?);
        if high < low || low.is_nan() || high.is_nan() {
            return Err(Error::invalid(format!("low_threshold {low} should be lower than high_threshold {high}")));
        }
        Ok((low, high))
    }

    /// Sums are double for single precision, too: which of two equal neighbours is an edge hangs on the last bit.
    fn smooth(&self, image: &Array) -> Result<Array> {
        if self.sigma <= 1e-15 {
            return Ok(image.clone());
        }
        let along = |x: Array, axis: usize| {
            let (mode, cval, output) = (self.mode, self.cval, image.dtype());
            let params = json!({"sigma": self.sigma, "axis": axis, "mode": mode, "cval": cval, "output": output});
            apply(&gaussian_filter1d::DEF, &[&cast(&x, DType::F64)?], params)
        };
        (0..2).try_fold(image.clone(), along)
    }

    /// The smoothed image, where only what belongs to it counts.
    fn smoothed(&self, image: &Array, mask: Option<&Array>) -> Result<Array> {
        let dtype = float_of(image.dtype())?;
        let masked = match mask {
            Some(mask) => cast(&call("where", &[mask, image, &Array::weak(0i64)], json!({}))?, image.dtype())?,
            None => image.clone(),
        };
        let smooth = self.smooth(&cast(&float_image(&masked)?, dtype)?)?;
        let inside = match mask {
            Some(mask) => cast(mask, dtype)?,
            None if self.mode == Border::Constant => call("ones_like", &[&smooth], json!({}))?,
            None => return Ok(smooth),
        };
        let epsilon = if dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        both("divide", &smooth, &with("add", &self.smooth(&inside)?, epsilon)?)
    }
}

impl Compose for Canny {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        let [image, masks @ ..] = ins else { return Err(Error::invalid("canny needs an image")) };
        if image.rank() != 2 || masks.len() > 1 || masks.iter().any(|mask| mask.shape() != image.shape()) {
            return Err(Error::invalid(format!(
                "canny takes an image with 2 axes, and perhaps a mask of the same shape; the image has shape {:?}",
                image.shape()
            )));
        }
        if self.sigma < 0.0 || !self.sigma.is_finite() {
            return Err(Error::invalid(format!("sigma must not be negative, got {}", self.sigma)));
        }
        let (low, high) = self.thresholds(image.dtype())?;
        let mask = masks.first().map(|mask| cast(mask, DType::Bool)).transpose()?;
        let smoothed = self.smoothed(image, mask.as_ref())?;
        let slope = |axis: i64| apply(&sobel::DEF, &[&smoothed], json!({"axis": axis}));
        let (down, right) = (slope(0)?, slope(1)?);
        let square = |x: &Array| both("multiply", x, x);
        let strength = one("sqrt", &both("add", &square(&down)?, &square(&right)?)?)?;
        let level = |share: f64| {
            if self.use_quantiles && strength.size() > 0 {
                return cast(&call("percentile", &[&strength], json!({"q": 100.0 * share}))?, DType::F64);
            }
            Ok(Array::scalar(share, DType::F64))
        };
        let (low, high) = (level(low)?, level(high)?);
        let mut ins = vec![down, right, strength, low];
        if let Some(mask) = &mask {
            let square = Grid::ones(&[3, 3]);
            ins.push(apply(&binary_erosion::DEF, &[mask], json!({"structure": square, "border_value": 0}))?);
        }
        let thin = Array::from_op(Arc::new(ThinEdges {}), ins)?;
        let edges = with("greater", &thin, 0.0)?;
        let strong = both("logical_and", &edges, &both("greater_equal", &cast(&thin, DType::F64)?, &high)?)?;
        apply(&keep_marked::DEF, &[&edges, &strong], json!({"structure": Grid::ones(&[3, 3])}))
    }
}
