//! `skeleton_block`

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;
use crate::numeric::skeleton;

/// Lines in the middle of objects of a whole volume, in one task.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkeletonBlock {
    /// Shape of the array.
    pub shape: Vec<usize>,
    /// The only block, which is asked for with every tile.
    #[serde(skip)]
    pub grid: OnceLock<ChunkGrid>,
}

/// The op `skeleton_block`.
pub static DEF: OpDef = OpDef {
    name: "skeleton_block",
    theme: "morphology",
    summary: "Internal: lines in the middle of objects, in one task.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[Param { name: "shape", kind: "list of int", default: None, doc: "shape of the array" }],
    form: Form::Kernel,
    cost: 300.0,
    hold: true,
    build: params::build::<SkeletonBlock>,
    samples: || {
        let one = |shape: &[usize]| Sample {
            params: json!({"shape": shape}),
            ins: vec![SampleInput::new(shape, DType::Bool).between(0.0, 3.0)],
        };
        vec![one(&[5, 6, 7]), one(&[9, 11]), one(&[1, 1, 1])]
    },
};

impl SkeletonBlock {
    /// As a volume; a plane is one of one plane.
    fn volume(&self) -> [usize; 3] {
        match self.shape[..] {
            [rows, columns] => [1, rows, columns],
            [planes, rows, columns] => [planes, rows, columns],
            _ => [0; 3],
        }
    }
}

impl Op for SkeletonBlock {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let rank = ins[0].rank();
        if ins[0].shape[..] != self.shape[..] || ins[0].dtype != DType::Bool || !(2..=3).contains(&rank) {
            return Err(Error::internal("truth values of a plane or volume are thinned"));
        }
        if self.volume().iter().map(|n| n + 2).product::<usize>() >= u32::MAX as usize {
            return Err(Error::unsupported("a skeleton in one task takes less than 2^32 elements"));
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
        let padded = self.volume().iter().map(|n| n + 2).product::<usize>();
        padded as u64 + skeleton::scratch(ins[0].size())
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let [planes, rows, columns] = self.volume();
        let shape = [planes + 2, rows + 2, columns + 2];
        let src = ins[0].bytes().ok_or_else(lost)?;
        let mut volume = vec![0; shape.iter().product()];
        let place = |line: usize| ((line / rows + 1) * shape[1] + line % rows + 1) * shape[2] + 1;
        for (line, row) in src.chunks_exact(columns).enumerate() {
            let to = place(line);
            volume[to..to + columns].iter_mut().zip(row).for_each(|(to, &v)| *to = u8::from(v != 0));
        }
        skeleton::thin(&mut volume, shape);
        let dst = out.bytes_mut().ok_or_else(lost)?;
        for (line, row) in dst.chunks_exact_mut(columns).enumerate() {
            let from = place(line);
            row.copy_from_slice(&volume[from..from + columns]);
        }
        Ok(())
    }
}
