//! What all functions share that take values between elements: their parameters, and the image as coefficients of splines.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::TABLE;
use voxmill_plan::{Array, Param};

use super::spline_sample::{Mapping, SplineSample};
use crate::filter::correlate1d;
use crate::numeric::spline::{Beyond, MOST, filter_taps};

/// The parameters of all of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Splines {
    /// Element type of the result.
    pub output: Option<DType>,
    /// Order of the splines.
    pub order: usize,
    /// What lies beyond the border.
    pub mode: Beyond,
    /// The constant there.
    pub cval: f64,
    /// Whether the image has to become coefficients first.
    pub prefilter: bool,
}

impl Default for Splines {
    fn default() -> Self {
        Splines { output: None, order: 3, mode: Beyond::Constant, cval: 0.0, prefilter: true }
    }
}

/// The parameter `order`.
pub const ORDER: Param =
    Param { name: "order", kind: "int", default: Some("3"), doc: "order of the splines: 0 (nearest element) to 5" };

/// The parameter `mode`.
pub const MODE: Param = Param {
    name: "mode",
    kind: "\"reflect\", \"grid-mirror\", \"constant\", \"grid-constant\", \"nearest\", \"mirror\", \"wrap\" or \"grid-wrap\"",
    default: Some("\"constant\""),
    doc: "what lies beyond the border, as in scipy.ndimage",
};

/// The parameter `cval`.
pub const CVAL: Param = Param {
    name: "cval",
    kind: "float",
    default: Some("0.0"),
    doc: "the value beyond the border for the modes \"constant\" and \"grid-constant\"",
};

/// The parameter `prefilter`.
pub const PREFILTER: Param = Param {
    name: "prefilter",
    kind: "bool",
    default: Some("true"),
    doc: "make coefficients of the image first; false for an image that has been through spline_filter, and for a blurred result",
};

/// Rules that all of them have.
pub const RULES: &str = "As scipy.ndimage: sums in double precision, integers rounded to the nearest and kept inside their range. Equal to \
    scipy to 1e-9 of the largest value. Splines from the second order on are filtered with a window that is cut off below the rounding of \
    double precision, so that no box needs a whole axis. NaN reaches as far as that window.";

/// An op of the table on arrays.
pub fn call(name: &str, ins: &[&Array], params: Value) -> Result<Array> {
    Array::from_op(TABLE.build(name, &params)?, ins.iter().map(|a| (*a).clone()).collect())
}

/// Elements that scipy adds on each side before it makes coefficients, in modes that have no exact border.
const PADDED: usize = 12;

impl Splines {
    /// Refuses what no image has.
    pub fn check(&self, image: &Array) -> Result<()> {
        check_order(self.order, 0)?;
        if image.rank() == 0 {
            return Err(Error::invalid("an image needs at least one axis"));
        }
        if image.dtype().is_complex() || self.output.is_some_and(DType::is_complex) {
            return Err(Error::invalid(format!(
                "values between elements are not defined for {}; take real and imaginary part one by one",
                image.dtype()
            )));
        }
        Ok(())
    }

    /// The image as coefficients along `axes`, and how many elements were added on each side of these.
    pub fn coefficients(&self, image: &Array, axes: &[usize]) -> Result<(Array, usize)> {
        self.check(image)?;
        if !self.prefilter || self.order < 2 {
            return Ok((image.clone(), 0));
        }
        let mut image = call("astype", &[image], json!({"dtype": DType::F64}))?;
        let pad = if matches!(self.mode, Beyond::Nearest | Beyond::GridConstant) { PADDED } else { 0 };
        if pad > 0 {
            let widths: Vec<[usize; 2]> =
                (0..image.rank()).map(|k| [if axes.contains(&k) { pad } else { 0 }; 2]).collect();
            image = match self.mode {
                Beyond::Nearest => call("pad", &[&image], json!({"pad_width": widths, "mode": "edge"}))?,
                _ => call(
                    "pad",
                    &[&image],
                    json!({"pad_width": widths, "mode": "constant", "constant_values": self.cval}),
                )?,
            };
        }
        for &axis in axes {
            image = filtered(&image, axis, self.order, self.mode)?;
        }
        Ok((image, pad))
    }
}

impl Splines {
    /// Values of the image at the places of `mapping`, along all axes but those that stand `still`.
    pub fn sampled(&self, image: &Array, mapping: Mapping, shape: &[usize], still: &[usize]) -> Result<Array> {
        let rank = image.rank();
        let moving: Vec<usize> = (0..rank).filter(|k| !still.contains(k)).collect();
        let (coefficients, pad) = self.coefficients(image, &moving)?;
        let each = |value: usize| (0..rank).map(|k| if still.contains(&k) { 0 } else { value }).collect();
        let sample = SplineSample {
            mapping,
            shape: shape.to_vec(),
            order: each(self.order),
            pad: each(pad),
            mode: self.mode,
            cval: self.cval,
            output: self.output.unwrap_or(image.dtype()),
        };
        Array::from_op(Arc::new(sample), vec![coefficients])
    }
}

/// Refuses orders that there are no splines of.
pub fn check_order(order: usize, least: usize) -> Result<()> {
    if order < least || order > MOST {
        return Err(Error::invalid(format!("spline order {order} is not supported; it is {least} to {MOST}")));
    }
    Ok(())
}

/// Coefficients of splines along one axis, in double precision.
pub fn filtered(image: &Array, axis: usize, order: usize, mode: Beyond) -> Result<Array> {
    if image.shape()[axis] <= 1 {
        return Ok(image.clone());
    }
    let border = match mode {
        Beyond::GridWrap => "wrap",
        Beyond::Nearest | Beyond::Reflect => "reflect",
        _ => "mirror",
    };
    let params = json!({"weights": filter_taps(order), "axis": axis, "mode": border});
    Array::from_op((correlate1d::DEF.build)(&params)?, vec![image.clone()])
}
