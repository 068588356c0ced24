//! What is known of labelled regions: sums that can be added up from parts.
//!
//! Coordinates are whole numbers and their sums exact; intensities are double, with squares about the mean of each part.

use rustc_hash::FxHashMap;
use voxmill_core::smallvec::{SmallVec, smallvec};

/// A number for each axis, without a place of its own in memory for the usual number of axes.
pub type PerAxis<T> = SmallVec<[T; 4]>;
/// A number for each pair of axes.
pub type PerPair<T> = SmallVec<[T; 6]>;

/// Sums of one region, over the part of the array that was looked at. Coordinates count from `origin`.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its number.
    pub label: i64,
    /// Elements.
    pub n: u64,
    /// First position along each axis.
    pub low: PerAxis<u64>,
    /// Last position along each axis.
    pub high: PerAxis<u64>,
    /// Sum of positions along each axis.
    pub sums: PerAxis<i128>,
    /// Sums of products of positions, for each pair of axes `k <= l`.
    pub products: PerPair<i128>,
    /// What is known of the intensities.
    pub light: Option<Light>,
}

/// Sums of intensities.
#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Sum.
    pub sum: f64,
    /// Sum of squared distances from the mean.
    pub squares: f64,
    /// Sums of intensity times position, along each axis.
    pub weighted: PerAxis<f64>,
    /// Position of the smallest, flat in the array; the first of several.
    pub argmin: u64,
    /// Position of the largest.
    pub argmax: u64,
}

/// Number of pairs of axes.
pub fn n_pairs(rank: usize) -> usize {
    rank * (rank + 1) / 2
}

impl Region {
    fn new(label: i64, rank: usize, light: bool) -> Region {
        let light = light.then(|| Light {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: 0.0,
            squares: 0.0,
            weighted: smallvec![0.0; rank],
            argmin: u64::MAX,
            argmax: u64::MAX,
        });
        Region {
            label,
            n: 0,
            low: smallvec![u64::MAX; rank],
            high: smallvec![0; rank],
            sums: smallvec![0; rank],
            products: smallvec![0; n_pairs(rank)],
            light,
        }
    }

    /// Adds a run of elements along the last axis, from the position `at` on.
    fn add_run(&mut self, at: &[u64], len: u64) {
        let rank = at.len();
        let last = rank - 1;
        self.n += len;
        for (k, &x) in at.iter().enumerate() {
            self.low[k] = self.low[k].min(x);
            self.high[k] = self.high[k].max(x + if k == last { len - 1 } else { 0 });
        }
        let (n, begin) = (i128::from(len), i128::from(at[last]));
        // Sums of the first whole numbers and of their squares.
        let steps = n * (n - 1) / 2;
        let squares = (n - 1) * n * (2 * n - 1) / 6;
        let along = n * begin + steps;
        let mut pair = 0;
        for (k, &x) in at.iter().enumerate() {
            let x = i128::from(x);
            self.sums[k] += if k == last { along } else { n * x };
            for (l, &y) in at.iter().enumerate().skip(k) {
                self.products[pair] += match (k == last, l == last) {
                    (true, _) => n * begin * begin + 2 * begin * steps + squares,
                    (false, true) => x * along,
                    (false, false) => n * x * i128::from(y),
                };
                pair += 1;
            }
        }
    }

    /// The same sums with positions counted from a place `by` further ahead of the origin.
    pub fn shifted(mut self, by: &[u64]) -> Region {
        let rank = by.len();
        let n = i128::from(self.n);
        let shift: PerAxis<i128> = by.iter().map(|&o| i128::from(o)).collect();
        let mut pair = 0;
        for k in 0..rank {
            for l in k..rank {
                let (o, p) = (shift[k], shift[l]);
                self.products[pair] += o * self.sums[l] + p * self.sums[k] + o * p * n;
                pair += 1;
            }
        }
        for k in 0..rank {
            self.sums[k] += shift[k] * n;
            self.low[k] += by[k];
            self.high[k] += by[k];
            if let Some(light) = &mut self.light {
                light.weighted[k] += light.sum * by[k] as f64;
            }
        }
        self
    }

    /// Adds the sums of another part of the same region.
    pub fn join(&mut self, other: &Region) {
        if let (Some(light), Some(more)) = (&mut self.light, &other.light) {
            light.join(self.n as f64, more, other.n as f64);
        }
        self.n += other.n;
        for k in 0..self.low.len() {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
            self.sums[k] += other.sums[k];
        }
        self.products.iter_mut().zip(&other.products).for_each(|(a, b)| *a += b);
    }

    /// Sums of products of distances from the center, for each pair of axes.
    pub fn central(&self) -> Vec<f64> {
        let n = i128::from(self.n);
        let rank = self.sums.len();
        let pairs = (0..rank).flat_map(|k| (k..rank).map(move |l| (k, l)));
        let one = |(pair, (k, l)): (usize, (usize, usize))| {
            (n * self.products[pair] - self.sums[k] * self.sums[l]) as f64 / self.n as f64
        };
        pairs.enumerate().map(one).collect()
    }
}

impl Light {
    fn join(&mut self, n: f64, other: &Light, m: f64) {
        if m == 0.0 {
            return;
        }
        if n > 0.0 {
            let difference = other.sum / m - self.sum / n;
            self.squares += other.squares + difference * difference * n * m / (n + m);
        } else {
            self.squares = other.squares;
        }
        self.sum += other.sum;
        // NaN counts as smallest and largest, as in NumPy; of equal ones, the first in the array.
        let is_first = |mine: f64, at: u64, theirs: f64, other: u64, better: bool| {
            better
                || (theirs.is_nan() && !mine.is_nan())
                || ((theirs == mine || theirs.is_nan() && mine.is_nan()) && other < at)
        };
        if is_first(self.min, self.argmin, other.min, other.argmin, other.min < self.min) {
            (self.min, self.argmin) = (other.min, other.argmin);
        }
        if is_first(self.max, self.argmax, other.max, other.argmax, other.max > self.max) {
            (self.max, self.argmax) = (other.max, other.argmax);
        }
        self.weighted.iter_mut().zip(&other.weighted).for_each(|(a, b)| *a += b);
    }
}

/// A box with its intensities, and where it lies in the array.
#[derive(Debug)]
pub struct Lit<'a> {
    /// The intensities in C order.
    pub values: &'a [f64],
    /// Where the box begins in the array.
    pub start: &'a [usize],
    /// Shape of the array.
    pub whole: &'a [usize],
}

/// The regions of a box: everything but 0 is one, by its value. Positions count from the beginning of the box.
pub fn regions<T: Copy + PartialEq + Into<i128>>(
    labels: &[T],
    shape: &[usize],
    zero: T,
    light: Option<&Lit<'_>>,
) -> Vec<Region> {
    let rank = shape.len();
    let width = shape.last().copied().unwrap_or(1);
    let mut number: FxHashMap<i64, usize> = FxHashMap::default();
    let mut found: Vec<Region> = Vec::new();
    // For the second look at intensities: line, begin, end and region of each run.
    let mut runs: Vec<(u64, u32, u32, u32)> = Vec::new();
    let mut at = vec![0u64; rank];
    let mut latest = (0i64, usize::MAX);
    for (line, values) in labels.chunks_exact(width.max(1)).enumerate() {
        let mut begin = 0;
        while begin < width {
            let value = values[begin];
            let end = values[begin..].iter().position(|v| *v != value).map_or(width, |k| begin + k);
            if value != zero {
                let label = value.into() as i64;
                if latest != (label, latest.1) || latest.1 == usize::MAX {
                    let new = found.len();
                    let own = *number.entry(label).or_insert(new);
                    if own == new {
                        found.push(Region::new(label, rank, light.is_some()));
                    }
                    latest = (label, own);
                }
                at[rank - 1] = begin as u64;
                found[latest.1].add_run(&at, (end - begin) as u64);
                if light.is_some() {
                    runs.push((line as u64, begin as u32, end as u32, latest.1 as u32));
                }
            }
            begin = end;
        }
        advance(&mut at, shape);
    }
    if let Some(light) = light {
        add_light(&mut found, &runs, shape, light);
    }
    found
}

fn advance(at: &mut [u64], shape: &[usize]) {
    for k in (0..at.len().saturating_sub(1)).rev() {
        at[k] += 1;
        if at[k] < shape[k] as u64 {
            return;
        }
        at[k] = 0;
    }
}

fn add_light(found: &mut [Region], runs: &[(u64, u32, u32, u32)], shape: &[usize], light: &Lit<'_>) {
    let width = shape.last().copied().unwrap_or(1);
    let rank = shape.len();
    for &(line, begin, end, region) in runs {
        let values = &light.values[line as usize * width + begin as usize..line as usize * width + end as usize];
        let Some(own) = &mut found[region as usize].light else { continue };
        let (at, flat) = place(line as usize, begin as usize, shape, light);
        let (mut sum, mut along) = (0.0, 0.0);
        for (k, &v) in values.iter().enumerate() {
            sum += v;
            along += v * k as f64;
            if v < own.min || v.is_nan() && !own.min.is_nan() || own.argmin == u64::MAX {
                (own.min, own.argmin) = (v, flat + k as u64);
            }
            if v > own.max || v.is_nan() && !own.max.is_nan() || own.argmax == u64::MAX {
                (own.max, own.argmax) = (v, flat + k as u64);
            }
        }
        own.sum += sum;
        for (k, &x) in at.iter().enumerate() {
            own.weighted[k] += sum * x as f64 + if k + 1 == rank { along } else { 0.0 };
        }
    }
    let means: Vec<f64> = found.iter().map(|r| r.light.as_ref().map_or(0.0, |l| l.sum) / r.n as f64).collect();
    for &(line, begin, end, region) in runs {
        let values = &light.values[line as usize * width + begin as usize..line as usize * width + end as usize];
        let mean = means[region as usize];
        if let Some(own) = &mut found[region as usize].light {
            own.squares += values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        }
    }
}

/// Position of an element in the box, and flat in the array.
fn place(line: usize, column: usize, shape: &[usize], light: &Lit<'_>) -> (Vec<usize>, u64) {
    let rank = shape.len();
    let mut at = vec![column; rank];
    let mut rest = line;
    for k in (0..rank - 1).rev() {
        at[k] = rest % shape[k];
        rest /= shape[k];
    }
    let flat = (0..rank).fold(0, |flat, k| flat * light.whole[k] as u64 + (light.start[k] + at[k]) as u64);
    (at, flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_parts_are_sums_of_the_whole() {
        let shape = [6, 7];
        let labels: Vec<i32> = (0..42).map(|k| (k * k) % 4).collect();
        let values: Vec<f64> = (0..42).map(|k| f64::from(k * 37 % 11)).collect();
        let whole = Lit { values: &values, start: &[0, 0], whole: &shape };
        let mut expected = regions(&labels, &shape, 0, Some(&whole));
        expected.sort_by_key(|r| r.label);
        let upper = Lit { values: &values[..14], start: &[0, 0], whole: &shape };
        let lower = Lit { values: &values[14..], start: &[2, 0], whole: &shape };
        let mut parts = regions(&labels[..14], &[2, 7], 0, Some(&upper));
        for region in regions(&labels[14..], &[4, 7], 0, Some(&lower)) {
            let region = region.shifted(&[2, 0]);
            match parts.iter_mut().find(|r| r.label == region.label) {
                Some(own) => own.join(&region),
                None => parts.push(region),
            }
        }
        parts.sort_by_key(|r| r.label);
        for (mut found, mut want) in parts.into_iter().zip(expected) {
            let (a, b) = (found.light.take().unwrap(), want.light.take().unwrap());
            assert_eq!(found, want);
            assert!((a.squares - b.squares).abs() < 1e-9 && (a.sum, a.argmin, a.argmax) == (b.sum, b.argmin, b.argmax));
        }
    }

    #[test]
    fn central_sums_do_not_depend_on_the_place() {
        let labels = [0u8, 1, 1, 1, 0, 1];
        let near = regions(&labels, &[2, 3], 0, None).remove(0);
        let far = near.clone().shifted(&[1_000_000, 3_000_000]);
        assert_eq!(near.central(), far.central());
    }
}
