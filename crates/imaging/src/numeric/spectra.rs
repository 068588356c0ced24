//! Correlation of boxes by Fourier transforms: blocks of one size, each transformed, multiplied and transformed back.

use voxmill_core::{Complex64, Result};
use voxmill_ops::numeric::fft::{
    Lanes, complex, complex_scratch, complex_to_real, forward_scratch, inverse_scratch, real_to_complex,
};

/// Blocks whose windows fit a transform of these lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    /// Lengths of the transform.
    pub lengths: Vec<usize>,
    /// Lengths of the window.
    pub window: Vec<usize>,
}

impl Blocks {
    /// Transforms of powers of two, four times as long as the window, but not much longer than the array. They must not depend on
    /// anything else: the last bits of a result would depend on it, too.
    pub fn new(window: &[usize], shape: &[usize]) -> Self {
        let length = |(&w, &n): (&usize, &usize)| if w == 1 { 1 } else { (4 * w).min(n + w - 1).next_power_of_two() };
        Blocks { lengths: window.iter().zip(shape).map(length).collect(), window: window.to_vec() }
    }

    /// Lengths of a block of results.
    pub fn block(&self) -> Vec<usize> {
        self.lengths.iter().zip(&self.window).map(|(n, w)| n + 1 - w).collect()
    }

    /// Elements of a transform.
    pub fn size(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Lengths of a spectrum: of real numbers, half of the last axis is enough.
    fn spectrum(&self) -> Vec<usize> {
        let mut shape = self.lengths.clone();
        if let Some(last) = shape.last_mut() {
            *last = *last / 2 + 1;
        }
        shape
    }

    /// Nanoseconds per result, roughly.
    pub fn cost(&self) -> f64 {
        let waste: f64 = self.lengths.iter().zip(self.block()).map(|(&n, b)| n as f64 / b as f64).product();
        let steps: f64 = self.lengths.iter().map(|&n| (n as f64).log2()).sum();
        waste * (6.0 + 2.5 * steps)
    }

    /// Bytes that [`Transform`] and its buffers take.
    pub fn bytes(&self) -> u64 {
        let half: usize = self.spectrum().iter().product();
        let mut lanes: u64 = 0;
        for axis in 0..self.lengths.len() {
            let lane = self.lanes(axis);
            let more = if axis + 1 == self.lengths.len() {
                forward_scratch::<f64>(&lane).max(inverse_scratch::<f64>(&lane))
            } else {
                complex_scratch::<f64>(&lane)
            };
            lanes = lanes.max(more);
        }
        (8 * self.size() + 3 * 16 * half) as u64 + lanes + 4096
    }

    fn lanes(&self, axis: usize) -> Lanes {
        let shape = self.spectrum();
        let last = axis + 1 == shape.len();
        let n = self.lengths[axis];
        let outer = shape[..axis].iter().product();
        let inner = shape[axis + 1..].iter().product();
        Lanes { outer, inner, len: n, n, begin: 0, count: if last { shape[axis] } else { n }, factor: 1.0 }
    }
}

/// The spectrum of some weights, and room for that of a block.
#[derive(Debug)]
pub struct Transform<'a> {
    blocks: &'a Blocks,
    weights: Vec<Complex64>,
    spare: Vec<Complex64>,
    spectrum: Vec<Complex64>,
}

impl<'a> Transform<'a> {
    /// For weights of the window's lengths in a box of the transform's.
    pub fn new(blocks: &'a Blocks, weights: &[f64]) -> Result<Self> {
        let half = blocks.spectrum().iter().product();
        let empty = || vec![Complex64::default(); half];
        let mut transform = Transform { blocks, weights: empty(), spare: empty(), spectrum: empty() };
        transform.forward(weights)?;
        std::mem::swap(&mut transform.weights, &mut transform.spectrum);
        Ok(transform)
    }

    /// The result lies in `spectrum`.
    fn forward(&mut self, values: &[f64]) -> Result<()> {
        let last = self.blocks.lengths.len() - 1;
        real_to_complex(&self.blocks.lanes(last), values, &mut self.spectrum, |v| v)?;
        for axis in (0..last).rev().filter(|&axis| self.blocks.lengths[axis] > 1) {
            complex(&self.blocks.lanes(axis), false, &self.spectrum, &mut self.spare, |v| v);
            std::mem::swap(&mut self.spectrum, &mut self.spare);
        }
        Ok(())
    }

    /// Replaces `values`, a box of the transform's lengths, by their correlation with the weights.
    pub fn correlate(&mut self, values: &mut [f64]) -> Result<()> {
        self.forward(values)?;
        self.spectrum.iter_mut().zip(&self.weights).for_each(|(v, w)| *v *= w.conj());
        let last = self.blocks.lengths.len() - 1;
        for axis in (0..last).filter(|&axis| self.blocks.lengths[axis] > 1) {
            complex(&self.blocks.lanes(axis), true, &self.spectrum, &mut self.spare, |v| v);
            std::mem::swap(&mut self.spectrum, &mut self.spare);
        }
        let there = self.blocks.lanes(last);
        let back = Lanes { len: there.count, count: there.n, factor: 1.0 / self.blocks.size() as f64, ..there };
        complex_to_real(&back, &self.spectrum, values, |v| v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_equal_sums() {
        let blocks = Blocks::new(&[3, 1, 2], &[50, 50, 50]);
        assert_eq!((blocks.lengths.as_slice(), blocks.block().as_slice()), (&[16, 1, 8][..], &[14, 1, 7][..]));
        let window = [1.0, 2.0, -1.0, 0.5, 3.0, -2.0];
        let mut weights = vec![0.0; 128];
        for (k, w) in window.iter().enumerate() {
            weights[(k / 2) * 8 + k % 2] = *w;
        }
        let values: Vec<f64> = (0..128).map(|k| f64::from(k * k % 37)).collect();
        let mut found = values.clone();
        Transform::new(&blocks, &weights).unwrap().correlate(&mut found).unwrap();
        for (row, col) in [(0, 0), (13, 6), (5, 3)] {
            let sum: f64 = (0..6).map(|k| window[k] * values[(row + k / 2) * 8 + col + k % 2]).sum();
            assert!((found[row * 8 + col] - sum).abs() < 1e-10, "{row} {col}");
        }
    }
}
