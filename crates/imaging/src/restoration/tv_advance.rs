//! `tv_advance` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Idx, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::tv::{bytes, narrow, wide, wider, with_components};
use crate::family::window::{each_row, strides};
use crate::filter::line::lost;
use crate::numeric::variation::Field;

/// The dual field after as many steps as the state says; without a state, the smoothed image.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TvAdvance {
    /// The most steps.
    pub steps: usize,
    /// How much gradients count.
    pub weight: f64,
}

/// The op `tv_advance`.
pub static DEF: OpDef = OpDef {
    name: "tv_advance",
    theme: "restoration",
    summary: "Internal: the dual field of an image after some steps of denoising, or the smoothed image.",
    doc: "",
    inputs: Inputs::Many("image, dual field, and for steps a state"),
    params: &[
        Param { name: "steps", kind: "int", default: None, doc: "the most steps" },
        Param { name: "weight", kind: "float", default: None, doc: "how much gradients count" },
    ],
    form: Form::Kernel,
    cost: 60.0,
    hold: false,
    build: params::build::<TvAdvance>,
    samples: || {
        let one = |params: Value, dtype: DType, state: bool| {
            let mut ins = vec![
                SampleInput::new(&[9, 11], dtype).between(0.0, 1.0),
                SampleInput::new(&[2, 9, 11], dtype).between(-0.1, 0.1),
            ];
            if state {
                ins.push(SampleInput::new(&[4], DType::F64).between(3.0, 3.0));
            }
            Sample { params, ins }
        };
        vec![
            one(json!({"steps": 3, "weight": 0.2}), DType::F64, true),
            one(json!({"steps": 3, "weight": 0.2}), DType::F32, true),
            one(json!({"steps": 1, "weight": 0.2}), DType::F32, false),
        ]
    },
};

impl TvAdvance {
    /// The box of the image behind a box of the result.
    fn spatial(out: &Region, image: &ArrayMeta) -> Region {
        let skip = out.rank() - image.rank();
        Region::new(Idx::from_slice(&out.start[skip..]), Idx::from_slice(&out.shape[skip..]))
    }
}

impl Op for TvAdvance {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = ins[0].dtype;
        if !matches!(ins.len(), 2 | 3)
            || ins[1].rank() != ins[0].rank() + 1
            || !matches!(dtype, DType::F32 | DType::F64)
        {
            return Err(Error::internal("an image of floats, its dual field and perhaps a state are needed"));
        }
        let meta = if ins.len() == 3 { ins[1] } else { ins[0] };
        Ok(meta.clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let spatial = TvAdvance::spatial(out, ins[0]);
        let image = if spatial.is_empty() || out.is_empty() {
            Region::new(&spatial.start, Idx::from_elem(0, spatial.rank()))
        } else {
            wider(&spatial, &ins[0].shape, self.steps)
        };
        let mut reads = vec![image.clone(), with_components(&image)];
        reads.extend(ins.get(2).map(|meta| meta.whole()));
        reads
    }

    fn scratch(&self, _out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        bytes(&reads[0])
    }

    fn work(&self, _out: &Region, reads: &[&Region]) -> f64 {
        reads.first().map_or(0, |read| read.size()) as f64 * self.steps as f64 * 8.0
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let made = match ins.get(2) {
            Some(state) => Some(state.as_slice::<f64>().ok_or_else(lost)?[3] as usize),
            None => None,
        };
        if made == Some(0) {
            let inside: Vec<usize> = at.out.start.iter().zip(&at.reads[1].start).map(|(a, b)| a - b).collect();
            let same = Region::new(Idx::from_slice(&inside), at.out.shape.clone());
            return ins[1].part(&same).copy_to(out);
        }
        let (spatial, read) = (TvAdvance::spatial(at.out, at.ins[0]), &at.reads[0]);
        let mut field = Field::new(&read.shape, wide(&ins[0])?, &wide(&ins[1])?);
        let parts: Vec<&[f64]> = match made {
            Some(made) => {
                (0..made.min(self.steps)).for_each(|_| field.step(self.weight, |_, _| ()));
                field.dual()[at.out.start[0]..at.out.end(0)].iter().map(Vec::as_slice).collect()
            }
            None => vec![field.smooth()],
        };
        let steps = strides(&read.shape);
        let first: usize = (0..spatial.rank()).map(|k| (spatial.start[k] - read.start[k]) * steps[k]).sum();
        let (width, size) = (spatial.shape[spatial.rank() - 1], spatial.size());
        for (part, values) in parts.into_iter().enumerate() {
            let mut rows = Vec::with_capacity(size / width.max(1));
            each_row(&spatial.shape, &read.shape, |to, from| rows.push((part * size + to, first + from)));
            for (to, from) in rows {
                let row = values[from..from + width].iter().copied();
                match out.dtype() {
                    DType::F32 => {
                        narrow(row, &mut out.as_slice_mut::<f32>().ok_or_else(lost)?[to..to + width], |v| v as f32)
                    }
                    _ => narrow(row, &mut out.as_slice_mut::<f64>().ok_or_else(lost)?[to..to + width], |v| v),
                }
            }
        }
        Ok(())
    }
}
