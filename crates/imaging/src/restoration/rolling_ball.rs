//! `rolling_ball`

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::rolling_minimum::RollingMinimum;
use crate::family::compose::{apply, call, cast, composite_op, float_of, one};
use crate::family::grid::{Grid, positions};
use crate::filter::maximum_filter;

/// A ball that is not much larger than any image could use, and whose kernel still fits memory.
const MOST: f64 = 4e6;

/// How far the surface of a ball lies below its top, and where it has a surface.
fn ball(radius: f64, rank: usize) -> Result<(Grid, Grid)> {
    let reach = radius.ceil();
    if !(radius >= 0.0 && (2.0 * reach + 1.0).powi(rank as i32) <= MOST) {
        return Err(Error::invalid(format!(
            "a ball with radius {radius} in {rank} dimensions is no kernel; the radius must be positive, and the kernel have at most \
             {MOST} elements: make the image smaller first"
        )));
    }
    let shape = vec![2 * reach as usize + 1; rank];
    let square = |at: &[usize]| at.iter().map(|&k| (k as f64 - reach).powi(2)).sum::<f64>();
    let (mut heights, mut footprint) = (Vec::new(), Vec::new());
    for at in positions(&shape) {
        let distance = square(&at);
        footprint.push(f64::from(u8::from(distance.sqrt() <= radius)));
        heights.push(radius - (radius * radius - distance).max(0.0).sqrt());
    }
    Ok((Grid { shape: shape.clone(), values: heights }, Grid { shape, values: footprint }))
}

composite_op!(
    RollingBall, "rolling_ball", "restoration",
    "The background of an image: how high a ball reaches that rolls below its surface.",
    "As skimage.restoration, n-dimensional. Nothing lies beyond the border. The result has the dtype of the image; whole numbers are cut off \
     towards zero. NaN is left out, or makes every element NaN whose kernel reaches it (nansafe).",
    ["image"],
    {
        radius: f64 = 100.0, Param { name: "radius", kind: "float", default: Some("100.0"), doc: "of the ball" };
        heights: Option<Grid> = None, Param {
            name: "heights",
            kind: "nested list of float",
            default: Some("null"),
            doc: "how far the surface of another kernel lies below its middle; replaces radius",
        };
        footprint: Option<Grid> = None, Param {
            name: "footprint",
            kind: "nested list of 0 and 1",
            default: Some("null"),
            doc: "where that kernel has a surface; everywhere by default",
        };
        nansafe: bool = false, Param { name: "nansafe", kind: "bool", default: Some("false"), doc: "NaN spreads" };
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"radius": 2.5}), &[9, 11], DType::U8),
            one(json!({"radius": 2, "nansafe": true}), &[5, 6, 7], DType::F32),
            one(json!({"heights": [[1, 0, 2]]}), &[5, 6], DType::I16),
        ]
    },
    |op, ins| {
        let image = &ins[0];
        let (heights, footprint) = match (&op.heights, &op.footprint) {
            (Some(heights), Some(footprint)) => (heights.clone(), footprint.clone()),
            (Some(heights), None) => (heights.clone(), Grid::ones(&heights.shape)),
            _ => ball(op.radius, image.rank())?,
        };
        let shape = heights.shape.clone();
        let floats = cast(image, float_of(image.dtype())?)?;
        let lowest = Array::from_op(Arc::new(RollingMinimum { heights, footprint }), vec![floats.clone()])?;
        if !op.nansafe || !image.dtype().is_float() {
            return cast(&lowest, image.dtype());
        }
        let border = json!({"size": shape, "mode": "constant"});
        let near = apply(&maximum_filter::DEF, &[&one("isnan", &floats)?], border)?;
        cast(&call("where", &[&near, &Array::weak(f64::NAN), &lowest], json!({}))?, image.dtype())
    }
);
