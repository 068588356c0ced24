//! `spline_sample`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{
    ArrayMeta, AxisCuts, ChunkGrid, DType, Element, Error, Region, Result, View, ViewMut, check_size, dispatch,
};
use voxmill_ops::family::boxes::{advance, elements, nothing, output_bytes};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_ops::numeric::convert::ConvertTo;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::numeric::spline::{Beyond, Interpolated, MOST, Stop, add_row};

/// Where elements of the result come from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mapping {
    /// Axis by axis: `(k + shift) * zoom`, with half an element taken off and added for grids.
    Axes {
        /// Added first.
        shift: Vec<f64>,
        /// Multiplied with.
        zoom: Vec<f64>,
        /// Elements are counted from their edges, not from their middles.
        grid: bool,
    },
    /// A row of the matrix for each axis of the input, times the position in the result, plus the offset.
    Matrix {
        /// The rows.
        matrix: Vec<Vec<f64>>,
        /// The offset.
        offset: Vec<f64>,
    },
}

/// Values of splines at places that follow from a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplineSample {
    /// Where elements come from.
    pub mapping: Mapping,
    /// Shape of the result.
    pub shape: Vec<usize>,
    /// Order of the splines along each axis of the input.
    pub order: Vec<usize>,
    /// Elements that were added on each side of each axis.
    pub pad: Vec<usize>,
    /// What lies beyond the border.
    pub mode: Beyond,
    /// The constant there.
    pub cval: f64,
    /// Element type of the result.
    pub output: DType,
}

/// The op `spline_sample`.
pub static DEF: OpDef = OpDef {
    name: "spline_sample",
    theme: "geometry",
    summary: "Values of splines at places that follow from a rule.",
    doc: "Internal: the last step of shift, zoom, rotate and affine_transform.",
    inputs: Inputs::Named(&["coefficients"]),
    params: &[
        Param { name: "mapping", kind: "object", default: None, doc: "where elements come from" },
        Param { name: "shape", kind: "list of int", default: None, doc: "shape of the result" },
        Param { name: "order", kind: "list of int", default: None, doc: "order of the splines along each axis" },
        Param { name: "pad", kind: "list of int", default: None, doc: "elements that were added on each side" },
        Param { name: "mode", kind: "text", default: None, doc: "what lies beyond the border" },
        Param { name: "cval", kind: "float", default: None, doc: "the constant there" },
        Param { name: "output", kind: "dtype", default: None, doc: "element type of the result" },
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: false,
    build: params::build::<SplineSample>,
    samples,
};

fn samples() -> Vec<Sample> {
    let one = |mapping: Value, order: usize, mode: &str, shape: &[usize], to: &[usize], dtype: DType, output: DType| {
        let (order, pad) = (vec![order; shape.len()], vec![usize::from(mode == "nearest"); shape.len()]);
        let params = json!({
            "mapping": mapping, "shape": to, "order": order, "pad": pad, "mode": mode, "cval": 2.5, "output": output,
        });
        Sample { params, ins: vec![SampleInput::new(shape, dtype)] }
    };
    let axes = json!({"axes": {"shift": [0.3, -1.7], "zoom": [0.7, 1.3], "grid": true}});
    let turned = json!({"matrix": {"matrix": [[0.8, -0.5], [0.6, 0.9]], "offset": [1.5, -2.0]}});
    let mut all = Vec::new();
    for mode in ["reflect", "mirror", "nearest", "constant", "grid-constant", "wrap", "grid-wrap"] {
        for order in 0..=MOST {
            let dtype = if order < 2 { DType::U8 } else { DType::F64 };
            all.push(one(axes.clone(), order, mode, &[7, 9], &[8, 11], dtype, DType::U8));
            all.push(one(turned.clone(), order, mode, &[7, 9], &[8, 11], dtype, DType::F32));
        }
    }
    let line = json!({"axes": {"shift": [0.5], "zoom": [1.0], "grid": false}});
    all.push(one(line.clone(), 3, "mirror", &[40], &[50], DType::F64, DType::F64));
    all.push(one(line.clone(), 1, "constant", &[0], &[5], DType::F64, DType::I16));
    all.push(one(line, 1, "mirror", &[5], &[0], DType::F64, DType::I16));
    let (shift, zoom) = (vec![0.25; 3], vec![1.0, 0.5, 1.5]);
    let space = json!({"axes": {"shift": shift, "zoom": zoom, "grid": false}});
    all.push(one(space, 1, "reflect", &[5, 6, 7], &[5, 9, 6], DType::I16, DType::I16));
    let plane = json!({"matrix": {"matrix": [[1.0, 0.0], [0.3, 0.5], [0.0, 1.0]], "offset": [0.0, 1.0, 0.5]}});
    all.push(one(plane, 1, "constant", &[5, 6, 7], &[5, 9], DType::F32, DType::F32));
    all
}

impl SplineSample {
    /// The coordinate on one axis of the input, of the axis itself; without what was added on its sides.
    #[inline(always)]
    fn along(&self, axis: usize, k: usize) -> f64 {
        match &self.mapping {
            Mapping::Axes { shift, zoom, grid } => {
                let at = k as f64 + shift[axis];
                if *grid { (at + 0.5) * zoom[axis] - 0.5 } else { at * zoom[axis] }
            }
            Mapping::Matrix { .. } => 0.0,
        }
    }

    /// The lowest and highest coordinate on `axis` that a box of the result looks at.
    fn extent(&self, axis: usize, out: &Region) -> (f64, f64) {
        match &self.mapping {
            Mapping::Axes { .. } => {
                let (a, b) = (self.along(axis, out.start[axis]), self.along(axis, out.end(axis) - 1));
                (a.min(b), a.max(b))
            }
            Mapping::Matrix { matrix, offset } => {
                let ends = matrix[axis].iter().enumerate().map(|(k, factor)| {
                    let (a, b) = (factor * out.start[k] as f64, factor * (out.end(k) - 1) as f64);
                    (a.min(b), a.max(b))
                });
                let (low, high) = ends.fold((0.0, 0.0), |(low, high), (a, b)| (low + a, high + b));
                (low + offset[axis], high + offset[axis])
            }
        }
    }

    fn check_mapping(&self, rank: usize) -> Result<()> {
        let fits = match &self.mapping {
            Mapping::Axes { shift, zoom, .. } => shift.len() == rank && zoom.len() == rank && self.shape.len() == rank,
            Mapping::Matrix { matrix, offset } => {
                matrix.len() == rank && offset.len() == rank && matrix.iter().all(|row| row.len() == self.shape.len())
            }
        };
        let numbers = match &self.mapping {
            Mapping::Axes { shift, zoom, .. } => shift.iter().chain(zoom).all(|v| v.is_finite()),
            Mapping::Matrix { matrix, offset } => matrix.iter().flatten().chain(offset).all(|v| v.is_finite()),
        };
        if !fits || !numbers || self.order.len() != rank || self.pad.len() != rank {
            return Err(Error::invalid(format!(
                "the transformation must have a finite row and an offset for each of the {rank} axes of the image"
            )));
        }
        Ok(())
    }

    /// Axis by axis: lines of the input are added up over the leading axes, then each element takes its sum along the last.
    fn run_axes<T: Element + ConvertTo<f64>>(
        &self,
        at: &Place<'_>,
        input: &View<'_>,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        let (src, read, n) = (elements::<T>(input)?, &at.reads[0], &at.ins[0].shape);
        let rank = n.len();
        let last = rank - 1;
        let stops: Vec<Vec<Option<Stop>>> = (0..rank)
            .map(|axis| {
                let stop = |k: usize| {
                    let n = (n[axis], self.pad[axis]);
                    Stop::new(self.along(axis, k), self.order[axis], n, read.start[axis], self.mode)
                };
                (at.out.start[axis]..at.out.end(axis)).map(stop).collect()
            })
            .collect();
        let lines = Region::whole(&at.out.shape[..last]);
        let mut position = lines.start.clone();
        let (mut line, mut row) = (vec![0.0; read.shape[last]], vec![0.0; at.out.shape[last]]);
        for target in output_bytes(out)?.chunks_exact_mut(row.len() * self.output.size()) {
            let leading: Option<Vec<&Stop>> = (0..last).map(|k| stops[k][position[k]].as_ref()).collect();
            match leading {
                None => row.fill(self.cval),
                Some(leading) => {
                    line.fill(0.0);
                    self.add_lines(src, read, &leading, 0, 0, 1.0, &mut line);
                    for (v, stop) in row.iter_mut().zip(&stops[last]) {
                        *v = stop.as_ref().map_or(self.cval, |stop| self.sum_line(&line, stop, last));
                    }
                }
            }
            store(&row, self.output, target)?;
            advance(&mut position, &lines);
        }
        Ok(())
    }

    /// Adds all lines that the leading axes from `axis` on need, each with its weight.
    #[allow(clippy::too_many_arguments)]
    fn add_lines<T: Element + ConvertTo<f64>>(
        &self,
        src: &[T],
        read: &Region,
        leading: &[&Stop],
        axis: usize,
        number: usize,
        weight: f64,
        line: &mut [f64],
    ) {
        if axis == leading.len() {
            return add_row(&src[number * line.len()..(number + 1) * line.len()], weight, line);
        }
        let stop = leading[axis];
        for (element, w) in stop.elements.iter().zip(stop.weights).take(self.order[axis] + 1) {
            match element {
                Some(element) => {
                    let number = number * read.shape[axis] + *element as usize;
                    self.add_lines(src, read, leading, axis + 1, number, weight * w, line);
                }
                None => line.iter_mut().for_each(|v| *v += weight * w * self.cval),
            }
        }
    }

    #[inline(always)]
    fn sum_line(&self, line: &[f64], stop: &Stop, axis: usize) -> f64 {
        let pairs = stop.elements.iter().zip(stop.weights).take(self.order[axis] + 1);
        pairs.map(|(element, w)| w * element.map_or(self.cval, |i| line[i as usize])).sum()
    }

    /// Element by element.
    fn run_matrix<T: Element + ConvertTo<f64>>(
        &self,
        at: &Place<'_>,
        input: &View<'_>,
        out: &mut ViewMut<'_>,
        (matrix, offset): (&[Vec<f64>], &[f64]),
    ) -> Result<()> {
        let (src, read, n) = (elements::<T>(input)?, &at.reads[0], &at.ins[0].shape);
        let cell = Cell { order: &self.order, read, cval: self.cval };
        let mut position = at.out.start.clone();
        let mut stops: Vec<Stop> = Vec::with_capacity(n.len());
        let mut row = vec![0.0; at.out.shape.last().copied().unwrap_or(1)];
        for target in output_bytes(out)?.chunks_exact_mut(row.len() * self.output.size()) {
            for v in &mut row {
                stops.clear();
                for axis in 0..n.len() {
                    let terms = matrix[axis].iter().zip(&position);
                    let place = terms.fold(offset[axis], |sum, (factor, &k)| sum + k as f64 * factor);
                    let n = (n[axis], self.pad[axis]);
                    stops.extend(Stop::new(place, self.order[axis], n, read.start[axis], self.mode));
                }
                *v = if stops.len() == n.len() { cell.sum(src, &stops, 0, 0) } else { self.cval };
                advance(&mut position, at.out);
            }
            store(&row, self.output, target)?;
        }
        Ok(())
    }

    fn run_from<T: Element + ConvertTo<f64>>(
        &self,
        at: &Place<'_>,
        input: &View<'_>,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        match &self.mapping {
            Mapping::Axes { .. } => self.run_axes::<T>(at, input, out),
            Mapping::Matrix { matrix, offset } => self.run_matrix::<T>(at, input, out, (matrix, offset)),
        }
    }
}

/// The neighbours of one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    pub order: &'a [usize],
    pub read: &'a Region,
    pub cval: f64,
}

impl Cell<'_> {
    /// The weighted sum over all neighbours from `axis` on.
    #[inline]
    pub fn sum<T: Element + ConvertTo<f64>>(&self, src: &[T], stops: &[Stop], axis: usize, number: usize) -> f64 {
        let stop = &stops[axis];
        let pairs = stop.elements.iter().zip(stop.weights).take(self.order[axis] + 1);
        let first = number * self.read.shape[axis];
        if axis + 1 == stops.len() {
            return pairs.map(|(e, w)| w * e.map_or(self.cval, |i| src[first + i as usize].convert())).sum();
        }
        // The weights of all axes behind this one add up to 1.
        let inner = |e: &Option<u32>| e.map_or(self.cval, |i| self.sum(src, stops, axis + 1, first + i as usize));
        pairs.map(|(e, w)| w * inner(e)).sum()
    }
}

impl Op for SplineSample {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        self.check_mapping(ins[0].rank())?;
        if ins[0].dtype.is_complex() || self.output.is_complex() || self.order.iter().any(|&order| order > MOST) {
            return Err(Error::invalid("real numbers and splines of order 0 to 5 are needed"));
        }
        check_size(&self.shape, self.output)?;
        let cuts = |k: usize| {
            let like = if self.shape.len() == ins[0].rank() { ins[0].grid.axes[k].longest() } else { 256 };
            AxisCuts::even(self.shape[k], like.clamp(1, self.shape[k].max(1)))
        };
        let grid = ChunkGrid { axes: (0..self.shape.len()).map(cuts).collect() };
        Ok(ArrayMeta::new(&self.shape, self.output).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let n = &ins[0].shape;
        if out.is_empty() {
            return vec![nothing(n.len())];
        }
        let bounds = (0..n.len()).map(|axis| {
            let ((low, high), pad) = (self.extent(axis, out), self.pad[axis] as f64);
            self.mode.span(low + pad, high + pad, n[axis], self.order[axis] / 2 + 1)
        });
        let read = Region::from_bounds(bounds);
        vec![if read.is_empty() { nothing(n.len()) } else { read }]
    }

    fn scratch(&self, out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let stops: usize = out.shape.iter().sum::<usize>() + reads[0].rank();
        let line = reads[0].shape.last().copied().unwrap_or(0);
        (stops * size_of::<Option<Stop>>()
            + 8 * (line + out.shape.last().copied().unwrap_or(1))
            + 256 * (1 + reads[0].rank())) as u64
    }

    fn work(&self, out: &Region, reads: &[&Region]) -> f64 {
        let taps: f64 = self.order.iter().map(|order| (order + 1) as f64).product();
        let per_element = match &self.mapping {
            Mapping::Axes { .. } => 4.0 + 0.3 * taps,
            Mapping::Matrix { .. } => 10.0 * self.order.len() as f64 + 1.5 * taps,
        };
        out.size() as f64 * per_element + reads[0].size() as f64
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
        dispatch!(real ins[0].dtype(), T => self.run_from::<T>(at, &ins[0], out), else Err(lost()))
    }
}

/// Stores values as elements.
pub(super) fn store(values: &[f64], dtype: DType, target: &mut [u8]) -> Result<()> {
    fn rows<B: Interpolated>(values: &[f64], target: &mut [u8]) {
        for (bytes, &value) in target.chunks_exact_mut(size_of::<B>()).zip(values) {
            bytes.copy_from_slice(bytemuck::bytes_of(&B::from_value(value)));
        }
    }
    dispatch!(real dtype, B => { rows::<B>(values, target); Ok(()) }, else Err(lost()))
}

pub(super) fn lost() -> Error {
    Error::internal("a transformation met an unexpected dtype")
}
