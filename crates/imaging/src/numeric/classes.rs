//! Cutting a histogram into several classes with the largest variance between them.

use voxmill_core::{Error, Result};

/// The last bin of each class but the last one; of equally good ways the one whose first threshold is lowest, then the second.
///
/// The best way to cut a tail of the histogram starts no earlier than that of a longer tail, so that halving the tails finds all of them
/// in `n log n` steps per class.
pub fn split(counts: &[i64], classes: usize) -> Result<Vec<usize>> {
    let used: Vec<usize> = (0..counts.len()).filter(|&k| counts[k] > 0).collect();
    if used.len() < classes {
        return Err(Error::invalid(format!(
            "the image has {} different values in its bins, which cannot make {classes} classes; more nbins may help",
            used.len()
        )));
    }
    if used.len() == classes {
        return Ok(used[..classes - 1].to_vec());
    }
    // Empty bins at both ends change nothing.
    let (first, end) = (used[0], used[used.len() - 1] + 1);
    let moments = Moments::new(&counts[first..end]);
    let n = end - first;
    let mut best: Vec<f64> = (0..n).map(|from| moments.spread(from, n)).collect();
    let mut choices = Vec::with_capacity(classes - 1);
    for left in 2..=classes {
        let mut next = Tails { best: vec![f64::NEG_INFINITY; n], choice: vec![0; n] };
        // The tail must leave a bin for each class.
        next.fill(&moments, &best, 0, n - left + 1, 0, n - left + 1);
        choices.push(next.choice);
        best = next.best;
    }
    let mut from = 0;
    let cuts = choices.iter().rev().map(|choice| {
        let cut = choice[from];
        from = cut + 1;
        first + cut
    });
    Ok(cuts.collect())
}

/// Running sums of a histogram.
struct Moments {
    zeroth: Vec<f64>,
    first: Vec<f64>,
}

impl Moments {
    fn new(counts: &[i64]) -> Self {
        let (mut zeroth, mut first) = (vec![0.0; counts.len() + 1], vec![0.0; counts.len() + 1]);
        for (k, &n) in counts.iter().enumerate() {
            zeroth[k + 1] = zeroth[k] + n as f64;
            first[k + 1] = first[k] + k as f64 * n as f64;
        }
        Moments { zeroth, first }
    }

    /// What the bins from `begin` up to `end` add to the variance between classes.
    fn spread(&self, begin: usize, end: usize) -> f64 {
        let n = self.zeroth[end] - self.zeroth[begin];
        let sum = self.first[end] - self.first[begin];
        if n > 0.0 { sum * sum / n } else { 0.0 }
    }
}

/// For each tail of the histogram, the best way to cut it: its spread, and the last bin of its first class.
struct Tails {
    best: Vec<f64>,
    choice: Vec<usize>,
}

impl Tails {
    /// Tails that begin in `begin..end`, whose first class ends in `low..high`. `shorter` are the tails with one class less.
    #[allow(clippy::too_many_arguments)]
    fn fill(&mut self, moments: &Moments, shorter: &[f64], begin: usize, end: usize, low: usize, high: usize) {
        if begin >= end {
            return;
        }
        let from = (begin + end) / 2;
        let (mut best, mut choice) = (f64::NEG_INFINITY, low.max(from));
        for last in low.max(from)..high.max(from + 1) {
            let spread = moments.spread(from, last + 1) + shorter.get(last + 1).copied().unwrap_or(f64::NEG_INFINITY);
            if spread > best {
                (best, choice) = (spread, last);
            }
        }
        (self.best[from], self.choice[from]) = (best, choice);
        self.fill(moments, shorter, begin, from, low, choice + 1);
        self.fill(moments, shorter, from + 1, end, choice, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_kept_together() {
        let mut counts = vec![0i64; 60];
        for (center, n) in [(5, 40), (22, 30), (50, 20)] {
            counts[center - 3..=center + 3].fill(n);
        }
        assert_eq!(split(&counts, 3).unwrap(), [8, 25]);
        assert_eq!(split(&[0, 4, 0, 5, 6], 3).unwrap(), [1, 3]);
        assert!(split(&[0, 4, 0, 5], 3).is_err());
    }
}
