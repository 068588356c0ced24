//! Where to cut a histogram in two. The sums are double, so that histograms of any number of elements are exact enough.

use voxmill_core::{Error, Result};

/// Counts per bin, and the middle of each bin. Invariant: there is a bin, and the first and the last one are not empty.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Elements in each bin.
    pub counts: Vec<f64>,
    /// Middle of each bin.
    pub centers: Vec<f64>,
}

impl Histogram {
    /// Leaves out empty bins at both ends; `None` if all are empty.
    pub fn new(counts: Vec<f64>, centers: Vec<f64>) -> Option<Histogram> {
        let first = counts.iter().position(|&n| n > 0.0)?;
        let end = counts.iter().rposition(|&n| n > 0.0)? + 1;
        Some(Histogram { counts: counts[first..end].to_vec(), centers: centers[first..end].to_vec() })
    }

    /// The threshold with the largest variance between the two classes.
    pub fn otsu(&self) -> f64 {
        let below = running(&self.counts);
        let sums = running(&products(&self.counts, &self.centers));
        let (all, total) = (last(&below), last(&sums));
        let between = |k: usize| {
            let (n1, n2) = (below[k], all - below[k]);
            let difference = sums[k] / n1 - (total - sums[k]) / n2;
            n1 * n2 * difference * difference
        };
        self.best(between)
    }

    /// The threshold with the largest entropic correlation (Yen).
    pub fn yen(&self) -> f64 {
        let all: f64 = self.counts.iter().sum();
        let shares: Vec<f64> = self.counts.iter().map(|n| n / all).collect();
        let (below, squares) = (running(&shares), running(&products(&shares, &shares)));
        let total = last(&squares);
        let correlation = |k: usize| {
            let product = squares[k] * (total - squares[k]);
            let spread = below[k] * (1.0 - below[k]);
            (spread * spread / product).ln()
        };
        self.best(correlation)
    }

    /// The center with the largest value, over all thresholds that leave something on both sides.
    fn best(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut best = (0, f64::NEG_INFINITY);
        for k in 0..self.counts.len() - 1 {
            let value = value(k);
            if value > best.1 {
                best = (k, value);
            }
        }
        self.centers[best.0]
    }

    /// The first threshold that is the middle between the means of both sides.
    pub fn isodata(&self) -> Result<f64> {
        let [first, second, ..] = self.centers[..] else { return Ok(self.centers[0]) };
        let below = running(&self.counts);
        let sums = running(&products(&self.counts, &self.centers));
        let (all, total) = (last(&below), last(&sums));
        let fits = |k: &usize| {
            let middle = (sums[*k] / below[*k] + (total - sums[*k]) / (all - below[*k])) / 2.0;
            (0.0..second - first).contains(&(middle - self.centers[*k]))
        };
        let found = (0..self.counts.len() - 1).find(fits);
        found
            .map(|k| self.centers[k])
            .ok_or_else(|| Error::invalid("no bin is the middle of the means on both sides of it"))
    }

    /// The threshold farthest from the line between the peak and the farther end.
    pub fn triangle(&self) -> f64 {
        let n = self.counts.len();
        let peak = (0..n).fold(0, |best, k| if self.counts[k] > self.counts[best] { k } else { best });
        let flip = peak < n - 1 - peak;
        let count = |k: usize| if flip { self.counts[n - 1 - k] } else { self.counts[k] };
        let width = if flip { n - 1 - peak } else { peak };
        let height = self.counts[peak];
        let norm = height.hypot(width as f64);
        let distance = |k: usize| height / norm * k as f64 - width as f64 / norm * count(k);
        let level = (0..width).fold(0, |best, k| if distance(k) > distance(best) { k } else { best });
        self.centers[if flip { n - 1 - level } else { level }]
    }

    /// The lowest point between two peaks, after smoothing until there are only two.
    pub fn minimum(&self, most_rounds: usize) -> Result<f64> {
        let mut counts: Vec<f32> = self.counts.iter().map(|&n| n as f32).collect();
        let mut peaks = Vec::new();
        let mut rounds = 0;
        for round in 0..most_rounds {
            rounds = round;
            counts = smoothed(&counts);
            peaks = maxima(&counts);
            if peaks.len() < 3 {
                break;
            }
        }
        let [left, right] = peaks[..] else {
            return Err(Error::invalid("unable to find two maxima in the histogram"));
        };
        if rounds + 1 == most_rounds {
            return Err(Error::invalid(format!(
                "the histogram has more than two maxima after {most_rounds} rounds of smoothing"
            )));
        }
        let lowest = (left..=right).fold(left, |best, k| if counts[k] < counts[best] { k } else { best });
        Ok(self.centers[lowest])
    }

    /// Li's threshold of whole numbers: where the logarithms of the means of both sides balance.
    pub fn li(&self, tolerance: f64, guess: Option<f64>) -> Result<f64> {
        let low = self.centers[0];
        if self.centers.len() == 1 {
            return Ok(low);
        }
        let values: Vec<f64> = self.centers.iter().map(|c| c - low).collect();
        let mean = |chosen: &dyn Fn(f64) -> bool| {
            let pairs = values.iter().zip(&self.counts).filter(|(v, _)| chosen(**v));
            let (sum, n) = pairs.fold((0.0, 0.0), |(sum, n), (v, count)| (sum + v * count, n + count));
            sum / n
        };
        let mut next = match guess {
            Some(guess) if guess > low && guess < last(&self.centers) => (guess - low).trunc(),
            Some(guess) => {
                return Err(Error::invalid(format!(
                    "initial_guess {guess} must lie between {low} and {}, the values of the image",
                    last(&self.centers)
                )));
            }
            None => mean(&|_| true),
        };
        let mut now = -2.0 * tolerance;
        while (next - now).abs() > tolerance {
            now = next;
            let (above, below) = (mean(&|v| v > now), mean(&|v| v <= now));
            if below == 0.0 {
                break;
            }
            next = (below - above) / (below.ln() - above.ln());
        }
        Ok(next + low)
    }
}

fn running(values: &[f64]) -> Vec<f64> {
    values.iter().scan(0.0, |sum, v| Some((*sum += v, *sum).1)).collect()
}

fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(0.0)
}

/// Means of three neighbours, mirrored at the ends. The sum runs along, as scipy's does: its rounding decides which peaks are left.
fn smoothed(counts: &[f32]) -> Vec<f32> {
    let n = counts.len() as isize;
    let at =
        |k: isize| f64::from(counts[if k < 0 { (-1 - k).min(n - 1) } else { k.min(2 * n - 1 - k).max(0) } as usize]);
    let mut sum = at(-1) + at(0) + at(1);
    let mut out = Vec::with_capacity(counts.len());
    for k in 0..n {
        out.push((sum / 3.0) as f32);
        sum += at(k + 2) - at(k - 1);
    }
    out
}

fn maxima(counts: &[f32]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut rising = true;
    for k in 0..counts.len().saturating_sub(1) {
        if rising && counts[k + 1] < counts[k] {
            rising = false;
            found.push(k);
        } else if !rising && counts[k + 1] > counts[k] {
            rising = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_peaks() -> Histogram {
        let counts = [0.0, 5.0, 9.0, 5.0, 1.0, 0.0, 2.0, 6.0, 8.0, 6.0, 1.0, 0.0];
        Histogram::new(counts.to_vec(), (0..12).map(f64::from).collect()).unwrap()
    }

    #[test]
    fn thresholds_lie_between_the_peaks() {
        let histogram = two_peaks();
        assert_eq!((histogram.counts.len(), histogram.centers[0]), (10, 1.0));
        for found in [histogram.otsu(), histogram.yen(), histogram.isodata().unwrap(), histogram.minimum(100).unwrap()]
        {
            assert!((3.0..=6.0).contains(&found), "{found}");
        }
        assert!((3.0..6.0).contains(&histogram.li(0.5, None).unwrap()));
    }

    #[test]
    fn empty_histograms_have_no_threshold() {
        assert!(Histogram::new(vec![0.0; 4], vec![0.0; 4]).is_none());
    }
}
