//! `thin_once`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::neighborhood::{Border, Halo};
use crate::family::window::{Window, each_row};
use crate::filter::line::lost;

/// Takes away elements of a plane by what is around them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinOnce {
    /// For each of the 256 neighbourhoods, 1 if the element goes.
    pub goes: String,
}

/// The op `thin_once`.
pub static DEF: OpDef = OpDef {
    name: "thin_once",
    theme: "morphology",
    summary: "Internal: takes away elements of a plane by what is around them.",
    doc: "Bits of a neighbourhood, from the lowest on, run around the element: right, then against the clock.",
    inputs: Inputs::Named(&["input"]),
    params: &[Param { name: "goes", kind: "string", default: None, doc: "256 digits: 1 where the element goes" }],
    form: Form::Kernel,
    cost: 3.0,
    hold: false,
    build: params::build::<ThinOnce>,
    samples: || {
        let goes: String = (0..256).map(|k: usize| if k.count_ones() % 3 == 1 { '1' } else { '0' }).collect();
        let one =
            |shape: &[usize]| Sample { params: json!({"goes": goes}), ins: vec![SampleInput::new(shape, DType::Bool)] };
        vec![one(&[9, 40]), one(&[1, 1]), one(&[0, 3])]
    },
};

/// Around the element: row and column in a square of 3, in the order of bits.
const AROUND: [(usize, usize); 8] = [(1, 2), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1), (2, 2)];

fn window() -> Window {
    Window { halos: vec![Halo { before: 1, after: 1 }; 2], modes: vec![Border::Constant; 2] }
}

impl Op for ThinOnce {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins[0].rank() != 2 || ins[0].dtype != DType::Bool || self.goes.len() != 256 {
            return Err(Error::internal("truth values of a plane are thinned, by a table of 256"));
        }
        Ok(ins[0].clone())
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![window().reads(out, ins[0])]
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        window().padded_len(out) as u64 + 1024
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let src = ins[0].bytes().ok_or_else(lost)?;
        let padded = window().padded(src, &at.reads[0], at.out, &at.ins[0].shape, 0);
        let shape = window().padded_shape(at.out);
        let goes: Vec<u8> = self.goes.bytes().map(|b| b - b'0').collect();
        let (dst, width) = (out.bytes_mut().ok_or_else(lost)?, at.out.shape[1]);
        each_row(&at.out.shape, &shape, |to, first| {
            for (x, out) in dst[to..to + width].iter_mut().enumerate() {
                let at = |(row, column): (usize, usize)| usize::from(padded[first + row * shape[1] + x + column] != 0);
                let code = AROUND.iter().enumerate().fold(0, |code, (bit, &place)| code | at(place) << bit);
                *out = u8::from(at((1, 1)) != 0 && goes[code] == 0);
            }
        });
        Ok(())
    }
}
