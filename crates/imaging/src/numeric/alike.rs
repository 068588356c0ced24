//! Means of elements that are near and have a similar value, with weights from tables.

/// Weights of a window, and of differences of values.
#[derive(Debug)]
pub struct Tables {
    reach: usize,
    n_channels: usize,
    near: Vec<f64>,
    alike: Vec<f64>,
    scale: f64,
}

fn bell(distance: f64, sigma: f64) -> f64 {
    (-0.5 * (distance * distance / (sigma * sigma))).exp()
}

impl Tables {
    /// `tops` are the largest value of the image, and of the image that is moved up to have no negative ones: the table of differences is
    /// made for the first, and looked up by the second.
    pub fn new(size: usize, spatial: f64, bins: usize, sigma: f64, tops: (f64, f64), n_channels: usize) -> Self {
        let step = tops.0 / bins as f64;
        let alike = (0..bins).map(|k| bell(k as f64 * step, sigma)).collect();
        // The table of distances has a row and a column more than the window, from which rows of the window's length are taken: it is
        // slanted against the window, which is what scikit-image does.
        let (half, more) = (size.div_ceil(2) as f64, size.div_ceil(2) + size / 2 + 1);
        let at = |k: usize| k as f64 - half;
        let distances: Vec<f64> = (0..more * more).map(|k| at(k / more).hypot(at(k % more))).collect();
        let reach = (size - 1) / 2;
        let width = 2 * reach + 1;
        let near = (0..width * width).map(|k| bell(distances[(k / width) * size + k % width], spatial)).collect();
        Tables { reach, n_channels, near, alike, scale: (bins / n_channels) as f64 / tops.1 }
    }

    /// Fills `means`, of `shape` and colours, from a box with `reach` more elements on all sides.
    pub fn means(&self, padded: &[f64], shape: (usize, usize), flat: bool, means: &mut [f64]) {
        let (n, width) = (self.n_channels, 2 * self.reach + 1);
        let step = (shape.1 + 2 * self.reach) * n;
        let last = self.alike.len() - 1;
        for (k, mean) in means.chunks_exact_mut(n).enumerate() {
            let first = (k / shape.1) * step + (k % shape.1) * n;
            let center = &padded[first + self.reach * (step + n)..][..n];
            if flat {
                mean.copy_from_slice(center);
                continue;
            }
            if let ([mean], [center]) = (&mut *mean, center) {
                *mean = self.gray(&padded[first..], step, *center);
                continue;
            }
            let mut total = 0.0;
            mean.fill(0.0);
            for (row, near) in self.near.chunks_exact(width).enumerate() {
                let values = padded[first + row * step..].chunks_exact(n);
                for (value, near) in values.zip(near) {
                    let square: f64 = center.iter().zip(value).map(|(a, b)| (a - b) * (a - b)).sum();
                    let weight = near * self.alike[((square.sqrt() * self.scale) as usize).min(last)];
                    mean.iter_mut().zip(value).for_each(|(mean, value)| *mean += value * weight);
                    total += weight;
                }
            }
            mean.iter_mut().for_each(|mean| *mean /= total);
        }
    }
}

impl Tables {
    /// The mean around an element without colours, whose window begins with `padded`.
    fn gray(&self, padded: &[f64], step: usize, center: f64) -> f64 {
        let (width, last) = (2 * self.reach + 1, self.alike.len() - 1);
        let (mut sum, mut total) = (0.0, 0.0);
        for (row, near) in self.near.chunks_exact(width).enumerate() {
            for (value, near) in padded[row * step..][..width].iter().zip(near) {
                let weight = near * self.alike[(((center - value).abs() * self.scale) as usize).min(last)];
                sum += value * weight;
                total += weight;
            }
        }
        sum / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_images_stay() {
        let tables = Tables::new(5, 1.0, 100, 0.2, (1.0, 1.0), 1);
        let mut means = vec![0.0; 6];
        tables.means(&[0.75; 6 * 7], (2, 3), false, &mut means);
        assert!(means.iter().all(|v| (v - 0.75f64).abs() < 1e-12));
    }
}
