//! `watershed_block`

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, ChunkGrid, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::neighbours::Neighbours;
use crate::family::grid::{Grid, positions};
use crate::family::window::strides;
use crate::filter::line::lost;
use crate::numeric::flood::{self, Flood};

/// Regions that grow from markers over the whole array, in one task.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatershedBlock {
    /// Which neighbours are flooded.
    pub connectivity: Grid,
    /// The middle of the neighbourhood.
    pub offset: Vec<usize>,
    /// How much the distance from the marker counts.
    pub compactness: f64,
    /// Leave a line between regions.
    pub watershed_line: bool,
    /// Shape of the array.
    pub shape: Vec<usize>,
    /// The only block, which is asked for with every tile.
    #[serde(skip)]
    pub grid: OnceLock<ChunkGrid>,
}

/// The op `watershed_block`.
pub static DEF: OpDef = OpDef {
    name: "watershed_block",
    theme: "segment",
    summary: "Internal: regions that grow from markers, in one task.",
    doc: "",
    inputs: Inputs::Named(&["image", "markers", "mask"]),
    params: &[
        Param {
            name: "connectivity",
            kind: "nested list of 0 and 1",
            default: None,
            doc: "which neighbours are flooded",
        },
        Param { name: "offset", kind: "list of int", default: None, doc: "the middle of the neighbourhood" },
        Param {
            name: "compactness",
            kind: "float",
            default: None,
            doc: "how much the distance from the marker counts",
        },
        Param { name: "watershed_line", kind: "bool", default: None, doc: "leave a line between regions" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the array" },
    ],
    form: Form::Kernel,
    cost: 300.0,
    hold: true,
    build: params::build::<WatershedBlock>,
    samples: || {
        let one = |compactness: f64, line: bool, dtype| Sample {
            params: json!({"connectivity": [[0, 1, 0], [1, 1, 1], [0, 1, 0]], "offset": [1, 1], "compactness": compactness,
                "watershed_line": line, "shape": [9, 11]}),
            ins: vec![
                SampleInput::new(&[9, 11], DType::F64),
                SampleInput::new(&[9, 11], dtype).between(0.0, 1.2),
                SampleInput::new(&[9, 11], DType::Bool),
            ],
        };
        vec![one(0.0, false, DType::I32), one(0.5, false, DType::I64), one(0.0, true, DType::U16)]
    },
};

impl WatershedBlock {
    fn neighbours(&self) -> Result<Neighbours> {
        Neighbours::new(&self.connectivity, &self.offset, self.shape.len())
    }

    fn padded(&self) -> Result<Vec<usize>> {
        Ok(self.shape.iter().zip(self.neighbours()?.margin()).map(|(n, m)| n + 2 * m).collect())
    }

    /// Steps to neighbours, the nearest first; that to the element itself, which is the nearest, is left out.
    fn steps(neighbours: &Neighbours, shape: &[usize]) -> Vec<isize> {
        let square = |step: &[i64]| step.iter().map(|s| s * s).sum::<i64>();
        let mut steps: Vec<(i64, isize)> =
            neighbours.steps.iter().map(|s| square(s)).zip(neighbours.flat(shape)).collect();
        steps.sort_by_key(|(square, _)| *square);
        steps.into_iter().skip(1).map(|(_, step)| step).collect()
    }

    fn run_as<L: Element>(&self, image: &[f64], markers: &[L], mask: &[u8], out: &mut [L]) -> Result<()> {
        let neighbours = self.neighbours()?;
        let (shape, margin) = (self.padded()?, neighbours.margin());
        let size = shape.iter().product();
        let (mut values, mut labels, mut open) = (vec![0.0; size], vec![L::default(); size], vec![false; size]);
        let width = self.shape.last().copied().unwrap_or(1);
        let lines = &self.shape[..self.shape.len().saturating_sub(1)];
        let place = |line: &[usize]| {
            let at = |k: usize| line.get(k).copied().unwrap_or(0) + margin[k];
            (0..shape.len()).fold(0, |flat, k| flat * shape[k] + at(k))
        };
        for (k, line) in positions(lines).enumerate() {
            let (from, to) = (k * width, place(&line));
            values[to..to + width].copy_from_slice(&image[from..from + width]);
            for x in (0..width).filter(|x| mask[from + x] != 0) {
                (labels[to + x], open[to + x]) = (markers[from + x], true);
            }
        }
        Flood {
            image: &values,
            labels: &mut labels,
            mask: &mut open,
            steps: &Self::steps(&neighbours, &shape),
            strides: &strides(&shape),
            compactness: self.compactness,
            line: self.watershed_line,
        }
        .run();
        for (line, out) in positions(lines).zip(out.chunks_exact_mut(width)) {
            let from = place(&line);
            out.copy_from_slice(&labels[from..from + width]);
        }
        Ok(())
    }
}

impl Op for WatershedBlock {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if ins.iter().any(|meta| meta.shape[..] != self.shape[..]) {
            return Err(Error::invalid("image, markers and mask of a watershed must have the same shape"));
        }
        if ins[0].dtype != DType::F64 || !ins[1].dtype.is_exact() || ins[2].dtype != DType::Bool {
            return Err(Error::internal("a watershed takes float64, labels and truth values"));
        }
        if self.padded()?.iter().product::<usize>() >= u32::MAX as usize {
            return Err(Error::unsupported("a watershed in one task takes less than 2^32 elements"));
        }
        Ok(ins[1].clone())
    }

    fn blocks(&self) -> Option<&ChunkGrid> {
        Some(self.grid.get_or_init(|| ChunkGrid::single(&self.shape)))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let (Ok(padded), Ok(neighbours)) = (self.padded(), self.neighbours()) else { return 0 };
        let n = padded.iter().product::<usize>();
        let revisits = self.compactness > 0.0 || self.watershed_line;
        (n * (9 + ins[1].dtype.size())) as u64 + flood::scratch(ins[0].size(), neighbours.steps.len(), revisits) + 4096
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let image = ins[0].as_slice::<f64>().ok_or_else(lost)?;
        let mask = ins[2].bytes().ok_or_else(lost)?;
        dispatch!(int ins[1].dtype(), T => {
            let markers = ins[1].as_slice::<T>().ok_or_else(lost)?;
            self.run_as(image, markers, mask, out.as_slice_mut::<T>().ok_or_else(lost)?)
        }, else Err(Error::internal("markers are whole numbers")))
    }
}
