//! `coarsen`

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, B8, Complex32, Complex64, DType, Element, Error, Kind, Region, Result};
use voxmill_core::{View, ViewMut, bf16, dispatch, f16};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::boxes::{advance, elements, elements_mut, nothing};
use crate::family::map::expect_inputs;
use crate::family::params::{self, normalize_axis};
use crate::numeric::convert::ConvertTo;
use crate::numeric::simd::{self, Loop};

/// One value for each block of elements.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coarsen {
    /// How a block becomes a value.
    pub reduction: Reduction,
    /// Length of the blocks.
    pub axes: Factors,
    /// Leave elements out that do not fill a block.
    #[serde(default)]
    pub trim_excess: bool,
}

/// How a block becomes a value, as NumPy's functions of the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // NumPy's names.
pub enum Reduction {
    Sum,
    Prod,
    Mean,
    Median,
    Min,
    Max,
    Std,
    Var,
    Any,
    All,
}

/// Length of the blocks on some axes, or on all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Factors {
    /// For each axis.
    All(Vec<usize>),
    /// By axis; others stay as they are.
    Axes(BTreeMap<String, usize>),
}

impl Coarsen {
    /// `array` in blocks of `factors`, one for each axis; what does not fill a block is left out.
    pub fn apply(array: &Array, reduction: Reduction, factors: &[usize]) -> Result<Array> {
        let op = Coarsen { reduction, axes: Factors::All(factors.to_vec()), trim_excess: true };
        Array::from_op(Arc::new(op), vec![array.clone()])
    }

    fn factors(&self, rank: usize) -> Result<Vec<usize>> {
        let factors = match &self.axes {
            Factors::All(factors) if factors.len() != rank => {
                return Err(Error::invalid(format!("{} factors do not go with {rank} axes", factors.len())));
            }
            Factors::All(factors) => factors.clone(),
            Factors::Axes(named) => {
                let mut all = vec![1; rank];
                for (axis, &factor) in named {
                    let axis: i64 = axis.parse().map_err(|_| Error::invalid(format!("'{axis}' is no axis")))?;
                    all[normalize_axis(axis, rank)?] = factor;
                }
                all
            }
        };
        if factors.contains(&0) {
            return Err(Error::invalid("a block cannot have length 0"));
        }
        Ok(factors)
    }

    fn dtype(&self, from: DType) -> Result<DType> {
        use Reduction::*;
        let exact = from.is_exact();
        match self.reduction {
            Any | All => Ok(DType::Bool),
            Min | Max => Ok(from),
            Sum | Prod => Ok(match from.kind() {
                Kind::Bool | Kind::Signed => DType::I64,
                Kind::Unsigned => DType::U64,
                _ => from,
            }),
            Median | Std | Var if from.is_complex() => {
                Err(Error::unsupported(format!("coarsen by {} of complex numbers", json!(self.reduction))))
            }
            Mean | Median | Std | Var => Ok(if exact { DType::F64 } else { from }),
        }
    }
}

/// The op `coarsen`.
pub static DEF: OpDef = OpDef {
    name: "coarsen",
    theme: "shape",
    summary: "One value for each block of elements: sums, means or others at a lower resolution.",
    doc: "As dask.array.coarsen, with the dtypes of NumPy's reductions. Where an axis is no multiple of its factor, trim_excess leaves the \
          rest out; otherwise it is an error. Sums, means and variances of floats are accumulated in float64, so that float32 results \
          may differ from NumPy's in the last bits, on the side of accuracy; NaN spreads to the value of its block. A block is never \
          split, whatever the chunks are.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param {
            name: "reduction",
            kind: "\"sum\", \"prod\", \"mean\", \"median\", \"min\", \"max\", \"std\", \"var\", \"any\" or \"all\"",
            default: None,
            doc: "how a block becomes a value",
        },
        Param {
            name: "axes",
            kind: "list of int or {axis: factor}",
            default: None,
            doc: "length of the blocks on each axis; 1 for axes not named",
        },
        Param {
            name: "trim_excess",
            kind: "bool",
            default: Some("false"),
            doc: "leave out what does not fill a block",
        },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<Coarsen>,
    samples,
};

fn samples() -> Vec<Sample> {
    let one = |reduction: &str, axes: Value, shape: &[usize], dtype| Sample {
        params: json!({"reduction": reduction, "axes": axes, "trim_excess": true}),
        ins: vec![SampleInput::new(shape, dtype).between(0.0, 9.0)],
    };
    let mut all = Vec::new();
    for name in ["sum", "prod", "mean", "median", "min", "max", "std", "var", "any", "all"] {
        let complex = !matches!(name, "median" | "std" | "var");
        let dtypes = DType::ALL.into_iter().filter(|d| complex || !d.is_complex());
        all.extend(dtypes.map(|dtype| one(name, json!([2, 3]), &[5, 7], dtype)));
        all.push(one(name, json!({"-1": 2, "0": 3}), &[4, 3, 6], DType::F32));
        all.push(one(name, json!({}), &[], DType::U8));
        all.push(one(name, json!([1, 4]), &[3, 3], DType::I16));
    }
    all
}

impl Op for Coarsen {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let factors = self.factors(ins[0].rank())?;
        let mut meta = ins[0].clone().with_dtype(self.dtype(ins[0].dtype)?);
        for (k, &factor) in factors.iter().enumerate() {
            let n = ins[0].shape[k];
            if !self.trim_excess && !n.is_multiple_of(factor) {
                return Err(Error::invalid(format!(
                    "axis {k} has {n} elements, no multiple of {factor}; trim_excess=true leaves the rest out"
                )));
            }
            meta.shape[k] = n / factor;
            if factor > 1 {
                let chunk = ins[0].grid.axes[k].longest().div_ceil(factor);
                meta.grid.axes[k] = AxisCuts::even(n / factor, chunk);
                if let Some(axis) = meta.axes.get_mut(k) {
                    axis.scale = axis.scale.map(|scale| scale * factor as f64);
                }
            }
        }
        Ok(meta)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(out.rank())];
        }
        let factors = self.factors(ins[0].rank()).unwrap_or_default();
        vec![Region::from_bounds(out.bounds().zip(factors).map(|((a, b), f)| (a * f, b * f)))]
    }

    fn scratch(&self, out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let blocks = (reads[0].size() / out.size().max(1)) as u64;
        let line = out.shape.last().map_or(1, |&n| n as u64);
        // A line of accumulators, or the elements of one block.
        (line + blocks) * 16
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let blocks = Blocks::new(&at.reads[0].shape, &self.factors(at.out.rank())?);
        dispatch!(all ins[0].dtype(), T => reduce_blocks::<T>(self.reduction, &blocks, elements::<T>(&ins[0])?, out))
    }
}

/// The blocks of a box in C order.
struct Blocks {
    shape: Vec<usize>,
    factors: Vec<usize>,
}

impl Blocks {
    fn new(shape: &[usize], factors: &[usize]) -> Self {
        // Rank 0 counts as one axis of one element.
        match shape {
            [] => Blocks { shape: vec![1], factors: vec![1] },
            _ => Blocks { shape: shape.to_vec(), factors: factors.to_vec() },
        }
    }

    /// Elements of the input per block.
    fn count(&self) -> usize {
        self.factors.iter().product()
    }

    /// Results per line.
    fn line(&self) -> usize {
        let last = self.shape.len() - 1;
        self.shape[last] / self.factors[last]
    }

    /// Calls `visit(line, rows)` for each line of results, with where the rows of the input that it is made from begin.
    fn for_each_line(&self, mut visit: impl FnMut(usize, &[usize])) {
        let last = self.shape.len() - 1;
        let counts: Vec<usize> = self.shape.iter().zip(&self.factors).map(|(n, f)| n / f).collect();
        let (lines, block) = (Region::whole(&counts[..last]), Region::whole(&self.factors[..last]));
        let mut at = lines.start.clone();
        let mut number = 0;
        let mut rows = Vec::with_capacity(self.factors[..last].iter().product());
        loop {
            rows.clear();
            let mut inside = block.start.clone();
            loop {
                let row = (0..last).fold(0, |sum, k| sum * self.shape[k] + at[k] * self.factors[k] + inside[k]);
                rows.push(row * self.shape[last]);
                if !advance(&mut inside, &block) {
                    break;
                }
            }
            visit(number, &rows);
            number += 1;
            if !advance(&mut at, &lines) {
                return;
            }
        }
    }

    /// Folds each block into an accumulator, row by row, then finishes it.
    fn fold<T: Element, A: Copy, O: Element>(
        &self,
        src: &[T],
        out: &mut ViewMut<'_>,
        zero: A,
        add: impl Fn(A, T) -> A + Copy,
        finish: impl Fn(A) -> O,
    ) -> Result<()> {
        let out = elements_mut::<O>(out)?;
        let (line, factor) = (self.line(), self.factors[self.shape.len() - 1]);
        let mut sums = vec![zero; line];
        self.for_each_line(|number, rows| {
            sums.fill(zero);
            for &row in rows {
                simd::dispatch(AddRow { row: &src[row..row + line * factor], factor, sums: &mut sums, add });
            }
            for (out, &sum) in out[number * line..].iter_mut().zip(&sums) {
                *out = finish(sum);
            }
        });
        Ok(())
    }

    /// Turns the elements of each block into a value.
    fn collect<T: Element, O: Element>(
        &self,
        src: &[T],
        out: &mut ViewMut<'_>,
        value: impl Fn(&mut [T]) -> O,
    ) -> Result<()> {
        let out = elements_mut::<O>(out)?;
        let (line, factor) = (self.line(), self.factors[self.shape.len() - 1]);
        let mut block = Vec::with_capacity(self.count());
        self.for_each_line(|number, rows| {
            for (k, out) in out[number * line..(number + 1) * line].iter_mut().enumerate() {
                block.clear();
                for &row in rows {
                    block.extend_from_slice(&src[row + k * factor..row + (k + 1) * factor]);
                }
                *out = value(&mut block);
            }
        });
        Ok(())
    }
}

/// Adds a row of elements to a line of accumulators, `factor` elements to each.
struct AddRow<'a, T, A, F> {
    row: &'a [T],
    factor: usize,
    sums: &'a mut [A],
    add: F,
}

impl<T: Copy, A: Copy, F: Fn(A, T) -> A> Loop for AddRow<'_, T, A, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // The common factors as constants: the inner loop unrolls and the outer one vectorises.
        match self.factor {
            1 => self.sums.iter_mut().zip(self.row).for_each(|(sum, &v)| *sum = (self.add)(*sum, v)),
            2 => add_row::<T, A, F, 2>(self),
            3 => add_row::<T, A, F, 3>(self),
            4 => add_row::<T, A, F, 4>(self),
            factor => {
                for (sum, some) in self.sums.iter_mut().zip(self.row.chunks_exact(factor)) {
                    *sum = some.iter().fold(*sum, |sum, &v| (self.add)(sum, v));
                }
            }
        }
    }
}

#[inline(always)]
fn add_row<T: Copy, A: Copy, F: Fn(A, T) -> A, const N: usize>(work: AddRow<'_, T, A, F>) {
    for (sum, some) in work.sums.iter_mut().zip(work.row.as_chunks::<N>().0) {
        *sum = some.iter().fold(*sum, |sum, &v| (work.add)(sum, v));
    }
}

/// What the reductions ask of an element type.
trait Coarse: Element + ConvertTo<i64> + ConvertTo<u64> + ConvertTo<f64> + ConvertTo<Complex64> + ConvertTo<B8> {
    /// Not smaller than any value.
    const TOP: Self;
    /// Not larger than any value.
    const BOTTOM: Self;
    /// The smaller of two; NaN wins.
    fn smaller(self, other: Self) -> Self;
    /// The order of `smaller`, for sorting.
    fn order(&self, other: &Self) -> std::cmp::Ordering;
    /// Whether it is not a number.
    fn is_nan(&self) -> bool;
    /// The mean of two neighbours, as `numpy.mean` rounds it.
    fn middle(self, other: Self) -> f64;
    /// The larger of two; NaN wins.
    fn larger(self, other: Self) -> Self;
}

macro_rules! coarse_integers {
    ($($t:ty, $top:expr, $bottom:expr);*) => {$(
        impl Coarse for $t {
            const TOP: Self = $top;
            const BOTTOM: Self = $bottom;
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            fn order(&self, other: &Self) -> std::cmp::Ordering {
                self.cmp(other)
            }
            fn is_nan(&self) -> bool {
                false
            }
            fn middle(self, other: Self) -> f64 {
                (ConvertTo::<f64>::convert(self) + ConvertTo::<f64>::convert(other)) / 2.0
            }
        }
    )*};
}

coarse_integers!(u8, u8::MAX, u8::MIN; u16, u16::MAX, u16::MIN; u32, u32::MAX, u32::MIN; u64, u64::MAX, u64::MIN; i8, i8::MAX, i8::MIN; i16, i16::MAX, i16::MIN; i32, i32::MAX, i32::MIN; i64, i64::MAX, i64::MIN; B8, B8(1), B8(0));

macro_rules! coarse_floats {
    ($($t:ty, $wide:ty, $widen:expr);*) => {$(
        impl Coarse for $t {
            const TOP: Self = <$t>::INFINITY;
            const BOTTOM: Self = <$t>::NEG_INFINITY;
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self <= other || self != self { self } else { other }
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self >= other || self != self { self } else { other }
            }
            fn order(&self, other: &Self) -> std::cmp::Ordering {
                self.total_cmp(other)
            }
            fn is_nan(&self) -> bool {
                self != self
            }
            fn middle(self, other: Self) -> f64 {
                let widen: fn($t) -> $wide = $widen;
                f64::from((widen(self) + widen(other)) / 2.0)
            }
        }
    )*};
}

coarse_floats!(f32, f32, |v| v; f64, f64, |v| v; f16, f32, f16::to_f32; bf16, f32, bf16::to_f32);

macro_rules! coarse_complex {
    ($($t:ty, $part:ty);*) => {$(
        impl Coarse for $t {
            const TOP: Self = <$t>::new(<$part>::INFINITY, <$part>::INFINITY);
            const BOTTOM: Self = <$t>::new(<$part>::NEG_INFINITY, <$part>::NEG_INFINITY);
            fn smaller(self, other: Self) -> Self {
                if self.is_nan() || (!other.is_nan() && self.order(&other).is_le()) { self } else { other }
            }
            fn larger(self, other: Self) -> Self {
                if self.is_nan() || (!other.is_nan() && self.order(&other).is_ge()) { self } else { other }
            }
            fn order(&self, other: &Self) -> std::cmp::Ordering {
                self.re.partial_cmp(&other.re).unwrap_or(std::cmp::Ordering::Equal)
                    .then(self.im.partial_cmp(&other.im).unwrap_or(std::cmp::Ordering::Equal))
            }
            fn is_nan(&self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
            fn middle(self, _other: Self) -> f64 {
                f64::NAN
            }
        }
    )*};
}

coarse_complex!(Complex32, f32; Complex64, f64);

fn reduce_blocks<T: Coarse>(reduction: Reduction, blocks: &Blocks, src: &[T], out: &mut ViewMut<'_>) -> Result<()>
where
    f64: ConvertTo<T>,
    Complex64: ConvertTo<T>,
{
    let n = blocks.count() as f64;
    let truth = |v: T| ConvertTo::<B8>::convert(v).get();
    match reduction {
        Reduction::Any => blocks.fold(src, out, false, |any, v| any | truth(v), B8::from),
        Reduction::All => blocks.fold(src, out, true, |all, v| all & truth(v), B8::from),
        Reduction::Min => blocks.fold(src, out, T::TOP, T::smaller, |v| v),
        Reduction::Max => blocks.fold(src, out, T::BOTTOM, T::larger, |v| v),
        Reduction::Sum => match T::DTYPE.kind() {
            Kind::Bool | Kind::Signed => blocks.fold(src, out, 0i64, |sum, v| sum.wrapping_add(v.convert()), |v| v),
            Kind::Unsigned => blocks.fold(src, out, 0u64, |sum, v| sum.wrapping_add(v.convert()), |v| v),
            Kind::Float => {
                blocks.fold(src, out, 0f64, |sum, v| sum + ConvertTo::<f64>::convert(v), ConvertTo::<T>::convert)
            }
            Kind::Complex => complex_sum(blocks, src, out, 1.0),
        },
        Reduction::Prod => match T::DTYPE.kind() {
            Kind::Bool | Kind::Signed => blocks.fold(src, out, 1i64, |p, v| p.wrapping_mul(v.convert()), |v| v),
            Kind::Unsigned => blocks.fold(src, out, 1u64, |p, v| p.wrapping_mul(v.convert()), |v| v),
            Kind::Float => {
                blocks.fold(src, out, 1f64, |p, v| p * ConvertTo::<f64>::convert(v), ConvertTo::<T>::convert)
            }
            Kind::Complex => {
                let one = Complex64::new(1.0, 0.0);
                blocks.fold(src, out, one, |p, v| p * ConvertTo::<Complex64>::convert(v), ConvertTo::<T>::convert)
            }
        },
        Reduction::Mean if T::DTYPE.is_complex() => complex_sum(blocks, src, out, n),
        Reduction::Mean if T::DTYPE.is_exact() => {
            blocks.fold(src, out, 0f64, |sum, v| sum + ConvertTo::<f64>::convert(v), |sum| sum / n)
        }
        Reduction::Mean => {
            let finish = |sum: f64| ConvertTo::<T>::convert(sum / n);
            blocks.fold(src, out, 0f64, |sum, v| sum + ConvertTo::<f64>::convert(v), finish)
        }
        Reduction::Median => real(blocks, src, out, median),
        Reduction::Var => real(blocks, src, out, variance),
        Reduction::Std => real(blocks, src, out, |block| variance(block).sqrt()),
    }
}

fn complex_sum<T: Coarse>(blocks: &Blocks, src: &[T], out: &mut ViewMut<'_>, n: f64) -> Result<()>
where
    Complex64: ConvertTo<T>,
{
    let finish = |sum: Complex64| ConvertTo::<T>::convert(if n == 1.0 { sum } else { sum / n });
    blocks.fold(src, out, Complex64::default(), |sum, v| sum + ConvertTo::<Complex64>::convert(v), finish)
}

/// Results that are `float64` for integers and of the type itself for floats.
fn real<T: Coarse>(blocks: &Blocks, src: &[T], out: &mut ViewMut<'_>, value: impl Fn(&mut [T]) -> f64) -> Result<()>
where
    f64: ConvertTo<T>,
{
    if T::DTYPE.is_exact() {
        blocks.collect(src, out, value)
    } else {
        blocks.collect(src, out, |block| ConvertTo::<T>::convert(value(block)))
    }
}

fn median<T: Coarse>(block: &mut [T]) -> f64 {
    if block.iter().any(T::is_nan) {
        return f64::NAN;
    }
    block.sort_unstable_by(T::order);
    let half = block.len() / 2;
    if block.len() % 2 == 1 { block[half].convert() } else { block[half - 1].middle(block[half]) }
}

fn variance<T: Coarse>(block: &mut [T]) -> f64 {
    let n = block.len() as f64;
    let float = |v: &T| ConvertTo::<f64>::convert(*v);
    let mean = block.iter().map(float).sum::<f64>() / n;
    block.iter().map(float).map(|v| (v - mean) * (v - mean)).sum::<f64>() / n
}
