//! `pad_constant`

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::pad::padded_meta;
use crate::family::boxes::nothing;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Padding with given values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PadConstant {
    /// Elements added before the first on each axis.
    pub before: Vec<usize>,
    /// Elements added behind the last on each axis.
    pub after: Vec<usize>,
    /// Their values on each axis. Where the padding of two axes meets, the later axis wins.
    pub values: Vec<[Scalar; 2]>,
}

impl PadConstant {
    /// `array` with `before` and `after` new elements on each axis.
    pub fn apply(array: &Array, before: Vec<usize>, after: Vec<usize>, values: Vec<[Scalar; 2]>) -> Result<Array> {
        Array::from_op(Arc::new(PadConstant { before, after, values }), vec![array.clone()])
    }

    /// The part of the box `out` that comes from the input, in the coordinates of the result.
    fn inner(&self, out: &Region, shape: &[usize]) -> Region {
        out.intersect(&Region::new(&self.before, shape))
    }
}

/// The op `pad_constant`.
pub static DEF: OpDef = OpDef {
    name: "pad_constant",
    theme: "shape",
    summary: "The array with given values around it.",
    doc: "What pad with modes \"constant\" and \"empty\" is made of. Values are cast as by astype; where the padding of two axes meets, \
          the later axis wins.",
    inputs: Inputs::Named(&["x"]),
    params: &[
        Param {
            name: "before",
            kind: "list of int",
            default: None,
            doc: "elements added before the first on each axis",
        },
        Param { name: "after", kind: "list of int", default: None, doc: "elements added behind the last on each axis" },
        Param { name: "values", kind: "list of pairs of numbers", default: None, doc: "their values on each axis" },
    ],
    form: Form::Kernel,
    cost: 0.2,
    hold: false,
    build: params::build::<PadConstant>,
    samples: || {
        let one = |before: &[usize], after: &[usize], shape: &[usize], dtype| Sample {
            params: json!({"before": before, "after": after, "values": vec![[1, 2]; shape.len()]}),
            ins: vec![SampleInput::new(shape, dtype)],
        };
        vec![
            one(&[2, 0], &[0, 3], &[5, 7], DType::F32),
            one(&[2, 9, 1], &[12, 3, 0], &[5, 4, 3], DType::C128),
            one(&[2, 1], &[1, 1], &[0, 2], DType::U8),
            one(&[], &[], &[], DType::I64),
        ]
    },
};

impl Op for PadConstant {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if self.values.len() != ins[0].rank() {
            return Err(Error::invalid(format!("{} pairs of values for {} axes", self.values.len(), ins[0].rank())));
        }
        padded_meta(ins[0], &self.before, &self.after)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let inner = self.inner(out, &ins[0].shape);
        vec![if inner.is_empty() { nothing(out.rank()) } else { inner.relative_to(&self.before) }]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let inner = self.inner(at.out, &at.ins[0].shape);
        if !inner.is_empty() {
            ins[0].copy_to(&mut out.part(&inner.relative_to(&at.out.start)))?;
        }
        let dtype = out.dtype();
        for k in 0..at.out.rank() {
            let (begin, end) = (at.out.start[k], at.out.end(k));
            // The padding lies before `first` and from `last` on, clipped to this box.
            let first = self.before[k].clamp(begin, end);
            let last = (self.before[k] + at.ins[0].shape[k]).clamp(begin, end);
            for (a, b, value) in [(begin, first, self.values[k][0]), (last, end, self.values[k][1])] {
                if b > a {
                    let slab = Region::whole(&at.out.shape).with_axis(k, a - begin, b - a);
                    out.part(&slab).fill(&value.to_bytes(dtype))?;
                }
            }
        }
        Ok(())
    }
}
