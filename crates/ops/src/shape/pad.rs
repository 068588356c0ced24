//! `pad`

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, DType, Error, Result, Scalar};
use voxmill_plan::{Array, Form, Inputs, OpDef, Param, Sample, SampleInput};

use super::broadcast_to::BroadcastTo;
use super::concatenate::Concatenate;
use super::extend::{Extend, Mirror};
use super::pad_constant::PadConstant;
use super::pad_odd::PadOdd;
use super::pad_ramp::PadRamp;
use super::periodic::Periodic;
use super::slice::Slice;
use crate::elementwise::astype::Astype;
use crate::family::composite::{Compose, Composite};
use crate::family::params::{check_size, normalize_axis};

/// The array with elements added at the ends of its axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pad {
    /// How many elements.
    pub pad_width: Widths,
    /// What they are.
    #[serde(default)]
    pub mode: Mode,
    /// Values of mode `constant`.
    #[serde(default)]
    pub constant_values: Option<Pairs<Scalar>>,
    /// Values at the far ends of mode `linear_ramp`.
    #[serde(default)]
    pub end_values: Option<Pairs<Scalar>>,
    /// How many elements from the edge the statistics take in.
    #[serde(default)]
    pub stat_length: Option<Pairs<Option<i64>>>,
    /// Even or odd mirror images.
    #[serde(default)]
    pub reflect_type: Option<ReflectType>,
}

/// What new elements are, as in `numpy.pad`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // NumPy's names, explained in the documentation of the op.
pub enum Mode {
    #[default]
    Constant,
    Edge,
    LinearRamp,
    Maximum,
    Mean,
    Median,
    Minimum,
    Reflect,
    Symmetric,
    Wrap,
    Empty,
}

/// Mirror images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReflectType {
    /// As in a mirror.
    Even,
    /// Twice the edge minus the mirror image.
    Odd,
}

/// Numbers for both ends of each axis as `numpy.pad` takes them: one for all, a pair for all axes, or a pair per axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Pairs<T> {
    /// A row per axis.
    Rows(Vec<Vec<T>>),
    /// The same for all axes.
    Flat(Vec<T>),
    /// The same everywhere.
    One(T),
}

/// Pad widths: pairs, or an object that names axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Widths {
    /// Only the named axes: `{"-1": 2, "0": [1, 3]}`.
    Axes(BTreeMap<String, Pairs<i64>>),
    /// For all axes.
    All(Pairs<i64>),
}

impl<T: Copy> Pairs<T> {
    /// A pair for each of `rank` axes.
    pub fn per_axis(&self, rank: usize) -> Result<Vec<[T; 2]>> {
        let refuse =
            || Err(Error::invalid(format!("expected one number, a pair, or a pair for each of the {rank} axes")));
        let pair = |row: &[T]| match *row {
            [both] => Some([both; 2]),
            [before, after] => Some([before, after]),
            _ => None,
        };
        match self {
            Pairs::One(value) => Ok(vec![[*value; 2]; rank]),
            Pairs::Flat(row) => pair(row).map_or_else(refuse, |pair| Ok(vec![pair; rank])),
            Pairs::Rows(rows) => {
                let Some(pairs) = rows.iter().map(|row| pair(row)).collect::<Option<Vec<_>>>() else { return refuse() };
                let even = rows.iter().all(|row| row.len() == rows[0].len());
                match pairs.len() {
                    _ if !even => refuse(),
                    1 => Ok(vec![pairs[0]; rank]),
                    n if n == rank => Ok(pairs),
                    _ => refuse(),
                }
            }
        }
    }
}

impl Widths {
    fn per_axis(&self, rank: usize) -> Result<Vec<[usize; 2]>> {
        let pairs = match self {
            Widths::All(pairs) => pairs.per_axis(rank)?,
            Widths::Axes(named) => {
                let mut all = vec![[0; 2]; rank];
                for (axis, width) in named {
                    let axis: i64 = axis.parse().map_err(|_| Error::invalid(format!("'{axis}' is no axis")))?;
                    all[normalize_axis(axis, rank)?] = width.per_axis(1)?[0];
                }
                all
            }
        };
        let natural = |n: i64| usize::try_from(n).map_err(|_| Error::invalid(format!("pad width {n} is negative")));
        pairs.into_iter().map(|[a, b]| Ok([natural(a)?, natural(b)?])).collect()
    }
}

/// The op `pad`.
pub static DEF: OpDef = OpDef {
    name: "pad",
    theme: "shape",
    summary: "The array with elements added at the ends of its axes.",
    doc: "All modes of numpy.pad. constant: constant_values; empty: zeros, since results must not depend on what was in memory before; \
          edge: the nearest element; reflect and symmetric: the mirror image without and with the edge, or with reflect_type \"odd\" \
          twice the edge minus that; wrap: the other end; linear_ramp: a straight line to end_values; maximum, minimum, mean, median: \
          of the stat_length elements nearest to the edge, of all by default. Axes are padded one after the other, so that corners are \
          made from padding. A box of the result reads only the elements it is made from. Ramps of floats may differ from NumPy's in \
          the last bit, ramps of integers do not.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param {
            name: "pad_width",
            kind: "int, pair of int, pair for each axis, or {axis: width}",
            default: None,
            doc: "number of elements added before and behind each axis",
        },
        Param {
            name: "mode",
            kind: "\"constant\", \"edge\", \"linear_ramp\", \"maximum\", \"mean\", \"median\", \"minimum\", \"reflect\", \
                   \"symmetric\", \"wrap\" or \"empty\"",
            default: Some("\"constant\""),
            doc: "what the new elements are",
        },
        Param {
            name: "constant_values",
            kind: "number, pair, or pair for each axis",
            default: Some("null"),
            doc: "values of mode constant; 0 by default",
        },
        Param {
            name: "end_values",
            kind: "number, pair, or pair for each axis",
            default: Some("null"),
            doc: "values at the far ends of mode linear_ramp; 0 by default",
        },
        Param {
            name: "stat_length",
            kind: "int, pair, or pair for each axis",
            default: Some("null"),
            doc: "how many elements from the edge the statistics take in; all by default",
        },
        Param {
            name: "reflect_type",
            kind: "\"even\" or \"odd\"",
            default: Some("null"),
            doc: "mirror images of modes reflect and symmetric; even by default",
        },
    ],
    form: Form::Composite,
    cost: 0.3,
    hold: false,
    build: Composite::<Pad>::build,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        vec![
            one(json!({"pad_width": 2}), &[3, 4], DType::F32),
            one(json!({"pad_width": [[1, 2], [3, 4]], "mode": "edge"}), &[3, 4], DType::U8),
            one(json!({"pad_width": {"-1": 2}, "mode": "wrap"}), &[3, 4], DType::U8),
            one(json!({"pad_width": [2, 7], "mode": "reflect", "reflect_type": "odd"}), &[4], DType::I16),
            one(json!({"pad_width": 3, "mode": "linear_ramp", "end_values": [[1, 2]]}), &[2, 2], DType::F64),
            one(json!({"pad_width": 3}), &[], DType::F64),
        ]
    },
};

impl Pad {
    /// Refuses options that the mode does not have.
    fn check_options(&self) -> Result<()> {
        let reflects = matches!(self.mode, Mode::Reflect | Mode::Symmetric);
        let options = [
            ("constant_values", self.constant_values.is_some(), self.mode == Mode::Constant),
            ("end_values", self.end_values.is_some(), self.mode == Mode::LinearRamp),
            ("stat_length", self.stat_length.is_some(), statistic(self.mode).is_some()),
            ("reflect_type", self.reflect_type.is_some(), reflects),
        ];
        match options.iter().find(|(_, given, known)| *given && !known) {
            Some((name, ..)) => Err(Error::invalid(format!("mode {} has no option {name}", json!(self.mode)))),
            None => Ok(()),
        }
    }
}

/// A function that pads one axis.
type PadAxis<'a> = &'a dyn Fn(&Array, usize, [usize; 2]) -> Result<Array>;

/// The reduction behind a mode.
fn statistic(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Maximum => Some("max"),
        Mode::Minimum => Some("min"),
        Mode::Mean => Some("mean"),
        Mode::Median => Some("median"),
        _ => None,
    }
}

impl Compose for Pad {
    fn def() -> &'static OpDef {
        &DEF
    }

    fn compose(&self, ins: &[Array]) -> Result<Array> {
        self.check_options()?;
        let x = &ins[0];
        let widths = self.pad_width.per_axis(x.rank())?;
        let (before, after): (Vec<usize>, Vec<usize>) = widths.iter().map(|&[a, b]| (a, b)).unzip();
        let zero = Pairs::One(Scalar::Int(0));
        if matches!(self.mode, Mode::Constant | Mode::Empty) {
            let values = self.constant_values.as_ref().unwrap_or(&zero).per_axis(x.rank())?;
            return PadConstant::apply(x, before, after, values);
        }
        if let Some(k) = (0..x.rank()).find(|&k| x.shape()[k] == 0 && widths[k] != [0, 0]) {
            return Err(Error::invalid(format!(
                "axis {k} is empty and can only be padded with modes constant and empty, not {}",
                json!(self.mode)
            )));
        }
        if x.size() == 0 {
            return PadConstant::apply(x, before, after, zero.per_axis(x.rank())?);
        }
        let each =
            |f: PadAxis<'_>| widths.iter().enumerate().try_fold(x.clone(), |x, (axis, &width)| f(&x, axis, width));
        let even = |mode: Mirror| {
            let modes = x.shape().iter().map(|&n| if n == 1 { Mirror::Edge } else { mode }).collect();
            Extend::apply(x, before.clone(), after.clone(), modes)
        };
        let odd = self.reflect_type == Some(ReflectType::Odd);
        match self.mode {
            Mode::Reflect | Mode::Symmetric if odd => {
                each(&|x, axis, width| odd_reflection(x, axis, width, self.mode == Mode::Symmetric))
            }
            Mode::Reflect => even(Mirror::Reflect),
            Mode::Symmetric => even(Mirror::Symmetric),
            Mode::Edge => even(Mirror::Edge),
            Mode::Wrap => each(&wrapped),
            Mode::LinearRamp => {
                let ends = self.end_values.as_ref().unwrap_or(&zero).per_axis(x.rank())?;
                each(&|x, axis, [before, after]| match (before, after) {
                    (0, 0) => Ok(x.clone()),
                    _ => PadRamp { axis, before, after, end_values: ends[axis] }.apply(x),
                })
            }
            _ => {
                let lengths = self.stat_length.as_ref().unwrap_or(&Pairs::One(None)).per_axis(x.rank())?;
                each(&|x, axis, width| self.with_statistics(x, axis, width, lengths[axis]))
            }
        }
    }
}

impl Pad {
    /// One axis with a statistic of its elements at both ends.
    fn with_statistics(&self, x: &Array, axis: usize, width: [usize; 2], lengths: [Option<i64>; 2]) -> Result<Array> {
        let n = x.shape()[axis];
        let length = |given: Option<i64>| match given {
            None => Ok(n),
            Some(length) if length < 0 => Err(Error::invalid(format!("stat_length {length} is negative"))),
            Some(0) if matches!(self.mode, Mode::Maximum | Mode::Minimum) => {
                Err(Error::invalid("stat_length of 0 yields no value for padding"))
            }
            Some(length) => Ok(n.min(length as usize)),
        };
        let [first, last] = [length(lengths[0])?, length(lengths[1])?];
        let mut parts = Vec::with_capacity(3);
        if width[0] > 0 {
            parts.push(self.statistic_slab(&Slice::range(x, axis, 0, first)?, axis, width[0])?);
        }
        parts.push(x.clone());
        if width[1] > 0 {
            parts.push(self.statistic_slab(&Slice::range(x, axis, n - last, n)?, axis, width[1])?);
        }
        if parts.len() == 1 { Ok(x.clone()) } else { Concatenate::apply(&parts, axis) }
    }

    /// The statistic of `slab` along `axis`, rounded to its type, `width` times.
    fn statistic_slab(&self, slab: &Array, axis: usize, width: usize) -> Result<Array> {
        let name = statistic(self.mode).unwrap_or("mean");
        let reduction = crate::TABLE.build(name, &json!({"axis": axis, "keepdims": true}))?;
        let mut value = Array::from_op(reduction, vec![slab.clone()])?;
        if slab.dtype().is_integer() && value.dtype().is_float() {
            value = Array::from_op(crate::TABLE.build("rint", &json!({}))?, vec![value])?;
        }
        if value.dtype() != slab.dtype() {
            value = Astype::apply(&value, slab.dtype())?;
        }
        let mut shape = value.shape().to_vec();
        shape[axis] = width;
        BroadcastTo::apply(&value, &shape)
    }
}

fn wrapped(x: &Array, axis: usize, [before, after]: [usize; 2]) -> Result<Array> {
    let n = x.shape()[axis];
    let start = (n - before % n) % n;
    Periodic::apply(x, axis, start, before + n + after)
}

/// Mirrors the axis at its ends until it is long enough. NumPy's order of steps, because each rounds.
fn odd_reflection(x: &Array, axis: usize, [mut before, mut after]: [usize; 2], symmetric: bool) -> Result<Array> {
    let period = x.shape()[axis];
    if period == 1 {
        let mut widths = [vec![0; x.rank()], vec![0; x.rank()]];
        (widths[0][axis], widths[1][axis]) = (before, after);
        let [before, after] = widths;
        return Extend::apply(x, before, after, vec![Mirror::Edge; x.rank()]);
    }
    let mut x = x.clone();
    while before > 0 || after > 0 {
        let n = x.shape()[axis];
        // Only whole periods are mirrored again.
        let most = if symmetric { n / period * period } else { (n - 1) / (period - 1) * (period - 1) };
        let (a, b) = (before.min(most), after.min(most));
        x = PadOdd::apply(&x, axis, a, b, symmetric)?;
        (before, after) = (before - a, after - b);
    }
    Ok(x)
}

/// The description of `input` with `before` and `after` elements more on each axis, in chunks as long as before.
pub(super) fn padded_meta(input: &ArrayMeta, before: &[usize], after: &[usize]) -> Result<ArrayMeta> {
    if before.len() != input.rank() || after.len() != input.rank() {
        return Err(Error::invalid(format!("pad widths must be given for each of the {} axes", input.rank())));
    }
    let mut meta = input.clone().with_dtype(input.dtype);
    for k in 0..input.rank() {
        let length = input.shape[k].checked_add(before[k]).and_then(|n| n.checked_add(after[k]));
        meta.shape[k] = length.ok_or_else(|| Error::invalid("the padded array is too large to be addressed"))?;
        if meta.shape[k] != input.shape[k] {
            meta.grid.axes[k] = AxisCuts::even(meta.shape[k], input.grid.axes[k].longest());
        }
    }
    check_size(&meta.shape, meta.dtype)?;
    Ok(meta)
}
