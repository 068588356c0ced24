//! `map_labels`

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;

/// Other numbers for labels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapLabels {
    /// Element type of the result.
    pub dtype: DType,
}

/// The op `map_labels`.
pub static DEF: OpDef = OpDef {
    name: "map_labels",
    theme: "segment",
    summary: "Labels with other numbers, by a list of old and one of new ones.",
    doc: "A label that is not in the list of old ones stays as it is. The lists are int64, as long as each other, and read by every task.",
    inputs: Inputs::Named(&["labels", "old", "new"]),
    params: &[Param { name: "dtype", kind: "dtype", default: None, doc: "element type of the result" }],
    form: Form::Kernel,
    cost: 3.0,
    hold: false,
    build: params::build::<MapLabels>,
    samples: || {
        let one = |shape: &[usize], from, to: &str| Sample {
            params: json!({"dtype": to}),
            ins: vec![
                SampleInput::new(shape, from).between(0.0, 9.0),
                SampleInput::new(&[5], DType::I64).between(0.0, 9.0),
                SampleInput::new(&[5], DType::I64).between(0.0, 100.0),
            ],
        };
        vec![one(&[9, 12], DType::I32, "int64"), one(&[40], DType::U8, "uint16"), one(&[0, 3], DType::I64, "int32")]
    },
};

/// Old numbers up to this many times their count are looked up in a table.
const DENSE: usize = 8;

/// New numbers by old ones.
enum Lookup {
    /// From 0 on.
    Table(Vec<i64>),
    Map(HashMap<i64, i64>),
}

impl Lookup {
    fn new(old: &[i64], new: &[i64]) -> Lookup {
        let most = old.iter().copied().max().unwrap_or(-1);
        let dense = old.iter().all(|&v| v >= 0) && most < (DENSE * old.len() + 1024) as i64;
        if !dense {
            return Lookup::Map(old.iter().copied().zip(new.iter().copied()).collect());
        }
        let mut table: Vec<i64> = (0..=most).collect();
        old.iter().zip(new).for_each(|(&old, &new)| table[old as usize] = new);
        Lookup::Table(table)
    }

    fn get(&self, label: i64) -> i64 {
        match self {
            Lookup::Table(table) => usize::try_from(label).ok().and_then(|k| table.get(k)).copied().unwrap_or(label),
            Lookup::Map(map) => map.get(&label).copied().unwrap_or(label),
        }
    }
}

/// Neighbours are often equal: what was looked up last is looked up once.
fn run_as<A: Element, B: Element>(
    labels: &[A],
    lookup: &Lookup,
    out: &mut [B],
    wide: impl Fn(A) -> i64,
    narrow: impl Fn(i64) -> B,
) {
    let mut last: Option<(A, B)> = None;
    for (&label, out) in labels.iter().zip(out) {
        let found = match last {
            Some((same, found)) if same == label => found,
            _ => narrow(lookup.get(wide(label))),
        };
        last = Some((label, found));
        *out = found;
    }
}

impl Op for MapLabels {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let whole = |dtype: DType| dtype.is_exact() && dtype != DType::Bool;
        if !whole(ins[0].dtype) || !whole(self.dtype) {
            return Err(Error::invalid(format!("labels are not defined for {}; they are whole numbers", ins[0].dtype)));
        }
        let lists = ins[1..].iter().all(|meta| meta.rank() == 1 && meta.dtype == DType::I64);
        if !lists || ins[1].shape != ins[2].shape {
            return Err(Error::invalid("old and new labels are two lists of int64 of the same length"));
        }
        Ok(ins[0].clone().with_dtype(self.dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        vec![out.clone(), ins[1].whole(), ins[2].whole()]
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        // A table, or a map that grows.
        (ins[1].shape[0] * 8 * (DENSE + 6) + 16_384) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let lists = ins[1..].iter().map(|v| v.as_slice::<i64>().ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let lookup = Lookup::new(lists[0], lists[1]);
        dispatch!(int ins[0].dtype(), A => {
            let labels = ins[0].as_slice::<A>().ok_or_else(lost)?;
            dispatch!(int self.dtype, B => {
                run_as(labels, &lookup, out.as_slice_mut::<B>().ok_or_else(lost)?, |v| v.convert(), |v| v as B);
                Ok(())
            }, else Err(lost()))
        }, else Err(lost()))
    }
}
