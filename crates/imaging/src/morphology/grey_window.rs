//! `grey_window`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, Scalar, View, ViewMut, bytemuck, dispatch};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::{self, Axes};
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use crate::family::window::strides;
use crate::filter::footprint::{FOOTPRINT, Placed, Placing};
use crate::filter::line::{OUTPUT, lost, out_dtype};
use crate::numeric::correlate::FromSum;
use crate::numeric::stencil::Tap;
use crate::numeric::uneven::extreme;

/// The extreme of a window whose positions have heights.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GreyWindow {
    /// The largest value with heights added, instead of the smallest with heights subtracted.
    pub largest: bool,
    /// Positions of the window.
    pub footprint: Grid,
    /// A height for each position.
    pub heights: Grid,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    pub mode: PerAxis<Border>,
    /// The constant there.
    pub cval: Scalar,
    /// How far the window is moved.
    pub origin: PerAxis<i64>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
}

/// The op `grey_window`.
pub static DEF: OpDef = OpDef {
    name: "grey_window",
    theme: "morphology",
    summary: "Internal: extreme of a window with heights.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "largest", kind: "bool", default: None, doc: "largest sum instead of smallest difference" },
        FOOTPRINT,
        Param { name: "heights", kind: "nested list of float", default: None, doc: "a height for each position" },
        OUTPUT,
        MODE,
        CVAL,
        Param { name: "origin", kind: "int or list of int", default: None, doc: "how far the window is moved" },
        Param { name: "axes", kind: "int or list of int", default: Some("null"), doc: "the axes" },
    ],
    form: Form::Kernel,
    cost: 10.0,
    hold: false,
    build: params::build::<GreyWindow>,
    samples: || {
        let one = |mode: &str, largest: bool, dtype| Sample {
            params: json!({"largest": largest, "footprint": [[1, 1, 0], [0, 1, 1]], "heights": [[0, 1, 2], [3, -1, 0.5]],
                "mode": mode, "cval": 7, "origin": 0}),
            ins: vec![SampleInput::new(&[7, 37], dtype)],
        };
        let modes = ["reflect", "mirror", "nearest", "constant", "wrap", "valid"];
        let real = DType::ALL.iter().filter(|dtype| !dtype.is_complex());
        let mut all: Vec<Sample> = real.map(|&dtype| one("reflect", true, dtype)).collect();
        all.extend(modes.iter().map(|mode| one(mode, false, DType::I32)));
        all
    },
};

impl GreyWindow {
    fn placed(&self, rank: usize) -> Result<Placed> {
        if self.footprint.shape != self.heights.shape {
            return Err(Error::invalid(format!(
                "the footprint has shape {:?}, the structure {:?}; they must be equal",
                self.footprint.shape, self.heights.shape
            )));
        }
        if self.footprint.taps().next().is_none() {
            return Err(Error::invalid("the footprint is empty: at least one of its elements must be 1"));
        }
        self.placing().over(&self.footprint, rank)
    }

    fn placing(&self) -> Placing {
        let (mode, origin, axes) = (self.mode.clone(), self.origin.clone(), self.axes.clone());
        Placing { mode, cval: self.cval, origin, axes }
    }

    fn taps(&self, placed: &Placed, padded: &[usize]) -> Result<Vec<Tap<f64>>> {
        let steps = strides(padded);
        let heights = self.placing().over(&self.heights, padded.len())?.grid;
        let sign = if self.largest { 1.0 } else { -1.0 };
        let inner = strides(&heights.shape);
        let flat = |at: &[usize], steps: &[usize]| at.iter().zip(steps).map(|(a, s)| a * s).sum::<usize>();
        let tap = |(at, _): (Vec<usize>, f64)| Tap {
            offset: flat(&at, &steps),
            weight: sign * heights.values[flat(&at, &inner)],
        };
        Ok(placed.grid.taps().map(tap).collect())
    }

    fn run_as<A: FromSum<f64> + ConvertTo<f64>, B: FromSum<f64>>(
        &self,
        at: &Place<'_>,
        src: &[u8],
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let placed = self.placed(at.ins[0].rank())?;
        let src: &[A] = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
        let dst: &mut [B] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
        let wide: Vec<f64> = src.iter().map(|&v| v.convert()).collect();
        let constant = f64::from_scalar(self.cval);
        let padded = placed.window.padded(&wide, &at.reads[0], at.out, &at.ins[0].shape, constant);
        let padded_shape = placed.window.padded_shape(at.out);
        let mut taps = self.taps(&placed, &padded_shape)?;
        let mut found = vec![0.0; dst.len()];
        let stored = |sum: f64| A::from_sum(sum).convert();
        // scipy adds the first height as it is, all others in the type of the input.
        let sign = if self.largest { 1.0 } else { -1.0 };
        taps.iter_mut().skip(1).for_each(|tap| tap.weight = sign * stored(sign * tap.weight));
        extreme(&padded, &padded_shape, &taps, &at.out.shape, self.largest, stored, &mut found);
        dst.iter_mut().zip(&found).for_each(|(to, &value)| *to = B::from_sum(value));
        Ok(())
    }
}

impl Op for GreyWindow {
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
        if from != to && to != DType::F64 {
            let own = GreyWindow { output: Some(DType::F64), ..self.clone() };
            return Astype::apply(&Array::from_op(Arc::new(own), vec![ins[0].clone()])?, to).map(Some);
        }
        let Placed { grid, window, origins } = self.placed(ins[0].rank())?;
        let heights = self.placing().over(&self.heights, ins[0].rank())?.grid;
        let over_all = GreyWindow {
            footprint: grid,
            heights,
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
        let elements = reads[0].size() + placed.window.padded_len(out) + out.size();
        (elements * 8 + 128 * placed.grid.values.len()) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let src = ins[0].bytes().ok_or_else(lost)?;
        match out.dtype() {
            DType::F64 => dispatch!(real ins[0].dtype(), T => self.run_as::<T, f64>(at, src, out), else Err(lost())),
            _ => dispatch!(real ins[0].dtype(), T => self.run_as::<T, T>(at, src, out), else Err(lost())),
        }
    }
}
