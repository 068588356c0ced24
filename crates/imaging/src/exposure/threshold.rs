//! What thresholds from histograms share: whole numbers of up to 16 bits have a bin for each value, other images equal bins.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::TABLE;
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use crate::filter::line::lost;
use crate::numeric::thresholds::Histogram;

/// How a histogram is cut in two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Largest variance between classes.
    Otsu,
    /// Largest entropic correlation.
    Yen,
    /// Middle between the means of both sides.
    Isodata,
    /// Farthest from the line between peak and end.
    Triangle,
    /// Lowest point between two peaks, smoothed so often at most.
    Minimum(usize),
    /// Smallest cross entropy, to a tolerance, from a guess.
    Li(f64, Option<f64>),
}

impl Rule {
    fn cut(self, histogram: &Histogram) -> Result<f64> {
        if histogram.counts.len() == 1 {
            return Ok(histogram.centers[0]);
        }
        match self {
            Rule::Otsu => Ok(histogram.otsu()),
            Rule::Yen => Ok(histogram.yen()),
            Rule::Isodata => histogram.isodata(),
            Rule::Triangle => Ok(histogram.triangle()),
            Rule::Minimum(rounds) => histogram.minimum(rounds),
            Rule::Li(tolerance, guess) => histogram.li(tolerance, guess),
        }
    }
}

/// The parameter `nbins`.
pub const NBINS: Param = Param {
    name: "nbins",
    kind: "int",
    default: Some("256"),
    doc: "number of equal bins for floats; whole numbers have a bin for each value",
};

/// The threshold of an image.
pub fn threshold(image: &Array, nbins: usize, rule: Rule) -> Result<Array> {
    let call = |name: &str, ins: &[&Array], params: Value| {
        Array::from_op(TABLE.build(name, &params)?, ins.iter().map(|a| (*a).clone()).collect())
    };
    if image.size() == 0 {
        return Err(Error::invalid("an image without elements has no threshold"));
    }
    let dtype = image.dtype();
    if let Some((low, high)) = values(dtype) {
        let dtype = if matches!(rule, Rule::Li(..)) { DType::F64 } else { DType::I64 };
        // A bin for each value, with edges between the values.
        let (bins, range) = (high - low + 1, [low as f64 - 0.5, high as f64 + 0.5]);
        let counts = call("histogram", &[image], json!({"bins": bins, "range": range}))?;
        return Array::from_op(Arc::new(ThresholdOfCounts { rule, first: Some(low), dtype }), vec![counts]);
    }
    if !dtype.is_float() {
        return Err(Error::invalid(format!(
            "a threshold is not defined for {dtype}; there would be a bin for each of its values: cast to uint16 or a float first"
        )));
    }
    let bins = json!({"bins": nbins});
    let (counts, edges) = (call("histogram", &[image], bins.clone())?, call("histogram_bin_edges", &[image], bins)?);
    let dtype = edges.dtype();
    Array::from_op(Arc::new(ThresholdOfCounts { rule, first: None, dtype }), vec![counts, edges])
}

/// The values that a type of up to 16 bits has.
fn values(dtype: DType) -> Option<(i64, i64)> {
    match dtype {
        DType::Bool => Some((0, 1)),
        DType::U8 => Some((0, u8::MAX.into())),
        DType::I8 => Some((i8::MIN.into(), i8::MAX.into())),
        DType::U16 => Some((0, u16::MAX.into())),
        DType::I16 => Some((i16::MIN.into(), i16::MAX.into())),
        _ => None,
    }
}

/// The threshold of a histogram.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdOfCounts {
    /// How it is cut.
    pub rule: Rule,
    /// The value of the first bin, where bins are whole numbers; else the edges are the second input.
    pub first: Option<i64>,
    /// Dtype of the result.
    pub dtype: DType,
}

/// The op `threshold_of_counts`.
pub static DEF: OpDef = OpDef {
    name: "threshold_of_counts",
    theme: "exposure",
    summary: "Internal: the threshold of a histogram.",
    doc: "",
    inputs: Inputs::Many("counts, and edges of bins unless these are whole numbers"),
    params: &[
        Param { name: "rule", kind: "string", default: None, doc: "how it is cut" },
        Param { name: "first", kind: "int", default: None, doc: "value of the first bin" },
        Param { name: "dtype", kind: "dtype", default: None, doc: "dtype of the result" },
    ],
    form: Form::Kernel,
    cost: 20.0,
    hold: true,
    build: params::build::<ThresholdOfCounts>,
    samples: || {
        vec![Sample {
            params: json!({"rule": "otsu", "first": 0, "dtype": "int64"}),
            ins: vec![SampleInput::new(&[40], DType::I64).between(1.0, 90.0)],
        }]
    },
};

impl Op for ThresholdOfCounts {
    fn def(&self) -> &'static OpDef {
        &DEF
    }

    fn params(&self) -> Value {
        json!(self)
    }

    fn infer(&self, ins: &[&ArrayMeta]) -> Result<ArrayMeta> {
        if ins[0].dtype != DType::I64 || ins.len() != 1 + usize::from(self.first.is_none()) {
            return Err(Error::internal("a threshold is made from counts, and edges for floats"));
        }
        Ok(ArrayMeta::new([], self.dtype))
    }

    fn reads(&self, _out: &Region, ins: &[&ArrayMeta]) -> Vec<Region> {
        ins.iter().map(|meta| meta.whole()).collect()
    }

    fn scratch(&self, _out: &Region, _reads: &[Region], ins: &[&ArrayMeta]) -> u64 {
        ins[0].size() as u64 * 8 * 12
    }

    fn run(&self, _at: &Place<'_>, ins: &[View<'_>], out: &mut ViewMut<'_>) -> Result<()> {
        let counts: Vec<f64> = ins[0].as_slice::<i64>().ok_or_else(lost)?.iter().map(|&n| n as f64).collect();
        let centers: Vec<f64> = match (self.first, ins.get(1)) {
            (Some(first), _) => (0..counts.len()).map(|k| first as f64 + k as f64).collect(),
            (None, Some(edges)) => centers(edges)?,
            (None, None) => return Err(Error::internal("the edges of bins are missing")),
        };
        let histogram = Histogram::new(counts, centers.clone());
        let value = match histogram {
            // An image of one value: NumPy puts it in the middle of its bins.
            Some(histogram) if self.first.is_none() && histogram.counts.len() == 1 => {
                (centers[0] + centers[centers.len() - 1]) / 2.0
            }
            Some(histogram) => self.rule.cut(&histogram)?,
            None => f64::NAN,
        };
        out.fill(&Scalar::Float(value).to_bytes(self.dtype))
    }
}

/// Middles of bins, rounded as the edges are.
fn centers(edges: &View<'_>) -> Result<Vec<f64>> {
    if let Some(edges) = edges.as_slice::<f32>() {
        return Ok(edges.windows(2).map(|e| f64::from((e[0] + e[1]) / 2.0)).collect());
    }
    let edges = edges.as_slice::<f64>().ok_or_else(|| Error::internal("edges of bins are floats"))?;
    Ok(edges.windows(2).map(|e| (e[0] + e[1]) / 2.0).collect())
}

/// Samples of an op that gives a threshold.
pub fn samples() -> Vec<Sample> {
    sampled(&[DType::U8, DType::I16, DType::F32, DType::F64])
}

/// Samples of an op that gives a threshold of whole numbers.
pub fn integer_samples() -> Vec<Sample> {
    sampled(&[DType::U8, DType::I16])
}

fn sampled(dtypes: &[DType]) -> Vec<Sample> {
    let one = |&dtype: &DType| Sample { params: json!({}), ins: vec![SampleInput::new(&[40, 50], dtype)] };
    dtypes.iter().map(one).collect()
}

/// An op that is nothing but a rule for histograms, and numbers that it takes.
macro_rules! threshold_op {
    ($op:ident, $name:literal, $summary:literal, $samples:expr, $($field:ident: $t:ty = $default:expr, $param:expr;)+ |$self:ident| $rule:expr) => {
        /// Its parameters.
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $op {
            $(
                /// See the parameter of that name.
                pub $field: $t,
            )+
        }

        impl Default for $op {
            fn default() -> Self {
                $op { $($field: $default),+ }
            }
        }

        #[doc = concat!("The op `", $name, "`.")]
        pub static DEF: voxmill_plan::OpDef = voxmill_plan::OpDef {
            name: $name,
            theme: "exposure",
            summary: $summary,
            doc: "As skimage.filters, over the whole image. Whole numbers of up to 16 bits have a bin for each value and give int64; \
                  floats give the middle of a bin. The work is done in double precision, where scikit-image counts in float32. An image of \
                  one value gives that value; NaN among floats gives NaN.",
            inputs: voxmill_plan::Inputs::Named(&["image"]),
            params: &[$($param),+],
            form: voxmill_plan::Form::Composite,
            cost: 0.0,
            hold: false,
            build: voxmill_ops::family::composite::Composite::<$op>::build,
            samples: $samples,
        };

        impl voxmill_ops::family::composite::Compose for $op {
            fn def() -> &'static voxmill_plan::OpDef {
                &DEF
            }

            fn compose(&self, ins: &[voxmill_plan::Array]) -> voxmill_core::Result<voxmill_plan::Array> {
                let $self = self;
                let _ = $self;
                super::threshold::threshold(&ins[0], self.nbins, $rule)
            }
        }
    };
}

pub(crate) use threshold_op;
