//! `bilateral` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::neighborhood::{Border, Halo};
use crate::family::window::Window;
use crate::filter::line::lost;
use crate::numeric::alike::Tables;

/// Means of what is near and has a similar value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bilateral {
    /// Length of the window.
    pub size: usize,
    /// How far away elements may be.
    pub sigma_spatial: f64,
    /// Length of the table of differences.
    pub bins: usize,
    /// What lies beyond the border.
    pub modes: [Border; 2],
    /// The constant there.
    pub cval: f64,
    /// The last axis are colours.
    pub channels: bool,
}

/// The op `bilateral`.
pub static DEF: OpDef = OpDef {
    name: "bilateral",
    theme: "restoration",
    summary: "Internal: means of elements that are near and have a similar value.",
    doc: "",
    inputs: Inputs::Named(&["image", "low", "high", "sigma"]),
    params: &[
        Param { name: "size", kind: "int", default: None, doc: "length of the window" },
        Param { name: "sigma_spatial", kind: "float", default: None, doc: "how far away elements may be" },
        Param { name: "bins", kind: "int", default: None, doc: "length of the table of differences" },
        Param { name: "modes", kind: "list of string", default: None, doc: "what lies beyond the border" },
        Param { name: "cval", kind: "float", default: None, doc: "the constant there" },
        Param { name: "channels", kind: "bool", default: None, doc: "the last axis are colours" },
    ],
    form: Form::Kernel,
    cost: 100.0,
    hold: false,
    build: params::build::<Bilateral>,
    samples: || {
        let number = |v: f64| SampleInput::new(&[], DType::F64).between(v, v);
        let params = json!({"size": 5, "sigma_spatial": 1.5, "bins": 100, "modes": ["nearest", "constant"], "cval": 0.2, "channels": false});
        let image = SampleInput::new(&[9, 11], DType::F64).between(-1.0, 1.0);
        vec![Sample { params, ins: vec![image, number(-1.0), number(1.0), number(0.3)] }]
    },
};

impl Bilateral {
    fn reach(&self) -> usize {
        (self.size - 1) / 2
    }

    fn window(&self) -> Window {
        let mut halos = vec![Halo { before: self.reach(), after: self.reach() }; 2];
        let mut modes = self.modes.to_vec();
        if self.channels {
            halos.push(Halo { before: 0, after: 0 });
            modes.push(Border::Nearest);
        }
        Window { halos, modes }
    }

    /// Colours are needed all at once.
    fn whole_pixels(&self, out: &Region, meta: &ArrayMeta) -> Region {
        if self.channels && !out.is_empty() { out.with_axis(2, 0, meta.shape[2]) } else { out.clone() }
    }
}

fn number(view: &View<'_>) -> Result<f64> {
    view.as_slice::<f64>().and_then(|values| values.first()).copied().ok_or_else(lost)
}

impl Op for Bilateral {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let dtype = ins[0].dtype;
        if ins.len() != 4
            || ins[0].rank() != 2 + usize::from(self.channels)
            || !matches!(dtype, DType::F32 | DType::F64)
        {
            return Err(Error::internal("an image of floats and three numbers are needed"));
        }
        Ok(self.window().infer(ins[0]).with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let image = self.window().reads(&self.whole_pixels(out, ins[0]), ins[0]);
        [image].into_iter().chain(ins[1..].iter().map(|meta| meta.whole())).collect()
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let pixels = self.whole_pixels(out, ins[0]);
        let padded = self.window().padded_len(&pixels);
        8 * (padded + reads[0].size() + pixels.size() + self.bins + 4 * self.size * self.size + 256) as u64
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        out.size() as f64 * (self.size * self.size) as f64 * 2.0
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let pixels = self.whole_pixels(at.out, at.ins[0]);
        let (low, high, sigma) = (number(&ins[1])?, number(&ins[2])?, number(&ins[3])?);
        // Negative values are moved up, since differences are counted from 0 to the largest value.
        let moved = low.min(0.0);
        let wide: Vec<f64> = match ins[0].dtype() {
            DType::F32 => ins[0].as_slice::<f32>().ok_or_else(lost)?.iter().map(|&v| f64::from(v) - moved).collect(),
            _ => ins[0].as_slice::<f64>().ok_or_else(lost)?.iter().map(|v| v - moved).collect(),
        };
        let n_channels = if self.channels { pixels.shape[2] } else { 1 };
        let padded = self.window().padded(&wide, &at.reads[0], &pixels, &at.ins[0].shape, self.cval);
        let tables = Tables::new(self.size, self.sigma_spatial, self.bins, sigma, (high, high - moved), n_channels);
        let mut means = vec![0.0; pixels.size()];
        tables.means(&padded, (pixels.shape[0], pixels.shape[1]), low == high, &mut means);
        let (first, wanted) = if self.channels { (at.out.start[2], at.out.shape[2]) } else { (0, 1) };
        let chosen = means.chunks_exact(n_channels).flat_map(|pixel| &pixel[first..first + wanted]).map(|v| v + moved);
        match out.dtype() {
            DType::F32 => {
                out.as_slice_mut::<f32>().ok_or_else(lost)?.iter_mut().zip(chosen).for_each(|(o, v)| *o = v as f32)
            }
            _ => out.as_slice_mut::<f64>().ok_or_else(lost)?.iter_mut().zip(chosen).for_each(|(o, v)| *o = v),
        }
        Ok(())
    }
}
