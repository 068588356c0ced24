//! What the filters share that take a plain window along one axis: `uniform_filter1d`, `minimum_filter1d`, `maximum_filter1d`; and
//! their chains along several axes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Op, OpDef, Param, Place, Sample, SampleInput};

use super::correlate1d::{ORIGIN, last, zero};
use super::line::{AXIS, Line, OUTPUT, Work, out_dtype};
use crate::family::neighborhood::{Border, CVAL, MODE, PerAxis};
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::family::params::{Axes, distinct_axes};

/// A filter with a plain window along one axis.
pub struct SlidingDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// What is done with a window of this size.
    pub work: fn(usize) -> Work,
}

/// Its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlidingParams {
    /// Positions of the window.
    pub size: i64,
    /// The axis.
    #[serde(default = "last")]
    pub axis: i64,
    /// Element type of the result.
    #[serde(default)]
    pub output: Option<DType>,
    /// What lies beyond the border.
    #[serde(default)]
    pub mode: Border,
    /// The constant there.
    #[serde(default = "zero")]
    pub cval: Scalar,
    /// How far the window is moved.
    #[serde(default)]
    pub origin: i64,
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    Param { name: "size", kind: "int", default: None, doc: "positions of the window" },
    AXIS,
    OUTPUT,
    MODE,
    CVAL,
    ORIGIN,
];

/// Windows longer than this are refused rather than computed for hours.
const LONGEST: i64 = 1 << 24;

/// A filter with a plain window along one axis.
#[derive(Clone)]
pub struct Sliding {
    def: &'static SlidingDef,
    params: SlidingParams,
}

impl std::fmt::Debug for Sliding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.def.op.name, self.params)
    }
}

impl Sliding {
    /// The op `def` from a JSON object.
    pub fn build(def: &'static SlidingDef, params: &Value) -> Result<Arc<dyn Op>> {
        let params =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Sliding { def, params }))
    }

    fn line(&self) -> Result<Line> {
        let SlidingParams { size, axis, output, mode, cval, origin } = self.params;
        if !(1..LONGEST).contains(&size) {
            return Err(Error::invalid(format!(
                "size {size} makes no window; it must be at least 1 and below {LONGEST}"
            )));
        }
        Ok(Line { work: (self.def.work)(size as usize), origin, axis, mode, cval, output })
    }
}

impl Op for Sliding {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.params)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        self.line()?.infer(&self.def.op, ins)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let op: Arc<dyn Op> = Arc::new(self.clone());
        self.line()?.expand(&op, ins)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        self.line().map_or_else(|_| vec![ins[0].whole()], |line| line.reads(out, ins))
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        self.line().map_or(0, |line| line.scratch(out, reads, ins))
    }

    fn work(&self, out: &Region, _reads: &[&Region]) -> f64 {
        self.line().map_or(0.0, |line| line.work(out))
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        self.line()?.run(at, ins, out)
    }
}

/// Samples for a filter along one axis.
pub fn samples(dtypes: impl Iterator<Item = DType>) -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all: Vec<Sample> = dtypes.map(|d| one(json!({"size": 3, "axis": 0}), &[6, 5], d)).collect();
    for mode in ["reflect", "mirror", "nearest", "constant", "wrap", "valid"] {
        all.push(one(json!({"size": 4, "mode": mode, "cval": 7}), &[3, 17], DType::I32));
        all.push(one(json!({"size": 9, "axis": 1, "mode": mode, "cval": -2.5}), &[2, 9, 300], DType::F32));
        all.push(one(json!({"size": 13, "axis": 1, "mode": mode, "origin": -3, "cval": -4}), &[2, 14, 3], DType::U8));
    }
    all.push(one(json!({"size": 1}), &[0, 4], DType::F64));
    all.push(one(json!({"size": 2, "output": "int16"}), &[3, 4], DType::F64));
    all
}

/// A filter along several axes that is a chain of filters along one.
#[derive(Debug, Clone)]
pub struct Chain<'a> {
    /// Positions of the window.
    pub size: &'a PerAxis<i64>,
    /// Element type of the result.
    pub output: Option<DType>,
    /// What lies beyond the border.
    pub mode: &'a PerAxis<Border>,
    /// The constant there.
    pub cval: Scalar,
    /// How far the window is moved.
    pub origin: &'a PerAxis<i64>,
    /// The axes.
    pub axes: &'a Option<Axes>,
}

impl Chain<'_> {
    /// The filter `def` along one axis after the other; windows of one position are left out, as scipy does.
    pub fn of(&self, def: &'static SlidingDef, input: &Array) -> Result<Array> {
        let axes = distinct_axes(self.axes.as_ref(), input.rank())?;
        let (sizes, modes) = (self.size.values("size", axes.len())?, self.mode.values("mode", axes.len())?);
        let origins = self.origin.values("origin", axes.len())?;
        let output = out_dtype(self.output, input.dtype())?;
        let mut array = input.clone();
        for (k, &axis) in axes.iter().enumerate().filter(|(k, _)| sizes[*k] != 1) {
            let (size, mode, origin) = (sizes[k], modes[k], origins[k]);
            let params = SlidingParams { size, axis: axis as i64, output: Some(output), mode, cval: self.cval, origin };
            array = Array::from_op(Arc::new(Sliding { def, params }), vec![array])?;
        }
        Astype::apply(&array, output)
    }
}

/// The default of `origin`.
pub(super) fn centred() -> PerAxis<i64> {
    PerAxis::One(0)
}

/// The default of `mode`.
pub(super) fn reflect() -> PerAxis<Border> {
    PerAxis::One(Border::Reflect)
}

/// The parameter `size` of filters along several axes.
pub(super) const SIZE: Param = Param {
    name: "size",
    kind: "int or list of int",
    default: Some("3"),
    doc: "positions of the window, for all axes or for each",
};

/// The parameter `origin` of filters along several axes.
pub(super) const ORIGINS: Param = Param {
    name: "origin",
    kind: "int or list of int",
    default: Some("0"),
    doc: "how far the window is moved, for all axes or for each",
};

/// The parameter `axes` of filters along several axes.
pub(super) const AXES: Param = Param {
    name: "axes",
    kind: "int or list of int",
    default: Some("null"),
    doc: "the axes to filter; all by default",
};
