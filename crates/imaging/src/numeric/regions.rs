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
    /// Sums of products of powers of the distances from `low`, up to [`ORDER`] along each axis; empty if nobody asks for them.
    pub moments: Vec<f64>,
    /// What is known of the intensities, for each channel.
    pub light: SmallVec<[Light; 1]>,
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
    /// As [`Region::moments`], with each element times its intensity.
    pub moments: Vec<f64>,
}

/// What is wanted of regions beside their first sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Axes.
    pub rank: usize,
    /// Channels of intensity.
    pub light: usize,
    /// Moments, too.
    pub moments: bool,
}

/// The highest power of a distance in moments.
pub const ORDER: usize = 3;

/// Number of moments: one for each choice of powers.
pub fn n_moments(rank: usize) -> usize {
    (ORDER + 1).pow(rank as u32)
}

/// Moments about a place that lies `by` further ahead of the origin. Nothing is taken away from anything, so nothing is lost by rounding.
fn move_origin(moments: &mut [f64], by: &[u64]) {
    const N: usize = ORDER + 1;
    const CHOOSE: [[f64; N]; N] =
        [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]];
    let mut stride = moments.len();
    for &by in by {
        let outer = stride;
        stride /= N;
        if by == 0 {
            continue;
        }
        let powers = powers(by as f64);
        for group in moments.chunks_exact_mut(outer) {
            for k in 0..stride {
                for p in (1..N).rev() {
                    let lower = (0..p).map(|i| CHOOSE[p][i] * powers[p - i] * group[i * stride + k]).sum::<f64>();
                    group[p * stride + k] += lower;
                }
            }
        }
    }
}

/// 1, x, x^2 ...
fn powers(x: f64) -> [f64; ORDER + 1] {
    [1.0, x, x * x, x * x * x]
}

/// Number of pairs of axes.
pub fn n_pairs(rank: usize) -> usize {
    rank * (rank + 1) / 2
}

impl Region {
    fn new(label: i64, wanted: Wanted) -> Region {
        let rank = wanted.rank;
        let moments = if wanted.moments { vec![0.0; n_moments(rank)] } else { Vec::new() };
        let channel = || Light {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: 0.0,
            squares: 0.0,
            weighted: smallvec![0.0; rank],
            argmin: u64::MAX,
            argmax: u64::MAX,
            moments: moments.clone(),
        };
        let light = (0..wanted.light).map(|_| channel()).collect();
        Region {
            label,
            n: 0,
            low: smallvec![u64::MAX; rank],
            high: smallvec![0; rank],
            sums: smallvec![0; rank],
            products: smallvec![0; n_pairs(rank)],
            moments,
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
            for light in &mut self.light {
                light.weighted[k] += light.sum * by[k] as f64;
            }
        }
        self
    }

    /// Adds the sums of another part of the same region.
    pub fn join(&mut self, other: &Region) {
        self.join_moments(other);
        for (light, more) in self.light.iter_mut().zip(&other.light) {
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

    /// Adds moments, both about the first position of the two parts together.
    fn join_moments(&mut self, other: &Region) {
        if self.moments.is_empty() {
            return;
        }
        let ahead = |one: &[u64], two: &[u64]| -> PerAxis<u64> {
            one.iter().zip(two).map(|(&one, &two)| one - one.min(two)).collect()
        };
        let (mine, theirs) = (ahead(&self.low, &other.low), ahead(&other.low, &self.low));
        let add = |own: &mut [f64], more: &[f64]| {
            move_origin(own, &mine);
            let mut more = more.to_vec();
            move_origin(&mut more, &theirs);
            own.iter_mut().zip(more).for_each(|(own, more)| *own += more);
        };
        add(&mut self.moments, &other.moments);
        self.light.iter_mut().zip(&other.light).for_each(|(own, more)| add(&mut own.moments, &more.moments));
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
    /// The intensities of each channel in C order.
    pub values: Vec<&'a [f64]>,
    /// Where the box begins in the array.
    pub start: &'a [usize],
    /// Shape of the array.
    pub whole: &'a [usize],
}

/// Some elements of one region, side by side along the last axis.
#[derive(Debug, Clone, Copy)]
struct Run {
    line: u64,
    begin: u32,
    end: u32,
    region: u32,
}

/// Bytes of what is noted of a run.
pub const RUN_BYTES: usize = size_of::<Run>();

/// The regions of a box: everything but 0 is one, by its value. Positions count from the beginning of the box.
pub fn regions<T: Copy + PartialEq + Into<i128>>(
    labels: &[T],
    shape: &[usize],
    zero: T,
    moments: bool,
    light: &Lit<'_>,
) -> Vec<Region> {
    let rank = shape.len();
    let wanted = Wanted { rank, light: light.values.len(), moments };
    let width = shape.last().copied().unwrap_or(1);
    let mut number: FxHashMap<i64, usize> = FxHashMap::default();
    let mut found: Vec<Region> = Vec::new();
    // For a second look at the elements, when it is known where each region begins.
    let mut runs: Vec<Run> = Vec::new();
    let keep_runs = wanted.light > 0 || moments;
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
                        found.push(Region::new(label, wanted));
                    }
                    latest = (label, own);
                }
                at[rank - 1] = begin as u64;
                found[latest.1].add_run(&at, (end - begin) as u64);
                if keep_runs {
                    runs.push(Run { line: line as u64, begin: begin as u32, end: end as u32, region: latest.1 as u32 });
                }
            }
            begin = end;
        }
        advance(&mut at, shape);
    }
    for channel in 0..wanted.light {
        add_light(&mut found, &runs, shape, light, channel);
    }
    if moments {
        add_moments(&mut found, &runs, shape, light);
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

/// The intensities of a run.
fn values_of<'a>(values: &'a [f64], run: &Run, width: usize) -> &'a [f64] {
    &values[run.line as usize * width + run.begin as usize..run.line as usize * width + run.end as usize]
}

fn add_light(found: &mut [Region], runs: &[Run], shape: &[usize], light: &Lit<'_>, channel: usize) {
    let width = shape.last().copied().unwrap_or(1);
    let rank = shape.len();
    for run in runs {
        let values = values_of(light.values[channel], run, width);
        let own = &mut found[run.region as usize].light[channel];
        let (at, flat) = place(run.line as usize, run.begin as usize, shape, light);
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
    let means: Vec<f64> = found.iter().map(|r| r.light[channel].sum / r.n as f64).collect();
    for run in runs {
        let mean = means[run.region as usize];
        let squares = values_of(light.values[channel], run, width).iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        found[run.region as usize].light[channel].squares += squares;
    }
}

fn add_moments(found: &mut [Region], runs: &[Run], shape: &[usize], light: &Lit<'_>) {
    let (rank, width) = (shape.len(), shape.last().copied().unwrap_or(1));
    let last = rank - 1;
    let mut heads = vec![1.0; n_moments(last)];
    for run in runs {
        let own = &mut found[run.region as usize];
        let (at, _) = place(run.line as usize, run.begin as usize, shape, light);
        let from_low = |k: usize| (at[k] as u64 - own.low[k]) as f64;
        // Products of powers along all axes but the last: of each axis with those of the axes after it.
        let mut n = 1;
        for k in (0..last).rev() {
            let powers = powers(from_low(k));
            for p in (0..powers.len()).rev() {
                for i in 0..n {
                    heads[p * n + i] = heads[i] * powers[p];
                }
            }
            n *= powers.len();
        }
        let (begin, len) = (from_low(last), f64::from(run.end - run.begin));
        add_products(&mut own.moments, &heads, &sums_of_powers(begin, len));
        for (own, values) in own.light.iter_mut().zip(&light.values) {
            let mut tail = [0.0; ORDER + 1];
            for (k, &v) in values_of(values, run, width).iter().enumerate() {
                let powers = powers(begin + k as f64);
                tail.iter_mut().zip(powers).for_each(|(sum, power)| *sum += v * power);
            }
            add_products(&mut own.moments, &heads, &tail);
        }
    }
}

/// Sums of powers of `len` numbers from `begin` on.
fn sums_of_powers(begin: f64, len: f64) -> [f64; ORDER + 1] {
    let ones = len * (len - 1.0) / 2.0;
    let squares = (len - 1.0) * len * (2.0 * len - 1.0) / 6.0;
    let (b, bb) = (begin, begin * begin);
    [
        len,
        len * b + ones,
        len * bb + 2.0 * b * ones + squares,
        len * bb * b + 3.0 * bb * ones + 3.0 * b * squares + ones * ones,
    ]
}

fn add_products(out: &mut [f64], heads: &[f64], tail: &[f64; ORDER + 1]) {
    for (out, head) in out.chunks_exact_mut(ORDER + 1).zip(heads) {
        out.iter_mut().zip(tail).for_each(|(out, tail)| *out += head * tail);
    }
}

/// Position of an element in the box, and flat in the array.
fn place(line: usize, column: usize, shape: &[usize], light: &Lit<'_>) -> (PerAxis<usize>, u64) {
    let rank = shape.len();
    let mut at: PerAxis<usize> = smallvec![column; rank];
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
        let whole = Lit { values: vec![&values], start: &[0, 0], whole: &shape };
        let mut expected = regions(&labels, &shape, 0, true, &whole);
        expected.sort_by_key(|r| r.label);
        let upper = Lit { values: vec![&values[..14]], start: &[0, 0], whole: &shape };
        let lower = Lit { values: vec![&values[14..]], start: &[2, 0], whole: &shape };
        let mut parts = regions(&labels[..14], &[2, 7], 0, true, &upper);
        for region in regions(&labels[14..], &[4, 7], 0, true, &lower) {
            let region = region.shifted(&[2, 0]);
            match parts.iter_mut().find(|r| r.label == region.label) {
                Some(own) => own.join(&region),
                None => parts.push(region),
            }
        }
        parts.sort_by_key(|r| r.label);
        for (mut found, mut want) in parts.into_iter().zip(expected) {
            let (a, b) = (found.light.remove(0), want.light.remove(0));
            // Whole numbers, far from where rounding begins.
            assert_eq!(found, want);
            assert_eq!(a.moments, b.moments);
            assert!((a.squares - b.squares).abs() < 1e-9 && (a.sum, a.argmin, a.argmax) == (b.sum, b.argmin, b.argmax));
        }
    }

    #[test]
    fn moments_are_sums_of_powers() {
        let values = [2.0, 0.0, 5.0, 1.0, 1.0, 7.0];
        let light = Lit { values: vec![&values], start: &[0, 0], whole: &[2, 3] };
        let found = regions(&[0u8, 1, 1, 0, 1, 1], &[2, 3], 0, true, &light).remove(0);
        let all = [(0, 0, 0.0), (0, 1, 5.0), (1, 0, 1.0), (1, 1, 7.0)];
        for (p, q) in (0..4).flat_map(|p| (0..4).map(move |q| (p, q))) {
            let power = |(y, x, _): &(i32, i32, f64)| f64::from(y.pow(p) * x.pow(q));
            let at = (4 * p + q) as usize;
            assert_eq!(found.moments[at], all.iter().map(power).sum::<f64>());
            assert_eq!(found.light[0].moments[at], all.iter().map(|e| power(e) * e.2).sum::<f64>());
        }
    }

    #[test]
    fn central_sums_do_not_depend_on_the_place() {
        let labels = [0u8, 1, 1, 1, 0, 1];
        let dark = Lit { values: Vec::new(), start: &[0, 0], whole: &[2, 3] };
        let near = regions(&labels, &[2, 3], 0, false, &dark).remove(0);
        let far = near.clone().shifted(&[1_000_000, 3_000_000]);
        assert_eq!(near.central(), far.central());
    }
}
