//! `pad_ramp`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_core::{Complex64, Element, dispatch};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::pad::padded_meta;
use super::slice::Slice;
use crate::creation::linspace::ramp;
use crate::elementwise::astype::Astype;
use crate::family::boxes::{elements, elements_mut, nothing};
use crate::family::map::expect_inputs;
use crate::family::params;
use crate::numeric::convert::ConvertTo;

/// One axis continued by straight lines from its edges to given values.
///
/// The array is an input three times, for its inside and for its two edges. The two rank-0 inputs choose between NumPy's two orders of
/// multiplication, which differ in the last bit: it takes the second for all values where any of the lines is level.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PadRamp {
    /// The axis.
    pub axis: usize,
    /// Elements added before the first.
    pub before: usize,
    /// Elements added behind the last.
    pub after: usize,
    /// The values at the far ends.
    pub end_values: [Scalar; 2],
}

impl PadRamp {
    /// `array` with this padding.
    pub fn apply(self, array: &Array) -> Result<Array> {
        let n = array.shape()[self.axis];
        let first = level_somewhere(array, self.axis, 0, self.before, self.end_values[0])?;
        let last = level_somewhere(array, self.axis, n.saturating_sub(1), self.after, self.end_values[1])?;
        let ins = vec![array.clone(), array.clone(), array.clone(), first, last];
        Array::from_op(Arc::new(self), ins)
    }

    /// The padding's bounds inside the box: `begin..first` and `last..end`.
    fn ends(&self, out: &Region, n: usize) -> (usize, usize) {
        let (begin, end) = (out.start[self.axis], out.end(self.axis));
        (self.before.clamp(begin, end), (self.before + n).clamp(begin, end))
    }
}

/// Whether any element of an edge already has the end value. Only integers are worth the look at the whole edge: rounding down turns
/// a last bit into a whole step.
fn level_somewhere(array: &Array, axis: usize, at: usize, width: usize, end: Scalar) -> Result<Array> {
    let never = Array::scalar(false, DType::Bool);
    let (Ok(equal), Ok(any)) = (crate::TABLE.build("equal", &json!({})), crate::TABLE.build("any", &json!({}))) else {
        return Ok(never);
    };
    if !array.dtype().is_integer() || width == 0 || array.shape()[axis] == 0 {
        return Ok(never);
    }
    let edge = Astype::apply(&Slice::range(array, axis, at, at + 1)?, DType::F64)?;
    let level = Array::from_op(equal, vec![edge, Array::scalar(end.to_f64(), DType::F64)])?;
    Array::from_op(any, vec![level])
}

/// The op `pad_ramp`.
pub static DEF: OpDef = OpDef {
    name: "pad_ramp",
    theme: "shape",
    summary: "One axis continued by straight lines from its edges to given values.",
    doc: "What pad with mode \"linear_ramp\" is made of. The lines are computed in float64 as numpy.linspace does, and rounded down for \
          integers. The first three inputs are the same array; the last two say whether NumPy multiplies by the ratio instead of the \
          step, which changes last bits only.",
    inputs: Inputs::Named(&["x", "first", "last", "first_by_ratio", "last_by_ratio"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis, counted from the front" },
        Param { name: "before", kind: "int", default: None, doc: "elements added before the first" },
        Param { name: "after", kind: "int", default: None, doc: "elements added behind the last" },
        Param { name: "end_values", kind: "two numbers", default: None, doc: "the values at the far ends" },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<PadRamp>,
    samples: || {
        let one = |axis: usize, shape: &[usize], dtype| {
            let flag = SampleInput::new(&[], DType::Bool);
            let x = SampleInput::new(shape, dtype);
            Sample {
                params: json!({"axis": axis, "before": 2, "after": 3, "end_values": [1, 2.5]}),
                ins: vec![x.clone(), x.clone(), x, flag.clone(), flag],
            }
        };
        let mut all: Vec<Sample> = DType::ALL.iter().map(|&d| one(1, &[3, 5], d)).collect();
        all.extend([one(0, &[4, 2, 3], DType::F32), one(2, &[2, 1, 4], DType::I16)]);
        all
    },
};

impl Op for PadRamp {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let same = ins[..3].iter().all(|m| m.shape == ins[0].shape && m.dtype == ins[0].dtype);
        let flags = ins[3..].iter().all(|m| m.rank() == 0 && m.dtype == DType::Bool);
        if !same || !flags || self.axis >= ins[0].rank() {
            return Err(Error::invalid("the first three inputs must be the same array, the others rank-0 booleans"));
        }
        let mut widths = [vec![0; ins[0].rank()], vec![0; ins[0].rank()]];
        (widths[0][self.axis], widths[1][self.axis]) = (self.before, self.after);
        padded_meta(ins[0], &widths[0], &widths[1])
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let (axis, n) = (self.axis, ins[0].shape[self.axis]);
        let none = nothing(out.rank());
        let flag = Region::whole(&[]);
        if out.is_empty() {
            return vec![none.clone(), none.clone(), none, flag.clone(), flag];
        }
        let (first, last) = self.ends(out, n);
        let slab = |wanted: bool, at: usize| if wanted { out.with_axis(axis, at, 1) } else { none.clone() };
        let (front, back) = (slab(first > out.start[axis], 0), slab(last < out.end(axis), n.saturating_sub(1)));
        let inside = if last > first { out.with_axis(axis, first - self.before, last - first) } else { none };
        vec![inside, front, back, flag.clone(), flag]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (axis, n) = (self.axis, at.ins[0].shape[self.axis]);
        if at.out.is_empty() {
            return Ok(());
        }
        let (begin, end) = (at.out.start[axis], at.out.end(axis));
        let (first, last) = self.ends(at.out, n);
        let slab = |a: usize, b: usize| Region::whole(&at.out.shape).with_axis(axis, a - begin, b - a);
        if last > first {
            ins[0].copy_to(&mut out.part(&slab(first, last)))?;
        }
        let by_ratio = |view: &View<'_>| view.bytes().is_some_and(|bytes| bytes.first().is_some_and(|&b| b != 0));
        let inner: usize = at.out.shape[axis + 1..].iter().product();
        let shape = Lines { inner, length: at.out.shape[axis] };
        let dtype = out.dtype();
        dispatch!(all dtype, T => {
            let (out, front, back) = (elements_mut::<T>(out)?, elements::<T>(&ins[1])?, elements::<T>(&ins[2])?);
            for i in begin..first {
                let ramp = Ramp::new(i, self.before, self.end_values[0], by_ratio(&ins[3]));
                shape.draw(out, front, i - begin, |edge: T| ramp.element(edge));
            }
            for i in last..end {
                let ramp = Ramp::new(self.before + n + self.after - 1 - i, self.after, self.end_values[1], by_ratio(&ins[4]));
                shape.draw(out, back, i - begin, |edge: T| ramp.element(edge));
            }
        });
        Ok(())
    }
}

struct Lines {
    inner: usize,
    length: usize,
}

impl Lines {
    /// Sets row `row` of every line from the edge.
    fn draw<T: Copy>(&self, out: &mut [T], edge: &[T], row: usize, f: impl Fn(T) -> T) {
        for (out, edge) in out.chunks_exact_mut(self.length * self.inner).zip(edge.chunks_exact(self.inner)) {
            for (out, &edge) in out[row * self.inner..(row + 1) * self.inner].iter_mut().zip(edge) {
                *out = f(edge);
            }
        }
    }
}

/// One step of the way from the end value to the edge.
struct Ramp {
    step: usize,
    steps: usize,
    end: Complex64,
    by_ratio: bool,
}

impl Ramp {
    fn new(step: usize, steps: usize, end: Scalar, by_ratio: bool) -> Self {
        Ramp { step, steps, end: end.to_c128(), by_ratio }
    }

    fn element<T: Element + ConvertTo<Complex64>>(&self, edge: T) -> T
    where
        Complex64: ConvertTo<T>,
    {
        let edge: Complex64 = edge.convert();
        let part = |end: f64, edge: f64| ramp(end, edge, self.step, self.steps, self.by_ratio);
        let mut value = Complex64::new(part(self.end.re, edge.re), part(self.end.im, edge.im));
        if T::DTYPE.is_integer() {
            value.re = value.re.floor();
        }
        value.convert()
    }
}
