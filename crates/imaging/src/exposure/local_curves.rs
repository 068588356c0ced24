//! `local_curves` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Idx, Region, Result, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::positions;
use crate::family::neighborhood::{Border, Halo};
use crate::family::window::strides;
use crate::filter::line::lost;
use crate::numeric::clahe;

/// Levels of brightness that curves lead to.
pub const GRAYS: usize = 1 << 14;

/// Nothing beyond the block itself.
const NONE: Halo = Halo { before: 0, after: 0 };

/// The curve of each block of an image.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalCurves {
    /// Lengths of a block.
    pub kernel: Vec<usize>,
    /// Number of bins.
    pub bins: usize,
    /// The largest share of a block that a bin may have.
    pub clip_limit: f64,
}

/// The op `local_curves`.
pub static DEF: OpDef = OpDef {
    name: "local_curves",
    theme: "exposure",
    summary: "Internal: the curve of brightness of each block of an image of bins.",
    doc: "",
    inputs: Inputs::Named(&["image"]),
    params: &[
        Param { name: "kernel", kind: "list of int", default: None, doc: "lengths of a block" },
        Param { name: "bins", kind: "int", default: None, doc: "number of bins" },
        Param { name: "clip_limit", kind: "float", default: None, doc: "largest share of a bin" },
    ],
    form: Form::Kernel,
    cost: 3.0,
    hold: true,
    build: params::build::<LocalCurves>,
    samples: || {
        vec![Sample {
            params: json!({"kernel": [4, 3], "bins": 101, "clip_limit": 0.2}),
            ins: vec![SampleInput::new(&[10, 11], DType::U16)],
        }]
    },
};

impl LocalCurves {
    /// The block at `at`, which reaches beyond the array.
    fn span(&self, axis: usize, begin: usize, end: usize, n: usize) -> (usize, usize) {
        Border::Mirror.span(begin * self.kernel[axis], end * self.kernel[axis], n, NONE)
    }

    /// Where the elements of a block lie along `axis` of a box that begins at `start`.
    fn sources(&self, axis: usize, block: usize, n: usize, start: usize) -> Vec<usize> {
        let k = self.kernel[axis];
        let inside = |at: usize| Border::Mirror.source(at as i64, n, NONE).unwrap_or(0) - start;
        (block * k..(block + 1) * k).map(inside).collect()
    }
}

impl Op for LocalCurves {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins[0].dtype != DType::U16 || ins[0].rank() != self.kernel.len() {
            return Err(Error::internal("curves are made from bins"));
        }
        let mut shape: Vec<usize> = ins[0].shape.iter().zip(&self.kernel).map(|(n, k)| n.div_ceil(*k)).collect();
        shape.push(self.bins);
        let mut meta = ArrayMeta::new(Idx::from_slice(&shape), DType::U16);
        let axes = shape.iter().enumerate().map(|(k, &n)| AxisCuts::even(n, if k < self.kernel.len() { 8 } else { n }));
        meta.grid = ChunkGrid { axes: axes.collect() };
        Ok(meta)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = self.kernel.len();
        let spans = (0..rank).map(|k| self.span(k, out.start[k], out.end(k), ins[0].shape[k]));
        let (start, shape): (Vec<usize>, Vec<usize>) = spans.map(|(begin, end)| (begin, end - begin)).unzip();
        if out.is_empty() {
            return vec![Region::new(Idx::from_slice(&start), Idx::from_elem(0, rank))];
        }
        vec![Region::new(Idx::from_slice(&start), Idx::from_slice(&shape))]
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        (self.kernel.iter().sum::<usize>() * 8 + self.bins * 16 + 1024) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (image, out) = (ins[0].as_slice::<u16>().ok_or_else(lost)?, out.as_slice_mut::<u16>().ok_or_else(lost)?);
        let (rank, read) = (self.kernel.len(), &at.reads[0]);
        let steps = strides(&read.shape);
        let (first, n_bins) = (at.out.start[rank], at.out.shape[rank]);
        let elements: usize = self.kernel.iter().product();
        for (block, curve) in positions(&at.out.shape[..rank]).zip(out.chunks_exact_mut(n_bins)) {
            let sources: Vec<Vec<usize>> = (0..rank)
                .map(|k| self.sources(k, at.out.start[k] + block[k], at.ins[0].shape[k], read.start[k]))
                .collect();
            let mut counts = vec![0i64; self.bins];
            clahe::count(image, &sources, &steps, &mut counts);
            clahe::clip(&mut counts, clahe::limit(self.clip_limit, elements));
            let whole = clahe::curve(&counts, elements, GRAYS - 1);
            curve.copy_from_slice(&whole[first..first + n_bins]);
        }
        Ok(())
    }
}
