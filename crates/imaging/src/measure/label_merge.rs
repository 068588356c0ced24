//! `label_merge` (internal)

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place};

use super::blocks;
use super::label_rows::words;
use super::label_seams::Touch;
use crate::family::grid::positions;
use crate::numeric::components::Sets;

/// What the components of all blocks get when they are joined to objects.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelMerge {
    /// What an object gets.
    pub give: Give,
    /// Number of blocks along each axis.
    pub counts: Vec<usize>,
    /// The blocks of the result: all at once.
    #[serde(skip)]
    pub whole: OnceLock<ChunkGrid>,
}

/// What an object gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Give {
    /// A number from 1 on, in the order of first elements.
    Number,
    /// 1 if its count is at least this, else 0.
    AtLeast(u64),
    /// 1 if nothing was counted, else 0.
    None,
}

/// The op `label_merge`.
pub static DEF: OpDef = OpDef {
    name: "label_merge",
    theme: "measure",
    summary: "Internal: what each component gets once those that touch are joined.",
    doc: "",
    inputs: Inputs::Many("rows, and pairs of components that touch"),
    params: &[
        Param { name: "give", kind: "string", default: None, doc: "number, at_least or none" },
        Param { name: "counts", kind: "list of int", default: None, doc: "number of blocks along each axis" },
    ],
    form: Form::Kernel,
    cost: 1000.0,
    hold: true,
    build: params::build::<LabelMerge>,
    samples: Vec::new,
};

/// Components of all blocks, numbered through.
struct Objects {
    /// Where the components of each block begin.
    base: Vec<usize>,
    firsts: Vec<u64>,
    counts: Vec<u64>,
    sets: Sets,
}

impl Objects {
    fn read(at: &Place<'_>, shape: &[usize]) -> Result<Objects> {
        let mut objects = Objects { base: vec![0], firsts: Vec::new(), counts: Vec::new(), sets: Sets::default() };
        for block in positions(shape) {
            let rows = at.rows.rows(0, &block)?;
            let (firsts, counts) = rows.split_at(rows.len() / 2);
            objects.firsts.extend(words(firsts));
            objects.counts.extend(words(counts));
            objects.base.push(objects.firsts.len());
        }
        objects.sets = Sets::new(objects.firsts.len());
        for input in 1..at.ins.len() {
            for block in positions(shape) {
                let rows = at.rows.rows(input, &block)?;
                rows.chunks_exact(Touch::BYTES).map(Touch::from_bytes).try_for_each(|touch| objects.join(touch))?;
            }
        }
        Ok(objects)
    }

    fn join(&mut self, touch: Touch) -> Result<()> {
        let find = |(block, label): (u64, u32)| {
            let base = self.base.get(block as usize)? + (label as usize).checked_sub(1)?;
            (base < self.firsts.len()).then_some(base)
        };
        let (Some(one), Some(other)) = (find(touch.one), find(touch.other)) else {
            return Err(Error::internal("a component that touches another is not there"));
        };
        self.sets.join(one, other);
        Ok(())
    }

    /// What each component gets, and the number of objects.
    fn give(&mut self, give: Give) -> (Vec<u64>, u64) {
        let roots: Vec<usize> = (0..self.firsts.len()).map(|k| self.sets.root(k)).collect();
        for (k, &root) in roots.iter().enumerate().filter(|(k, root)| k != *root) {
            self.firsts[root] = self.firsts[root].min(self.firsts[k]);
            self.counts[root] += self.counts[k];
        }
        let mut order: Vec<usize> = (0..roots.len()).filter(|&k| roots[k] == k).collect();
        // Those of one block are in order already, which a stable sort makes use of.
        order.sort_by_key(|&k| self.firsts[k]);
        let mut given = vec![0; roots.len()];
        for (number, &root) in order.iter().enumerate() {
            given[root] = match give {
                Give::Number => number as u64 + 1,
                Give::AtLeast(least) => u64::from(self.counts[root] >= least),
                Give::None => u64::from(self.counts[root] == 0),
            };
        }
        let all = roots.iter().map(|&root| given[root]).collect();
        (all, order.len() as u64)
    }
}

impl Op for LabelMerge {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins.is_empty() || ins.iter().any(|m| m.shape[..] != self.counts[..] || m.dtype != DType::U64) {
            return Err(Error::internal("label_merge takes what is known of blocks"));
        }
        Ok(ArrayMeta::new(&self.counts, DType::U64))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.whole.get_or_init(|| ChunkGrid::single(&self.counts)))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn scratch(&self, out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        // What is made of rows is counted with them.
        out.size() as u64 * (blocks::PER_BLOCK + 64)
    }

    /// Rows: the number of all objects, then what each component of the block gets.
    fn run(&self, at: &Place<'_>, _ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let mut objects = Objects::read(at, &self.counts)?;
        let (given, n_objects) = objects.give(self.give);
        let mut number = 0;
        blocks::for_each(at.out, out, |block| {
            let own = &given[objects.base[number]..objects.base[number + 1]];
            number += 1;
            let mut bytes = Vec::with_capacity(8 * (own.len() + 1));
            [n_objects].iter().chain(own).for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
            at.rows.attach(block, bytes);
            Ok(own.len() as u64)
        })
    }
}
