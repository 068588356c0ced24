//! `watershed_tile`

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::neighbours::{Framed, Neighbours};
use crate::family::grid::Grid;
use crate::filter::line::lost;
use crate::measure::blocks;
use crate::numeric::basins::{self, Arrival};

/// Water that goes on within each block, from what the blocks around it have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatershedTile {
    /// Which neighbours are flooded: 3 positions per axis.
    pub connectivity: Grid,
    /// What is done.
    pub part: Part,
    /// Lengths of the blocks.
    pub block: Vec<usize>,
    /// Shape of the image.
    pub shape: Vec<usize>,
    /// The blocks of the result, which are asked for with every tile.
    #[serde(skip)]
    pub grid: OnceLock<ChunkGrid>,
}

/// What is done in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Water goes on from markers, and from the elements around the block.
    First,
    /// Water goes on from the elements around the block.
    Next,
    /// Elements get labels.
    Labels,
}

/// The op `watershed_tile`.
pub static DEF: OpDef = OpDef {
    name: "watershed_tile",
    theme: "segment",
    summary: "Internal: water that goes on within each block.",
    doc: "",
    inputs: Inputs::Named(&["arrivals", "heights"]),
    params: &[
        Param {
            name: "connectivity",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours are flooded",
        },
        Param { name: "part", kind: "string", default: None, doc: "first, next or labels" },
        Param { name: "block", kind: "list of int", default: None, doc: "lengths of the blocks" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the image" },
    ],
    form: Form::Kernel,
    cost: 300.0,
    hold: false,
    build: params::build::<WatershedTile>,
    samples: || {
        let one = |part: &str| Sample {
            params: json!({"connectivity": [[0, 1, 0], [1, 1, 1], [0, 1, 0]], "part": part, "block": [4, 5], "shape": [9, 11]}),
            ins: vec![
                SampleInput::new(&[4, 9, 11], DType::F64).between(0.0, 3.0),
                SampleInput::new(&[9, 11], DType::F64),
            ],
        };
        vec![one("first"), one("next"), one("labels")]
    },
};

/// Numbers of an arrival.
const PLANES: usize = 4;

impl WatershedTile {
    fn grid(&self) -> &ChunkGrid {
        self.grid.get_or_init(|| {
            let block: Vec<usize> = std::iter::once(PLANES).chain(self.block.iter().map(|&n| n.max(1))).collect();
            let shape: Vec<usize> = std::iter::once(PLANES).chain(self.shape.iter().copied()).collect();
            ChunkGrid::even(&shape, &block)
        })
    }

    fn neighbours(&self) -> Result<Neighbours> {
        Neighbours::new(&self.connectivity, &vec![1; self.shape.len()], self.shape.len())
    }

    /// A box and the elements around it, without the axis of numbers.
    fn around(&self, out: &Region) -> Region {
        let bounds = out.bounds().zip(&self.shape);
        Region::from_bounds(
            bounds.map(|((begin, end), &n)| (begin.saturating_sub(1), (end + 1).min(n))).collect::<Vec<_>>(),
        )
    }

    fn block(&self, block: &Region, read: &Region, planes: &[f64], heights: &[f64], out: &mut [f64]) -> Result<()> {
        let margin = vec![1; block.rank()];
        let framed = Framed { block, margin: &margin };
        let shape = framed.shape();
        let size = shape.iter().product();
        let (mut arrivals, mut ground) = (vec![Arrival::NEVER; size], vec![f64::INFINITY; size]);
        let width = |region: &Region| region.shape.last().copied().unwrap_or(1);
        let known = read.size();
        framed.lines(read, |from, to| {
            for x in 0..width(read) {
                let numbers = [0, 1, 2, 3].map(|plane| planes[plane * known + from + x]);
                arrivals[to + x] = Arrival::from_planes(numbers);
            }
        });
        framed.lines(block, |from, to| {
            ground[to..to + width(block)].copy_from_slice(&heights[from..from + width(block)]);
        });
        let steps: Vec<isize> = self.neighbours()?.flat(&shape).into_iter().filter(|&step| step != 0).collect();
        if self.part == Part::Labels {
            basins::label(&mut arrivals, &ground, &steps);
        } else {
            let around = |at: usize| self.part == Part::First || ground[at] == f64::INFINITY;
            let fronts: Vec<usize> = (0..size).filter(|&at| arrivals[at].is_there() && around(at)).collect();
            basins::spread(&mut arrivals, &ground, &steps, fronts.into_iter());
        }
        let n = block.size();
        framed.lines(block, |to, from| {
            for x in 0..width(block) {
                let numbers = arrivals[from + x].to_planes();
                (0..PLANES).for_each(|plane| out[plane * n + to + x] = numbers[plane]);
            }
        });
        Ok(())
    }
}

/// A box without its first axis.
fn inner(region: &Region) -> Region {
    Region::from_bounds(region.bounds().skip(1).collect::<Vec<_>>())
}

/// A box with all numbers of its elements.
fn outer(region: &Region) -> Region {
    Region::from_bounds(std::iter::once((0, PLANES)).chain(region.bounds()).collect::<Vec<_>>())
}

impl Op for WatershedTile {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        blocks::cut(&self.shape, &self.block)?;
        self.neighbours()?;
        let suits = ins[0].rank() == self.shape.len() + 1
            && ins[0].shape[0] == PLANES
            && ins[0].shape[1..] == self.shape[..]
            && ins[1].shape[..] == self.shape[..];
        if !suits || ins.iter().any(|meta| meta.dtype != DType::F64) {
            return Err(Error::internal("water takes four numbers for each element of an image"));
        }
        Ok(ArrayMeta::new(&ins[0].shape, DType::F64).with_grid(self.grid().clone()))
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.grid())
    }

    fn reads(&self, out: &Region, _ins: &[&ArrayMeta]) -> Vec<Region> {
        if out.is_empty() {
            let none = inner(out).with_axis(0, 0, 0);
            return vec![out.clone(), none];
        }
        let own = inner(out);
        vec![outer(&self.around(&own)), own]
    }

    fn scratch(&self, out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let Ok(neighbours) = self.neighbours() else { return 0 };
        let block = self.block.iter().zip(&out.shape[1..]).map(|(&b, &n)| b.min(n) + 2);
        let padded = block.product::<usize>();
        // The box with its margin, copies where a box has several blocks, the block itself, fronts and what spreading takes.
        (padded * (size_of::<Arrival>() + 8 + 16) + (reads[0].size() + 2 * out.size()) * 8) as u64
            + basins::scratch(padded, neighbours.steps.len())
            + 4096
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        for number in self.grid().numbers_touching(at.out) {
            let whole = self.grid().region(number);
            let block = inner(&whole);
            let read = self.around(&block);
            let mut made = voxmill_core::Chunk::new(&whole.shape, DType::F64)?;
            blocks::with_part(&ins[0], &outer(&read).relative_to(&at.reads[0].start), |planes| {
                blocks::with_part(&ins[1], &block.relative_to(&at.reads[1].start), |heights| {
                    let planes = planes.as_slice::<f64>().ok_or_else(lost)?;
                    let heights = heights.as_slice::<f64>().ok_or_else(lost)?;
                    let mut made = made.view_mut()?;
                    self.block(&block, &read, planes, heights, made.as_slice_mut::<f64>().ok_or_else(lost)?)
                })
            })?;
            made.view().copy_to(&mut out.part(&whole.relative_to(&at.out.start)))?;
        }
        Ok(())
    }
}
