//! `equalize_by` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::params;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::bins::centers;
use crate::filter::line::lost;
use crate::numeric::curve::{Curve, shares};

/// For each element, the share of counted elements in its bin and all bins before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqualizeBy {
    /// The value of the first bin, where bins are whole numbers; else the edges are the third input.
    pub first: Option<i64>,
    /// Dtype of the result.
    pub dtype: DType,
}

/// The op `equalize_by`.
pub static DEF: OpDef = OpDef {
    name: "equalize_by",
    theme: "exposure",
    summary: "Internal: the share of elements that are not brighter, by a histogram.",
    doc: "",
    inputs: Inputs::Many("image, counts, and edges of bins unless these are whole numbers"),
    params: &[
        Param { name: "first", kind: "int", default: None, doc: "value of the first bin" },
        Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the result" },
    ],
    form: Form::Kernel,
    cost: 3.0,
    hold: false,
    build: params::build::<EqualizeBy>,
    samples: || {
        vec![Sample {
            params: json!({"first": 0, "dtype": "float64"}),
            ins: vec![SampleInput::new(&[8, 9], DType::U8), SampleInput::new(&[101], DType::I64).between(0.0, 90.0)],
        }]
    },
};

impl EqualizeBy {
    fn fill<A: Element + ConvertTo<f64>, B: Element>(
        &self,
        curve: &Curve,
        image: &View<'_>,
        out: &mut ViewMut<'_>,
        back: fn(f64) -> B,
    ) -> Result<()> {
        let (Some(image), Some(out)) = (image.as_slice::<A>(), out.as_slice_mut::<B>()) else { return Err(lost()) };
        match self.first {
            Some(first) => {
                let last = curve.values.len() as f64 - 1.0;
                // Whole numbers of 64 bits may round here, but then they lie outside of any histogram.
                let bin = |v: A| (ConvertTo::<f64>::convert(v) - first as f64).clamp(0.0, last) as usize;
                out.iter_mut().zip(image).for_each(|(out, &v)| *out = back(curve.values[bin(v)]));
            }
            None => out.iter_mut().zip(image).for_each(|(out, &v)| *out = back(curve.at(v.convert()))),
        }
        Ok(())
    }
}

impl Op for EqualizeBy {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 2 + usize::from(self.first.is_none()) || ins[1].dtype != DType::I64 {
            return Err(Error::internal("an image, counts, and edges for floats are needed"));
        }
        Ok(ins[0].clone().with_dtype(self.dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        [out.clone()].into_iter().chain(ins[1..].iter().map(|meta| meta.whole())).collect()
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        ins[1].size() as u64 * 16
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let counts = ins[1].as_slice::<i64>().ok_or_else(lost)?;
        let mut values = shares(counts);
        if self.dtype == DType::F32 {
            values.iter_mut().for_each(|v| *v = f64::from(*v as f32));
        }
        let centers = match ins.get(2) {
            Some(edges) => centers(edges)?,
            None => Vec::new(),
        };
        let curve = Curve { centers, values };
        match self.dtype {
            DType::F32 => {
                dispatch!(real ins[0].dtype(), T => self.fill::<T, f32>(&curve, &ins[0], out, |v| v as f32), else Err(lost()))
            }
            _ => {
                dispatch!(real ins[0].dtype(), T => self.fill::<T, f64>(&curve, &ins[0], out, |v| v), else Err(lost()))
            }
        }
    }
}
