//! `nearest_axis`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, AxisCuts, ChunkGrid, DType, Error, Region, Result, View, ViewMut};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;
use crate::numeric::nearest::Nearest;

/// Positions of the nearest false element along one more axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearestAxis {
    /// The axis; positions along the axes before are known.
    pub axis: usize,
    /// Distance of neighbours, per axis.
    pub sampling: Vec<f64>,
}

/// The op `nearest_axis`.
pub static DEF: OpDef = OpDef {
    name: "nearest_axis",
    theme: "morphology",
    summary: "Internal: positions of the nearest false element, along one more axis.",
    doc: "",
    inputs: Inputs::Named(&["input"]),
    params: &[
        Param { name: "axis", kind: "int", default: None, doc: "the axis" },
        Param { name: "sampling", kind: "list of float", default: None, doc: "distance of neighbours, per axis" },
    ],
    form: Form::Kernel,
    cost: 30.0,
    hold: false,
    build: params::build::<NearestAxis>,
    samples: || {
        let truth = SampleInput::new(&[7, 9, 5], DType::Bool);
        let known = SampleInput::new(&[1, 7, 9, 5], DType::I32).between(-1.0, 6.0);
        vec![
            Sample { params: json!({"axis": 0, "sampling": [1.0, 1.0, 1.0]}), ins: vec![truth] },
            Sample { params: json!({"axis": 1, "sampling": [2.0, 1.0, 0.5]}), ins: vec![known] },
        ]
    },
};

/// Lanes that are worked on at a time.
const LANES: usize = 16;

/// A box with a first axis for positions along the known axes.
struct Planes<'a> {
    known: &'a [i32],
    truth: &'a [u8],
    /// Elements of one plane.
    size: usize,
}

impl NearestAxis {
    /// The squared distance that is known at flat position `flat` of a plane, which is position `at` of the array.
    fn low(&self, planes: &Planes<'_>, flat: usize, at: &[usize]) -> f64 {
        if self.axis == 0 {
            return if planes.truth[flat] == 0 { 0.0 } else { f64::INFINITY };
        }
        if planes.known[flat] < 0 {
            return f64::INFINITY;
        }
        (0..self.axis).fold(0.0, |sum, k| {
            let distance = (f64::from(planes.known[k * planes.size + flat]) - at[k] as f64) * self.sampling[k];
            sum + distance * distance
        })
    }
}

impl Op for NearestAxis {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        let rank = self.sampling.len();
        let first = self.axis == 0 && ins[0].dtype == DType::Bool && ins[0].rank() == rank;
        let further = self.axis > 0
            && self.axis < rank
            && ins[0].dtype == DType::I32
            && ins[0].rank() == rank + 1
            && ins[0].shape[0] == self.axis;
        if !(first || further) {
            return Err(Error::internal("positions along an axis need those along the axes before"));
        }
        let skip = usize::from(further);
        let mut shape = vec![self.axis + 1];
        shape.extend(&ins[0].shape[skip..]);
        let mut axes = vec![AxisCuts::even(self.axis + 1, self.axis + 1)];
        axes.extend(ins[0].grid.axes[skip..].iter().cloned());
        let mut grid = ChunkGrid::single(&shape);
        grid.axes = axes.into_iter().collect();
        Ok(ArrayMeta::new(&shape, DType::I32).with_grid(grid))
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let rank = self.sampling.len();
        let skip = ins[0].rank() - rank;
        if out.is_empty() {
            return vec![Region::new(vec![0; ins[0].rank()], vec![0; ins[0].rank()])];
        }
        let known = (0..skip).map(|_| (0, self.axis));
        let own = (0..rank).map(|k| match k == self.axis {
            true => (0, ins[0].shape[skip + k]),
            false => (out.start[k + 1], out.end(k + 1)),
        });
        vec![Region::from_bounds(known.chain(own).collect::<Vec<_>>())]
    }

    fn scratch(&self, out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        let len = reads[0].shape.iter().copied().max().unwrap_or(0).max(out.shape.iter().copied().max().unwrap_or(0));
        (len * (LANES * 12 + 12) + 1024) as u64
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        let (rank, axis) = (self.sampling.len(), self.axis);
        let box_shape = &at.reads[0].shape[at.reads[0].rank() - rank..];
        let known = if axis > 0 { ins[0].as_slice::<i32>().ok_or_else(lost)? } else { &[] };
        let truth = if axis == 0 { ins[0].bytes().ok_or_else(lost)? } else { &[] };
        let planes = Planes { known, truth, size: box_shape.iter().product() };
        let (wanted_from, wanted_to) = (at.out.start[axis + 1], at.out.end(axis + 1));
        let wanted = wanted_to - wanted_from;
        let out_size: usize = at.out.shape[1..].iter().product();
        let out_planes = (at.out.start[0], at.out.end(0));
        let out = out.as_slice_mut::<i32>().ok_or_else(lost)?;
        let (len, inner) = (box_shape[axis], box_shape[axis + 1..].iter().product::<usize>());
        let (mut low, mut winners) = (vec![0.0; LANES * len], vec![-1_i32; LANES * wanted]);
        let mut nearest = Nearest::default();
        let mut place = vec![0; axis];
        for outer in 0..planes.size / (len * inner).max(1) {
            let mut rest = outer;
            for k in (0..axis).rev() {
                place[k] = at.out.start[k + 1] + rest % box_shape[k];
                rest /= box_shape[k];
            }
            for first in (0..inner).step_by(LANES) {
                let n = LANES.min(inner - first);
                for q in 0..len {
                    for lane in 0..n {
                        low[lane * len + q] = self.low(&planes, (outer * len + q) * inner + first + lane, &place);
                    }
                }
                winners.fill(-1);
                for lane in 0..n {
                    let winners = &mut winners[lane * wanted..(lane + 1) * wanted];
                    nearest.lane(
                        &low[lane * len..(lane + 1) * len],
                        self.sampling[axis],
                        (wanted_from, wanted_to),
                        |x, q| {
                            winners[x - wanted_from] = q as i32;
                        },
                    );
                }
                for plane in out_planes.0..out_planes.1 {
                    for x in 0..wanted {
                        for lane in 0..n {
                            let q = winners[lane * wanted + x];
                            let to = (plane - out_planes.0) * out_size + (outer * wanted + x) * inner + first + lane;
                            out[to] = match plane == axis || q < 0 {
                                true => q,
                                false => known[plane * planes.size + (outer * len + q as usize) * inner + first + lane],
                            };
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
