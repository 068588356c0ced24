//! Total variation: Chambolle's steps on a box of an image.
//!
//! The box may end inside of the array: what lies beyond its end then counts as missing, and each step makes one more element from the end
//! wrong. A box with as many elements more on each side as steps are made is right inside.

/// A box of an image, and the dual field of its gradient.
#[derive(Debug)]
pub struct Field {
    shape: Vec<usize>,
    image: Vec<f64>,
    /// One component per axis.
    dual: Vec<Vec<f64>>,
    out: Vec<f64>,
    slopes: Vec<Vec<f64>>,
    norm: Vec<f64>,
}

impl Field {
    /// For a box of `shape`; the components of the dual field lie one after the other.
    pub fn new(shape: &[usize], image: Vec<f64>, dual: &[f64]) -> Self {
        let n = image.len();
        let dual = dual.chunks_exact(n.max(1)).map(<[f64]>::to_vec).collect();
        let slopes = vec![vec![0.0; n]; shape.len()];
        Field { shape: shape.to_vec(), image, dual, out: vec![0.0; n], slopes, norm: vec![0.0; n] }
    }

    /// Elements that a field of `n` elements allocates.
    pub fn elements(rank: usize, n: usize) -> usize {
        (2 * rank + 3) * n
    }

    /// Outer, own and inner lengths of an axis.
    fn lengths(&self, axis: usize) -> (usize, usize, usize) {
        (self.shape[..axis].iter().product(), self.shape[axis], self.shape[axis + 1..].iter().product())
    }

    /// The smoothed image: the image and the divergence of the dual field.
    pub fn smooth(&mut self) -> &[f64] {
        self.out.fill(0.0);
        for part in &self.dual {
            self.out.iter_mut().zip(part).for_each(|(sum, v)| *sum += v);
        }
        self.out.iter_mut().for_each(|sum| *sum = -*sum);
        for axis in 0..self.shape.len() {
            let (outer, n, inner) = self.lengths(axis);
            for k in 0..outer {
                let to = &mut self.out[(k * n + 1) * inner..(k + 1) * n * inner];
                let from = &self.dual[axis][k * n * inner..((k + 1) * n - 1) * inner];
                to.iter_mut().zip(from).for_each(|(sum, v)| *sum += v);
            }
        }
        self.out.iter_mut().zip(&self.image).for_each(|(sum, v)| *sum += v);
        &self.out
    }

    /// Differences of the smoothed image, and their length at every element.
    fn differ(&mut self) {
        self.norm.fill(0.0);
        for axis in 0..self.shape.len() {
            let (outer, n, inner) = self.lengths(axis);
            let slope = &mut self.slopes[axis];
            for k in 0..outer {
                let here = &self.out[k * n * inner..(k + 1) * n * inner];
                let to = &mut slope[k * n * inner..((k + 1) * n - 1) * inner];
                to.iter_mut().zip(&here[inner..]).zip(here).for_each(|((to, next), v)| *to = next - v);
            }
            self.norm.iter_mut().zip(slope.iter()).for_each(|(sum, v)| *sum += v * v);
        }
        self.norm.iter_mut().for_each(|v| *v = v.sqrt());
    }

    /// One step; gives the energy before it of each element, the square of what was added and `weight` times the gradient.
    pub fn step(&mut self, weight: f64, mut energy: impl FnMut(usize, f64)) {
        self.smooth();
        self.differ();
        let tau = 1.0 / (2.0 * self.shape.len() as f64);
        for (k, norm) in self.norm.iter_mut().enumerate() {
            let added = self.out[k] - self.image[k];
            energy(k, added * added + weight * *norm);
            *norm = *norm * (tau / weight) + 1.0;
        }
        for (dual, slope) in self.dual.iter_mut().zip(&self.slopes) {
            for ((v, slope), norm) in dual.iter_mut().zip(slope).zip(&self.norm) {
                *v = (*v - tau * slope) / norm;
            }
        }
    }

    /// The components of the dual field.
    pub fn dual(&self) -> &[Vec<f64>] {
        &self.dual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_images_stay_and_others_become_smoother() {
        let mut flat = Field::new(&[3, 4], vec![2.0; 12], &[0.0; 24]);
        flat.step(0.1, |_, energy| assert_eq!(energy, 0.0));
        assert!(flat.smooth().iter().all(|&v| v == 2.0));
        let mut peak = Field::new(&[5], vec![0.0, 0.0, 1.0, 0.0, 0.0], &[0.0; 5]);
        for _ in 0..20 {
            peak.step(0.2, |_, _| ());
        }
        assert!(peak.smooth()[2] < 0.8);
    }
}
