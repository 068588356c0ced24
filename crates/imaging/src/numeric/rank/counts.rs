//! One table of counts that slides along the last axis: elements at one end of the footprint's runs leave, elements at the other end
//! enter. Values of one or two bytes are counted as they are, others by their rank in the box.

use super::Ranks;
use crate::family::window::{each_row, strides};
use voxmill_ops::numeric::order::Digits;

/// Neighbouring values that are counted together, too.
const GROUP: usize = 64;

pub fn scratch(padded: usize, footprint: usize, bytes: usize) -> u64 {
    let values = if bytes <= 2 { 1 << (8 * bytes) } else { padded };
    let ranks = if bytes <= 2 { 0 } else { 2 * padded * bytes };
    (4 * (values + values.div_ceil(GROUP)) + 4 * padded + ranks + 32 * footprint) as u64
}

pub fn run<K: Digits>(ranks: &Ranks, padded: &[K], padded_shape: &[usize], shape: &[usize], out: &mut [K]) {
    if size_of::<K>() <= 2 {
        let values: Vec<u32> = padded.iter().map(|key| key.digits() as u32).collect();
        let n_values = 1 << (8 * size_of::<K>());
        return slide(ranks, &values, n_values, padded_shape, shape, out, |value| K::from_digits(u64::from(value)));
    }
    let mut sorted = padded.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let rank_of = |key: &K| sorted.partition_point(|other| other < key) as u32;
    let values: Vec<u32> = padded.iter().map(rank_of).collect();
    slide(ranks, &values, sorted.len(), padded_shape, shape, out, |value| sorted[value as usize]);
}

fn slide<K: Copy>(
    ranks: &Ranks,
    values: &[u32],
    n_values: usize,
    padded_shape: &[usize],
    shape: &[usize],
    out: &mut [K],
    element: impl Fn(u32) -> K,
) {
    let edges = Edges::new(ranks, padded_shape);
    let width = shape.last().copied().unwrap_or(1);
    let mut table = Table::new(n_values);
    each_row(shape, padded_shape, |at, first| {
        edges.all.iter().for_each(|&offset| table.add(values[first + offset]));
        for x in 0..width {
            if x > 0 {
                edges.leaving.iter().for_each(|&offset| table.remove(values[first + x - 1 + offset]));
                edges.entering.iter().for_each(|&offset| table.add(values[first + x - 1 + offset]));
            }
            out[at + x] = element(table.find(ranks.rank));
        }
        edges.all.iter().for_each(|&offset| table.remove(values[first + width - 1 + offset]));
    });
}

/// Which elements enter and leave when a footprint moves by one along the last axis, as distances from its old place.
struct Edges {
    all: Vec<usize>,
    leaving: Vec<usize>,
    entering: Vec<usize>,
}

impl Edges {
    fn new(ranks: &Ranks, padded_shape: &[usize]) -> Self {
        let steps = strides(padded_shape);
        let flat = |tap: &Vec<usize>| tap.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
        let taps = &ranks.footprint;
        // Positions are in C order, so neighbours along the last axis follow each other.
        let follows = |a: &Vec<usize>, b: &Vec<usize>| match (a.split_last(), b.split_last()) {
            (Some((x, front)), Some((y, other))) => front == other && x + 1 == *y,
            _ => false,
        };
        let starts = (0..taps.len()).filter(|&k| k == 0 || !follows(&taps[k - 1], &taps[k]));
        let ends = (0..taps.len()).filter(|&k| k + 1 == taps.len() || !follows(&taps[k], &taps[k + 1]));
        Edges {
            all: taps.iter().map(flat).collect(),
            leaving: starts.map(|k| flat(&taps[k])).collect(),
            entering: ends.map(|k| flat(&taps[k]) + 1).collect(),
        }
    }
}

/// How often each value occurs, and where the wanted one was found last.
struct Table {
    counts: Vec<u32>,
    groups: Vec<u32>,
    /// The group of the last find, and the number of elements before it.
    group: usize,
    before: usize,
}

impl Table {
    fn new(n_values: usize) -> Self {
        let n_groups = n_values.div_ceil(GROUP).max(1);
        Table { counts: vec![0; n_groups * GROUP], groups: vec![0; n_groups], group: 0, before: 0 }
    }

    #[inline(always)]
    fn add(&mut self, value: u32) {
        let value = value as usize;
        self.counts[value] += 1;
        self.groups[value / GROUP] += 1;
        self.before += usize::from(value / GROUP < self.group);
    }

    #[inline(always)]
    fn remove(&mut self, value: u32) {
        let value = value as usize;
        self.counts[value] -= 1;
        self.groups[value / GROUP] -= 1;
        self.before -= usize::from(value / GROUP < self.group);
    }

    /// The value at `rank` of all that are counted. Looks near the last one first: neighbouring windows have similar elements.
    #[inline(always)]
    fn find(&mut self, rank: usize) -> u32 {
        while self.before > rank {
            self.group -= 1;
            self.before -= self.groups[self.group] as usize;
        }
        while self.before + self.groups[self.group] as usize <= rank {
            self.before += self.groups[self.group] as usize;
            self.group += 1;
        }
        let first = self.group * GROUP;
        let mut before = self.before;
        for (k, &n) in self.counts[first..first + GROUP].iter().enumerate() {
            before += n as usize;
            if before > rank {
                return (first + k) as u32;
            }
        }
        first as u32
    }
}
