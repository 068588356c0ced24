//! Metrics by name: which sums they need, and what they make of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use voxmill_core::{DType, Error, Result};
use voxmill_ops::TABLE;
use voxmill_ops::elementwise::astype::Astype;
use voxmill_ops::linalg::contract_join::ContractJoin;
use voxmill_plan::{Array, Param};

use super::distance_part::{DistancePart, Kind};

/// A metric, as scipy names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Root of the sum of squares.
    #[default]
    Euclidean,
    /// Sum of squares.
    SqEuclidean,
    /// Sum of differences.
    Cityblock,
    /// Root of the sum of powers.
    Minkowski,
    /// Largest difference.
    Chebyshev,
    /// One minus the cosine of the angle.
    Cosine,
    /// One minus the correlation.
    Correlation,
    /// Share of features that differ.
    Hamming,
    /// Share of features that only one has, of those that any has.
    Jaccard,
    /// Sum of differences, each as a share.
    Canberra,
    /// Sum of differences as a share of the sum of sums.
    Braycurtis,
}

/// The parameter `metric`.
pub const METRIC: Param = Param {
    name: "metric",
    kind: "text",
    default: Some("\"euclidean\""),
    doc: "\"euclidean\", \"sqeuclidean\", \"cityblock\", \"minkowski\", \"chebyshev\", \"cosine\", \"correlation\", \"hamming\", \
          \"jaccard\", \"canberra\" or \"braycurtis\"",
};

/// The parameter `p`.
pub const P: Param = Param {
    name: "p",
    kind: "float",
    default: Some("2.0"),
    doc: "the exponent of \"minkowski\"; positive, may be infinite",
};

/// Rules that all distances have.
pub const RULES: &str = "As scipy.spatial.distance, in float64. Sums over features are taken in blocks, in a fixed order. Integers of 8 \
    bits are multiplied exactly. float32 and half precision are compared in single precision and added up in double: equal to scipy to 5e-6; \
    all others to 1e-12. NaN gives NaN; chebyshev passes over it, for hamming and jaccard it is a value like others.";

/// A metric with its exponent, and which values count.
#[derive(Debug, Clone, Copy)]
pub struct Distance {
    /// The metric.
    pub metric: Metric,
    /// The exponent of [`Metric::Minkowski`].
    pub p: f64,
    /// Pass over features where a value is negative or NaN.
    pub known: bool,
    /// Only pairs with `row <= column` are needed.
    pub upper: bool,
}

/// Blocks have at least this many features.
const BLOCK: usize = 16384;

fn call(name: &str, ins: &[&Array], params: Value) -> Result<Array> {
    Array::from_op(TABLE.build(name, &params)?, ins.iter().map(|a| (*a).clone()).collect())
}

fn binary(name: &str, a: &Array, b: &Array) -> Result<Array> {
    call(name, &[a, b], json!({}))
}

fn unary(name: &str, a: &Array) -> Result<Array> {
    call(name, &[a], json!({}))
}

/// `array` as a row instead of a column.
fn turned(array: &Array) -> Result<Array> {
    call("transpose", &[array], json!({"axes": [1, 0]}))
}

impl Distance {
    /// Distances of all pairs of a row of `a` and a row of `b`.
    pub fn apply(&self, a: &Array, b: &Array) -> Result<Array> {
        let (a, b) = self.checked(a, b)?;
        let (a, b) = (&a, &b);
        let features = a.shape()[1];
        match self.metric {
            Metric::SqEuclidean => self.sum(Kind::Squares, a, b),
            Metric::Euclidean => unary("sqrt", &self.sum(Kind::Squares, a, b)?),
            Metric::Cityblock => self.sum(Kind::Differences, a, b),
            Metric::Chebyshev => self.sum(Kind::Largest, a, b),
            Metric::Canberra => self.sum(Kind::Shares, a, b),
            Metric::Minkowski if self.p == 1.0 => self.sum(Kind::Differences, a, b),
            Metric::Minkowski if self.p == 2.0 => unary("sqrt", &self.sum(Kind::Squares, a, b)?),
            Metric::Minkowski if self.p.is_infinite() => self.sum(Kind::Largest, a, b),
            Metric::Minkowski => binary("power", &self.sum(Kind::Powers, a, b)?, &Array::weak(1.0 / self.p)),
            Metric::Hamming if self.known => {
                let both = self.whole().sum(Kind::Products, &known(a)?, &known(b)?)?;
                binary("divide", &self.sum(Kind::Differing, a, b)?, &both)
            }
            Metric::Hamming => {
                binary("divide", &self.sum(Kind::Differing, a, b)?, &Array::scalar(features as f64, DType::F64))
            }
            Metric::Jaccard => {
                let [one, any] = self.both(Kind::OnlyOne, a, b)?;
                let any = binary("maximum", &any, &Array::weak(1.0))?;
                binary("divide", &one, &any)
            }
            Metric::Braycurtis => {
                let [differences, sums] = self.both(Kind::DifferencesAndSums, a, b)?;
                binary("divide", &differences, &sums)
            }
            Metric::Cosine if self.known => self.cosine_of_known(a, b, false),
            Metric::Correlation if self.known => self.cosine_of_known(a, b, true),
            Metric::Cosine => self.cosine(a, b),
            Metric::Correlation => self.cosine(&centred(a)?, &centred(b)?),
        }
    }

    /// Both inputs in one dtype, or what is wrong with them.
    fn checked(&self, a: &Array, b: &Array) -> Result<(Array, Array)> {
        for x in [a, b] {
            if x.rank() != 2 {
                return Err(Error::invalid(format!(
                    "distances need matrices with a sample in each row; an array has {} axes",
                    x.rank()
                )));
            }
            if x.dtype().is_complex() {
                return Err(Error::invalid(format!("distances are not defined for {}", x.dtype())));
            }
        }
        if a.shape()[1] != b.shape()[1] {
            return Err(Error::invalid(format!(
                "both matrices must have the same number of columns (features); they have {} and {}",
                a.shape()[1],
                b.shape()[1]
            )));
        }
        if self.metric == Metric::Minkowski && (self.p.is_nan() || self.p <= 0.0) {
            return Err(Error::invalid(format!("p {} is no exponent of a distance; it must be positive", self.p)));
        }
        let dtype = a.dtype().promote(b.dtype());
        Ok((Astype::apply(a, dtype)?, Astype::apply(b, dtype)?))
    }

    /// The same for all pairs: sums of two different matrices are not symmetric.
    fn whole(&self) -> Distance {
        Distance { upper: false, known: false, ..*self }
    }

    /// Sums over all features, with an axis of states in front.
    fn sums(&self, kind: Kind, a: &Array, b: &Array) -> Result<Array> {
        let (m, n) = (a.shape()[0], b.shape()[0]);
        // All blocks together are not larger than the inputs, unless the inputs are small.
        let pairs = 8 * kind.states() * m * n;
        let block = BLOCK.max(pairs / ((m + n) * a.dtype().size()).max(1));
        let part = DistancePart { kind, p: self.p, block, known: self.known, upper: self.upper };
        let parts = Array::from_op(Arc::new(part), vec![a.clone(), b.clone()])?;
        match kind {
            Kind::Largest => call("max", &[&parts], json!({"axis": 0})),
            _ => ContractJoin::sum(parts),
        }
    }

    fn sum(&self, kind: Kind, a: &Array, b: &Array) -> Result<Array> {
        call("squeeze", &[&self.sums(kind, a, b)?], json!({"axis": 0}))
    }

    fn both(&self, kind: Kind, a: &Array, b: &Array) -> Result<[Array; 2]> {
        let sums = self.sums(kind, a, b)?;
        let state = |k: usize| call("getitem", &[&sums], json!({"index": [k]}));
        Ok([state(0)?, state(1)?])
    }

    fn cosine(&self, a: &Array, b: &Array) -> Result<Array> {
        let norms = |x: &Array| {
            let squares = unary("square", &Astype::apply(x, DType::F64)?)?;
            unary("sqrt", &call("sum", &[&squares], json!({"axis": 1, "keepdims": true}))?)
        };
        let lengths = binary("multiply", &norms(a)?, &turned(&norms(b)?)?)?;
        one_minus(&binary("divide", &self.sum(Kind::Products, a, b)?, &lengths)?)
    }

    /// From sums over the features that both have: their number, values, squares and products.
    fn cosine_of_known(&self, a: &Array, b: &Array, centre: bool) -> Result<Array> {
        let all = self.whole();
        let (marks_a, marks_b) = (known(a)?, known(b)?);
        let values = |x: &Array, marks: &Array| {
            let wide = Astype::apply(x, DType::F64)?;
            call("where", &[marks, &wide, &Array::scalar(0.0, DType::F64)], json!({}))
        };
        let (a, b) = (values(a, &marks_a)?, values(b, &marks_b)?);
        let (ones_a, ones_b) = (Astype::apply(&marks_a, DType::F64)?, Astype::apply(&marks_b, DType::F64)?);
        let mut products = all.sum(Kind::Products, &a, &b)?;
        let mut squares_a = all.sum(Kind::Products, &unary("square", &a)?, &ones_b)?;
        let mut squares_b = all.sum(Kind::Products, &ones_a, &unary("square", &b)?)?;
        if centre {
            let n = all.sum(Kind::Products, &marks_a, &marks_b)?;
            let sums_a = all.sum(Kind::Products, &a, &ones_b)?;
            let sums_b = all.sum(Kind::Products, &ones_a, &b)?;
            let without = |sum: &Array, x: &Array, y: &Array| {
                binary("subtract", sum, &binary("divide", &binary("multiply", x, y)?, &n)?)
            };
            products = without(&products, &sums_a, &sums_b)?;
            squares_a = without(&squares_a, &sums_a, &sums_a)?;
            squares_b = without(&squares_b, &sums_b, &sums_b)?;
        }
        let lengths = unary("sqrt", &binary("multiply", &squares_a, &squares_b)?)?;
        one_minus(&binary("divide", &products, &lengths)?)
    }
}

/// True where a value is known: neither negative nor NaN.
fn known(x: &Array) -> Result<Array> {
    binary("greater_equal", x, &Array::scalar(0i64, x.dtype()))
}

/// Rows minus their means.
fn centred(x: &Array) -> Result<Array> {
    let x = Astype::apply(x, DType::F64)?;
    binary("subtract", &x, &call("mean", &[&x], json!({"axis": 1, "keepdims": true}))?)
}

/// One minus a cosine, which rounding may have brought beyond 1.
fn one_minus(cosine: &Array) -> Result<Array> {
    let cosine = binary("minimum", &binary("maximum", cosine, &Array::weak(-1.0))?, &Array::weak(1.0))?;
    binary("subtract", &Array::weak(1.0), &cosine)
}
