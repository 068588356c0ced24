//! `rank_filter`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, Scalar, View, ViewMut, bytemuck, dispatch};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::correlate1d::zero;
use super::footprint::{FOOTPRINT, Placed, Placing, SIZE, footprint_of};
use super::line::{OUTPUT, compares_as, lost};
use super::sliding::{AXES, ORIGINS, centred, reflect};
use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use crate::family::window::Window;
use crate::numeric::rank::Ranks;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::{self, Axes, distinct_axes};
use voxmill_ops::numeric::order::{Digits, Key, Ordered};

/// The element of a window at a place in its order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankFilter {
    /// How many elements come before; negative ones count from the end.
    pub rank: i64,
    /// Lengths of the window.
    #[serde(default)]
    pub size: Option<PerAxis<i64>>,
    /// Positions of the window.
    #[serde(default)]
    pub footprint: Option<Grid>,
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

/// The op `rank_filter`.
pub static DEF: OpDef = OpDef {
    name: "rank_filter",
    theme: "filter",
    summary: "Element of the window at a given place in the order of its elements.",
    doc: "As scipy.ndimage, for every dtype but complex. Elements are compared in their own type, so 64-bit integers stay exact. NaN \
          counts as larger than every number.",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param {
            name: "rank",
            kind: "int",
            default: None,
            doc: "how many elements of the window come before; -1 is the largest",
        },
        SIZE,
        FOOTPRINT,
        OUTPUT,
        MODE,
        CVAL,
        ORIGINS,
        AXES,
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: false,
    build: params::build::<RankFilter>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        let real = DType::ALL.iter().filter(|d| !d.is_complex());
        let mut all: Vec<Sample> = real.map(|&d| one(json!({"rank": 3, "size": [3, 2]}), &[6, 5], d)).collect();
        for mode in ["reflect", "mirror", "nearest", "constant", "wrap", "valid"] {
            all.push(one(json!({"rank": -2, "size": 3, "mode": mode, "cval": 7}), &[5, 17], DType::I32));
            all.push(one(json!({"rank": 60, "size": 11, "mode": mode, "origin": [2, -3]}), &[13, 14], DType::U8));
            all.push(one(json!({"rank": 60, "footprint": "disk(6)", "mode": mode, "cval": -9}), &[14, 15], DType::F32));
        }
        all.push(one(json!({"rank": 0, "size": [1, 3], "axes": [-1, 0]}), &[3, 4, 2], DType::U16));
        all.push(one(json!({"rank": 1, "footprint": [[0, 1], [1, 0]], "output": "float32"}), &[3, 4], DType::U16));
        all.push(one(json!({"rank": 0, "size": 3}), &[0, 4], DType::F64));
        all
    },
};

impl RankFilter {
    /// The filter on `input`.
    pub fn of(self, input: &Array) -> Result<Array> {
        Array::from_op(Arc::new(self), vec![input.clone()])
    }

    fn placing(&self) -> Placing {
        Placing { mode: self.mode.clone(), cval: self.cval, origin: self.origin.clone(), axes: self.axes.clone() }
    }

    fn placed(&self, rank: usize) -> Result<Placed> {
        let n_axes = distinct_axes(self.axes.as_ref(), rank)?.len();
        let footprint = footprint_of(self.size.as_ref(), self.footprint.as_ref(), n_axes)?;
        self.placing().over(&footprint, rank)
    }

    fn parts(&self, rank: usize) -> Result<(Ranks, Window)> {
        let Placed { grid, window, .. } = self.placed(rank)?;
        let footprint: Vec<Vec<usize>> = grid.taps().map(|(at, _)| at).collect();
        let n = footprint.len() as i64;
        if !(-n..n).contains(&self.rank) {
            return Err(Error::invalid(format!("rank {} is out of range for a window of {n} elements", self.rank)));
        }
        let place = if self.rank < 0 { self.rank + n } else { self.rank } as usize;
        Ok((Ranks { window: grid.shape, footprint, rank: place }, window))
    }

    /// Integers are their own keys.
    fn run_integers<K: Digits + Element>(&self, at: &Place<'_>, src: &[u8], out: &mut ViewMut<'_>) -> Result<()> {
        let src: &[K] = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
        let dst: &mut [K] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
        self.run_keys(at, src, K::from_scalar(self.cval), dst)
    }

    fn run_floats<A: Ordered>(&self, at: &Place<'_>, src: &[u8], out: &mut ViewMut<'_>) -> Result<()>
    where
        A::Key: Digits + 'static,
    {
        let src: &[A] = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
        let dst: &mut [A] = bytemuck::try_cast_slice_mut(out.bytes_mut().ok_or_else(lost)?).map_err(|_| lost())?;
        let key = |v: A| if v.unordered() { A::Key::HIGH } else { v.key() };
        let keys: Vec<A::Key> = src.iter().map(|&v| key(v)).collect();
        let mut found = vec![A::Key::LOW; dst.len()];
        self.run_keys(at, &keys, key(A::from_scalar(self.cval)), &mut found)?;
        dst.iter_mut().zip(&found).for_each(|(to, &key)| *to = A::unkey(key));
        Ok(())
    }

    fn run_keys<K: Digits + 'static>(&self, at: &Place<'_>, keys: &[K], constant: K, found: &mut [K]) -> Result<()> {
        let (ranks, window) = self.parts(at.ins[0].rank())?;
        let padded = window.padded(keys, &at.reads[0], at.out, &at.ins[0].shape, constant);
        ranks.run(&padded, &window.padded_shape(at.out), &at.out.shape, found);
        Ok(())
    }
}

impl Op for RankFilter {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].dtype.is_complex() || self.output.is_some_and(DType::is_complex) {
            return Err(Error::unsupported("complex numbers have no order; take real or abs first"));
        }
        let (_, window) = self.parts(ins[0].rank())?;
        Ok(window.infer(ins[0]).with_dtype(self.output.unwrap_or(ins[0].dtype)))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let dtype = ins[0].dtype();
        let (_, window) = self.parts(ins[0].rank())?;
        let plain: Arc<dyn Op> = Arc::new(RankFilter { output: None, ..self.clone() });
        let constant = window.modes.contains(&Border::Constant).then_some(self.cval);
        if !compares_as(constant, dtype) {
            let via = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { DType::F64 };
            let wide = Array::from_op(plain, vec![Astype::apply(&ins[0], via)?])?;
            return Astype::apply(&wide, self.output.unwrap_or(dtype)).map(Some);
        }
        if let Some(output) = self.output.filter(|&output| output != dtype) {
            return Astype::apply(&Array::from_op(plain, vec![ins[0].clone()])?, output).map(Some);
        }
        let Placed { grid, window, origins } = self.placed(ins[0].rank())?;
        let over_all = RankFilter {
            size: None,
            footprint: Some(grid),
            mode: PerAxis::Each(window.modes.clone()),
            origin: PerAxis::Each(origins),
            axes: None,
            ..self.clone()
        };
        window.unwrapped(&over_all, &ins[0])
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        self.parts(ins[0].rank()).map_or_else(|_| vec![ins[0].whole()], |(_, window)| vec![window.reads(out, ins[0])])
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let Ok((ranks, window)) = self.parts(ins[0].rank()) else { return 0 };
        let bytes = ins[0].dtype.size();
        let copies = (reads[0].size() + window.padded_len(out) + out.size()) * bytes;
        copies as u64 + ranks.scratch(&window.padded_shape(out), bytes) + 64 * ranks.footprint.len() as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let src = ins[0].bytes().ok_or_else(lost)?;
        match ins[0].dtype() {
            DType::Bool => self.run_integers::<u8>(at, src, out),
            DType::F32 => self.run_floats::<f32>(at, src, out),
            DType::F64 => self.run_floats::<f64>(at, src, out),
            dtype => dispatch!(int dtype, T => self.run_integers::<T>(at, src, out), else Err(lost())),
        }
    }
}
