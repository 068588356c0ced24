//! `rolling_minimum` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::Grid;
use crate::family::neighborhood::{Border, Halo};
use crate::family::window::{Window, strides};
use crate::filter::line::lost;
use crate::numeric::rolling::{Height, smallest};

/// The smallest sum of an element of a window and the height of its position.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RollingMinimum {
    /// Heights.
    pub heights: Grid,
    /// Which positions count.
    pub footprint: Grid,
}

/// The op `rolling_minimum`.
pub static DEF: OpDef = OpDef {
    name: "rolling_minimum",
    theme: "restoration",
    summary: "Internal: the smallest sum of an element of a window and the height of its position.",
    doc: "",
    inputs: Inputs::Named(&["image"]),
    params: &[
        Param { name: "heights", kind: "nested list of float", default: None, doc: "heights of all positions" },
        Param { name: "footprint", kind: "nested list of 0 and 1", default: None, doc: "which positions count" },
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: false,
    build: params::build::<RollingMinimum>,
    samples: || {
        let one = |dtype: DType| Sample {
            params: json!({"heights": [[3, 1, 2], [0.5, 0, 0], [4, 1, 9]], "footprint": [[0, 1, 0], [1, 1, 1], [1, 1, 0]]}),
            ins: vec![SampleInput::new(&[7, 40], dtype)],
        };
        vec![one(DType::F32), one(DType::F64)]
    },
};

impl RollingMinimum {
    fn window(&self) -> Window {
        let halo = |&n: &usize| Halo { before: n / 2, after: n - 1 - n / 2 };
        let halos: Vec<Halo> = self.heights.shape.iter().map(halo).collect();
        Window { modes: vec![Border::Constant; halos.len()], halos }
    }

    fn fill<T: Height>(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let (src, out) = (ins[0].as_slice::<T>().ok_or_else(lost)?, out.as_slice_mut::<T>().ok_or_else(lost)?);
        let window = self.window();
        let padded = window.padded(src, &at.reads[0], at.out, &at.ins[0].shape, T::INFINITY);
        let shape = window.padded_shape(at.out);
        let steps = strides(&shape);
        let flat = |place: &[usize]| place.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
        let heights = &self.heights.values;
        let positions = crate::family::grid::positions(&self.heights.shape).zip(heights).zip(&self.footprint.values);
        let taps: Vec<(usize, T)> = positions
            .filter(|(_, counts)| **counts != 0.0)
            .map(|((place, height), _)| (flat(&place), T::from_f64(*height)))
            .collect();
        smallest(&padded, &shape, &taps, &at.out.shape, out);
        Ok(())
    }
}

impl Op for RollingMinimum {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = ins[0].dtype;
        let fits = self.heights.shape == self.footprint.shape && self.heights.shape.len() == ins[0].rank();
        if !fits || self.heights.values.is_empty() || !matches!(dtype, DType::F32 | DType::F64) {
            return Err(Error::invalid(format!(
                "the kernel has the shape {:?}, the image {} axes; a kernel needs as many axes, and an element",
                self.heights.shape,
                ins[0].rank()
            )));
        }
        Ok(ins[0].clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![self.window().reads(out, ins[0])]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let padded = self.window().padded_len(out) * ins[0].dtype.size();
        (padded + self.heights.values.len() * 64 + 1024) as u64
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        out.size() as f64 * (2.0 + self.heights.values.len() as f64 * 0.3)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        match out.dtype() {
            _ if at.out.is_empty() => Ok(()),
            DType::F32 => self.fill::<f32>(at, ins, out),
            _ => self.fill::<f64>(at, ins, out),
        }
    }
}
