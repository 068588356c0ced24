//! `label_finish` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, B8, ChunkGrid, DType, Element, Error, Kind, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place};

use super::blocks;
use super::label_rows::words;
use crate::family::grid::positions;
use crate::filter::line::lost;

/// Every element with what its object got.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelFinish {
    /// Dtype of the result.
    pub dtype: DType,
    /// What the background gets.
    pub background: u64,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
}

/// The op `label_finish`.
pub static DEF: OpDef = OpDef {
    name: "label_finish",
    theme: "measure",
    summary: "Internal: every element with what its object got.",
    doc: "",
    inputs: Inputs::Named(&["labels", "given"]),
    params: &[
        Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the result" },
        Param { name: "background", kind: "int", default: None, doc: "what the background gets" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
    ],
    form: Form::Kernel,
    cost: 0.5,
    hold: false,
    build: params::build::<LabelFinish>,
    samples: Vec::new,
};

impl LabelFinish {
    fn fill<T: Element>(&self, at: &Place<'_>, labels: &[u32], out: &mut [T], value: fn(u64) -> T) -> Result<()> {
        let grid = ChunkGrid::even(&at.ins[0].shape, &self.block);
        let box_shape = &at.out.shape;
        let width = box_shape.last().copied().unwrap_or(1);
        for number in grid.numbers_touching(at.out) {
            let rows = at.rows.rows(1, &grid.position(number))?;
            self.check_room(&rows)?;
            let table: Vec<T> =
                std::iter::once(value(self.background)).chain(words(&rows).skip(1).map(value)).collect();
            let part = grid.region(number).intersect(at.out).relative_to(&at.out.start);
            let lines = &part.shape[..part.rank().saturating_sub(1)];
            let (first, len) = part.bounds().last().map_or((0, 1), |(begin, end)| (begin, end - begin));
            for line in positions(lines) {
                let flat = (0..lines.len()).fold(0, |flat, k| flat * box_shape[k] + part.start[k] + line[k]);
                let begin = flat * width + first;
                let pairs = out[begin..begin + len].iter_mut().zip(&labels[begin..begin + len]);
                pairs.for_each(|(out, &label)| *out = table.get(label as usize).copied().unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl LabelFinish {
    /// Refuses to number more objects than the dtype has numbers for. Truth values have room for all they are asked.
    fn check_room(&self, rows: &[u8]) -> Result<()> {
        let bits = 8 * self.dtype.size() as u32 - u32::from(self.dtype.kind() == Kind::Signed);
        match words(rows).next() {
            Some(n) if self.dtype != DType::Bool && bits < 64 && n >> bits != 0 => Err(Error::invalid(format!(
                "label: there are {n} objects, more than {} can number; ask for a wider output, or leave it out",
                self.dtype
            ))),
            _ => Ok(()),
        }
    }
}

impl Op for LabelFinish {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let counts = blocks::cut(&ins[0].shape, &self.block)?.counts();
        if ins[0].dtype != DType::U32 || ins[1].shape != counts || !(self.dtype.is_exact()) {
            return Err(Error::internal("label_finish takes components and what they get"));
        }
        Ok(ins[0].clone().with_dtype(self.dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone(), ChunkGrid::even(&ins[0].shape, &self.block).touching(out)]
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let labels = ins[0].as_slice::<u32>().ok_or_else(lost)?;
        if self.dtype == DType::Bool {
            return self.fill(at, labels, out.as_slice_mut::<B8>().ok_or_else(lost)?, |v| B8(u8::from(v != 0)));
        }
        dispatch!(int self.dtype, T => self.fill(at, labels, out.as_slice_mut::<T>().ok_or_else(lost)?, |v| v as T),
            else Err(Error::internal("objects get whole numbers or truth values")))
    }
}
