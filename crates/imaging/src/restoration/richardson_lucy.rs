//! `richardson_lucy`

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::keep::Keep;
use crate::family::compose::{both, call, cast, composite_op, float_of, with};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, PerAxis};
use crate::filter::correlate::Correlate;

/// Sums with these weights; nothing lies beyond the border.
fn weighed(image: &Array, weights: &Grid) -> Result<Array> {
    let (mode, origin, cval) = (PerAxis::One(Border::Constant), PerAxis::One(0), Scalar::Float(0.0));
    Correlate { weights: weights.clone(), output: None, mode, cval, origin, axes: None }.of(image)
}

composite_op!(
    RichardsonLucy, "richardson_lucy", "restoration",
    "An image without the blur of a known point spread function.",
    "As skimage.restoration, n-dimensional: each step multiplies the estimate, which begins with 0.5, with the blurred ratio of image and \
     blurred estimate. float32 stays float32, everything else gives float64. Each step reads as far as twice the point spread function, and \
     the estimate is held between steps (on scratch if need be).",
    ["image"],
    {
        psf: Grid = Grid { shape: Vec::new(), values: Vec::new() }, Param {
            name: "psf",
            kind: "nested list of float",
            default: None,
            doc: "the point spread function",
        };
        num_iter: usize = 50, Param { name: "num_iter", kind: "int", default: Some("50"), doc: "number of steps" };
        clip: bool = true, Param { name: "clip", kind: "bool", default: Some("true"), doc: "limit the result to -1 to 1" };
        filter_epsilon: Option<f64> = None, Param {
            name: "filter_epsilon",
            kind: "float",
            default: Some("null"),
            doc: "where the blurred estimate is lower, the ratio counts as 0",
        };
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.1, 1.0)],
        };
        vec![
            one(json!({"psf": [[0.1, 0.2, 0.1], [0.2, 0.3, 0.1]], "num_iter": 2}), &[9, 11], DType::F64),
            one(json!({"psf": [0.25, 0.5, 0.25], "num_iter": 3, "filter_epsilon": 0.01, "clip": false}), &[20], DType::F32),
        ]
    },
    |op, ins| {
        let dtype = float_of(ins[0].dtype())?;
        if op.psf.shape.len() != ins[0].rank() || op.psf.values.is_empty() {
            return Err(Error::invalid(format!(
                "psf has the shape {:?}, the image {} axes; psf needs as many axes, and an element",
                op.psf.shape,
                ins[0].rank()
            )));
        }
        let image = cast(&ins[0], dtype)?;
        let round = |v: &f64| if dtype == DType::F32 { f64::from(*v as f32) } else { *v };
        let psf = Grid { shape: op.psf.shape.clone(), values: op.psf.values.iter().map(round).collect() };
        let turned = psf.reversed();
        let mut estimate = call("full_like", &[&image], json!({"fill_value": 0.5}))?;
        for step in 0..op.num_iter {
            let blurred = with("add", &weighed(&estimate, &turned)?, 1e-12)?;
            let ratio = both("divide", &image, &blurred)?;
            let ratio = match op.filter_epsilon {
                Some(epsilon) if epsilon != 0.0 => {
                    let low = with("less", &blurred, epsilon)?;
                    cast(&call("where", &[&low, &Array::weak(0.0), &ratio], json!({}))?, dtype)?
                }
                _ => ratio,
            };
            estimate = both("multiply", &estimate, &weighed(&ratio, &psf)?)?;
            if step + 1 < op.num_iter {
                estimate = Keep::of(estimate)?;
            }
        }
        if op.clip { call("clip", &[&estimate], json!({"min": -1.0, "max": 1.0})) } else { Ok(estimate) }
    }
);
