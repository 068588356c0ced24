//! `select_count` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::part::{AXES, blocks_meta, check_axes};
use crate::family::params;
use crate::family::reduce::select::Picks;
use crate::family::reduce::shapes::grouped_reads;
use crate::family::reduce::walk::{Blocks, Lanes};
use crate::numeric::order::{Digits, Ordered};

/// How often each value of a digit occurs in each block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SelectCount {
    /// Reduced axes, rising.
    pub axes: Vec<usize>,
    /// Length of a block along each of them.
    pub block: Vec<usize>,
    /// Bits of the digit.
    pub bits: u32,
    /// Bits below the digit.
    pub shift: u32,
}

/// Bits of a digit.
pub const BITS: Param = Param { name: "bits", kind: "int", default: None, doc: "bits of the digit" };

/// The op `select_count`.
pub static DEF: OpDef = OpDef {
    name: "select_count",
    theme: "reduce",
    summary: "Internal: counts a digit of the elements of each block.",
    doc: "Internal. A pass of quantile over an array that does not fit into memory: without picks all elements are counted, and NaNs in a \
          last word; with picks those that begin like a wanted element.",
    inputs: Inputs::Many("x, then picks"),
    params: &[
        AXES,
        Param { name: "block", kind: "list of int", default: None, doc: "length of a block along each reduced axis" },
        BITS,
        Param { name: "shift", kind: "int", default: None, doc: "bits below the digit" },
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: true,
    build: params::build::<SelectCount>,
    samples: || {
        let one = |axes: &[usize], block: &[usize], bits: u32, shift: u32, dtype| Sample {
            params: json!({"axes": axes, "block": block, "bits": bits, "shift": shift}),
            ins: vec![SampleInput::new(&[5, 7, 3], dtype)],
        };
        let mut later = one(&[0, 2], &[2, 3], 4, 0, DType::U8);
        later.ins.push(SampleInput::new(&[1, 7, 1, Picks::words(2)], DType::U64).between(0.0, 6.0));
        vec![
            one(&[0, 1, 2], &[2, 3, 3], 8, 0, DType::I8),
            one(&[1], &[4], 5, 27, DType::F32),
            one(&[0, 2], &[5, 2], 6, 58, DType::F64),
            later,
        ]
    },
};

impl SelectCount {
    fn words(&self, ins: &[&ArrayMeta]) -> usize {
        match ins.get(1) {
            None => (1 << self.bits) + 1,
            Some(picks) => ((picks.shape[picks.rank() - 1] - 2) / 2) << self.bits,
        }
    }
}

impl Op for SelectCount {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        check_axes(&self.axes, &self.block, ins[0].rank())?;
        let width = 8 * ins[0].dtype.size() as u32;
        if self.bits == 0 || self.bits > 24 || self.bits + self.shift > width || ins.len() > 2 {
            return Err(Error::invalid(format!(
                "{} has no digit of {} bits at {}",
                ins[0].dtype, self.bits, self.shift
            )));
        }
        Ok(blocks_meta(ins[0], &self.axes, &self.block, self.words(ins)))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = ins[0].rank();
        let mut reads = vec![grouped_reads(out, &ins[0].shape, &self.axes, &self.block)];
        if let Some(picks) = ins.get(1) {
            let mut read = Region::new(&out.start[..rank], &out.shape[..rank]);
            for &axis in &self.axes {
                read = read.with_axis(axis, 0, usize::from(!out.is_empty()));
            }
            read.start.push(0);
            read.shape.push(picks.shape[rank]);
            reads.push(read);
        }
        reads
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.words(ins) as u64 * 8
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let dtype = at.ins[0].dtype;
        dispatch!(int dtype, T => self.count::<T>(at, ins, out), else match dtype {
            DType::F32 => self.count::<f32>(at, ins, out),
            DType::F64 => self.count::<f64>(at, ins, out),
            _ => Err(Error::internal(format!("{dtype} has no digits"))),
        })
    }
}

impl SelectCount {
    fn count<T: Ordered>(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()>
    where
        T::Key: Digits,
    {
        let rank = at.ins[0].rank();
        let (first, n) = (at.out.start[rank], at.out.shape[rank]);
        let slice = if ins[0].size() == 0 { Some(&[][..]) } else { ins[0].as_slice::<T>() };
        let (Some(x), Some(out)) = (slice, out.as_slice_mut::<u64>()) else {
            return Err(Error::internal("digits of another dtype"));
        };
        let picks: &[u64] = ins.get(1).and_then(View::as_slice).unwrap_or_default();
        let words = at.ins.get(1).map_or(0, |picks| picks.shape[rank]);
        let blocks = Blocks { read: &at.reads[0], shape: &at.ins[0].shape, axes: &self.axes, block: &self.block };
        let lanes = Lanes::new(&blocks);
        let mut counts = vec![0u64; self.words(at.ins)];
        for k in 0..lanes.n() {
            counts.fill(0);
            if words == 0 {
                lanes.for_each_run(k, |start, len| self.count_all(&x[start..start + len], &mut counts));
            } else {
                let from = kept_index(k, &at.out.shape[..rank], &self.axes) * words;
                let picks = Picks(&picks[from..from + words]);
                let wanted: Vec<(u64, usize)> =
                    (0..picks.n()).filter(|&r| picks.slot(r) == r).map(|r| (picks.prefix(r), r)).collect();
                lanes.for_each_run(k, |start, len| self.count_like(&x[start..start + len], &wanted, &mut counts));
            }
            out[k * n..(k + 1) * n].copy_from_slice(&counts[first..first + n]);
        }
        Ok(())
    }

    /// Counts the leading digit of all elements, and NaNs.
    fn count_all<T: Ordered>(&self, x: &[T], counts: &mut [u64])
    where
        T::Key: Digits,
    {
        let nan = 1 << self.bits;
        for v in x {
            let at = if v.unordered() { nan } else { (v.key().digits() >> self.shift) as usize };
            counts[at] += 1;
        }
    }

    /// Counts the digit of elements that begin like a wanted one.
    fn count_like<T: Ordered>(&self, x: &[T], wanted: &[(u64, usize)], counts: &mut [u64])
    where
        T::Key: Digits,
    {
        let mask = (1u64 << self.bits) - 1;
        for v in x.iter().filter(|v| !v.unordered()) {
            let digits = v.key().digits() >> self.shift;
            for &(prefix, slot) in wanted {
                if digits >> self.bits == prefix {
                    counts[(slot << self.bits) + (digits & mask) as usize] += 1;
                }
            }
        }
    }
}

/// The C-order index over the kept axes of position `k` in a box of `shape`.
fn kept_index(mut k: usize, shape: &[usize], axes: &[usize]) -> usize {
    let (mut index, mut stride) = (0, 1);
    for (axis, &n) in shape.iter().enumerate().rev() {
        if !axes.contains(&axis) {
            index += k % n * stride;
            stride *= n;
        }
        k /= n;
    }
    index
}
