//! `bin_density` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Form, Inputs, Op, OpDef, Place, Sample, SampleInput};

use super::finish::write_values;
use crate::family::map::expect_inputs;
use crate::family::params;

/// Counts divided by their sum and by the width of their bins.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinDensity {}

/// The op `bin_density`.
pub static DEF: OpDef = OpDef {
    name: "bin_density",
    theme: "reduce",
    summary: "Internal: counts divided by their sum and by the width of their bins.",
    doc: "Internal. What histogram(density=true) adds.",
    inputs: Inputs::Named(&["counts", "edges"]),
    params: &[],
    form: Form::Kernel,
    cost: 5.0,
    hold: false,
    build: params::build::<BinDensity>,
    samples: || {
        let counts = SampleInput::new(&[5], DType::I64).between(0.0, 9.0);
        let edges = |dtype| SampleInput::new(&[6], dtype).between(0.0, 9.0);
        let one = |dtype| Sample { params: json!({}), ins: vec![counts.clone(), edges(dtype)] };
        vec![one(DType::F64), one(DType::F32)]
    },
};

impl Op for BinDensity {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() != 1 || ins[1].shape[..] != [ins[0].shape[0] + 1] || ins[0].dtype != DType::I64 {
            return Err(Error::invalid("counts need one edge more than bins"));
        }
        Ok(ArrayMeta::new(&ins[0].shape, DType::F64))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let Some(counts) = ins[0].as_slice::<i64>() else { return Err(Error::internal("counts are not contiguous")) };
        let (bytes, width) = (ins[1].bytes().unwrap_or_default(), ins[1].dtype().size());
        let edge = |k: usize| Scalar::from_bytes(&bytes[k * width..], ins[1].dtype()).to_f64();
        // The difference of edges is taken in their own precision, as NumPy does.
        let narrow = ins[1].dtype() == DType::F32;
        let gap = |k: usize| edge(k + 1) - edge(k);
        let gap = |k: usize| if narrow { f64::from(gap(k) as f32) } else { gap(k) };
        let total = counts.iter().sum::<i64>() as f64;
        write_values(out, |k| {
            let k = at.out.start[0] + k;
            Scalar::Float(counts[k] as f64 / gap(k) / total)
        })
    }
}
