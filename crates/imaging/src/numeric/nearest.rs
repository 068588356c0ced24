//! Which background element is nearest, one axis after the other.
//!
//! Along an axis, the nearest candidate of position `x` is the `q` with the smallest `(s (x - q))^2 + low(q)`, where `low` is what the
//! axes before gave. Of candidates that are equally near, the first one counts, as in scipy.

/// Candidates of a lane that are nearest somewhere, kept between lanes to save allocations.
#[derive(Debug, Default)]
pub struct Nearest {
    at: Vec<u32>,
}

impl Nearest {
    /// Calls `found` with each position of `from..to` and the nearest candidate of a lane, in order; not at all where there is none.
    /// `low` is infinite where there is no candidate.
    pub fn lane(&mut self, low: &[f64], step: f64, (from, to): (usize, usize), mut found: impl FnMut(usize, usize)) {
        self.collect(low, step);
        let square = |q: u32, x: usize| {
            let distance = (f64::from(q) - x as f64) * step;
            low[q as usize] + distance * distance
        };
        let mut k = 0;
        for x in if self.at.is_empty() { from..from } else { from..to } {
            let mut best = square(self.at[k], x);
            while let Some(&next) = self.at.get(k + 1) {
                let other = square(next, x);
                if best <= other {
                    break;
                }
                best = other;
                k += 1;
            }
            found(x, self.at[k] as usize);
        }
    }

    /// Leaves out candidates that lie farther than one of their neighbours everywhere.
    fn collect(&mut self, low: &[f64], step: f64) {
        self.at.clear();
        for (q, &own) in low.iter().enumerate().filter(|(_, low)| low.is_finite()) {
            while let [.., before, last] = self.at[..] {
                let a = (f64::from(last) - f64::from(before)) * step;
                let b = (q as f64 - f64::from(last)) * step;
                let (middle, first) = (low[last as usize], low[before as usize]);
                if (a + b) * middle - b * first - a * own - a * b * (a + b) <= 0.0 {
                    break;
                }
                self.at.pop();
            }
            self.at.push(q as u32);
        }
    }
}

/// For each element of a box the flat position of the nearest element that `is_source` says, and its squared distance. `u32::MAX` and
/// infinity where there is none.
pub fn nearest_in_box(shape: &[usize], steps: &[f64], is_source: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<f64>) {
    let size = shape.iter().product::<usize>();
    let mut source: Vec<u32> = (0..size).map(|k| if is_source(k) { k as u32 } else { u32::MAX }).collect();
    let mut low: Vec<f64> = source.iter().map(|&k| if k == u32::MAX { f64::INFINITY } else { 0.0 }).collect();
    let mut nearest = Nearest::default();
    for (axis, &step) in steps.iter().enumerate() {
        let (len, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let (mut lane_low, mut lane_source) = (vec![0.0; len], vec![0; len]);
        for outer in 0..size / (len * inner).max(1) {
            for lane in 0..inner {
                let begin = outer * len * inner + lane;
                for k in 0..len {
                    (lane_low[k], lane_source[k]) = (low[begin + k * inner], source[begin + k * inner]);
                }
                nearest.lane(&lane_low, step, (0, len), |x, q| {
                    let distance = (q as f64 - x as f64) * step;
                    source[begin + x * inner] = lane_source[q];
                    low[begin + x * inner] = lane_low[q] + distance * distance;
                });
            }
        }
    }
    (source, low)
}

/// Bytes that [`nearest_in_box`] allocates.
pub fn scratch(shape: &[usize]) -> u64 {
    let longest = shape.iter().copied().max().unwrap_or(1);
    (shape.iter().product::<usize>() * 12 + longest * 28 + 256) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_equals_its_definition() {
        for (rows, columns, seed) in [(1, 9, 1), (7, 40, 2), (20, 3, 3), (13, 17, 4)] {
            let is_source = |i: usize| (i * 7919 + seed).is_multiple_of(11);
            let (source, low) = nearest_in_box(&[rows, columns], &[2.0, 1.0], is_source);
            for i in 0..rows * columns {
                let square = |j: usize| {
                    (4 * (i / columns).abs_diff(j / columns).pow(2) + (i % columns).abs_diff(j % columns).pow(2)) as f64
                };
                let best = (0..rows * columns).filter(|&j| is_source(j)).map(square).fold(f64::INFINITY, f64::min);
                assert_eq!(low[i], best);
                assert_eq!(square(source[i] as usize), best);
            }
        }
    }
}
