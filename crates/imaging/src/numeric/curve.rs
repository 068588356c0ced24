//! Curves of brightness from histograms.

/// Values at rising centers that lie equally far apart.
#[derive(Debug)]
pub struct Curve {
    /// Where the values are.
    pub centers: Vec<f64>,
    /// The values.
    pub values: Vec<f64>,
}

impl Curve {
    /// The value at `x`, on a line between its neighbours; the first and last ones beyond. NaN gives NaN.
    pub fn at(&self, x: f64) -> f64 {
        let (Some(&first), Some(&last)) = (self.centers.first(), self.centers.last()) else { return f64::NAN };
        let n = self.centers.len();
        if x.is_nan() || first.is_nan() {
            return f64::NAN;
        }
        if x <= first {
            return self.values[0];
        }
        if x >= last {
            return self.values[n - 1];
        }
        let step = (last - first) / (n - 1) as f64;
        let mut k = (((x - first) / step) as usize).min(n - 2);
        // Rounding may have led to the bin before or after.
        while k > 0 && self.centers[k] > x {
            k -= 1;
        }
        while k + 2 < n && self.centers[k + 1] <= x {
            k += 1;
        }
        let slope = (self.values[k + 1] - self.values[k]) / (self.centers[k + 1] - self.centers[k]);
        slope * (x - self.centers[k]) + self.values[k]
    }
}

/// The share of elements in each bin and all bins before. Bins before the first element count as it does.
pub fn shares(counts: &[i64]) -> Vec<f64> {
    let total = counts.iter().sum::<i64>() as f64;
    let first = counts.iter().copied().find(|&n| n > 0).unwrap_or(0);
    let mut sum = 0;
    counts.iter().map(|n| (sum += n, sum.max(first) as f64 / total).1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_lines_between_centers() {
        let curve = Curve { centers: vec![1.0, 2.0, 3.0], values: vec![0.0, 10.0, 40.0] };
        let found: Vec<f64> = [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0].iter().map(|&x| curve.at(x)).collect();
        assert_eq!(found, [0.0, 0.0, 5.0, 10.0, 25.0, 40.0, 40.0]);
        assert!(curve.at(f64::NAN).is_nan());
        assert_eq!(shares(&[0, 2, 0, 2]), [0.5, 0.5, 0.5, 1.0]);
    }
}
