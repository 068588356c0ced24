//! What filters along one axis share: checks, boxes, dtypes and the way to the loop.

use std::sync::Arc;

use serde_json::json;
use voxmill_core::{
    ArrayMeta, AxisCuts, DType, Element, Error, Idx, Region, Result, Scalar, View, ViewMut, bytemuck, dispatch,
};
use voxmill_plan::{Array, Op, OpDef, Param, Place};

use crate::family::neighborhood::{Border, Halo, wrapped};
use crate::numeric::correlate::{Compute, FromSum, Taps};
use crate::numeric::lines::{LineLoop, Lines};
use crate::numeric::sliding::{Extremes, RealExtremes, Sums};
use crate::numeric::whole::Whole;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params::normalize_axis;
use voxmill_ops::numeric::convert::ConvertTo;

/// The parameter `axis`.
pub const AXIS: Param = Param { name: "axis", kind: "int", default: Some("-1"), doc: "the axis to filter along" };

/// The parameter `output`.
pub const OUTPUT: Param = Param {
    name: "output",
    kind: "dtype",
    default: Some("null"),
    doc: "element type of the result; that of the input by default",
};

/// What is done with the elements of a window.
#[derive(Debug)]
pub enum Work {
    /// Weighted sums.
    Taps(Taps),
    /// The mean.
    Mean(usize),
    /// The smallest element.
    Smallest(usize),
    /// The largest element.
    Largest(usize),
}

impl Work {
    fn size(&self) -> usize {
        match self {
            Work::Taps(taps) => taps.len(),
            Work::Mean(size) | Work::Smallest(size) | Work::Largest(size) => *size,
        }
    }

    fn is_extreme(&self) -> bool {
        matches!(self, Work::Smallest(_) | Work::Largest(_))
    }
}

/// A filter along one axis, as its op describes it.
#[derive(Debug)]
pub struct Line {
    /// What it does.
    pub work: Work,
    /// How far the window is moved.
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
        reach(self.work.size(), self.origin)
    }

    /// Shape and dtype of the result.
    pub fn infer(&self, def: &OpDef, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(def, ins.len())?;
        if self.work.is_extreme() && ins[0].dtype.is_complex() {
            return Err(Error::unsupported("complex numbers have no smallest or largest one; take real or abs first"));
        }
        check_window(self.work.size(), self.origin)?;
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
        let constant = (self.mode == Border::Constant).then_some(self.cval);
        let via = match from {
            _ if !self.work.is_extreme() => None,
            DType::F16 | DType::BF16 => Some(DType::F32),
            _ if !compares_as(constant, from) => Some(DType::F64),
            _ => Some(from).filter(|_| from != to),
        };
        if let Some(via) = via {
            let mut params = op.params();
            params["output"] = json!(null);
            let compared = Array::from_op((op.def().build)(&params)?, vec![Astype::apply(&ins[0], via)?])?;
            return Astype::apply(&compared, to).map(Some);
        }
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

    /// Nanoseconds for the box `out`.
    pub fn work(&self, out: &Region) -> f64 {
        let each = match &self.work {
            Work::Taps(taps) => 0.8 + 0.08 * taps.len() as f64,
            Work::Mean(_) | Work::Smallest(_) | Work::Largest(_) => 0.4,
        };
        each * out.size() as f64
    }

    /// Bytes that [`Line::run`] allocates.
    pub fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let weights = if let Work::Taps(taps) = &self.work { taps.bytes() } else { 0 };
        self.lines(out, &reads[0], ins[0]).map_or(0, |lines| lines.scratch() + weights)
    }

    fn lines(&self, out: &Region, read: &Region, meta: &ArrayMeta) -> Result<Lines> {
        let axis = normalize_axis(self.axis, meta.rank())?;
        let parts = if meta.dtype.is_complex() { 2 } else { 1 };
        Ok(Lines {
            border: self.mode,
            halo: self.halo(),
            outer: out.shape[..axis].iter().product(),
            inner: out.shape[axis + 1..].iter().product::<usize>() * parts,
            axis_len: meta.shape[axis],
            read: (read.start[axis], read.end(axis)),
            out: (out.start[axis], out.end(axis)),
        })
    }

    /// Fills `out`.
    pub fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let lines = self.lines(at.out, &at.reads[0], at.ins[0])?;
        let (src, from, to) = (bytes(&ins[0])?, ins[0].dtype(), out.dtype());
        match &self.work {
            Work::Taps(taps) => self.weigh(taps, &lines, src, from, to, out),
            Work::Mean(size) => self.average(*size, &lines, src, from, to, out),
            Work::Smallest(size) => self.compare(&Extremes { size: *size, largest: false }, &lines, src, from, to, out),
            Work::Largest(size) => self.compare(&Extremes { size: *size, largest: true }, &lines, src, from, to, out),
        }
    }

    /// Values beyond the border: of even and of odd elements, which differ for complex numbers.
    fn constant<C: Compute>(&self, dtype: DType) -> [C; 2] {
        let constant = self.cval.to_c128();
        let odd = if dtype.is_complex() { constant.im } else { constant.re };
        [C::from_f64(constant.re), C::from_f64(odd)]
    }

    /// Sums are double; single for `float32` with few positive weights.
    fn weigh(
        &self,
        taps: &Taps,
        lines: &Lines,
        src: &[u8],
        from: DType,
        to: DType,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let (single, double) = (taps.weights::<f32>(), taps.weights::<f64>());
        if taps.suits_single() && matches!((from, to), (DType::F32, DType::F32) | (DType::C64, DType::C64)) {
            return sums::<f32, f32, f32>(lines, &single, self.constant(from), src, out);
        }
        self.sum_double(&double, 1.0, lines, src, from, to, out)
    }

    /// Sums of small integers are integers, which is exact; all others are double.
    fn average(
        &self,
        size: usize,
        lines: &Lines,
        src: &[u8],
        from: DType,
        to: DType,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let whole =
            self.mode != Border::Constant || self.cval.to_f64().fract() == 0.0 && self.cval.to_f64().abs() <= 65536.0;
        let work = Sums { size };
        match from {
            // Sums of so few bytes fit 16 bits.
            DType::U8 if from == to && self.mode != Border::Constant && size < 257 => {
                let (src, dst) = elements::<u8, u8>(src, out)?;
                let size = size as f32;
                lines.run(src, dst, [0u16; 2], &work, u16::from, |sum| (f32::from(sum) / size).whole() as u8);
                Ok(())
            }
            DType::U8 if from == to && whole && size < 1 << 14 => {
                self.average_small::<u8>(&work, lines, src, out, |sum, size| (sum as f32 / size as f32).whole() as u8)
            }
            DType::U16 if from == to && whole && size < 1 << 14 => {
                self.average_small::<u16>(&work, lines, src, out, |sum, size| (sum as f64 / size as f64).whole() as u16)
            }
            DType::I16 if from == to && whole && size < 1 << 14 => {
                self.average_small::<i16>(&work, lines, src, out, |sum, size| (sum as f64 / size as f64).whole() as i16)
            }
            _ => self.sum_double(&work, size as f64, lines, src, from, to, out),
        }
    }

    fn average_small<T: Element + Into<i32>>(
        &self,
        work: &Sums,
        lines: &Lines,
        src: &[u8],
        out: &mut ViewMut<'_>,
        finish: impl Fn(i32, i32) -> T + Copy,
    ) -> Result<()> {
        let (src, dst) = elements::<T, T>(src, out)?;
        let (constant, size) = (self.cval.to_f64() as i32, work.size as i32);
        lines.run(src, dst, [constant; 2], work, |v: T| v.into(), |sum| finish(sum, size));
        Ok(())
    }

    /// Sums in double precision, divided by `by`. Complex numbers are pairs of reals here.
    #[allow(clippy::too_many_arguments)]
    fn sum_double(
        &self,
        work: &impl LineLoop<f64>,
        by: f64,
        lines: &Lines,
        src: &[u8],
        from: DType,
        to: DType,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let work = &Divided { work, by };
        let constant = self.constant(from);
        match (from, to) {
            (DType::C64, DType::C64) => sums::<f32, f64, f32>(lines, work, constant, src, out),
            (DType::C128, DType::C64) => sums::<f64, f64, f32>(lines, work, constant, src, out),
            (DType::C128, DType::C128) => sums::<f64, f64, f64>(lines, work, constant, src, out),
            (a, b) if a == b => {
                dispatch!(real b, T => sums::<T, f64, T>(lines, work, constant, src, out), else Err(lost()))
            }
            (DType::F64, b) => {
                dispatch!(real b, T => sums::<f64, f64, T>(lines, work, constant, src, out), else Err(lost()))
            }
            _ => Err(lost()),
        }
    }

    /// A NaN in the window gives NaN.
    fn compare(
        &self,
        work: &Extremes,
        lines: &Lines,
        src: &[u8],
        from: DType,
        to: DType,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        match (from, to) {
            (DType::Bool, DType::Bool) => {
                let (src, dst) = elements::<voxmill_core::B8, voxmill_core::B8>(src, out)?;
                lines.run(src, dst, [Element::from_scalar(self.cval); 2], work, |v| v, |v| v);
                Ok(())
            }
            (DType::F32, DType::F32) => self.compare_reals::<f32>(work, lines, src, out),
            (DType::F64, DType::F64) => self.compare_reals::<f64>(work, lines, src, out),
            (a, b) if a == b => {
                dispatch!(int a, T => self.compare_whole::<T>(work, lines, src, out), else Err(lost()))
            }
            _ => Err(lost()),
        }
    }

    fn compare_whole<A: Element + Ord>(
        &self,
        work: &Extremes,
        lines: &Lines,
        src: &[u8],
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let (src, dst) = elements::<A, A>(src, out)?;
        lines.run(src, dst, [A::from_scalar(self.cval); 2], work, |v| v, |v| v);
        Ok(())
    }

    fn compare_reals<A: Compute>(
        &self,
        work: &Extremes,
        lines: &Lines,
        src: &[u8],
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let (src, dst) = elements::<A, A>(src, out)?;
        let work = &RealExtremes { size: work.size, largest: work.largest };
        lines.run(src, dst, [A::from_scalar(self.cval); 2], work, |v| v, |v| v);
        Ok(())
    }
}

/// A loop whose results are divided by a number.
struct Divided<'a, L> {
    work: &'a L,
    by: f64,
}

impl<L: LineLoop<f64>> LineLoop<f64> for Divided<'_, L> {
    fn run(&self, lines: &mut [f64], stride: usize, out: &mut [f64]) {
        self.work.run(lines, stride, out);
        if self.by != 1.0 {
            out.iter_mut().for_each(|v| *v /= self.by);
        }
    }
}

/// Positions that a window reaches before and after its own, if it is moved by `origin`.
pub fn reach(size: usize, origin: i64) -> Halo {
    let half = (size / 2) as i64;
    let rest = size as i64 - half - 1;
    Halo { before: (half + origin).max(0) as usize, after: (rest - origin).max(0) as usize }
}

/// Whether elements of this type, and the constant beyond the border, can be compared as they are.
pub fn compares_as(constant: Option<Scalar>, dtype: DType) -> bool {
    let keeps = |kept: Scalar| dtype.is_float() || constant.is_none_or(|constant| kept.to_f64() == constant.to_f64());
    match dtype {
        DType::F16 | DType::BF16 => false,
        dtype => {
            dispatch!(real dtype, T => keeps(T::from_scalar(constant.unwrap_or(Scalar::Int(0))).to_scalar()), else false)
        }
    }
}

/// Refuses a window without its own position.
pub fn check_window(size: usize, origin: i64) -> Result<()> {
    if size == 0 {
        return Err(Error::invalid("the window is empty; a filter needs at least one position"));
    }
    let (low, high) = (-(size as i64 / 2), (size as i64 - 1) / 2);
    if !(low..=high).contains(&origin) {
        return Err(Error::invalid(format!(
            "origin {origin} moves the window off its position; allowed are {low} to {high}"
        )));
    }
    Ok(())
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

fn sums<A: Element + ConvertTo<C>, C: Compute, B: FromSum<C>>(
    lines: &Lines,
    work: &impl LineLoop<C>,
    constant: [C; 2],
    src: &[u8],
    out: &mut ViewMut<'_>,
) -> Result<()> {
    let (src, dst) = elements::<A, B>(src, out)?;
    lines.run(src, dst, constant, work, |v: A| v.convert(), B::from_sum);
    Ok(())
}

/// Both boxes as elements of these types.
fn elements<'a, A: Element, B: Element>(src: &'a [u8], out: &'a mut ViewMut<'_>) -> Result<(&'a [A], &'a mut [B])> {
    let dst = out.bytes_mut().ok_or_else(lost)?;
    let src = bytemuck::try_cast_slice(src).map_err(|_| lost())?;
    Ok((src, bytemuck::try_cast_slice_mut(dst).map_err(|_| lost())?))
}

fn bytes<'a>(view: &View<'a>) -> Result<&'a [u8]> {
    view.bytes().ok_or_else(lost)
}

/// A dtype or layout that the plan must not hand to a filter.
pub fn lost() -> Error {
    Error::internal("a filter met an unexpected dtype or layout")
}
