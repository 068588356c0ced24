//! `tv_decide` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_ops::reduce::finish::write_values;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;

/// How many steps are made. The state is the first energy, the energy before, whether the end is reached, and the number of steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TvDecide {
    /// The end is reached when energy changes by less than this share of the first energy.
    pub eps: f64,
    /// Elements of the image.
    pub size: f64,
    /// These are the first steps.
    pub first: bool,
    /// These are the last steps, of which the very last one is not made.
    pub last: bool,
}

/// The op `tv_decide`.
pub static DEF: OpDef = OpDef {
    name: "tv_decide",
    theme: "restoration",
    summary: "Internal: how many steps of denoising are made, by their energies.",
    doc: "",
    inputs: Inputs::Named(&["energies", "state"]),
    params: &[
        Param { name: "eps", kind: "float", default: None, doc: "smallest change of energy" },
        Param { name: "size", kind: "float", default: None, doc: "elements of the image" },
        Param { name: "first", kind: "bool", default: None, doc: "these are the first steps" },
        Param { name: "last", kind: "bool", default: None, doc: "these are the last steps" },
    ],
    form: Form::Kernel,
    cost: 10.0,
    hold: true,
    build: params::build::<TvDecide>,
    samples: || {
        let ins = vec![
            SampleInput::new(&[8], DType::F64).between(1.0, 2.0),
            SampleInput::new(&[4], DType::F64).between(0.0, 0.0),
        ];
        vec![Sample { params: json!({"eps": 0.1, "size": 10.0, "first": true, "last": false}), ins }]
    },
};

impl TvDecide {
    fn state(&self, energies: &[f64], before: &[f64]) -> [f64; 4] {
        let [mut first, mut previous, stopped] = [before[0], before[1], before[2]];
        if stopped != 0.0 {
            return [first, previous, 1.0, 0.0];
        }
        for (k, energy) in energies.iter().map(|sum| sum / self.size).enumerate() {
            if self.first && k == 0 {
                first = energy;
            } else if (previous - energy).abs() < self.eps * first {
                return [first, energy, 1.0, k as f64];
            }
            previous = energy;
        }
        let made = energies.len() - usize::from(self.last);
        [first, previous, 0.0, made as f64]
    }
}

impl Op for TvDecide {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.len() != 2 || ins.iter().any(|meta| meta.rank() != 1 || meta.dtype != DType::F64) {
            return Err(Error::internal("energies and a state are needed"));
        }
        Ok(ArrayMeta::new([4], DType::F64))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (energies, before) =
            (ins[0].as_slice::<f64>().ok_or_else(lost)?, ins[1].as_slice::<f64>().ok_or_else(lost)?);
        let state = self.state(energies, before);
        write_values(out, |k| Scalar::Float(state[at.out.start[0] + k]))
    }
}
