//! `area_block`

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::neighbours::Neighbours;
use crate::family::grid::Grid;
use crate::filter::line::lost;
use crate::numeric::area;

/// An opening by area over the whole array, in one task.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaBlock {
    /// Which neighbours belong together.
    pub structure: Grid,
    /// Regions need so many elements.
    pub area: f64,
    /// Shape of the array.
    pub shape: Vec<usize>,
    /// The only block, which is asked for with every tile.
    #[serde(skip)]
    pub grid: OnceLock<ChunkGrid>,
}

/// The op `area_block`.
pub static DEF: OpDef = OpDef {
    name: "area_block",
    theme: "segment",
    summary: "Internal: an opening by area, in one task.",
    doc: "",
    inputs: Inputs::Named(&["image"]),
    params: &[
        Param {
            name: "structure",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours belong together",
        },
        Param { name: "area", kind: "float", default: None, doc: "regions need so many elements" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the array" },
    ],
    form: Form::Kernel,
    cost: 200.0,
    hold: true,
    build: params::build::<AreaBlock>,
    samples: || {
        let one = |structure: Value, shape: &[usize], dtype| Sample {
            params: json!({"structure": structure, "area": 4, "shape": shape}),
            ins: vec![SampleInput::new(shape, dtype).between(0.0, 9.0)],
        };
        vec![
            one(json!("square(3)"), &[9, 11], DType::U8),
            one(json!([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), &[9, 11], DType::F32),
            one(json!("cube(3)"), &[4, 5, 6], DType::I64),
        ]
    },
};

impl AreaBlock {
    fn neighbours(&self) -> Result<Neighbours> {
        Neighbours::new(&self.structure, &vec![1; self.shape.len()], self.shape.len())
    }

    fn run_as<T: Element + PartialOrd>(&self, image: &[T], out: &mut [T]) -> Result<()> {
        out.copy_from_slice(image);
        let neighbours = self.neighbours()?;
        let flat = neighbours.flat(&self.shape);
        let steps: Vec<(&[i64], isize)> =
            neighbours.steps.iter().zip(flat).filter(|(_, flat)| *flat != 0).map(|(s, flat)| (&s[..], flat)).collect();
        let mut place = vec![0_i64; self.shape.len()];
        area::opening(out, self.area, |at, near| {
            let mut rest = at;
            for k in (0..place.len()).rev() {
                place[k] = (rest % self.shape[k]) as i64;
                rest /= self.shape[k];
            }
            let inside =
                |step: &[i64]| (0..place.len()).all(|k| (0..self.shape[k] as i64).contains(&(place[k] + step[k])));
            near.extend(steps.iter().filter(|(step, _)| inside(step)).map(|(_, flat)| at.wrapping_add_signed(*flat)));
        });
        Ok(())
    }
}

impl Op for AreaBlock {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        self.neighbours()?;
        if ins[0].shape[..] != self.shape[..] || ins[0].dtype.is_complex() || ins[0].dtype == DType::Bool {
            return Err(Error::internal("an opening by area takes real numbers"));
        }
        if ins[0].size() >= u32::MAX as usize {
            return Err(Error::unsupported("an opening by area takes less than 2^32 elements"));
        }
        Ok(ins[0].clone())
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.grid.get_or_init(|| ChunkGrid::single(&self.shape)))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![ins[0].whole()]
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        area::scratch(ins[0].size()) + 4096
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        dispatch!(real ins[0].dtype(), T => {
            let image = ins[0].as_slice::<T>().ok_or_else(lost)?;
            self.run_as(image, out.as_slice_mut::<T>().ok_or_else(lost)?)
        }, else Err(lost()))
    }
}
