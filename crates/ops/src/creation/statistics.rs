//! Moments and correlations, for the tests of random arrays.

use serde_json::Value;
use voxmill_core::Scalar;
use voxmill_plan::{Array, reference};

/// All values of a random array.
pub fn draw(name: &str, params: Value) -> Vec<f64> {
    let array = Array::from_op(crate::TABLE.build(name, &params).unwrap(), Vec::new()).unwrap();
    let chunk = reference::evaluate(&array).unwrap();
    let view = chunk.view();
    let (bytes, dtype) = (view.bytes().unwrap(), chunk.dtype());
    bytes.chunks_exact(dtype.size()).map(|e| Scalar::from_bytes(e, dtype).to_f64()).collect()
}

/// Mean and variance.
#[derive(Debug)]
pub struct Moments {
    pub mean: f64,
    pub variance: f64,
}

impl Moments {
    pub fn of(values: &[f64]) -> Moments {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        Moments { mean, variance: values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n }
    }

    fn central(&self, values: &[f64], power: i32) -> f64 {
        let sigma = self.variance.sqrt();
        values.iter().map(|v| ((v - self.mean) / sigma).powi(power)).sum::<f64>() / values.len() as f64
    }

    pub fn skewness(&self, values: &[f64]) -> f64 {
        self.central(values, 3)
    }

    /// Beyond that of the normal distribution.
    pub fn kurtosis(&self, values: &[f64]) -> f64 {
        self.central(values, 4) - 3.0
    }

    /// Correlation of elements `lag` apart.
    pub fn correlation(&self, values: &[f64], lag: usize) -> f64 {
        let pairs = values.iter().zip(&values[lag..]);
        let sum: f64 = pairs.map(|(a, b)| (a - self.mean) * (b - self.mean)).sum();
        sum / (values.len() - lag) as f64 / self.variance
    }
}
