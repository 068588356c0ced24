//! `map_sample`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::boxes::{elements, nothing, output_bytes};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::spline_sample::{Cell, lost, store};
use crate::numeric::spline::{Beyond, MOST, Stop};

/// Values of splines at given places.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapSample {
    /// Order of the splines.
    pub order: usize,
    /// Elements that were added on each side.
    pub pad: usize,
    /// What lies beyond the border.
    pub mode: Beyond,
    /// The constant there.
    pub cval: f64,
    /// Element type of the result.
    pub output: DType,
    /// Where the coefficients are cut out of a larger array, and the shape of that.
    #[serde(default)]
    pub part: Option<(Vec<usize>, Vec<usize>)>,
}

/// The op `map_sample`.
pub static DEF: OpDef = OpDef {
    name: "map_sample",
    theme: "geometry",
    summary: "Values of splines at given places.",
    doc: "Internal: the last step of map_coordinates. Coordinates stand along the first axis of the second input.",
    inputs: Inputs::Named(&["coefficients", "coordinates"]),
    params: &[
        Param { name: "order", kind: "int", default: None, doc: "order of the splines" },
        Param { name: "pad", kind: "int", default: None, doc: "elements that were added on each side" },
        Param { name: "mode", kind: "text", default: None, doc: "what lies beyond the border" },
        Param { name: "cval", kind: "float", default: None, doc: "the constant there" },
        Param { name: "output", kind: "dtype", default: None, doc: "element type of the result" },
        Param {
            name: "part",
            kind: "object",
            default: Some("null"),
            doc: "start and shape of the array that the coefficients are cut from",
        },
    ],
    form: Form::Kernel,
    cost: 60.0,
    hold: false,
    build: params::build::<MapSample>,
    samples: || {
        let mut all = Vec::new();
        for mode in ["reflect", "mirror", "nearest", "constant", "grid-constant", "wrap", "grid-wrap"] {
            for (order, dtype) in [(0, DType::U8), (1, DType::I32), (3, DType::F64)] {
                let params = json!({"order": order, "pad": 0, "mode": mode, "cval": 1.5, "output": "int16"});
                let places = SampleInput::new(&[2, 5, 4], DType::F64).between(-9.0, 16.0);
                all.push(Sample { params, ins: vec![SampleInput::new(&[6, 7], dtype), places] });
            }
        }
        all
    },
};

impl MapSample {
    fn run_from<T: Element + ConvertTo<f64>>(
        &self,
        at: &Place<'_>,
        ins: &[View<'_>],
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        const ROW: usize = 512;
        let (src, places) = (elements::<T>(&ins[0])?, elements::<f64>(&ins[1])?);
        let whole = at.ins[0].whole();
        let (start, n) = match &self.part {
            Some((start, shape)) => (&start[..], &shape[..]),
            None => (&whole.start[..], &whole.shape[..]),
        };
        let orders = vec![self.order; n.len()];
        let cell = Cell { order: &orders, read: &at.reads[0], cval: self.cval };
        let (size, width) = (at.out.size(), self.output.size());
        let mut stops: Vec<Stop> = Vec::with_capacity(n.len());
        let mut row = [0.0; ROW];
        for (number, target) in output_bytes(out)?.chunks_mut(ROW * width).enumerate() {
            let count = target.len() / width;
            for (k, v) in row[..count].iter_mut().enumerate() {
                stops.clear();
                for axis in 0..n.len() {
                    let place = places[axis * size + number * ROW + k];
                    stops.extend(Stop::new(place, self.order, (n[axis], self.pad), start[axis], self.mode));
                }
                *v = if stops.len() == n.len() { cell.sum(src, &stops, 0, 0) } else { self.cval };
            }
            store(&row[..count], self.output, target)?;
        }
        Ok(())
    }
}

impl Op for MapSample {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let rank = ins[0].rank();
        if ins[1].rank() < 2 || ins[1].shape[0] != rank || ins[1].dtype != DType::F64 {
            return Err(Error::invalid(format!(
                "coordinates must have {rank} rows, one for each axis of the image, and at least one more axis; their shape is {:?}",
                ins[1].shape
            )));
        }
        if self.order > MOST || ins[0].dtype.is_complex() || self.output.is_complex() {
            return Err(Error::invalid("real numbers and splines of order 0 to 5 are needed"));
        }
        let mut grid = ins[1].grid.clone();
        grid.axes.remove(0);
        Ok(ArrayMeta::new(grid.shape(), self.output).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = ins[0].rank();
        if out.is_empty() {
            return vec![nothing(rank), nothing(ins[1].rank())];
        }
        let places = Region::from_bounds(std::iter::once((0, rank)).chain(out.bounds()));
        vec![ins[0].whole(), places]
    }

    fn scratch(&self, _out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        (reads[0].rank() * (size_of::<Stop>() + 64) + 512) as u64
    }

    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        let (rank, taps) = (reads[0].rank() as i32, ((self.order + 1) as f64).powi(reads[0].rank() as i32));
        out.size() as f64 * (10.0 * f64::from(rank) + 1.5 * taps)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        if at.reads[0].is_empty() {
            let mut value = vec![0; self.output.size()];
            store(&[self.cval], self.output, &mut value)?;
            return out.fill(&value);
        }
        dispatch!(real ins[0].dtype(), T => self.run_from::<T>(at, ins, out), else Err(lost()))
    }
}
