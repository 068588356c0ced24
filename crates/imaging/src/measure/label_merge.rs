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
    /// Rows have a count for each component.
    pub counted: bool,
    /// Number of blocks along each axis.
    pub counts: Vec<usize>,
    /// Length of the last axis of the array.
    pub width: usize,
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
        Param { name: "counted", kind: "bool", default: None, doc: "rows have counts" },
        Param { name: "counts", kind: "list of int", default: None, doc: "number of blocks along each axis" },
        Param { name: "width", kind: "int", default: None, doc: "length of the last axis of the array" },
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
    /// Empty if nothing is counted.
    counts: Vec<u64>,
    sets: Sets,
}

impl Objects {
    fn read(at: &Place<'_>, shape: &[usize], counted: bool) -> Result<Objects> {
        let mut objects = Objects { base: vec![0], firsts: Vec::new(), counts: Vec::new(), sets: Sets::default() };
        for block in positions(shape) {
            let rows = at.rows.rows(0, &block)?;
            let (firsts, counts) = rows.split_at(if counted { rows.len() / 2 } else { rows.len() });
            objects.firsts.extend(words(firsts));
            objects.counts.extend(words(counts));
            objects.base.push(objects.firsts.len());
        }
        // Their rows alone would take 32 GiB.
        let n = u32::try_from(objects.firsts.len()).map_err(|_| {
            Error::invalid("label: there are more than 2^32 components in blocks; label parts of the array")
        })?;
        objects.sets = Sets::new(n);
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
    fn give(mut self, give: Give, width: usize) -> (Vec<u64>, u64) {
        let roots = self.sets.into_roots();
        for (k, root) in roots.iter().map(|&root| root as usize).enumerate().filter(|(k, root)| k != root) {
            self.firsts[root] = self.firsts[root].min(self.firsts[k]);
            if let Some(&count) = self.counts.get(k) {
                self.counts[root] += count;
            }
        }
        let n_objects = (0..).zip(&roots).filter(|(k, root)| k == *root).count() as u64;
        let mut given = match give {
            Give::Number => {
                let order = in_order(&self.firsts, &roots, width);
                // What is not needed any more makes room.
                self.firsts = Vec::new();
                let mut given = vec![0; roots.len()];
                order.iter().zip(1..).for_each(|(&k, number)| given[k as usize] = number);
                given
            }
            Give::AtLeast(least) => self.counts.iter().map(|&count| u64::from(count >= least)).collect(),
            Give::None => self.counts.iter().map(|&count| u64::from(count == 0)).collect(),
        };
        // The first of a set stands before the others.
        for (k, &root) in roots.iter().enumerate() {
            given[k] = given[root as usize];
        }
        (given, n_objects)
    }
}

/// Objects in the order of their first elements.
fn in_order(firsts: &[u64], roots: &[u32], width: usize) -> Vec<u32> {
    let objects = || (0..).zip(roots).filter(|(k, root)| k == *root).map(|(k, _)| k);
    let first = |k: &u32| firsts[*k as usize];
    let line = |k: u32| (firsts[k as usize] / width.max(1) as u64) as usize;
    let n_lines = objects().map(line).max().map_or(0, |line| line + 1);
    if n_lines > roots.len() / 4 {
        let mut order: Vec<u32> = objects().collect();
        order.sort_unstable_by_key(first);
        return order;
    }
    // Many objects on few lines: they are counted line by line. On one line, those of a block are in order, and so are the blocks; only an
    // object that was joined begins elsewhere than its block says, and may have to be moved to its place.
    let mut next = vec![0u32; n_lines + 1];
    objects().for_each(|k| next[line(k) + 1] += 1);
    (0..n_lines).for_each(|l| next[l + 1] += next[l]);
    let mut order = vec![0; next[n_lines] as usize];
    for k in objects() {
        let at = &mut next[line(k)];
        order[*at as usize] = k;
        *at += 1;
    }
    // Where a line begins, the one before it has ended.
    let mut begin = 0;
    for &end in &next[..n_lines] {
        let own = &mut order[begin as usize..end as usize];
        if !own.is_sorted_by_key(first) {
            own.sort_unstable_by_key(first);
        }
        begin = end;
    }
    order
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
        let mut objects = Objects::read(at, &self.counts, self.counted)?;
        let base = std::mem::take(&mut objects.base);
        let (given, n_objects) = objects.give(self.give, self.width);
        let mut number = 0;
        blocks::for_each(at.out, out, |block| {
            let own = &given[base[number]..base[number + 1]];
            number += 1;
            let mut bytes = Vec::with_capacity(8 * (own.len() + 1));
            [n_objects].iter().chain(own).for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
            at.rows.attach(block, bytes);
            Ok(own.len() as u64)
        })
    }
}
