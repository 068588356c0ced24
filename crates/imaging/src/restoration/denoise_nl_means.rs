//! `denoise_nl_means`

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Error};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::nl_means::NlMeans;
use crate::family::compose::{cast, composite_op, float_image, float_of};

composite_op!(
    DenoiseNlMeans, "denoise_nl_means", "restoration",
    "Each element as the mean of those in its surroundings whose neighbourhoods look alike (non-local means).",
    "As skimage.restoration with fast_mode, in 2 to 4 dimensions: differences of patches are plain sums of squares, and the exponential \
     function is the same approximation, so that weights differ by up to 4 % from true ones. The image is mirrored beyond its border. Whole \
     numbers are divided by the largest one of their dtype, unless their range is to be kept. float32 stays float32, everything else gives \
     float64.",
    ["image"],
    {
        patch_size: i64 = 7, Param { name: "patch_size", kind: "int", default: Some("7"), doc: "length of patches; even numbers count as one more" };
        patch_distance: i64 = 11, Param { name: "patch_distance", kind: "int", default: Some("11"), doc: "how far away patches are looked for" };
        h: f64 = 0.1, Param { name: "h", kind: "float", default: Some("0.1"), doc: "how different patches may be" };
        sigma: f64 = 0.0, Param { name: "sigma", kind: "float", default: Some("0.0"), doc: "standard deviation of the noise, whose share of differences does not count" };
        preserve_range: bool = false, Param { name: "preserve_range", kind: "bool", default: Some("false"), doc: "keep the values of whole numbers" };
        channels: bool = false, Param { name: "channels", kind: "bool", default: Some("false"), doc: "the last axis are colours" };
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.0, if dtype.is_float() { 1.0 } else { 100.0 })],
        };
        vec![
            one(json!({"patch_size": 3, "patch_distance": 2, "h": 0.5}), &[9, 11], DType::F64),
            one(json!({"patch_size": 3, "patch_distance": 1, "sigma": 0.1}), &[5, 6, 7], DType::F32),
            one(json!({"patch_size": 5, "patch_distance": 1, "channels": true}), &[7, 8, 3], DType::U8),
        ]
    },
    |op, ins| {
        let rank = ins[0].rank() - usize::from(op.channels && ins[0].rank() > 0);
        if !(2..=4).contains(&rank) {
            return Err(Error::unsupported(format!(
                "non-local means denoising is only implemented for 2D, 3D or 4D grayscale or multichannel images, got {rank} dimensions"
            )));
        }
        let fits = |n: i64| (0..1 << 12).contains(&n);
        if !fits(op.patch_size) || op.patch_size < 1 || !fits(op.patch_distance) || op.h <= 0.0 || !op.h.is_finite() || !op.sigma.is_finite() {
            return Err(Error::invalid(format!(
                "patch_size {} must be at least 1, patch_distance {} at least 0, h {} positive",
                op.patch_size, op.patch_distance, op.h
            )));
        }
        let dtype = float_of(ins[0].dtype())?;
        let image = if op.preserve_range { cast(&ins[0], dtype)? } else { cast(&float_image(&ins[0])?, dtype)? };
        let kernel = NlMeans {
            offset: op.patch_size as usize / 2,
            distance: op.patch_distance as usize,
            h: op.h,
            variance: op.sigma * op.sigma,
            channels: op.channels,
        };
        Array::from_op(Arc::new(kernel), vec![image])
    }
);
