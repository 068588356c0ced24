//! `nl_means` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::neighborhood::{Border, Halo};
use crate::family::window::Window;
use crate::filter::line::lost;
use crate::numeric::patches::Patches;

/// Means of what looks alike.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NlMeans {
    /// Patches reach so far.
    pub offset: usize,
    /// How far away they are looked for.
    pub distance: usize,
    /// How different they may be.
    pub h: f64,
    /// Variance of the noise.
    pub variance: f64,
    /// The last axis are colours.
    pub channels: bool,
}

/// The op `nl_means`.
pub static DEF: OpDef = OpDef {
    name: "nl_means",
    theme: "restoration",
    summary: "Internal: means of elements whose neighbourhoods look alike.",
    doc: "",
    inputs: Inputs::Named(&["image"]),
    params: &[
        Param { name: "offset", kind: "int", default: None, doc: "reach of patches" },
        Param { name: "distance", kind: "int", default: None, doc: "how far away they are looked for" },
        Param { name: "h", kind: "float", default: None, doc: "how different they may be" },
        Param { name: "variance", kind: "float", default: None, doc: "variance of the noise" },
        Param { name: "channels", kind: "bool", default: None, doc: "the last axis are colours" },
    ],
    form: Form::Kernel,
    cost: 1000.0,
    hold: false,
    build: params::build::<NlMeans>,
    samples: || {
        let params = json!({"offset": 1, "distance": 2, "h": 0.4, "variance": 0.001, "channels": false});
        vec![Sample { params, ins: vec![SampleInput::new(&[9, 11], DType::F64).between(0.0, 1.0)] }]
    },
};

impl NlMeans {
    fn window(&self, rank: usize) -> Window {
        let reach = self.offset + self.distance;
        let spatial = rank - usize::from(self.channels);
        let halo =
            |k: usize| if k < spatial { Halo { before: reach, after: reach } } else { Halo { before: 0, after: 0 } };
        Window { halos: (0..rank).map(halo).collect(), modes: vec![Border::Mirror; rank] }
    }

    /// Colours are needed all at once.
    fn whole_pixels(&self, out: &Region, meta: &ArrayMeta) -> Region {
        let last = meta.rank() - 1;
        if self.channels && !out.is_empty() { out.with_axis(last, 0, meta.shape[last]) } else { out.clone() }
    }

    fn patches(&self, pixels: &Region) -> Patches {
        let rank = pixels.rank() - usize::from(self.channels);
        let n_channels = if self.channels { pixels.shape[rank] } else { 1 };
        let side = (2 * self.offset + 1) as f64;
        Patches {
            shape: pixels.shape[..rank].to_vec(),
            n_channels,
            offset: self.offset,
            distance: self.distance,
            scale: n_channels as f64 * self.h * self.h * side.powi(rank as i32),
            noise: n_channels as f64 * 2.0 * self.variance,
        }
    }
}

impl Op for NlMeans {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = ins[0].dtype;
        if !matches!(dtype, DType::F32 | DType::F64) || ins[0].rank() <= usize::from(self.channels) {
            return Err(Error::internal("means of floats with axes"));
        }
        Ok(ins[0].clone().with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![self.window(ins[0].rank()).reads(&self.whole_pixels(out, ins[0]), ins[0])]
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let pixels = self.whole_pixels(out, ins[0]);
        let padded = self.window(ins[0].rank()).padded_len(&pixels);
        8 * (padded + reads[0].size() + pixels.size() + self.patches(&pixels).scratch()) as u64
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        let rank = out.rank() - usize::from(self.channels);
        let shifts = (2.0 * self.distance as f64 + 1.0).powi(rank as i32);
        out.size() as f64 * shifts * (4.0 + self.offset as f64 * rank as f64)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let pixels = self.whole_pixels(at.out, at.ins[0]);
        let wide: Vec<f64> = match ins[0].dtype() {
            DType::F32 => ins[0].as_slice::<f32>().ok_or_else(lost)?.iter().map(|&v| f64::from(v)).collect(),
            _ => ins[0].as_slice::<f64>().ok_or_else(lost)?.to_vec(),
        };
        let window = self.window(at.ins[0].rank());
        let padded = window.padded(&wide, &at.reads[0], &pixels, &at.ins[0].shape, 0.0);
        let patches = self.patches(&pixels);
        let mut means = vec![0.0; pixels.size()];
        patches.means_in_strips(&padded, &mut means);
        let (n, wanted) = (patches.n_channels, at.out.shape[at.out.rank() - 1]);
        let first = if self.channels { at.out.start[at.out.rank() - 1] } else { 0 };
        let wanted = if self.channels { wanted } else { 1 };
        let chosen = means.chunks_exact(n).flat_map(|pixel| &pixel[first..first + wanted]);
        match out.dtype() {
            DType::F32 => {
                out.as_slice_mut::<f32>().ok_or_else(lost)?.iter_mut().zip(chosen).for_each(|(o, v)| *o = *v as f32)
            }
            _ => out.as_slice_mut::<f64>().ok_or_else(lost)?.iter_mut().zip(chosen).for_each(|(o, v)| *o = *v),
        }
        Ok(())
    }
}
