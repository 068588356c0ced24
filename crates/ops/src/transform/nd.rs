//! What the transforms along several axes share: they are chains of those along one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result};
use voxmill_plan::{Array, Op, OpDef, Param, Sample, SampleInput};

use super::lane::{Kind, Lane, LaneParams, NORM, Norm};
use super::{fft, ifft, irfft, rfft};
use crate::family::map::expect_inputs;
use crate::family::params::{Axes, normalize_axis};

/// A transform along several axes.
pub struct NdDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// The transform of the last axis.
    pub kind: Kind,
    /// The axes where none are given; all of them if `None`.
    pub axes: Option<&'static [i64]>,
}

/// The parameters of a transform along several axes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NdParams {
    /// Length of the transform on each axis; -1 for that of the input.
    #[serde(default)]
    pub s: Option<Axes>,
    /// The axes.
    #[serde(default)]
    pub axes: Option<Axes>,
    /// Where the factor 1/n goes.
    #[serde(default)]
    pub norm: Option<Norm>,
}

const S: Param = Param {
    name: "s",
    kind: "list of int",
    default: Some("null"),
    doc: "length of the transform on each of the axes; -1 for that of the input",
};

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    S,
    Param {
        name: "axes",
        kind: "list of int",
        default: Some("null"),
        doc: "the axes to transform: all by default, or the last ones where s is given",
    },
    NORM,
];

/// The parameters of the two-dimensional forms.
pub const PARAMS_2: &[Param] =
    &[S, Param { name: "axes", kind: "list of int", default: Some("[-2, -1]"), doc: "the axes to transform" }, NORM];

/// A transform along several axes.
#[derive(Clone)]
pub struct Nd {
    def: &'static NdDef,
    params: NdParams,
}

impl std::fmt::Debug for Nd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.def.op.name, self.params)
    }
}

impl Nd {
    /// The op `def` from a JSON object.
    pub fn build(def: &'static NdDef, params: &Value) -> Result<Arc<dyn Op>> {
        let params =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Nd { def, params }))
    }

    /// Axis and length of each transform, in the order of the parameters.
    fn axes(&self, rank: usize) -> Result<Vec<(usize, Option<i64>)>> {
        let lengths = self.params.s.as_ref().map(list);
        let axes: Vec<i64> = match (self.params.axes.as_ref().map(list), &lengths, self.def.axes) {
            (Some(axes), ..) => axes,
            (None, _, Some(axes)) => axes.to_vec(),
            (None, Some(lengths), None) => (-(lengths.len() as i64)..0).collect(),
            (None, None, None) => (0..rank as i64).collect(),
        };
        let lengths = lengths.unwrap_or_else(|| vec![-1; axes.len()]);
        if lengths.len() != axes.len() {
            return Err(Error::invalid(format!("s has {} lengths for {} axes", lengths.len(), axes.len())));
        }
        let one = |(&axis, &n): (&i64, &i64)| Ok((normalize_axis(axis, rank)?, (n != -1).then_some(n)));
        axes.iter().zip(&lengths).map(one).collect()
    }

    /// The transforms along one axis, first to last.
    fn steps(&self, rank: usize) -> Result<Vec<Lane>> {
        let mut axes = self.axes(rank)?;
        let norm = self.params.norm;
        let lane =
            |def, (axis, n): (usize, Option<i64>)| Lane::new(def, LaneParams { n, axis: Some(axis as i64), norm });
        let last = axes.pop();
        if self.def.kind == Kind::Irfft {
            let first = axes.into_iter().map(|axis| lane(&ifft::DEF, axis));
            return Ok(first.chain(last.map(|axis| lane(&irfft::DEF, axis))).collect());
        }
        let (first, others) = match self.def.kind {
            Kind::Rfft => (&rfft::DEF, &fft::DEF),
            Kind::Ifft => (&ifft::DEF, &ifft::DEF),
            _ => (&fft::DEF, &fft::DEF),
        };
        Ok(last
            .map(|axis| lane(first, axis))
            .into_iter()
            .chain(axes.into_iter().rev().map(|a| lane(others, a)))
            .collect())
    }
}

fn list(axes: &Axes) -> Vec<i64> {
    match axes {
        Axes::One(axis) => vec![*axis],
        Axes::Many(axes) => axes.clone(),
    }
}

impl Op for Nd {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.params)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(self.def(), ins.len())?;
        let steps = self.steps(ins[0].rank())?;
        if steps.is_empty() && matches!(self.def.kind, Kind::Rfft | Kind::Irfft) {
            return Err(Error::invalid("at least one axis must be transformed"));
        }
        steps.iter().try_fold(ins[0].clone(), |meta, step| step.infer(&[&meta]))
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let steps = self.steps(ins[0].rank())?.into_iter();
        let chain = |array, step| Array::from_op(Arc::new(step), vec![array]);
        steps.into_iter().try_fold(ins[0].clone(), chain).map(Some)
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|m| m.whole()).collect()
    }
}

/// Samples over axes and lengths.
pub fn samples(complex_too: bool) -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all = vec![
        one(json!({}), &[4, 6], DType::F32),
        one(json!({"s": [3, 8], "axes": [0, 2], "norm": "ortho"}), &[5, 2, 6], DType::F64),
        one(json!({"s": [-1, 4], "axes": [-1, 0]}), &[5, 6], DType::U8),
    ];
    if complex_too {
        all.push(one(json!({"axes": [1, 0]}), &[3, 4], DType::C64));
    }
    all
}
