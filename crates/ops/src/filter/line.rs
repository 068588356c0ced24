//! What filters along one axis share: checks, boxes, dtypes and the way to the loop.

use std::sync::Arc;

use serde_json::json;
use voxmill_core::{
    ArrayMeta, AxisCuts, DType, Element, Error, Idx, Region, Result, Scalar, View, ViewMut, bytemuck, dispatch,
};
use voxmill_plan::{Array, Op, OpDef, Param, Place};

use crate::elementwise::astype::Astype;
use crate::family::map::expect_inputs;
use crate::family::neighborhood::{Border, Halo, wrapped};
use crate::family::params::normalize_axis;
use crate::numeric::convert::ConvertTo;
use crate::numeric::correlate::{Compute, FromSum, Lines, Taps};

/// The parameter `axis`.
pub const AXIS: Param = Param { name: "axis", kind: "int", default: Some("-1"), doc: "the axis to filter along" };

/// The parameter `output`.
pub const OUTPUT: Param = Param {
    name: "output",
    kind: "dtype",
    default: Some("null"),
    doc: "element type of the result; that of the input by default",
};

/// A correlation along one axis, as its op describes it.
#[derive(Debug)]
pub struct Line {
    /// The weights.
    pub taps: Taps,
    /// How far the weights are moved.
    pub origin: i64,
    /// The axis.
    pub axis: i64,
    /// What lies beyond the border.
    pub mode: Border,
    /// The constant there.
    pub cval: Scalar,
    /// Element type of the result.
    pub output: Option<DType>,
}

impl Line {
    fn halo(&self) -> Halo {
        self.taps.reach(self.origin)
    }

    /// Shape and dtype of the result.
    pub fn infer(&self, def: &OpDef, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(def, ins.len())?;
        let axis = normalize_axis(self.axis, ins[0].rank())?;
        let mut meta = ins[0].clone().with_dtype(out_dtype(self.output, ins[0].dtype)?);
        if self.mode == Border::Valid {
            let halo = self.halo();
            meta.shape[axis] = meta.shape[axis].saturating_sub(halo.before + halo.after);
            meta.grid.axes[axis] = AxisCuts::even(meta.shape[axis], ins[0].grid.axes[axis].longest());
        }
        Ok(meta)
    }

    /// `op` on another input: as double where the output has another type than the input, and longer where the border wraps around.
    pub fn expand(&self, op: &Arc<dyn Op>, ins: &[Array]) -> Result<Option<Array>> {
        let (from, to) = (ins[0].dtype(), out_dtype(self.output, ins[0].dtype())?);
        let wide = if from.is_complex() { DType::C128 } else { DType::F64 };
        if from != to && from != wide {
            return Array::from_op(op.clone(), vec![Astype::apply(&ins[0], wide)?]).map(Some);
        }
        if self.mode != Border::Wrap {
            return Ok(None);
        }
        let Some(longer) = wrapped(&ins[0], normalize_axis(self.axis, ins[0].rank())?, self.halo())? else {
            return Ok(None);
        };
        let mut params = op.params();
        params["mode"] = json!("valid");
        Array::from_op((op.def().build)(&params)?, vec![longer]).map(Some)
    }

    /// The box behind `out`.
    pub fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let Ok(axis) = normalize_axis(self.axis, ins[0].rank()) else { return vec![out.clone()] };
        if out.is_empty() {
            return vec![Region::new(&out.start, Idx::from_elem(0, out.rank()))];
        }
        let (begin, end) = self.mode.span(out.start[axis], out.end(axis), ins[0].shape[axis], self.halo());
        vec![out.with_axis(axis, begin, end - begin)]
    }

    /// Bytes that [`Line::run`] allocates.
    pub fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.lines(out, &reads[0], ins[0]).map_or(0, |lines| lines.scratch())
    }

    fn lines(&self, out: &Region, read: &Region, meta: &ArrayMeta) -> Result<Lines<'_>> {
        let axis = normalize_axis(self.axis, meta.rank())?;
        let parts = if meta.dtype.is_complex() { 2 } else { 1 };
        let constant = self.cval.to_c128();
        Ok(Lines {
            taps: &self.taps,
            border: self.mode,
            halo: self.halo(),
            constant: if parts == 2 { [constant.re, constant.im] } else { [constant.re; 2] },
            outer: out.shape[..axis].iter().product(),
            inner: out.shape[axis + 1..].iter().product::<usize>() * parts,
            axis_len: meta.shape[axis],
            read: (read.start[axis], read.end(axis)),
            out: (out.start[axis], out.end(axis)),
        })
    }

    /// Fills `out`. Sums are double; single for `float32` with few positive weights.
    pub fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let lines = self.lines(at.out, &at.reads[0], at.ins[0])?;
        let (src, dst) = (bytes(&ins[0])?, out.dtype());
        let single = self.taps.suits_single();
        match (ins[0].dtype(), dst) {
            (DType::F32, DType::F32) | (DType::C64, DType::C64) if single => run::<f32, f32, f32>(&lines, src, out),
            (DType::C64, DType::C64) => run::<f32, f64, f32>(&lines, src, out),
            (DType::C128, DType::C64) => run::<f64, f64, f32>(&lines, src, out),
            (DType::C128, DType::C128) => run::<f64, f64, f64>(&lines, src, out),
            (a, b) if a == b => dispatch!(real b, T => run::<T, f64, T>(&lines, src, out), else Err(lost())),
            (DType::F64, b) => dispatch!(real b, T => run::<f64, f64, T>(&lines, src, out), else Err(lost())),
            _ => Err(lost()),
        }
    }
}

/// The dtype of a filtered array: complex stays complex, real stays real.
pub fn out_dtype(output: Option<DType>, input: DType) -> Result<DType> {
    let output = output.unwrap_or(input);
    if output.is_complex() != input.is_complex() {
        return Err(Error::invalid(format!(
            "output {output} does not suit an input of {input}; both must be real or both complex"
        )));
    }
    Ok(output)
}

/// Complex numbers are pairs of reals here.
fn run<A: Element + ConvertTo<C>, C: Compute, B: FromSum<C>>(
    lines: &Lines<'_>,
    src: &[u8],
    out: &mut ViewMut<'_>,
) -> Result<()> {
    let dst = out.bytes_mut().ok_or_else(lost)?;
    let src: &[A] = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
    lines.run::<A, C, B>(src, bytemuck::try_cast_slice_mut(dst).map_err(|_| lost())?);
    Ok(())
}

fn bytes<'a>(view: &View<'a>) -> Result<&'a [u8]> {
    view.bytes().ok_or_else(lost)
}

fn lost() -> Error {
    Error::internal("a filter met an unexpected dtype or layout")
}
