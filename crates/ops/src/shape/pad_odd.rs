//! `pad_odd`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, B8, Complex32, Complex64, DType, Element, Error, Region, Result, View, ViewMut};
use voxmill_core::{bf16, dispatch, f16};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::extend::Mirror;
use super::pad::padded_meta;
use crate::family::boxes::{elements, elements_mut, gather, gather_scratch, input_bytes, nothing, output_bytes};
use crate::family::map::expect_inputs;
use crate::family::params;

/// An axis continued by its point reflection: twice the edge minus the mirror image.
///
/// The array is an input three times: what is mirrored, its first and its last slab, so that a box far from an end reads only the slab.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PadOdd {
    /// The axis.
    pub axis: usize,
    /// Elements added before the first, no more than there are to mirror.
    pub before: usize,
    /// Elements added behind the last, no more than there are to mirror.
    pub after: usize,
    /// Whether the mirror image begins with the edge itself.
    pub symmetric: bool,
}

impl PadOdd {
    /// `array` with `before` and `after` new elements on `axis`.
    pub fn apply(array: &Array, axis: usize, before: usize, after: usize, symmetric: bool) -> Result<Array> {
        Array::from_op(Arc::new(PadOdd { axis, before, after, symmetric }), vec![array.clone(); 3])
    }

    fn mirror(&self) -> Mirror {
        if self.symmetric { Mirror::Symmetric } else { Mirror::Reflect }
    }

    /// The padding's bounds inside the box: `begin..first` and `last..end`.
    fn ends(&self, out: &Region, n: usize) -> (usize, usize) {
        let (begin, end) = (out.start[self.axis], out.end(self.axis));
        (self.before.clamp(begin, end), (self.before + n).clamp(begin, end))
    }
}

/// The op `pad_odd`.
pub static DEF: OpDef = OpDef {
    name: "pad_odd",
    theme: "shape",
    summary: "One axis continued by its point reflection.",
    doc: "What pad with reflect_type \"odd\" is made of: a new element is twice the edge minus the element of the mirror image, in the \
          array's own type; integers wrap around. All three inputs are the same array.",
    inputs: Inputs::Named(&["x", "first", "last"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis, counted from the front" },
        Param { name: "before", kind: "int", default: None, doc: "elements added before the first" },
        Param { name: "after", kind: "int", default: None, doc: "elements added behind the last" },
        Param { name: "symmetric", kind: "bool", default: None, doc: "whether the mirror image begins with the edge" },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<PadOdd>,
    samples: || {
        let one = |axis: usize, symmetric: bool, shape: &[usize], dtype| Sample {
            params: json!({"axis": axis, "before": 2, "after": 3, "symmetric": symmetric}),
            ins: vec![SampleInput::new(shape, dtype); 3],
        };
        let mut all: Vec<Sample> = DType::ALL.iter().map(|&d| one(1, d.size() > 2, &[3, 5], d)).collect();
        all.extend([one(0, true, &[4, 2, 3], DType::F32), one(2, false, &[2, 1, 4], DType::I16)]);
        all
    },
};

impl Op for PadOdd {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let same = ins.iter().all(|m| m.shape == ins[0].shape && m.dtype == ins[0].dtype);
        if !same || self.axis >= ins[0].rank() {
            return Err(Error::invalid("all inputs must be the same array and have the axis"));
        }
        let most = ins[0].shape[self.axis].saturating_sub(usize::from(!self.symmetric));
        if self.before.max(self.after) > most {
            return Err(Error::invalid(format!("there are only {most} elements to mirror")));
        }
        let mut widths = [vec![0; ins[0].rank()], vec![0; ins[0].rank()]];
        (widths[0][self.axis], widths[1][self.axis]) = (self.before, self.after);
        padded_meta(ins[0], &widths[0], &widths[1])
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![nothing(out.rank()); 3];
        }
        let (axis, n) = (self.axis, ins[0].shape[self.axis]);
        let place = |at: usize| at as i64 - self.before as i64;
        let (low, high) = self.mirror().sources(place(out.start[axis]), place(out.end(axis)), n);
        let (first, last) = self.ends(out, n);
        let slab = |wanted: bool, at: usize| if wanted { out.with_axis(axis, at, 1) } else { nothing(out.rank()) };
        vec![
            out.with_axis(axis, low, high + 1 - low),
            slab(first > out.start[axis], 0),
            slab(last < out.end(axis), n.saturating_sub(1)),
        ]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        gather_scratch(out)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (axis, n) = (self.axis, at.ins[0].shape[self.axis]);
        let mut indices: Vec<Vec<usize>> = at.out.shape.iter().map(|&n| (0..n).collect()).collect();
        for index in &mut indices[axis] {
            let place = (at.out.start[axis] + *index) as i64 - self.before as i64;
            *index = self.mirror().source(place, n) - at.reads[0].start[axis];
        }
        let dtype = out.dtype();
        gather(input_bytes(&ins[0])?, &at.reads[0].shape, &indices, output_bytes(out)?, dtype.size());
        let begin = at.out.start[axis];
        let (first, last) = self.ends(at.out, n);
        let inner: usize = at.out.shape[axis + 1..].iter().product();
        let line = at.out.shape[axis] * inner;
        dispatch!(all dtype, T => {
            let (out, front, back) = (elements_mut::<T>(out)?, elements::<T>(&ins[1])?, elements::<T>(&ins[2])?);
            for (k, out) in out.chunks_exact_mut(line).enumerate() {
                if first > begin {
                    reflect(&mut out[..(first - begin) * inner], &front[k * inner..(k + 1) * inner]);
                }
                if last < at.out.end(axis) {
                    reflect(&mut out[(last - begin) * inner..], &back[k * inner..(k + 1) * inner]);
                }
            }
        });
        Ok(())
    }
}

fn reflect<T: Odd>(out: &mut [T], edge: &[T]) {
    for row in out.chunks_exact_mut(edge.len()) {
        for (out, &edge) in row.iter_mut().zip(edge) {
            *out = T::beyond(edge, *out);
        }
    }
}

/// `2 * edge - value` as NumPy computes it in each type.
trait Odd: Element {
    fn beyond(edge: Self, value: Self) -> Self;
}

macro_rules! odd {
    ($($t:ty => $f:expr),*) => {$(
        impl Odd for $t {
            #[inline(always)]
            fn beyond(edge: Self, value: Self) -> Self {
                let f: fn($t, $t) -> $t = $f;
                f(edge, value)
            }
        }
    )*};
}

macro_rules! odd_integers {
    ($($t:ty),*) => { odd!($($t => |e, v| e.wrapping_mul(2).wrapping_sub(v)),*); };
}

odd_integers!(u8, u16, u32, u64, i8, i16, i32, i64);
odd!(
    f32 => |e, v| 2.0 * e - v,
    f64 => |e, v| 2.0 * e - v,
    f16 => |e, v| f16::from_f32(f16::from_f32(2.0 * e.to_f32()).to_f32() - v.to_f32()),
    bf16 => |e, v| bf16::from_f32(bf16::from_f32(2.0 * e.to_f32()).to_f32() - v.to_f32()),
    Complex32 => |e, v| e * 2.0 - v,
    Complex64 => |e, v| e * 2.0 - v,
    B8 => |e, v| B8::from(2 * i8::from(e.get()) != i8::from(v.get()))
);
