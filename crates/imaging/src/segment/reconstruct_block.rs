//! `reconstruct_block`

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Element, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::neighbours::{Framed, Neighbours};
use crate::family::grid::Grid;
use crate::filter::line::lost;
use crate::measure::blocks;
use crate::numeric::reconstruct::{self, Spread};

/// Values that spread within each block, from what the blocks around it have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReconstructBlock {
    /// Which neighbours values spread to.
    pub footprint: Grid,
    /// The middle of the footprint.
    pub offset: Vec<usize>,
    /// Low values spread, and stay above the mask.
    pub erosion: bool,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Shape of the array.
    pub shape: Vec<usize>,
    /// The blocks, which are asked for with every tile.
    #[serde(skip)]
    pub grid: OnceLock<ChunkGrid>,
}

/// The op `reconstruct_block`.
pub static DEF: OpDef = OpDef {
    name: "reconstruct_block",
    theme: "segment",
    summary: "Internal: values that spread within each block, limited by a mask.",
    doc: "",
    inputs: Inputs::Named(&["seed", "mask"]),
    params: &[
        Param {
            name: "footprint",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours values spread to",
        },
        Param { name: "offset", kind: "list of int", default: None, doc: "the middle of the footprint" },
        Param { name: "erosion", kind: "bool", default: None, doc: "low values spread" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the array" },
    ],
    form: Form::Kernel,
    cost: 40.0,
    hold: false,
    build: params::build::<ReconstructBlock>,
    samples: || {
        let one = |footprint: Value, offset: &[usize], erosion: bool, block: &[usize], shape: &[usize], dtype| Sample {
            params: json!({"footprint": footprint, "offset": offset, "erosion": erosion, "block": block, "shape": shape}),
            ins: vec![SampleInput::new(shape, dtype), SampleInput::new(shape, dtype)],
        };
        vec![
            one(json!("square(3)"), &[1, 1], false, &[4, 3], &[9, 11], DType::F64),
            one(json!([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), &[1, 1], true, &[9, 11], &[9, 11], DType::F32),
            one(json!([1, 1, 0, 1]), &[2], false, &[5], &[23], DType::F64),
        ]
    },
};

impl ReconstructBlock {
    fn grid(&self) -> &ChunkGrid {
        self.grid.get_or_init(|| {
            let block: Vec<usize> = self.block.iter().map(|&n| n.max(1)).collect();
            ChunkGrid::even(&self.shape, &block)
        })
    }

    fn neighbours(&self) -> Result<Neighbours> {
        Neighbours::new(&self.footprint, &self.offset, self.shape.len())
    }

    /// The box from which values spread into `out`: an element is reached from those that lie a step before it.
    fn around(&self, out: &Region, shape: &[usize]) -> Result<Region> {
        let Neighbours { before, after, .. } = self.neighbours()?;
        let bounds = out.bounds().enumerate();
        let bounds = bounds.map(|(k, (begin, end))| (begin.saturating_sub(after[k]), (end + before[k]).min(shape[k])));
        Ok(Region::from_bounds(bounds.collect::<Vec<_>>()))
    }

    fn block<T: Element + PartialOrd + std::ops::Neg<Output = T>>(
        &self,
        block: &Region,
        read: &Region,
        (seed, mask): (&[T], &[T]),
        lowest: T,
        out: &mut [T],
    ) -> Result<()> {
        let neighbours = self.neighbours()?;
        let margin = neighbours.margin();
        let framed = Framed { block, margin: &margin };
        let shape = framed.shape();
        let inner: Vec<(usize, usize)> = block.shape.iter().zip(&margin).map(|(&n, &m)| (m, m + n)).collect();
        let turned = |v: T| if self.erosion { -v } else { v };
        let mut values = vec![lowest; shape.iter().product()];
        let width = |region: &Region| region.shape.last().copied().unwrap_or(1);
        framed.lines(read, |from, to| {
            let line = values[to..].iter_mut().zip(&seed[from..from + width(read)]);
            line.for_each(|(value, &v)| *value = turned(v));
        });
        // In the margin, values stay what they are.
        let mut most = values.clone();
        framed.lines(block, |from, to| {
            let line = most[to..].iter_mut().zip(&mask[from..from + width(block)]);
            line.for_each(|(most, &v)| *most = turned(v));
        });
        let steps: Vec<isize> = neighbours.flat(&shape).into_iter().filter(|&step| step != 0).collect();
        Spread { values: &mut values, most: &most, shape: &shape, inner: &inner, steps: &steps }.run();
        framed.lines(block, |to, from| {
            let line = out[to..to + width(block)].iter_mut().zip(&values[from..]);
            line.for_each(|(out, &v)| *out = turned(v));
        });
        Ok(())
    }

    fn run_as<T: Element + PartialOrd + std::ops::Neg<Output = T>>(
        &self,
        at: &Place<'_>,
        ins: &[View<'_>],
        out: &mut ViewMut<'_>,
        lowest: T,
    ) -> Result<()> {
        for number in self.grid().numbers_touching(at.out) {
            let block = self.grid().region(number);
            let read = self.around(&block, &self.shape)?;
            let mut made = voxmill_core::Chunk::new(&block.shape, out.dtype())?;
            blocks::with_part(&ins[0], &read.relative_to(&at.reads[0].start), |seed| {
                blocks::with_part(&ins[1], &block.relative_to(&at.reads[1].start), |mask| {
                    let (seed, mask) = (seed.as_slice::<T>().ok_or_else(lost)?, mask.as_slice::<T>().ok_or_else(lost)?);
                    let mut made = made.view_mut()?;
                    self.block(&block, &read, (seed, mask), lowest, made.as_slice_mut::<T>().ok_or_else(lost)?)
                })
            })?;
            made.view().copy_to(&mut out.part(&block.relative_to(&at.out.start)))?;
        }
        Ok(())
    }
}

impl Op for ReconstructBlock {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let grid = blocks::cut(&ins[0].shape, &self.block)?;
        self.neighbours()?;
        let dtype = ins[0].dtype;
        if ins[0].shape != ins[1].shape || ins[0].shape[..] != self.shape[..] || dtype != ins[1].dtype {
            return Err(Error::invalid(format!(
                "the seed has shape {:?}, the mask {:?}; they must be equal",
                ins[0].shape, ins[1].shape
            )));
        }
        if !matches!(dtype, DType::F32 | DType::F64) {
            return Err(Error::internal("values spread as float32 or float64"));
        }
        Ok(ArrayMeta::new(&ins[0].shape, dtype).with_grid(grid))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.grid())
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let around = self.around(out, &ins[0].shape).unwrap_or_else(|_| ins[0].whole());
        vec![if out.is_empty() { out.clone() } else { around }, out.clone()]
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let Ok(neighbours) = self.neighbours() else { return 0 };
        let block = self.block.iter().zip(&out.shape).map(|(&b, &n)| b.min(n));
        let shape: Vec<usize> = block.zip(neighbours.margin()).map(|(n, m)| n + 2 * m).collect();
        let size = ins[0].dtype.size() as u64;
        let padded = shape.iter().product::<usize>() as u64;
        // The box with its margin twice, copies where a box has several blocks, the block itself, and what spreading takes.
        (padded * 2 + (reads[0].size() + 2 * out.size()) as u64) * size + reconstruct::scratch(&shape) + 4096
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        match out.dtype() {
            DType::F32 => self.run_as::<f32>(at, ins, out, f32::NEG_INFINITY),
            _ => self.run_as::<f64>(at, ins, out, f64::NEG_INFINITY),
        }
    }
}
