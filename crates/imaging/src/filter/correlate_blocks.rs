//! `correlate_blocks` (internal)

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Idx, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::line::{lost, reach};
use crate::family::grid::{Grid, positions};
use crate::family::neighborhood::Border;
use crate::family::window::{Window, each_row, strides};
use crate::numeric::spectra::{Blocks, Transform};
use crate::numeric::stencil::{self, Tap};

/// Weighted sums over windows of all axes by Fourier transforms. Blocks of the result lie on a grid that begins with the array, so that
/// an element is computed from the same numbers whatever box is asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrelateBlocks {
    /// The weights.
    pub weights: Grid,
    /// What lies beyond the border.
    pub mode: Vec<Border>,
    /// The constant there.
    pub cval: Scalar,
    /// How far the window is moved.
    pub origin: Vec<i64>,
}

/// The op `correlate_blocks`.
pub static DEF: OpDef = OpDef {
    name: "correlate_blocks",
    theme: "filter",
    summary: "Internal: weighted sums by Fourier transforms of blocks.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "weights", kind: "nested list of float", default: None, doc: "the weights" },
        Param { name: "mode", kind: "list of string", default: None, doc: "what lies beyond the border" },
        Param { name: "cval", kind: "number", default: None, doc: "the constant there" },
        Param { name: "origin", kind: "list of int", default: None, doc: "how far the window is moved" },
    ],
    form: Form::Kernel,
    cost: 60.0,
    hold: false,
    build: params::build::<CorrelateBlocks>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
        let weights = json!([[1, 2, 3], [4, 0, -6]]);
        vec![
            one(
                json!({"weights": weights, "mode": ["reflect", "constant"], "cval": 2, "origin": [0, 1]}),
                &[19, 40],
                DType::F64,
            ),
            one(
                json!({"weights": weights, "mode": ["valid", "nearest"], "cval": 0, "origin": [-1, 0]}),
                &[30, 21],
                DType::F32,
            ),
            one(
                json!({"weights": [[weights]], "mode": ["mirror", "mirror", "mirror", "wrap"], "cval": 0, "origin": [0, 0, 0, 0]}),
                &[2, 3, 4, 12],
                DType::F64,
            ),
        ]
    },
};

impl CorrelateBlocks {
    /// Whether transforms are worth it for an array of this shape.
    pub fn pays(weights: &Grid, shape: &[usize]) -> bool {
        let taps = weights.taps().count() as f64;
        taps > 64.0 && Blocks::new(&weights.shape, shape).cost() < DIRECT * taps
    }

    fn window(&self) -> Window {
        let halos = self.weights.shape.iter().zip(&self.origin).map(|(&n, &origin)| reach(n, origin)).collect();
        Window { halos, modes: self.mode.clone() }
    }

    fn blocks(&self, input: &ArrayMeta) -> Blocks {
        Blocks::new(&self.weights.shape, &input.shape)
    }

    /// All blocks that `out` touches.
    fn whole_blocks(&self, out: &Region, input: &ArrayMeta) -> Region {
        let whole = self.window().infer(input).shape;
        let block = self.blocks(input).block();
        (0..out.rank()).fold(out.clone(), |region, axis| {
            let (begin, end) =
                (out.start[axis] / block[axis] * block[axis], out.end(axis).next_multiple_of(block[axis]));
            region.with_axis(axis, begin, end.min(whole[axis]) - begin)
        })
    }
}

/// Nanoseconds per weight and element of the plain loop.
const DIRECT: f64 = 0.35;

/// Copies a box out of a larger one (or into it), row by row.
fn copy_rows(shape: &[usize], from: (&[f64], &[usize], usize), to: (&mut [f64], &[usize], usize)) {
    let (source, source_shape, source_first) = from;
    let (target, target_shape, target_first) = to;
    let width = shape.last().copied().unwrap_or(1);
    let mut starts = Vec::with_capacity(shape.iter().product::<usize>() / width.max(1));
    each_row(shape, source_shape, |_, at| starts.push(at));
    let mut starts = starts.into_iter();
    each_row(shape, target_shape, |_, at| {
        if let Some(start) = starts.next() {
            let (a, b) = (source_first + start, target_first + at);
            target[b..b + width].copy_from_slice(&source[a..a + width]);
        }
    });
}

fn place(at: &[usize], steps: &[usize]) -> usize {
    at.iter().zip(steps).map(|(a, s)| a * s).sum()
}

impl CorrelateBlocks {
    /// The sums of all blocks of a box, from the box with its border.
    fn sums(&self, blocks: &Blocks, region: &Region, padded: &[f64], padded_shape: &[usize]) -> Result<Vec<f64>> {
        let (lengths, block, shape) = (&blocks.lengths, blocks.block(), &region.shape);
        let mut box_of_weights = vec![0.0; blocks.size()];
        copy_rows(
            &self.weights.shape,
            (&self.weights.values, &self.weights.shape, 0),
            (&mut box_of_weights, lengths, 0),
        );
        let mut transform = Transform::new(blocks, &box_of_weights)?;
        drop(box_of_weights);
        let steps = strides(padded_shape);
        let taps: Vec<Tap<f64>> =
            self.weights.taps().map(|(at, weight)| Tap { offset: place(&at, &steps), weight }).collect();
        let (mut sums, mut values) = (vec![0.0; region.size()], vec![0.0; blocks.size()]);
        let counts: Vec<usize> = shape.iter().zip(&block).map(|(n, b)| n.div_ceil(*b)).collect();
        for index in positions(&counts) {
            let first: Vec<usize> = index.iter().zip(&block).map(|(k, b)| k * b).collect();
            let results: Vec<usize> = (0..shape.len()).map(|k| block[k].min(shape[k] - first[k])).collect();
            let inputs: Vec<usize> = results.iter().zip(&self.weights.shape).map(|(n, w)| n + w - 1).collect();
            let (from, to) = (place(&first, &steps), place(&first, &strides(shape)));
            values.fill(0.0);
            copy_rows(&inputs, (padded, padded_shape, from), (&mut values, lengths, 0));
            if values.iter().all(|v| v.is_finite()) {
                transform.correlate(&mut values)?;
                copy_rows(&results, (&values, lengths, 0), (&mut sums, shape, to));
            } else {
                // A transform would spread what is not finite over the whole block.
                let mut plain = vec![0.0; results.iter().product()];
                stencil::correlate(&padded[from..], padded_shape, &taps, &results, &mut plain);
                copy_rows(&results, (&plain, &results, 0), (&mut sums, shape, to));
            }
        }
        Ok(sums)
    }
}

impl Op for CorrelateBlocks {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        let (dtype, rank) = (ins[0].dtype, ins[0].rank());
        let fits = [self.weights.shape.len(), self.mode.len(), self.origin.len()].iter().all(|&n| n == rank);
        if !fits || rank == 0 || !matches!(dtype, DType::F32 | DType::F64) {
            return Err(Error::internal("weights over all axes of an array of floats are needed"));
        }
        Ok(self.window().infer(ins[0]).with_dtype(dtype))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            return vec![Region::new(&out.start, Idx::from_elem(0, out.rank()))];
        }
        vec![self.window().reads(&self.whole_blocks(out, ins[0]), ins[0])]
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        if out.is_empty() {
            return 0;
        }
        let (region, blocks) = (self.whole_blocks(out, ins[0]), self.blocks(ins[0]));
        let elements = reads[0].size() + self.window().padded_len(&region) + region.size() + 3 * blocks.size();
        8 * elements as u64 + blocks.bytes() + 64 * self.weights.values.len() as u64
    }

    fn work(&self, _out: &Region, reads: &[&Region]) -> f64 {
        let read = reads.first().map_or(0, |read| read.size());
        read as f64 * Blocks::new(&self.weights.shape, &vec![usize::MAX / 4; self.weights.shape.len()]).cost()
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let wide: Vec<f64> = match ins[0].dtype() {
            DType::F32 => ins[0].as_slice::<f32>().ok_or_else(lost)?.iter().map(|&v| f64::from(v)).collect(),
            _ => ins[0].as_slice::<f64>().ok_or_else(lost)?.to_vec(),
        };
        let (window, region) = (self.window(), self.whole_blocks(at.out, at.ins[0]));
        let padded = window.padded(&wide, &at.reads[0], &region, &at.ins[0].shape, self.cval.to_f64());
        let sums = self.sums(&self.blocks(at.ins[0]), &region, &padded, &window.padded_shape(&region))?;
        let from: Vec<usize> = (0..region.rank()).map(|k| at.out.start[k] - region.start[k]).collect();
        let first = place(&from, &strides(&region.shape));
        let width = at.out.shape[at.out.rank() - 1];
        match out.dtype() {
            DType::F32 => {
                let out = out.as_slice_mut::<f32>().ok_or_else(lost)?;
                each_row(&at.out.shape, &region.shape, |to, row| {
                    let row = &sums[first + row..first + row + width];
                    out[to..to + width].iter_mut().zip(row).for_each(|(out, sum)| *out = *sum as f32);
                });
            }
            _ => {
                let out = out.as_slice_mut::<f64>().ok_or_else(lost)?;
                each_row(&at.out.shape, &region.shape, |to, row| {
                    out[to..to + width].copy_from_slice(&sums[first + row..first + row + width]);
                });
            }
        }
        Ok(())
    }
}
