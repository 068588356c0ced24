//! `rescale_intensity`

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use crate::family::compose::{both, call, cast, composite_op, float_of, limits};

/// Two values, or a word for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Range {
    /// `"image"`, `"dtype"`, or the name of a dtype.
    Word(String),
    /// Lower and upper value.
    Pair(f64, f64),
}

impl Range {
    /// A word.
    pub fn word(word: &str) -> Self {
        Range::Word(word.into())
    }

    /// The two values where they do not depend on the image, and whether they stand for a dtype.
    fn known(&self, dtype: DType) -> Result<Option<((f64, f64), bool)>> {
        let word = match self {
            Range::Pair(low, high) => return Ok(Some(((*low, *high), false))),
            Range::Word(word) => word.as_str(),
        };
        let bits = |n: u32| f64::from((1u32 << n) - 1);
        Ok(match word {
            "image" => None,
            "dtype" => Some((limits(dtype), true)),
            "float" => Some(((-1.0, 1.0), true)),
            "uint10" => Some(((0.0, bits(10)), true)),
            "uint12" => Some(((0.0, bits(12)), true)),
            "uint14" => Some(((0.0, bits(14)), true)),
            name => Some((limits(named(name)?), true)),
        })
    }

    /// Lower and upper value. Those of a dtype begin at 0 where `from_zero` says so.
    fn levels(&self, image: &Array, from_zero: Option<&Array>) -> Result<(Array, Array)> {
        let number = |value: f64| Array::scalar(value, DType::F64);
        let Some(((low, high), of_dtype)) = self.known(image.dtype())? else {
            if image.size() == 0 {
                return Err(Error::invalid("an image without elements has no smallest and largest value"));
            }
            let extreme = |name| cast(&call(name, &[image], json!({}))?, DType::F64);
            return Ok((extreme("min")?, extreme("max")?));
        };
        let low = match from_zero {
            Some(from_zero) if of_dtype && low != 0.0 => {
                call("where", &[from_zero, &number(0.0), &number(low)], json!({}))?
            }
            _ => number(low),
        };
        Ok((low, number(high)))
    }

    /// The dtype of a result in this range.
    fn dtype(&self, image: DType) -> Result<DType> {
        match self {
            Range::Pair(..) => float_of(image),
            Range::Word(word) => match word.as_str() {
                "image" | "dtype" => Ok(image),
                "float" => Ok(DType::F64),
                "uint10" | "uint12" | "uint14" => Ok(DType::U16),
                name => named(name),
            },
        }
    }
}

fn named(name: &str) -> Result<DType> {
    DType::from_str(name).ok().filter(|dtype| !dtype.is_complex()).ok_or_else(|| {
        Error::invalid(format!(
            "'{name}' is no range; write \"image\", \"dtype\", a dtype such as \"uint8\" or \"uint12\", or two numbers"
        ))
    })
}

const IN: Param = Param {
    name: "in_range",
    kind: "\"image\", \"dtype\", a dtype or a pair of numbers",
    default: Some("\"image\""),
    doc: "the values that are stretched; what lies beyond is cut off",
};
const OUT: Param = Param {
    name: "out_range",
    kind: "\"image\", \"dtype\", a dtype or a pair of numbers",
    default: Some("\"dtype\""),
    doc: "what they become; a dtype is also that of the result, a pair gives floats",
};

composite_op!(
    RescaleIntensity, "rescale_intensity", "exposure",
    "Stretches a range of values to another one.",
    "As skimage.exposure, over the whole image. Whole numbers are computed with in double precision and cut off towards zero. The range of \
     a dtype begins at 0 where the image has no negative values. NaN in an image whose range is not given makes everything NaN.",
    ["image"],
    {
        in_range: Range = Range::word("image"), IN;
        out_range: Range = Range::word("dtype"), OUT;
    },
    || {
        let one = |params: Value, dtype: DType| Sample { params, ins: vec![SampleInput::new(&[6, 7], dtype)] };
        vec![
            one(json!({}), DType::U8),
            one(json!({"in_range": [10, 50], "out_range": "uint16"}), DType::I16),
            one(json!({"out_range": [0, 1]}), DType::F32),
            one(json!({"in_range": "dtype", "out_range": "uint12"}), DType::U16),
        ]
    },
    |op, ins| {
        let image = &ins[0];
        float_of(image.dtype())?;
        let work = if image.dtype().is_float() { image.dtype() } else { DType::F64 };
        let (low, high) = op.in_range.levels(image, None)?;
        let from_zero = both("greater_equal", &low, &Array::weak(0.0))?;
        let (to_low, to_high) = op.out_range.levels(image, Some(&from_zero))?;
        let level = |array: &Array| cast(array, work);
        let between = |a: &Array, b: &Array| level(&both("subtract", b, a)?);
        let clip = |x: &Array, a: &Array, b: &Array| both("minimum", &both("maximum", x, &level(a)?)?, &level(b)?);
        let inside = clip(&cast(image, work)?, &low, &high)?;
        let share = both("divide", &both("subtract", &inside, &level(&low)?)?, &between(&low, &high)?)?;
        let stretched = both("add", &both("multiply", &share, &between(&to_low, &to_high)?)?, &level(&to_low)?)?;
        let flat = both("equal", &low, &high)?;
        let result = match op.in_range.known(image.dtype())? {
            Some(((low, high), _)) if low != high => stretched,
            _ => call("where", &[&flat, &clip(&inside, &to_low, &to_high)?, &stretched], json!({}))?,
        };
        cast(&result, op.out_range.dtype(image.dtype())?)
    }
);
