//! Non-local means: for each shift of the image against itself, how much the neighbourhoods of all elements differ.
//!
//! Sums over neighbourhoods are made anew for each element, along one axis after the other: sums that run along a box would depend on
//! where it begins.

use super::rolling_sum::window_sums;
use crate::family::grid::positions;
use crate::family::window::{each_row, strides};

/// Differences larger than this count as no resemblance at all.
const CUTOFF: f64 = 5.0;

/// Neighbourhoods of the elements of a box.
#[derive(Debug, Clone)]
pub struct Patches {
    /// Lengths of the box.
    pub shape: Vec<usize>,
    /// Colours of an element.
    pub n_channels: usize,
    /// Neighbourhoods reach so far after an element, and one less before.
    pub offset: usize,
    /// How far elements are compared.
    pub distance: usize,
    /// What differences are divided by.
    pub scale: f64,
    /// What is taken from the squared difference of two elements.
    pub noise: f64,
}

impl Patches {
    fn differences_shape(&self) -> Vec<usize> {
        self.shape.iter().map(|n| n + (2 * self.offset).max(1) - 1).collect()
    }

    /// Elements that are allocated on the way.
    pub fn scratch(&self) -> usize {
        2 * self.differences_shape().iter().product::<usize>() + self.shape.iter().product::<usize>() + 1024
    }

    /// Fills `means`, in strips along the first axis that stay in cache. `padded` is the box with `offset + distance` more elements on both
    /// sides of each axis.
    pub fn means_in_strips(&self, padded: &[f64], means: &mut [f64]) {
        const ELEMENTS: usize = 16 << 10;
        let plane: usize = self.shape[1..].iter().product();
        let reach = self.offset + self.distance;
        let padded_plane: usize = self.shape[1..].iter().map(|n| n + 2 * reach).product();
        let rows = (ELEMENTS / plane.max(1)).max(4 * self.offset + 1).min(self.shape[0]);
        for (k, means) in means.chunks_mut((rows * plane * self.n_channels).max(1)).enumerate() {
            let mut strip = self.clone();
            strip.shape[0] = means.len() / (plane * self.n_channels);
            strip.means(&padded[k * rows * padded_plane * self.n_channels..], means);
        }
    }

    /// Fills `means`. `padded` is the box with `offset + distance` more elements on both sides of each axis.
    fn means(&self, padded: &[f64], means: &mut [f64]) {
        let (rank, reach) = (self.shape.len(), self.offset + self.distance);
        let padded_shape: Vec<usize> = self.shape.iter().map(|n| n + 2 * reach).collect();
        let steps = strides(&padded_shape);
        let mut weights = vec![0.0; self.shape.iter().product()];
        let mut differences = vec![0.0; self.differences_shape().iter().product()];
        let mut sums = vec![0.0; differences.len()];
        means.fill(0.0);
        for shift in positions(&vec![2 * self.distance + 1; rank]) {
            let moved: usize = shift.iter().zip(&steps).map(|(s, step)| (s + self.offset) * step).sum();
            let n = if self.offset == 0 {
                weights.len()
            } else {
                self.differ(padded, &padded_shape, &steps, &shift, &mut differences);
                window_sums(&mut differences, &mut sums, &self.differences_shape(), 2 * self.offset)
            };
            self.collect(&differences[..n], padded, &padded_shape, moved, &mut weights, means);
        }
        for (mean, weight) in means.chunks_exact_mut(self.n_channels).zip(&weights) {
            mean.iter_mut().for_each(|mean| *mean /= weight);
        }
    }

    /// Squared differences between the image and the shifted image, for all elements of all neighbourhoods.
    fn differ(&self, padded: &[f64], padded_shape: &[usize], steps: &[usize], shift: &[usize], to: &mut [f64]) {
        let shape = self.differences_shape();
        let width = shape[shape.len() - 1];
        let n = self.n_channels;
        // Neighbourhoods begin one element later than they end.
        let first: usize = steps.iter().map(|step| step * (self.distance + 1)).sum();
        let second: usize = shift.iter().zip(steps).map(|(s, step)| (s + 1) * step).sum();
        each_row(&shape, padded_shape, |row, at| {
            let (a, b) = (&padded[(at + first) * n..], &padded[(at + second) * n..]);
            let to = &mut to[row..row + width];
            if n == 1 {
                for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
                    *to = (a - b) * (a - b) - self.noise;
                }
                return;
            }
            for ((to, a), b) in to.iter_mut().zip(a.chunks_exact(n)).zip(b.chunks_exact(n)) {
                *to = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() - self.noise;
            }
        });
    }

    /// Adds the shifted image, weighed by how little it differs.
    fn collect(
        &self,
        differences: &[f64],
        padded: &[f64],
        padded_shape: &[usize],
        moved: usize,
        weights: &mut [f64],
        means: &mut [f64],
    ) {
        let (width, n) = (self.shape[self.shape.len() - 1], self.n_channels);
        each_row(&self.shape, padded_shape, |row, at| {
            let values = padded[(at + moved) * n..].chunks_exact(n);
            let weights = &mut weights[row..row + width];
            let means = means[row * n..(row + width) * n].chunks_exact_mut(n);
            let differences = &differences[row..row + width];
            for (((weight, mean), value), difference) in weights.iter_mut().zip(means).zip(values).zip(differences) {
                let share = if self.offset == 0 { 0.0 } else { difference.max(0.0) / self.scale };
                if share > CUTOFF {
                    continue;
                }
                let alike = quick_exp(-share);
                *weight += alike;
                mean.iter_mut().zip(value).for_each(|(mean, value)| *mean += alike * value);
            }
        });
    }
}

/// Schraudolph's approximation of the exponential function: the number as the exponent of a float, with the least mean square error.
fn quick_exp(y: f64) -> f64 {
    const STEPS: f64 = 1_512_775.395_195_185_7;
    const BIAS: i64 = 1_072_632_447;
    let high = ((STEPS * y) as i32 as i64 + BIAS) as u64;
    f64::from_bits(high << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_is_near() {
        for k in 0..50 {
            let y = -f64::from(k) * 0.1;
            assert!((quick_exp(y) / y.exp() - 1.0).abs() < 0.05, "{y}");
        }
    }

    #[test]
    fn flat_images_stay() {
        let patches = Patches { shape: vec![3, 4], n_channels: 1, offset: 1, distance: 1, scale: 1.0, noise: 0.0 };
        let mut means = vec![0.0; 12];
        patches.means(&vec![2.5; 7 * 8], &mut means);
        assert!(means.iter().all(|v| (v - 2.5).abs() < 1e-12));
    }
}
