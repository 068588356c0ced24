//! `denoise_tv_chambolle`

use std::sync::Arc;

use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_plan::{Array, Param, Sample, SampleInput};

use super::keep::Keep;
use super::tv::steps_at_once;
use super::tv_advance::TvAdvance;
use super::tv_decide::TvDecide;
use super::tv_energies::TvEnergies;
use crate::family::compose::{call, cast, composite_op, float_image, float_of};

/// Lengths of the blocks whose energies are added.
fn block(shape: &[usize]) -> Vec<usize> {
    let side = match shape.len() {
        1 => 1 << 16,
        2 => 512,
        3 => 48,
        _ => 24,
    };
    shape.iter().map(|&n| n.clamp(1, side)).collect()
}

composite_op!(
    DenoiseTvChambolle, "denoise_tv_chambolle", "restoration",
    "An image with less total variation, whose edges stay sharp (Chambolle).",
    "As skimage.restoration, n-dimensional. The steps end when the energy of the whole image changes by less than eps of the first one, or \
     after max_num_iter; both are found while it is computed, some steps at a time, so that memory stays bounded: the gradient field, as \
     many floats per element as there are axes, is held (on scratch if need be), and each step is made twice. Energies are added in double \
     precision, where scikit-image adds those of float32 in single precision and may end a step earlier or later. Whole numbers are divided \
     by the largest one of their dtype; float32 stays float32, everything else gives float64.",
    ["image"],
    {
        weight: f64 = 0.1, Param { name: "weight", kind: "float", default: Some("0.1"), doc: "how much gradients count; more gives less noise" };
        eps: f64 = 2e-4, Param { name: "eps", kind: "float", default: Some("0.0002"), doc: "the steps end when energy changes by less than this share" };
        max_num_iter: usize = 200, Param { name: "max_num_iter", kind: "int", default: Some("200"), doc: "the most steps" };
    },
    || {
        let one = |params: Value, shape: &[usize], dtype: DType| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(0.0, if dtype.is_float() { 1.0 } else { 100.0 })],
        };
        vec![
            one(json!({"max_num_iter": 40}), &[9, 11], DType::F64),
            one(json!({"max_num_iter": 12, "eps": 1e-9, "weight": 0.3}), &[5, 6, 7], DType::F32),
            one(json!({}), &[40], DType::U8),
        ]
    },
    |op, ins| {
        if !(op.weight > 0.0 && op.weight.is_finite()) || op.max_num_iter == 0 || op.eps.is_nan() {
            return Err(Error::invalid(format!("weight {} must be positive, max_num_iter {} at least 1", op.weight, op.max_num_iter)));
        }
        if ins[0].rank() == 0 || ins[0].size() == 0 {
            return Err(Error::invalid(format!("an image of shape {:?} has no variation", ins[0].shape())));
        }
        let image = cast(&float_image(&ins[0])?, float_of(ins[0].dtype())?)?;
        let (rank, at_once) = (image.rank(), steps_at_once(image.rank()));
        let axis = |x: &Array| call("expand_dims", &[x], json!({"axis": 0}));
        let none = call("zeros_like", &[&image], json!({}))?;
        let parts = vec![axis(&none)?; rank];
        let mut dual = call("concatenate", &parts.iter().collect::<Vec<_>>(), json!({"axis": 0}))?;
        let mut state = call("zeros", &[], json!({"shape": [4], "dtype": "float64"}))?;
        let mut done = 0;
        while done < op.max_num_iter {
            let steps = at_once.min(op.max_num_iter - done);
            (dual, state) = advanced(op, &image, (&dual, &state), steps, done)?;
            done += steps;
        }
        Array::from_op(Arc::new(TvAdvance { steps: 1, weight: op.weight }), vec![image, dual])
    }
);

/// The dual field and the state after some more steps.
fn advanced(
    op: &DenoiseTvChambolle,
    image: &Array,
    (dual, state): (&Array, &Array),
    steps: usize,
    done: usize,
) -> Result<(Array, Array)> {
    let energies = TvEnergies { block: block(image.shape()), steps, weight: op.weight };
    let energies = Array::from_op(Arc::new(energies), vec![image.clone(), dual.clone(), state.clone()])?;
    let axes: Vec<usize> = (0..image.rank()).collect();
    let energies = call("sum", &[&energies], json!({"axis": axes}))?;
    let (first, last) = (done == 0, done + steps == op.max_num_iter);
    let decide = TvDecide { eps: op.eps, size: image.size() as f64, first, last };
    let state = Array::from_op(Arc::new(decide), vec![energies, state.clone()])?;
    let advance = TvAdvance { steps, weight: op.weight };
    let dual = Array::from_op(Arc::new(advance), vec![image.clone(), dual.clone(), state.clone()])?;
    Ok((Keep::of(dual)?, state))
}
