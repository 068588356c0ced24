//! What the six transforms along one axis share: parameters, boxes, dtypes and the way to the loops.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, Axis, AxisCuts, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_plan::{Array, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::elementwise::astype::Astype;
use crate::family::map::expect_inputs;
use crate::family::params::normalize_axis;
use crate::numeric::fft::{self, Lanes, Precision};

/// Which transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Complex, forward.
    Fft,
    /// Complex, inverse.
    Ifft,
    /// Real to half of a Hermitian spectrum.
    Rfft,
    /// Half of a Hermitian spectrum to real.
    Irfft,
    /// Half of a Hermitian signal to its real spectrum.
    Hfft,
    /// Real spectrum to half of a Hermitian signal.
    Ihfft,
}

/// A transform along one axis: its description and which one it is.
pub struct LaneDef {
    /// Name, documentation, samples.
    pub op: OpDef,
    /// Which transform.
    pub kind: Kind,
}

/// Where the factor 1/n goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// To the inverse transform.
    #[default]
    Backward,
    /// Its square root to both.
    Ortho,
    /// To the forward transform.
    Forward,
}

/// The parameters of a transform along one axis.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneParams {
    /// Length of the transform.
    #[serde(default)]
    pub n: Option<i64>,
    /// The axis; the last by default.
    #[serde(default)]
    pub axis: Option<i64>,
    /// Where the factor 1/n goes.
    #[serde(default)]
    pub norm: Option<Norm>,
}

/// The parameters as help shows them.
pub const PARAMS: &[Param] = &[
    Param {
        name: "n",
        kind: "int",
        default: Some("null"),
        doc: "length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros",
    },
    Param { name: "axis", kind: "int", default: Some("-1"), doc: "the axis to transform" },
    NORM,
];

/// The parameter `norm`.
pub const NORM: Param = Param {
    name: "norm",
    kind: "\"backward\", \"ortho\" or \"forward\"",
    default: Some("\"backward\""),
    doc: "which direction is divided by the length: inverse, both by its square root, or forward",
};

/// A transform along one axis.
#[derive(Clone)]
pub struct Lane {
    def: &'static LaneDef,
    params: LaneParams,
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.def.op.name, self.params)
    }
}

impl Lane {
    /// The op `def` with these parameters.
    pub fn new(def: &'static LaneDef, params: LaneParams) -> Self {
        Lane { def, params }
    }

    /// The op `def` from a JSON object.
    pub fn build(def: &'static LaneDef, params: &Value) -> Result<Arc<dyn Op>> {
        let params =
            serde_json::from_value(params.clone()).map_err(|e| Error::invalid(format!("wrong parameter: {e}")))?;
        Ok(Arc::new(Lane { def, params }))
    }

    fn axis(&self, rank: usize) -> Result<usize> {
        normalize_axis(self.params.axis.unwrap_or(-1), rank)
    }

    /// Length of the transform for an axis of `len`.
    fn length(&self, len: usize) -> Result<usize> {
        let natural = match self.def.kind {
            Kind::Irfft | Kind::Hfft => 2 * (len as i64 - 1),
            _ => len as i64,
        };
        match self.params.n.unwrap_or(natural) {
            n if n > 0 => Ok(n as usize),
            n => Err(Error::invalid(format!("a transform of {n} values is not possible; n must be at least 1"))),
        }
    }

    /// Number of values of a lane that the transform looks at, and that come out of it.
    fn in_out(&self, n: usize) -> (usize, usize) {
        match self.def.kind {
            Kind::Fft | Kind::Ifft => (n, n),
            Kind::Rfft | Kind::Ihfft => (n, n / 2 + 1),
            Kind::Irfft | Kind::Hfft => (n / 2 + 1, n),
        }
    }

    fn is_half_in(&self) -> bool {
        matches!(self.def.kind, Kind::Irfft | Kind::Hfft)
    }

    fn is_half_out(&self) -> bool {
        matches!(self.def.kind, Kind::Rfft | Kind::Ihfft)
    }

    /// The dtype the kernel takes for an input of `dtype`: NumPy keeps single precision, integers become double.
    fn compute(&self, dtype: DType) -> DType {
        match dtype {
            DType::C64 | DType::C128 => dtype,
            DType::F16 | DType::BF16 | DType::F32 => DType::F32,
            _ => DType::F64,
        }
    }

    fn out_dtype(&self, dtype: DType) -> DType {
        match (self.is_half_in(), dtype) {
            (true, DType::F16 | DType::BF16) => dtype,
            (true, _) => self.compute(dtype).to_float(),
            (false, _) => self.compute(dtype).to_complex(),
        }
    }

    fn factor(&self, n: usize) -> f64 {
        let inverse = matches!(self.def.kind, Kind::Ifft | Kind::Irfft | Kind::Ihfft);
        match (self.params.norm.unwrap_or_default(), inverse) {
            (Norm::Ortho, _) => 1.0 / (n as f64).sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n as f64,
            _ => 1.0,
        }
    }

    fn lanes(&self, out: &Region, read: &Region, meta: &ArrayMeta) -> Result<Lanes> {
        let axis = self.axis(meta.rank())?;
        let n = self.length(meta.shape[axis])?;
        Ok(Lanes {
            outer: out.shape[..axis].iter().product(),
            inner: out.shape[axis + 1..].iter().product(),
            len: read.shape[axis],
            n,
            begin: out.start[axis],
            count: out.shape[axis],
            factor: self.factor(n),
        })
    }

    fn run_in<T: Precision>(&self, lanes: &Lanes, input: &View<'_>, out: &mut ViewMut<'_>) -> Result<()>
    where
        num_complex::Complex<T>: voxmill_core::Element,
    {
        let (real, complex) = (input.as_slice::<T>(), input.as_slice::<num_complex::Complex<T>>());
        let lost = || Error::internal("a transform met an unexpected dtype");
        if self.is_half_in() {
            let sign = if self.def.kind == Kind::Hfft { -T::one() } else { T::one() };
            let out = out.as_slice_mut::<T>().ok_or_else(lost)?;
            return match (real, complex) {
                (Some(src), _) => fft::complex_to_real(lanes, src, out, |v: T| v.into()),
                (_, Some(src)) => {
                    fft::complex_to_real(lanes, src, out, |v| num_complex::Complex::new(v.re, v.im * sign))
                }
                _ => Err(lost()),
            };
        }
        let out = out.as_slice_mut::<num_complex::Complex<T>>().ok_or_else(lost)?;
        if self.is_half_out() {
            let conjugate = self.def.kind == Kind::Ihfft;
            let src = real.ok_or_else(lost)?;
            return fft::real_to_complex(lanes, src, out, |v| if conjugate { v.conj() } else { v });
        }
        let inverse = self.def.kind == Kind::Ifft;
        match (real, complex) {
            (Some(src), _) => fft::complex(lanes, inverse, src, out, |v: T| v.into()),
            (_, Some(src)) => fft::complex(lanes, inverse, src, out, |v| v),
            _ => return Err(lost()),
        }
        Ok(())
    }
}

impl Op for Lane {
    fn def(&self) -> &'static OpDef {
        &self.def.op
    }

    fn params(&self) -> Value {
        json!(self.params)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        expect_inputs(self.def(), ins.len())?;
        let axis = self.axis(ins[0].rank())?;
        if self.is_half_out() && ins[0].dtype.is_complex() {
            return Err(Error::invalid(format!(
                "{} takes real values, got {}; use fft or ifft for complex ones",
                self.def.op.name, ins[0].dtype
            )));
        }
        let (_, n_out) = self.in_out(self.length(ins[0].shape[axis])?);
        let mut meta = ins[0].clone().with_dtype(self.out_dtype(ins[0].dtype));
        meta.shape[axis] = n_out;
        meta.grid.axes[axis] = AxisCuts::even(n_out, 0);
        if let Some(info) = meta.axes.get_mut(axis) {
            // Unit and spacing of the input do not describe frequencies.
            *info = Axis { name: info.name.take(), ..Axis::default() };
        }
        Ok(meta)
    }

    fn expand(&self, ins: &[Array]) -> Result<Option<Array>> {
        let dtype = ins[0].dtype();
        let compute = self.compute(dtype);
        if dtype == compute && ins[0].meta().weak.is_none() {
            return Ok(None);
        }
        let result = Array::from_op(Arc::new(self.clone()), vec![Astype::apply(&ins[0], compute)?])?;
        Astype::apply(&result, self.out_dtype(dtype)).map(Some)
    }

    fn reads(&self, out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        let mut read = out.clone();
        if let Ok(axis) = self.axis(ins[0].rank()) {
            let len = ins[0].shape[axis];
            let (n_in, _) = self.in_out(self.length(len).unwrap_or(len));
            (read.start[axis], read.shape[axis]) = (0, if out.is_empty() { 0 } else { n_in.min(len) });
        }
        vec![read]
    }

    fn scratch(&self, out: &Region, reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        let Ok(lanes) = self.lanes(out, &reads[0], ins[0]) else { return 0 };
        match (self.is_half_out(), self.is_half_in(), single(ins[0].dtype)) {
            (true, _, true) => fft::forward_scratch::<f32>(&lanes),
            (true, _, false) => fft::forward_scratch::<f64>(&lanes),
            (_, true, true) => fft::inverse_scratch::<f32>(&lanes),
            (_, true, false) => fft::inverse_scratch::<f64>(&lanes),
            (_, _, true) => fft::complex_scratch::<f32>(&lanes),
            (_, _, false) => fft::complex_scratch::<f64>(&lanes),
        }
    }

    fn run(&self, at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        if at.out.is_empty() {
            return Ok(());
        }
        if ins[0].size() == 0 {
            // Nothing but the zeros that fill up a short axis.
            return out.fill(&Scalar::Int(0).to_bytes(out.dtype()));
        }
        let lanes = self.lanes(at.out, &at.reads[0], at.ins[0])?;
        if single(ins[0].dtype()) {
            self.run_in::<f32>(&lanes, &ins[0], out)
        } else {
            self.run_in::<f64>(&lanes, &ins[0], out)
        }
    }
}

fn single(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::C64)
}

/// Samples over axes, lengths and norms.
pub fn samples(complex_too: bool) -> Vec<Sample> {
    let one = |params: Value, shape: &[usize], dtype| Sample { params, ins: vec![SampleInput::new(shape, dtype)] };
    let mut all = vec![
        one(json!({}), &[3, 8], DType::F64),
        one(json!({"axis": 0}), &[7, 21], DType::F32),
        one(json!({"axis": 1, "n": 5, "norm": "ortho"}), &[2, 9, 3], DType::F32),
        one(json!({"axis": -2, "n": 12, "norm": "forward"}), &[2, 9, 3], DType::F64),
        one(json!({"n": 1}), &[4, 2], DType::F64),
        one(json!({"axis": 1}), &[0, 6], DType::F32),
        one(json!({"n": 34}), &[17], DType::F64),
    ];
    if complex_too {
        all.push(one(json!({"axis": 0}), &[10, 3], DType::C64));
        all.push(one(json!({"axis": 0, "n": 13}), &[10, 18], DType::C128));
    }
    all
}
