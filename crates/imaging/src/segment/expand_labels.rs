//! `expand_labels`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Element, Error, Region, Result, View, ViewMut, dispatch};
use voxmill_ops::family::map::expect_inputs;
use voxmill_ops::family::params;
use voxmill_plan::{Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::family::grid::positions;
use crate::family::neighborhood::PerAxis;
use crate::filter::line::lost;
use crate::numeric::nearest::{nearest_in_box, scratch};

/// Labels that grow into the background.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpandLabels {
    /// How far.
    pub distance: f64,
    /// Distance of neighbours.
    pub spacing: PerAxis<f64>,
}

impl Default for ExpandLabels {
    fn default() -> Self {
        ExpandLabels { distance: 1.0, spacing: PerAxis::One(1.0) }
    }
}

/// The op `expand_labels`.
pub static DEF: OpDef = OpDef {
    name: "expand_labels",
    theme: "segment",
    summary: "Labels that grow into the background up to some distance, without growing into each other.",
    doc: "As skimage.segmentation: each background element gets the label of the nearest labelled one, if that is not farther than the \
          distance. Of labels that are equally near, the same one is chosen. A task reads its box and as much around it as the distance.",
    inputs: Inputs::Named(&["label_image"]),
    params: &[
        Param { name: "distance", kind: "float", default: Some("1"), doc: "how far labels grow" },
        Param {
            name: "spacing",
            kind: "float or list of float",
            default: Some("1"),
            doc: "distance of neighbours, for all axes or for each",
        },
    ],
    form: Form::Kernel,
    cost: 60.0,
    hold: false,
    build: params::build::<ExpandLabels>,
    samples: || {
        let one = |params: Value, shape: &[usize], dtype| Sample {
            params,
            ins: vec![SampleInput::new(shape, dtype).between(-3.0, 1.4)],
        };
        vec![
            one(json!({}), &[9, 12], DType::I32),
            one(json!({"distance": 3.5, "spacing": [1, 2, 0.5]}), &[5, 6, 7], DType::I64),
            one(json!({"distance": 2}), &[19], DType::I8),
            one(json!({"distance": -1}), &[7], DType::I16),
            one(json!({}), &[0, 3], DType::I32),
        ]
    },
};

impl ExpandLabels {
    fn steps(&self, rank: usize) -> Result<Vec<f64>> {
        self.spacing.values("spacing", rank)
    }

    /// How far to look along an axis of `n` elements.
    fn reach(&self, step: f64, n: usize) -> usize {
        // A little more than needed, lest rounding makes it less.
        ((self.distance.max(0.0) / step * (1.0 + 1e-9)).floor()).min(n as f64) as usize
    }

    fn run_as<T: Element>(&self, at: &Place<'_>, labels: &[T], out: &mut [T]) -> Result<()> {
        let read = &at.reads[0];
        let (source, low) = nearest_in_box(&read.shape, &self.steps(read.rank())?, |k| labels[k] != T::default());
        let part = at.out.relative_to(&read.start);
        let width = part.shape.last().copied().unwrap_or(1);
        let lines = &part.shape[..part.rank().saturating_sub(1)];
        for (line, out) in positions(lines).zip(out.chunks_exact_mut(width)) {
            let position = |k: usize| part.start[k] + line.get(k).copied().unwrap_or(0);
            let begin = (0..part.rank()).fold(0, |flat, k| flat * read.shape[k] + position(k));
            for (k, out) in (begin..).zip(out) {
                let near = source[k] != u32::MAX && low[k].sqrt() <= self.distance;
                *out = if near { labels[source[k] as usize] } else { T::default() };
            }
        }
        Ok(())
    }
}

impl Op for ExpandLabels {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(&DEF, ins.len())?;
        if !ins[0].dtype.is_exact() || ins[0].dtype == DType::Bool {
            return Err(Error::invalid(format!(
                "labels are not defined for {}; number objects with label, or cast to whole numbers",
                ins[0].dtype
            )));
        }
        if self.distance.is_nan() {
            return Err(Error::invalid("distance is not a number"));
        }
        if let Some(step) = self.steps(ins[0].rank())?.iter().find(|step| !(**step > 0.0 && step.is_finite())) {
            return Err(Error::invalid(format!("spacing {step} is no distance; it must be positive")));
        }
        Ok(ins[0].clone())
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let (Ok(steps), false) = (self.steps(out.rank()), out.is_empty()) else { return vec![out.clone()] };
        let bounds = out.bounds().enumerate().map(|(k, (begin, end))| {
            let reach = self.reach(steps[k], ins[0].shape[k]);
            (begin.saturating_sub(reach), (end + reach).min(ins[0].shape[k]))
        });
        vec![Region::from_bounds(bounds.collect::<Vec<_>>())]
    }

    fn scratch(&self, _out: &Region, reads: &[Region], _ins: &[&ArrayMeta]) -> u64 {
        scratch(&reads[0].shape)
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        dispatch!(int ins[0].dtype(), T => {
            let (labels, out) = (ins[0].as_slice::<T>().ok_or_else(lost)?, out.as_slice_mut::<T>().ok_or_else(lost)?);
            self.run_as(at, labels, out)
        }, else Err(Error::internal("labels are whole numbers")))
    }
}
