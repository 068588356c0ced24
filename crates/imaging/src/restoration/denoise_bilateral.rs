//! `denoise_bilateral`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::bilateral::Bilateral;
use crate::family::compose::{call, cast, composite_op, float_image, float_of};
use crate::family::neighborhood::{Border, CVAL, Halo, wrapped};

/// What lies beyond the border, in the words of NumPy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edge {
    /// One value.
    Constant,
    /// The last value.
    Edge,
    /// Mirrored, with the last value twice.
    Symmetric,
    /// Mirrored, with the last value once.
    Reflect,
    /// The other side.
    Wrap,
}

impl Edge {
    fn border(self) -> Border {
        match self {
            Edge::Constant => Border::Constant,
            Edge::Edge => Border::Nearest,
            Edge::Symmetric => Border::Reflect,
            Edge::Reflect => Border::Mirror,
            Edge::Wrap => Border::Wrap,
        }
    }
}

/// A long axis that wraps around is made longer by slices of itself.
fn unwrapped(image: &Array, mode: Border, reach: usize) -> Result<(Array, [Border; 2])> {
    let (mut longer, mut modes) = (image.clone(), [mode; 2]);
    if mode == Border::Wrap {
        for (axis, mode) in modes.iter_mut().enumerate() {
            if let Some(extended) = wrapped(&longer, axis, Halo { before: reach, after: reach })? {
                (longer, *mode) = (extended, Border::Valid);
            }
        }
    }
    Ok((longer, modes))
}

composite_op!(
    DenoiseBilateral, "denoise_bilateral", "restoration",
    "Each element as the mean of those around it that have a similar value.",
    "As skimage.restoration, in 2-D: weights are Gaussians of the distance and of the difference of values, from tables; the tables lie \
     where scikit-image has them. The range and the standard deviation are those of the whole image. Whole numbers are divided by the \
     largest one of their dtype. float32 stays float32, everything else gives float64; an image of one value stays as it is.",
    ["image"],
    {
        win_size: Option<i64> = None, Param {
            name: "win_size",
            kind: "int",
            default: Some("null"),
            doc: "length of the window; max(5, 2 * ceil(3 * sigma_spatial) + 1) by default",
        };
        sigma_color: Option<f64> = None, Param {
            name: "sigma_color",
            kind: "float",
            default: Some("null"),
            doc: "how different values may be; the standard deviation of the image by default",
        };
        sigma_spatial: f64 = 1.0, Param { name: "sigma_spatial", kind: "float", default: Some("1.0"), doc: "how far away they may be" };
        bins: usize = 10000, Param { name: "bins", kind: "int", default: Some("10000"), doc: "length of the table of differences" };
        mode: Edge = Edge::Constant, Param {
            name: "mode",
            kind: "\"constant\", \"edge\", \"symmetric\", \"reflect\" or \"wrap\"",
            default: Some("\"constant\""),
            doc: "what lies beyond the border: cval; the last value; mirrored with it, or without; the other side",
        };
        cval: f64 = 0.0, CVAL;
        channels: bool = false, Param { name: "channels", kind: "bool", default: Some("false"), doc: "the last axis are colours" };
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.0, if dtype.is_float() { 1.0 } else { 100.0 })],
        };
        vec![
            one(json!({}), &[9, 11], DType::F64),
            one(json!({"sigma_color": 0.1, "mode": "wrap", "win_size": 5}), &[9, 40], DType::F32),
            one(json!({"mode": "reflect", "channels": true, "bins": 100}), &[7, 8, 3], DType::U8),
        ]
    },
    |op, ins| {
        let image = &ins[0];
        if image.rank() != 2 + usize::from(op.channels) {
            return Err(Error::invalid(format!(
                "the bilateral filter is for images with 2 axes, and one more for colours (channel_axis); this one has shape {:?}",
                image.shape()
            )));
        }
        let size = op.win_size.unwrap_or((2 * (3.0 * op.sigma_spatial).ceil() as i64 + 1).max(5));
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if !(1..1 << 12).contains(&size) || op.bins == 0 || !positive(op.sigma_spatial) || op.sigma_color.is_some_and(|s| s < 0.0 || s.is_nan()) {
            return Err(Error::invalid(format!(
                "win_size {size} and bins {} must be at least 1, sigma_spatial {} and sigma_color positive",
                op.bins, op.sigma_spatial
            )));
        }
        if image.size() == 0 {
            return Err(Error::invalid("an image without elements has no smallest and largest value"));
        }
        let dtype = float_of(image.dtype())?;
        let floats = cast(&float_image(image)?, dtype)?;
        let value = |name: &str, x: &Array| cast(&call(name, &[x], json!({}))?, DType::F64);
        let sigma = match op.sigma_color {
            Some(sigma) if sigma != 0.0 => Array::scalar(sigma, DType::F64),
            _ => value("std", &floats)?,
        };
        let (low, high) = (value("min", image)?, value("max", image)?);
        let reach = (size as usize - 1) / 2;
        let (floats, modes) = unwrapped(&floats, op.mode.border(), reach)?;
        let kernel = Bilateral {
            size: size as usize,
            sigma_spatial: op.sigma_spatial,
            bins: op.bins,
            modes,
            cval: op.cval,
            channels: op.channels,
        };
        Array::from_op(Arc::new(kernel), vec![floats, low, high, sigma])
    }
);
