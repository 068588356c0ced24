//! `correlate`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{
    ArrayMeta, Complex32, Complex64, DType, Element, Error, Region, Result, Scalar, View, ViewMut, bytemuck, dispatch,
};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::correlate_blocks::CorrelateBlocks;
use super::correlate1d::zero;
use super::footprint::{Placed, Placing};
use super::line::{OUTPUT, lost, out_dtype};
use super::sliding::{AXES, ORIGINS, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use crate::family::window::strides;
use crate::numeric::correlate::FromSum;
use crate::numeric::stencil::{self, Tap};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::{self, Axes};
use voxmill_ops::numeric::convert::ConvertTo;

/// Weighted sums over windows of several axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlate {
    /// The weights.
    pub weights: Grid,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default = "reflect")]
    pub mode: PerAxis<Border>,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the window is moved.
    #[serde(default = "centred")]
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

/// The parameter `weights` of filters over several axes.
pub(super) const WEIGHTS: Param = Param {
    name: "weights",
    kind: "nested list of float",
    default: None,
    doc: "one weight per position of the window",
};

/// The op `correlate`.
pub static DEF: OpDef = OpDef {
    name: "correlate",
    theme: "filter",
    summary: "Weighted sums of the neighbours of each element.",
    doc: "As scipy.ndimage: sums in double precision, weights of zero left out, integers cut off towards zero, complex numbers part by \
          part. Weights are real. Where there are many weights, sums of floats are computed by Fourier transforms of blocks, in double \
          precision: to 1e-13 of the largest value times the sum of the weights; NaN and infinity reach no farther than the window.",
    inputs: Inputs::Named(&["input"]),
    params: &[WEIGHTS, OUTPUT, MODE, CVAL, ORIGINS, AXES],
    form: Form::Kernel,
    cost: 10.0,
    hold: false,
    build: params::build::<Correlate>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        let mut all: Vec<Sample> = DType::ALL
            .iter()
            .map(|&d| one(json!({"weights": [[0.25, 0.5, 0], [0.25, 0.125, 0.5]]}), &[6, 5], d))
            .collect();
        for mode in ["reflect", "mirror", "nearest", "constant", "wrap", "valid"] {
            all.push(one(json!({"weights": [[1, -2], [0.5, 3]], "mode": mode, "cval": 7}), &[5, 37], DType::I32));
            all.push(one(json!({"weights": [[[1, 0, 2]], [[0.5, 1, -1]]], "mode": mode}), &[4, 3, 40], DType::C64));
        }
        all.push(one(json!({"weights": [1, 2, 3], "axes": 1, "origin": -1}), &[3, 7, 2], DType::U16));
        all.push(one(json!({"weights": [[1, 2], [3, 4]], "output": "float32"}), &[5, 4], DType::U8));
        all.push(one(json!({"weights": [[0, 0]]}), &[5, 4], DType::F64));
        all.push(one(json!({"weights": [[1, 1]]}), &[0, 4], DType::F64));
        all
    },
};

impl Correlate {
    /// The filter on `input`.
    pub fn of(self, input: &Array) -> Result<Array> {
        Array::from_op(Arc::new(self), vec![input.clone()])
    }

    fn placed(&self, rank: usize) -> Result<Placed> {
        let (mode, origin, axes) = (self.mode.clone(), self.origin.clone(), self.axes.clone());
        if self.weights.values.is_empty() {
            return Err(Error::invalid("weights are empty; a filter needs at least one weight"));
        }
        Placing { mode, cval: self.cval, origin, axes }.over(&self.weights, rank)
    }

    /// Complex numbers are pairs of reals, which lie `parts` apart along the last axis.
    fn taps(&self, placed: &Placed, padded: &[usize], parts: usize) -> Vec<Tap<f64>> {
        let steps = strides(padded);
        let flat = |at: &[usize]| at.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
        placed.grid.taps().map(|(at, weight)| Tap { offset: parts * flat(&at), weight }).collect()
    }

    /// Elements become double (or pairs of doubles) first, so that the constant beyond the border is not rounded.
    fn run_as<A: Element + ConvertTo<W>, W: Element, B: FromSum<f64>>(
        &self,
        at: &Place<'_>,
        src: &[u8],
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let placed = self.placed(at.ins[0].rank())?;
        let src: &[A] = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
        let dst: &mut [B] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
        let wide: Vec<W> = src.iter().map(|&v| v.convert()).collect();
        let padded = placed.window.padded(&wide, &at.reads[0], at.out, &at.ins[0].shape, W::from_scalar(self.cval));
        let parts: &[f64] = bytemuck::try_cast_slice(&padded).map_err(|_| lost())?;
        let n_parts = size_of::<W>() / size_of::<f64>();
        let (mut padded_shape, mut shape) = (placed.window.padded_shape(at.out), at.out.shape.to_vec());
        let taps = self.taps(&placed, &padded_shape, n_parts);
        if let (Some(last), Some(padded)) = (shape.last_mut(), padded_shape.last_mut()) {
            (*last, *padded) = (*last * n_parts, *padded * n_parts);
        }
        let mut sums = vec![0.0; dst.len()];
        stencil::correlate(parts, &padded_shape, &taps, &shape, &mut sums);
        dst.iter_mut().zip(&sums).for_each(|(to, &sum)| *to = B::from_sum(sum));
        Ok(())
    }
}

impl Op for Correlate {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let placed = self.placed(ins[0].rank())?;
        Ok(placed.window.infer(ins[0]).with_dtype(out_dtype(self.output, ins[0].dtype)?))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let (from, to) = (ins[0].dtype(), out_dtype(self.output, ins[0].dtype())?);
        let wide = if from.is_complex() { DType::C128 } else { DType::F64 };
        if from != to && from != wide {
            return self.clone().of(&Astype::apply(&ins[0], wide)?).map(Some);
        }
        let Placed { grid, window, origins } = self.placed(ins[0].rank())?;
        if matches!(from, DType::F32 | DType::F64) && to.is_float() && CorrelateBlocks::pays(&grid, ins[0].shape()) {
            let blocks =
                CorrelateBlocks { weights: grid, mode: window.modes.clone(), cval: self.cval, origin: origins };
            let sums = match window.unwrapped(&blocks, &ins[0])? {
                Some(sums) => sums,
                None => Array::from_op(Arc::new(blocks), vec![ins[0].clone()])?,
            };
            return Astype::apply(&sums, to).map(Some);
        }
        let over_all = Correlate {
            weights: grid,
            mode: PerAxis::Each(window.modes.clone()),
            origin: PerAxis::Each(origins),
            axes: None,
            ..self.clone()
        };
        window.unwrapped(&over_all, &ins[0])
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let placed = self.placed(ins[0].rank());
        placed.map_or_else(|_| vec![ins[0].whole()], |placed| vec![placed.window.reads(out, ins[0])])
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let Ok(placed) = self.placed(ins[0].rank()) else { return 0 };
        let wide = if ins[0].dtype.is_complex() { 16 } else { 8 };
        let elements = reads[0].size() + placed.window.padded_len(out) + out.size();
        (elements * wide + 64 * placed.grid.values.len()) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let src = ins[0].bytes().ok_or_else(lost)?;
        match (ins[0].dtype(), out.dtype()) {
            (DType::C64, DType::C64) => self.run_as::<Complex32, Complex64, f32>(at, src, out),
            (DType::C128, DType::C64) => self.run_as::<Complex64, Complex64, f32>(at, src, out),
            (DType::C128, DType::C128) => self.run_as::<Complex64, Complex64, f64>(at, src, out),
            (a, b) if a == b => dispatch!(real a, T => self.run_as::<T, f64, T>(at, src, out), else Err(lost())),
            (DType::F64, b) => dispatch!(real b, T => self.run_as::<f64, f64, T>(at, src, out), else Err(lost())),
            _ => Err(lost()),
        }
    }
}
