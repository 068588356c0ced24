//! What thresholds from histograms share: whole numbers of up to 16 bits have a bin for each value, other images equal bins.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{ArrayMeta, DType, Error, Region, Result, Scalar, View, ViewMut};
use voxmill_ops::family::params;
use voxmill_plan::{Array, Form, Inputs, Op, OpDef, Param, Place, Sample, SampleInput};

use super::bins::{Bins, centers};
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

/// The threshold of an image.
pub fn threshold(image: &Array, nbins: usize, range: Option<(i64, i64)>, rule: Rule) -> Result<Array> {
    let bins = Bins::of(image, nbins, range)?;
    let dtype = match bins.first {
        Some(_) if matches!(rule, Rule::Li(..)) => DType::F64,
        _ => bins.dtype(),
    };
    Array::from_op(Arc::new(ThresholdOfCounts { rule, first: bins.first, dtype }), bins.arrays())
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
            /// Smallest and largest value of an image of more than 16 bits.
            pub range: Option<(i64, i64)>,
        }

        impl Default for $op {
            fn default() -> Self {
                $op { $($field: $default,)+ range: None }
            }
        }

        #[doc = concat!("The op `", $name, "`.")]
        pub static DEF: voxmill_plan::OpDef = voxmill_plan::OpDef {
            name: $name,
            theme: "exposure",
            summary: $summary,
            doc: "As skimage.filters, over the whole image. Whole numbers have a bin for each value and give int64; those of more than 16 \
                  bits need their range. Floats give the middle of a bin. The work is done in double precision, where scikit-image counts in float32. An image of \
                  one value gives that value; NaN among floats gives NaN.",
            inputs: voxmill_plan::Inputs::Named(&["image"]),
            params: &[$($param,)+ super::bins::RANGE],
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
                super::threshold::threshold(&ins[0], self.nbins, self.range, $rule)
            }
        }
    };
}

pub(crate) use threshold_op;
