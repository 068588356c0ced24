//! `equalize_adapthist`

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::bins::NBINS;
use super::expect_values::ExpectValues;
use super::local_curves::{GRAYS, LocalCurves};
use super::local_equalize::LocalEqualize;
use super::rescale_intensity::{Range, RescaleIntensity};
use crate::family::compose::{both, call, cast, composite_op, float_of, limits, one, with};
use crate::family::neighborhood::PerAxis;
use voxmill_ops::family::composite::Composite;

/// The image in 16 bits without sign, as skimage.util.img_as_uint makes it.
fn in_16_bits(image: &Array) -> Result<Array> {
    let dtype = image.dtype();
    let scaled = |factor: i64, divisor: i64| {
        let grown = both("multiply", &cast(image, DType::I64)?, &Array::weak(factor))?;
        both("floor_divide", &grown, &Array::weak(divisor))
    };
    let in_range = match dtype {
        DType::Bool => scaled(65535, 1)?,
        DType::U8 => scaled(257, 1)?,
        DType::U16 => image.clone(),
        DType::I8 => scaled(16513, 32)?,
        DType::I16 => scaled(32769, 1 << 14)?,
        dtype if dtype.is_float() => {
            let checked = ExpectValues::of(image, -1.0, Some(1.0))?;
            let wide = if dtype == DType::F64 { dtype } else { DType::F32 };
            one("rint", &with("multiply", &cast(&checked, wide)?, 65535.0)?)?
        }
        dtype => {
            // More bits are dropped only where the image has them.
            let bits = if limits(dtype).0 < 0.0 { 8 * dtype.size() - 1 } else { 8 * dtype.size() };
            let few = both("less", &call("max", &[image], json!({}))?, &Array::weak(65536i64))?;
            let dropped = both("floor_divide", image, &Array::weak(1i64 << (bits - 16)))?;
            call("where", &[&few, image, &dropped], json!({}))?
        }
    };
    let positive = if limits(dtype).0 < 0.0 { both("maximum", &in_range, &Array::weak(0i64))? } else { in_range };
    cast(&positive, DType::U16)
}

fn rescaled(image: &Array, out_range: Range) -> Result<Array> {
    Composite::call(RescaleIntensity { in_range: Range::word("image"), out_range }, &[image])
}

composite_op!(
    EqualizeAdapthist, "equalize_adapthist", "exposure",
    "Brightness equalised in the neighbourhood of each element, with limited contrast (CLAHE).",
    "As skimage.exposure, n-dimensional: one curve for each block of kernel_size, interpolated between the middles of blocks. Values are \
     first brought to 14 bits by the range of the whole image. float32 stays float32, everything else gives float64, from 0 to 1. Floats \
     must lie between -1 and 1: others are an error when they are met. The last axis is never taken for colours.",
    ["image"],
    {
        kernel_size: Option<PerAxis<i64>> = None, Param {
            name: "kernel_size",
            kind: "int or list of int",
            default: Some("null"),
            doc: "lengths of a block; an eighth of each axis by default",
        };
        clip_limit: f64 = 0.01, Param {
            name: "clip_limit",
            kind: "float",
            default: Some("0.01"),
            doc: "the largest share of a block that a bin may have; what is above is spread over all bins. 0 for no limit",
        };
        nbins: usize = 256, NBINS;
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| {
            let high = if dtype.is_float() { 1.0 } else { 100.0 };
            Sample { params, ins: vec![SampleInput::new(shape, dtype).between(0.0, high)] }
        };
        vec![
            one(json!({"kernel_size": [5, 4]}), &[17, 13], DType::U8),
            one(json!({"kernel_size": 3, "clip_limit": 0.1}), &[5, 6, 7], DType::F32),
            one(json!({"nbins": 20}), &[24], DType::I32),
        ]
    },
    |op, ins| {
        let (image, rank) = (&ins[0], ins[0].rank());
        let dtype = float_of(image.dtype())?;
        let kernel = match &op.kernel_size {
            Some(sizes) => sizes.values("kernel_size", rank)?,
            None => image.shape().iter().map(|&n| (n as i64 / 8).max(1)).collect(),
        };
        if op.nbins == 0 || op.nbins > GRAYS || kernel.iter().any(|k| !(1..1 << 31).contains(k)) {
            return Err(Error::invalid(format!(
                "kernel_size {kernel:?} must be at least 1, and nbins {} between 1 and {GRAYS}",
                op.nbins
            )));
        }
        if image.size() == 0 {
            return Err(Error::invalid("an image without elements has no histogram"));
        }
        let kernel: Vec<usize> = kernel.into_iter().map(|k| k as usize).collect();
        let grays = rescaled(&in_16_bits(image)?, Range::Pair(0.0, GRAYS as f64 - 1.0))?;
        let grays = cast(&one("rint", &grays)?, DType::U16)?;
        let width = 1 + GRAYS / op.nbins;
        let binned = cast(&both("floor_divide", &grays, &Array::weak(width as i64))?, DType::U16)?;
        let curves = LocalCurves { kernel: kernel.clone(), bins: op.nbins, clip_limit: op.clip_limit };
        let curves = Array::from_op(Arc::new(curves), vec![binned.clone()])?;
        let equalized = Array::from_op(Arc::new(LocalEqualize { kernel }), vec![binned, curves])?;
        rescaled(&cast(&equalized, dtype)?, Range::word("dtype"))
    }
);
