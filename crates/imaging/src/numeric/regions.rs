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
    /// What was summed up of a region.
    fn from_tally(label: i64, tally: &[i64], wanted: Wanted) -> Region {
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
        let part = |from: usize, len: usize| tally[from..from + len].iter();
        Region {
            label,
            n: tally[0] as u64,
            low: part(1, rank).map(|&v| v as u64).collect(),
            high: part(1 + rank, rank).map(|&v| v as u64).collect(),
            sums: part(1 + 2 * rank, rank).map(|&v| v.into()).collect(),
            products: part(1 + 3 * rank, n_pairs(rank)).map(|&v| v.into()).collect(),
            moments,
            light,
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

/// The regions of a box: everything but 0 is one, by its value. Positions count from the beginning of the box, which is small enough for
/// sums of their products to have 63 bits: two million elements.
pub fn regions<T: Copy + PartialEq + Into<i128>>(
    labels: &[T],
    shape: &[usize],
    zero: T,
    moments: bool,
    light: &Lit<'_>,
) -> Vec<Region> {
    let wanted = Wanted { rank: shape.len(), light: light.values.len(), moments };
    // For a second look at the elements, when it is known where each region begins.
    let mut runs = (wanted.light > 0 || moments).then(Vec::new);
    let tallies = tally(labels, shape, zero, &mut runs);
    let each = tallies.sums.chunks_exact(tally_width(wanted.rank));
    let mut found: Vec<Region> =
        tallies.labels.iter().zip(each).map(|(&label, tally)| Region::from_tally(label, tally, wanted)).collect();
    let runs = runs.unwrap_or_default();
    for channel in 0..wanted.light {
        add_light(&mut found, &runs, shape, light, channel);
    }
    if moments {
        add_moments(&mut found, &runs, shape, light);
    }
    found
}

/// Sums of the regions of a box, side by side: elements, first and last position, sum of positions, and sums of their products.
struct Tallies {
    labels: Vec<i64>,
    sums: Vec<i64>,
}

fn tally_width(rank: usize) -> usize {
    1 + 3 * rank + n_pairs(rank)
}

fn tally<T: Copy + PartialEq + Into<i128>>(
    labels: &[T],
    shape: &[usize],
    zero: T,
    runs: &mut Option<Vec<Run>>,
) -> Tallies {
    let width = shape.last().copied().unwrap_or(1).max(1);
    let mut tallies = Tallies { labels: Vec::new(), sums: Vec::new() };
    let mut number: FxHashMap<i64, u32> = FxHashMap::default();
    // The region of each element of the latest line: that of a run mostly is that of the run above it.
    let mut above = vec![0u32; width];
    let mut line_above: &[T] = &[];
    let mut at = vec![0i64; shape.len()];
    for (line, values) in labels.chunks_exact(width).enumerate() {
        let mut begin = 0;
        while let Some(found) = next_run(values, begin, zero) {
            let (from, end) = found;
            let value = values[from];
            let region = if line_above.get(from) == Some(&value) {
                above[from]
            } else if line_above.get(end - 1) == Some(&value) {
                above[end - 1]
            } else {
                let label = value.into() as i64;
                *number.entry(label).or_insert_with(|| tallies.add(label, shape.len()))
            };
            above[from..end].iter_mut().for_each(|above| *above = region);
            tallies.add_run(region as usize, &at, from as i64, (end - from) as i64);
            if let Some(runs) = runs {
                runs.push(Run { line: line as u64, begin: from as u32, end: end as u32, region });
            }
            begin = end;
        }
        line_above = values;
        advance(&mut at, shape);
    }
    tallies
}

/// The next run of equal elements that are not zero: where it begins and ends.
#[inline]
fn next_run<T: Copy + PartialEq>(line: &[T], from: usize, zero: T) -> Option<(usize, usize)> {
    const STEP: usize = 16;
    let mut begin = from;
    while line.get(begin..begin + STEP).is_some_and(|part| part.iter().fold(true, |all, v| all & (*v == zero))) {
        begin += STEP;
    }
    begin += line[begin..].iter().position(|v| *v != zero)?;
    let value = line[begin];
    let end = line[begin..].iter().position(|v| *v != value).map_or(line.len(), |k| begin + k);
    Some((begin, end))
}

impl Tallies {
    /// Makes room for a region; gives its number.
    fn add(&mut self, label: i64, rank: usize) -> u32 {
        self.labels.push(label);
        let begin = self.sums.len();
        self.sums.resize(begin + tally_width(rank), 0);
        self.sums[begin + 1..begin + 1 + rank].fill(i64::MAX);
        self.labels.len() as u32 - 1
    }

    /// Adds `n` elements along the last axis, from the position `begin` on. `at` is the position along the other axes.
    #[inline]
    fn add_run(&mut self, region: usize, at: &[i64], begin: i64, n: i64) {
        let (rank, width) = (at.len(), tally_width(at.len()));
        let last = rank - 1;
        let own = &mut self.sums[region * width..(region + 1) * width];
        let (count, own) = own.split_at_mut(1);
        let (low, own) = own.split_at_mut(rank);
        let (high, own) = own.split_at_mut(rank);
        let (sums, products) = own.split_at_mut(rank);
        // Sums of the first whole numbers and of their squares.
        let steps = n * (n - 1) / 2;
        let squares = (n - 1) * n * (2 * n - 1) / 6;
        let along = n * begin + steps;
        count[0] += n;
        let mut pair = 0;
        for k in 0..last {
            let x = at[k];
            low[k] = low[k].min(x);
            high[k] = high[k].max(x);
            sums[k] += n * x;
            for &y in &at[k..last] {
                products[pair] += n * x * y;
                pair += 1;
            }
            products[pair] += x * along;
            pair += 1;
        }
        low[last] = low[last].min(begin);
        high[last] = high[last].max(begin + n - 1);
        sums[last] += along;
        products[pair] += n * begin * begin + 2 * begin * steps + squares;
    }
}

fn advance(at: &mut [i64], shape: &[usize]) {
    for k in (0..at.len().saturating_sub(1)).rev() {
        at[k] += 1;
        if at[k] < shape[k] as i64 {
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
