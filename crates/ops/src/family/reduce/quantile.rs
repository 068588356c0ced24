//! Quantiles: which elements of the sorted array they lie between, by NumPy's methods, and how much of each.

use serde::{Deserialize, Serialize};
use voxmill_core::Scalar;

/// How a quantile that lies between two elements is found (Hyndman and Fan 1996, and NumPy's own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The element at or below.
    InvertedCdf,
    /// As `inverted_cdf`, with the mean where it hits a step.
    AveragedInvertedCdf,
    /// The nearest element, even ones first.
    ClosestObservation,
    /// Linear in the step function.
    InterpolatedInvertedCdf,
    /// Linear between the middles of steps.
    Hazen,
    /// Linear, with both ends open.
    Weibull,
    /// Linear between the first and the last element.
    #[default]
    Linear,
    /// Linear, unbiased for medians.
    MedianUnbiased,
    /// Linear, unbiased for normal distributions.
    NormalUnbiased,
    /// The element below.
    Lower,
    /// The element above.
    Higher,
    /// The mean of both.
    Midpoint,
    /// The nearest element.
    Nearest,
    /// The mean of the one or two middle elements: what `median` does, whatever the quantile.
    Median,
}

/// The two elements that a quantile lies between, and the weight of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Rank of the lower element, from 0.
    pub low: u64,
    /// Rank of the upper element.
    pub high: u64,
    /// Weight of the upper element.
    pub weight: f64,
}

impl Method {
    /// True where the result is always an element, and so keeps its dtype.
    pub fn is_discrete(self) -> bool {
        use Method::{ClosestObservation, Higher, InvertedCdf, Lower, Nearest};
        matches!(self, InvertedCdf | ClosestObservation | Lower | Higher | Nearest)
    }

    /// Where the quantile `q` of `n` sorted elements lies; `n` is at least 1.
    pub fn spot(self, n: u64, q: f64) -> Spot {
        let (count, last) = (n as f64, (n - 1) as f64);
        let fitted = |alpha: f64, beta: f64| count * q + (alpha + q * (1.0 - alpha - beta)) - 1.0;
        match self {
            Method::Median => Spot { low: (n - 1) / 2, high: n / 2, weight: 0.5 },
            Method::Lower => discrete((last * q).floor(), n),
            Method::Higher => discrete((last * q).ceil(), n),
            Method::Nearest => discrete((last * q).round_ties_even(), n),
            Method::InvertedCdf => discrete(step(count * q - 1.0, |_| true), n),
            Method::ClosestObservation => discrete(step(count * q - 1.5, |floor| floor.rem_euclid(2.0) == 1.0), n),
            Method::Linear => between(last * q, n, |weight, _| weight),
            Method::Midpoint => {
                between(
                    0.5 * ((last * q).floor() + (last * q).ceil()),
                    n,
                    |_, index| {
                        if index % 1.0 == 0.0 { 0.0 } else { 0.5 }
                    },
                )
            }
            Method::AveragedInvertedCdf => {
                between(count * q - 1.0, n, |weight, _| if weight == 0.0 { 0.5 } else { 1.0 })
            }
            Method::InterpolatedInvertedCdf => between(fitted(0.0, 1.0), n, |weight, _| weight),
            Method::Hazen => between(fitted(0.5, 0.5), n, |weight, _| weight),
            Method::Weibull => between(fitted(0.0, 0.0), n, |weight, _| weight),
            Method::MedianUnbiased => between(fitted(1.0 / 3.0, 1.0 / 3.0), n, |weight, _| weight),
            Method::NormalUnbiased => between(fitted(3.0 / 8.0, 3.0 / 8.0), n, |weight, _| weight),
        }
    }

    /// The value between two elements.
    pub fn value(self, low: Scalar, high: Scalar, weight: f64) -> Scalar {
        if self.is_discrete() {
            return low;
        }
        let (a, b) = (low.to_f64(), high.to_f64());
        Scalar::Float(match self {
            // Not by way of the difference: the mean of two equal infinities is infinite.
            Method::Median if low == high => a,
            Method::Median => (a + b) / 2.0,
            // From the nearer side, as NumPy, so that the result is exact at both ends.
            _ if weight >= 0.5 => b - (b - a) * (1.0 - weight),
            _ => a + (b - a) * weight,
        })
    }
}

/// The element below a fractional rank that satisfies `below` where it is whole, else the one above.
fn step(index: f64, below: impl Fn(f64) -> bool) -> f64 {
    let floor = index.floor();
    if index == floor && below(floor) { floor } else { floor + 1.0 }
}

fn discrete(rank: f64, n: u64) -> Spot {
    let rank = (rank.max(0.0) as u64).min(n - 1);
    Spot { low: rank, high: rank, weight: 0.0 }
}

fn between(index: f64, n: u64, weight: impl Fn(f64, f64) -> f64) -> Spot {
    if index >= (n - 1) as f64 {
        return Spot { low: n - 1, high: n - 1, weight: weight(index + 1.0, index) };
    }
    if index < 0.0 {
        return Spot { low: 0, high: 0, weight: weight(index, index) };
    }
    let floor = index.floor();
    Spot { low: floor as u64, high: floor as u64 + 1, weight: weight(index - floor, index) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spots_of_five_elements() {
        let spot = |method: Method, q| {
            let spot = method.spot(5, q);
            (spot.low, spot.high, spot.weight)
        };
        assert_eq!(spot(Method::Linear, 0.3), (1, 2, 4.0 * 0.3 - 1.0));
        assert_eq!(spot(Method::Lower, 0.3), (1, 1, 0.0));
        assert_eq!(spot(Method::Higher, 0.3), (2, 2, 0.0));
        assert_eq!(spot(Method::Nearest, 0.375), (2, 2, 0.0));
        assert_eq!(spot(Method::InvertedCdf, 0.4), (1, 1, 0.0));
        assert_eq!(spot(Method::Median, 0.0), (2, 2, 0.5));
        assert_eq!(Method::Median.spot(4, 0.0), Spot { low: 1, high: 2, weight: 0.5 });
    }
}
