//! Connected components of a box, by runs: each line along the last axis is cut into runs of elements that belong together, runs of
//! neighbouring lines that touch are joined, and the runs are written out with the number of their component.
//!
//! The work grows with the number of lines and runs, not with the number of neighbours. Components are numbered from 1 in the order
//! of their first element in C order, which is the order of `scipy.ndimage.label`.

use crate::family::grid::{Grid, advance, positions};

/// Which elements touch: neighbours at most one step away along each axis, the same in both directions.
#[derive(Debug, Clone)]
pub struct Touching {
    /// Neighbours along the last axis.
    along: bool,
    /// For each line before (in C order) that may touch: its distance per axis but the last, and how far elements may be apart along
    /// the last axis.
    lines: Vec<(Vec<i8>, Reach)>,
}

/// Distances along the last axis at which elements of two lines touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reach {
    /// `-1`, `0` and `1`.
    at: [bool; 3],
}

impl Touching {
    /// The neighbours that `structure` has, a cube of 3 positions per axis that looks the same from both sides.
    pub fn new(structure: &Grid) -> Touching {
        let rank = structure.shape.len();
        if rank == 0 {
            return Touching { along: false, lines: Vec::new() };
        }
        let flag = |at: &[usize]| {
            let flat = at.iter().fold(0, |flat, &k| flat * 3 + k);
            structure.values[flat] != 0.0
        };
        let lines = positions(&vec![3; rank - 1]).filter_map(|line| {
            let distance: Vec<i8> = line.iter().map(|&k| k as i8 - 1).collect();
            let before = distance.iter().find(|&&d| d != 0).is_some_and(|&d| d < 0);
            let at = [0, 1, 2].map(|last| flag(&[&line[..], &[last]].concat()));
            (before && at.contains(&true)).then_some((distance, Reach { at }))
        });
        let middle = vec![1; rank - 1];
        let along = flag(&[&middle[..], &[0]].concat());
        Touching { along, lines: lines.collect() }
    }
}

/// A run of elements of one line that belong to one object.
#[derive(Debug, Clone, Copy)]
struct Run {
    begin: u32,
    end: u32,
    /// The run it was joined to; itself for the first of a component.
    parent: u32,
}

/// What joins elements: equal values, or just being there.
pub trait Member: Copy {
    /// Two runs of a line never lie side by side: there is background between them.
    const APART: bool;
    /// False for the background.
    fn counts(self, background: Self) -> bool;
    /// True if two elements may belong to one object.
    fn joins(self, other: Self) -> bool;
    /// The first position from `from` on that counts, or the length.
    #[inline]
    fn next(line: &[Self], from: usize, background: Self) -> usize {
        line[from..].iter().position(|v| v.counts(background)).map_or(line.len(), |k| from + k)
    }
    /// The first position from `from` on that does not belong to the run of the element before it.
    #[inline]
    fn stop(line: &[Self], from: usize) -> usize {
        let value = line[from - 1];
        line[from..].iter().position(|v| !v.joins(value)).map_or(line.len(), |k| from + k)
    }
    /// Calls `add` with begin and end of each run of a line.
    #[inline]
    fn each_run(line: &[Self], background: Self, mut add: impl FnMut(usize, usize)) {
        let mut begin = Self::next(line, 0, background);
        while begin < line.len() {
            let end = Self::stop(line, begin + 1);
            add(begin, end);
            begin = Self::next(line, end, background);
        }
    }
}

/// A truth value: all true elements join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Truth(pub u8);

/// Up to 64 truth values as bits.
#[inline]
fn packed(values: &[Truth]) -> u64 {
    let mut bits = 0;
    let mut eights = values.chunks_exact(8);
    for (k, eight) in eights.by_ref().enumerate() {
        let word = eight.iter().enumerate().fold(0u64, |word, (k, v)| word | (u64::from(v.0) << (8 * k)));
        // A truth value is 0 or 1; the product gathers those of all bytes in the top byte.
        bits |= (word.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * k);
    }
    let done = values.len() - eights.remainder().len();
    eights.remainder().iter().enumerate().fold(bits, |bits, (k, v)| bits | u64::from(v.0) << (done + k))
}

impl Member for Truth {
    const APART: bool = true;
    #[inline(always)]
    fn counts(self, _background: Truth) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn joins(self, other: Truth) -> bool {
        self.0 == other.0
    }
}

macro_rules! by_value {
    ($($t:ty),*) => {$(
        impl Member for $t {
            const APART: bool = false;
            #[inline(always)]
            fn counts(self, background: $t) -> bool {
                self != background
            }
            #[inline(always)]
            fn joins(self, other: $t) -> bool {
                self == other
            }
        }
    )*};
}

by_value!(u8, u16, u32, u64, i8, i16, i32, i64);

/// Numbers the components of the box `x` of `shape` from 1 on, into `out`. Returns the flat position of each component's first element in the box.
pub fn label<T: Member>(x: &[T], shape: &[usize], background: T, touching: &Touching, out: &mut [u32]) -> Vec<u64> {
    let width = shape.last().copied().unwrap_or(1);
    let lines = &shape[..shape.len().saturating_sub(1)];
    let n_lines: usize = lines.iter().product();
    if width == 0 || n_lines == 0 {
        return Vec::new();
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut first_of: Vec<u32> = Vec::with_capacity(n_lines + 1);
    let before = lines_before(lines, touching);
    let mut at = vec![0; lines.len()];
    for line in 0..n_lines {
        first_of.push(runs.len() as u32);
        add_runs(&x[line * width..(line + 1) * width], background, touching.along, &mut runs);
        for (distance, back, reach) in &before {
            if reaches(&at, distance, lines) {
                let other = line - back;
                let (begin, end) = (first_of[other] as usize, first_of[other + 1] as usize);
                let own = first_of[line] as usize;
                let values = (&x[line * width..(line + 1) * width], &x[other * width..(other + 1) * width]);
                join_lines(&mut runs, own, (begin, end), (*reach, T::APART && touching.along), values);
            }
        }
        advance(&mut at, lines);
    }
    first_of.push(runs.len() as u32);
    write_numbers(&mut runs, &first_of, width, out)
}

/// [`label`] for truth values: lines are bits, of which 64 are looked at in one step.
pub fn label_truth(x: &[Truth], shape: &[usize], touching: &Touching, out: &mut [u32]) -> Vec<u64> {
    let is_usual = |reach: &Reach| reach.at[1] && reach.at[0] == reach.at[2];
    let width = shape.last().copied().unwrap_or(1);
    let lines = &shape[..shape.len().saturating_sub(1)];
    let n_lines: usize = lines.iter().product();
    if width == 0 || n_lines == 0 || !touching.along || !touching.lines.iter().all(|(_, reach)| is_usual(reach)) {
        return label(x, shape, Truth(0), touching, out);
    }
    let mut bits = Bits::new(n_lines, width);
    let mut runs: Vec<Run> = Vec::new();
    let mut first_of: Vec<u32> = Vec::with_capacity(n_lines + 1);
    let before = lines_before(lines, touching);
    let mut at = vec![0; lines.len()];
    for line in 0..n_lines {
        first_of.push(runs.len() as u32);
        bits.add_line(line, &x[line * width..(line + 1) * width], &mut runs);
        for (distance, back, reach) in &before {
            if reaches(&at, distance, lines) {
                bits.join_lines(&mut runs, line, line - back, reach.at[0]);
            }
        }
        advance(&mut at, lines);
    }
    first_of.push(runs.len() as u32);
    write_numbers(&mut runs, &first_of, width, out)
}

/// Lines of truth values as bits, with the number of runs that begin before each word of 64.
struct Bits {
    per_line: usize,
    words: Vec<u64>,
    runs_before: Vec<u32>,
}

impl Bits {
    fn new(n_lines: usize, width: usize) -> Bits {
        let per_line = width.div_ceil(64);
        Bits { per_line, words: vec![0; n_lines * per_line], runs_before: vec![0; n_lines * per_line] }
    }

    /// Packs a line and adds its runs: where an element differs from the one before it, a run begins or ends.
    fn add_line(&mut self, line: usize, values: &[Truth], runs: &mut Vec<Run>) {
        let (mut inside, mut last) = (false, 0);
        for (k, part) in values.chunks(64).enumerate() {
            let at = line * self.per_line + k;
            let bits = packed(part);
            self.words[at] = bits;
            self.runs_before[at] = runs.len() as u32;
            let mut turns = bits ^ (bits << 1 | last);
            last = bits >> 63;
            while turns != 0 {
                let position = 64 * k as u32 + turns.trailing_zeros();
                turns &= turns - 1;
                if inside {
                    end_run(runs, position);
                } else {
                    runs.push(Run { begin: position, end: position, parent: runs.len() as u32 });
                }
                inside = !inside;
            }
        }
        if inside {
            end_run(runs, values.len() as u32);
        }
    }

    /// Joins the runs of two lines that touch: those that have a position in common, and with `corners` also those that end where the
    /// other begins.
    fn join_lines(&self, runs: &mut [Run], line: usize, other: usize, corners: bool) {
        let (own, other) = (line * self.per_line, other * self.per_line);
        for k in 0..self.per_line {
            let word = |line: usize, k: usize| if k < self.per_line { self.words[line + k] } else { 0 };
            let last = |line: usize| if k > 0 { self.words[line + k - 1] >> 63 } else { 0 };
            let (x, y) = (word(own, k), word(other, k));
            let begins = |line: usize, bits: u64| bits & !(bits << 1 | last(line));
            let (x_begins, y_begins) = (begins(own, x), begins(other, y));
            // Runs that have begun up to a bit, in all lines before and in this one.
            let begun = |line: usize, begins: u64, bit: u32| {
                (self.runs_before[line + k] + (begins & (u64::MAX >> (63 - bit))).count_ones()) as usize
            };
            let both = x & y;
            let mut common = both & !(both << 1 | (last(own) & last(other)));
            while common != 0 {
                let bit = common.trailing_zeros();
                common &= common - 1;
                join(runs, begun(own, x_begins, bit) - 1, begun(other, y_begins, bit) - 1);
            }
            if !corners {
                continue;
            }
            let (x_next, y_next) = (x >> 1 | word(own, k + 1) << 63, y >> 1 | word(other, k + 1) << 63);
            let mut ahead = x & !x_next & !y & y_next;
            while ahead != 0 {
                let bit = ahead.trailing_zeros();
                ahead &= ahead - 1;
                // The next run of the other line is the one that begins behind this bit.
                join(runs, begun(own, x_begins, bit) - 1, begun(other, y_begins, bit));
            }
            let mut behind = y & !y_next & !x & x_next;
            while behind != 0 {
                let bit = behind.trailing_zeros();
                behind &= behind - 1;
                join(runs, begun(own, x_begins, bit), begun(other, y_begins, bit) - 1);
            }
        }
    }
}

#[inline]
fn end_run(runs: &mut [Run], at: u32) {
    if let Some(run) = runs.last_mut() {
        run.end = at;
    }
}

/// The lines before that may touch: distance per axis, number of lines back, and reach.
fn lines_before<'a>(lines: &[usize], touching: &'a Touching) -> Vec<(&'a [i8], usize, Reach)> {
    let back = |distance: &[i8]| {
        let steps = distance.iter().zip(lines).fold(0i64, |flat, (&d, &n)| flat * n as i64 + i64::from(d));
        -steps as usize
    };
    let fits = |distance: &[i8]| distance.iter().zip(lines).all(|(&d, &n)| n > d.unsigned_abs() as usize);
    let kept = touching.lines.iter().filter(|(distance, _)| fits(distance));
    kept.map(|(distance, reach)| (&distance[..], back(distance), *reach)).collect()
}

fn reaches(at: &[usize], distance: &[i8], lines: &[usize]) -> bool {
    at.iter().zip(distance).zip(lines).all(|((&a, &d), &n)| {
        let other = a as i64 + i64::from(d);
        other >= 0 && other < n as i64
    })
}

#[inline]
fn add_runs<T: Member>(line: &[T], background: T, along: bool, runs: &mut Vec<Run>) {
    let mut add = |begin: usize, end: usize| {
        runs.push(Run { begin: begin as u32, end: end as u32, parent: runs.len() as u32 });
    };
    if along {
        return T::each_run(line, background, add);
    }
    for (k, _) in line.iter().enumerate().filter(|(_, v)| v.counts(background)) {
        add(k, k + 1);
    }
}

/// Joins the runs of a line, which begin at `own`, with those of a line before that touch them.
#[inline]
fn join_lines<T: Member>(
    runs: &mut [Run],
    own: usize,
    other: (usize, usize),
    (reach, apart): (Reach, bool),
    values: (&[T], &[T]),
) {
    if apart && reach.at == [true; 3] {
        return join_within(runs, own, other, (-1, 1), values);
    }
    // Of runs that lie side by side, both may touch the other's neighbour: one distance at a time finds all pairs.
    for (step, _) in [-1, 0, 1].into_iter().zip(reach.at).filter(|(_, touches)| *touches) {
        join_within(runs, own, other, (step, step), values);
    }
}

/// Joins runs whose elements are between `low` and `high` apart: either one distance, or up to one step with runs that lie apart.
#[inline]
fn join_within<T: Member>(
    runs: &mut [Run],
    own: usize,
    (begin, end): (usize, usize),
    (low, high): (i64, i64),
    (line, before): (&[T], &[T]),
) {
    let (mut a, mut b) = (own, begin);
    while a < runs.len() && b < end {
        let (x, y) = (runs[a], runs[b]);
        // Element `i` of `x` touches `i + low ..= i + high` of the other line.
        let touches = i64::from(x.begin) + low < i64::from(y.end) && i64::from(x.end) + high > i64::from(y.begin);
        if touches && (T::APART || line[x.begin as usize].joins(before[y.begin as usize])) {
            join(runs, a, b);
        }
        if i64::from(x.end) + (low + high) / 2 < i64::from(y.end) {
            a += 1;
        } else {
            b += 1;
        }
    }
}

/// The first run of the component of run `k`, with the path to it made shorter.
#[inline]
fn root(runs: &mut [Run], mut k: usize) -> usize {
    while runs[k].parent as usize != k {
        let above = runs[k].parent as usize;
        runs[k].parent = runs[above].parent;
        k = above;
    }
    k
}

#[inline]
fn join(runs: &mut [Run], a: usize, b: usize) {
    if runs[a].parent == runs[b].parent {
        return;
    }
    let (a, b) = (root(runs, a), root(runs, b));
    // The earlier run stays the first: numbers follow the order of first elements.
    runs[a.max(b)].parent = a.min(b) as u32;
}

/// Fills a part of a row, and may write up to `N` elements beyond its end: what follows is written afterwards. Where runs are short, that does
/// for most of them without asking how long they are.
#[inline(always)]
fn spread<const N: usize>(row: &mut [u32], begin: usize, end: usize, value: u32) {
    match row.get_mut(begin..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        Some(few) => *few = [value; N],
        None => return row[begin..end].fill(value),
    }
    if begin + N < end {
        row[begin + N..end].fill(value);
    }
}

fn write_numbers(runs: &mut [Run], first_of: &[u32], width: usize, out: &mut [u32]) -> Vec<u64> {
    let mut firsts = Vec::new();
    for (line, row) in out.chunks_exact_mut(width).enumerate() {
        let mut done = 0;
        for k in first_of[line] as usize..first_of[line + 1] as usize {
            let Run { begin, end, parent } = runs[k];
            let number = if parent as usize == k {
                firsts.push((line * width) as u64 + u64::from(begin));
                firsts.len() as u32
            } else {
                // Roots come first, and their `parent` holds the number of their component from then on.
                runs[parent as usize].parent
            };
            runs[k].parent = number;
            spread::<8>(row, done, begin as usize, 0);
            spread::<4>(row, begin as usize, end as usize, number);
            done = end as usize;
        }
        row[done..].fill(0);
    }
    firsts
}

/// Bytes that [`label`] allocates at most for a box of `n` elements in lines of `width`.
pub fn scratch(n: usize, width: usize) -> u64 {
    // A run for every other element, doubled as vectors grow, and the first element of each.
    let lines = n / width.max(1) + 2;
    let bits = lines * width.div_ceil(64) * 12;
    (n.div_ceil(2) * (size_of::<Run>() * 2 + 16) + lines * 4 + bits + 4096) as u64
}

/// Sets of numbers that are joined step by step.
#[derive(Debug, Default)]
pub struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// `n` sets of one number each.
    pub fn new(n: u32) -> Sets {
        Sets { parent: (0..n).collect() }
    }

    /// The smallest number of the set of `k`.
    pub fn root(&mut self, mut k: usize) -> usize {
        while self.parent[k] as usize != k {
            let above = self.parent[k] as usize;
            self.parent[k] = self.parent[above];
            k = above;
        }
        k
    }

    /// Joins the sets of `a` and `b`.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// The smallest number of the set of each number.
    pub fn into_roots(mut self) -> Vec<u32> {
        // A number is never joined to a larger one, so what it leads to is known already.
        for k in 0..self.parent.len() {
            self.parent[k] = self.parent[self.parent[k] as usize];
        }
        self.parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(x: &[u8], shape: &[usize], structure: &Grid) -> (Vec<u32>, Vec<u64>) {
        let x: Vec<Truth> = x.iter().map(|&v| Truth(v)).collect();
        let mut out = vec![9; x.len()];
        let firsts = label(&x, shape, Truth(0), &Touching::new(structure), &mut out);
        let mut by_bits = vec![9; x.len()];
        assert_eq!(label_truth(&x, shape, &Touching::new(structure), &mut by_bits), firsts);
        assert_eq!(by_bits, out);
        (out, firsts)
    }

    #[test]
    fn corners_join_with_a_full_structure_only() {
        let x = [1, 0, 1, 0, 1, 0, 1, 0, 1];
        let cross = labels(&x, &[3, 3], &Grid::structure(2, 1));
        assert_eq!(cross, (vec![1, 0, 2, 0, 3, 0, 4, 0, 5], vec![0, 2, 4, 6, 8]));
        let full = labels(&x, &[3, 3], &Grid::structure(2, 2));
        assert_eq!(full, (vec![1, 0, 1, 0, 1, 0, 1, 0, 1], vec![0]));
    }

    #[test]
    fn late_joins_keep_the_order_of_first_elements() {
        #[rustfmt::skip]
        let x = [
            0, 0, 1, 0, 1,
            1, 0, 1, 0, 1,
            1, 1, 1, 0, 1,
        ];
        let (out, firsts) = labels(&x, &[3, 5], &Grid::structure(2, 1));
        #[rustfmt::skip]
        assert_eq!(out, [
            0, 0, 1, 0, 2,
            1, 0, 1, 0, 2,
            1, 1, 1, 0, 2,
        ]);
        assert_eq!(firsts, [2, 4]);
    }

    #[test]
    fn bits_find_the_same() {
        let mut seed = 7u64;
        for (n, shape) in [[3, 4, 150], [5, 5, 64], [2, 9, 63], [4, 4, 129], [6, 6, 1]].iter().enumerate() {
            for (share, connectivity) in [(2, 1), (3, 2), (5, 3), (6, 1), (3, 3)] {
                let size = shape.iter().product::<usize>();
                let x: Vec<u8> = (0..size)
                    .map(|_| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n as u64 + 1);
                        u8::from((seed >> 33) % 8 < share)
                    })
                    .collect();
                labels(&x, shape, &Grid::structure(3, connectivity));
            }
        }
    }

    #[test]
    fn values_are_kept_apart() {
        let x = [1i32, 1, 2, 2, -1, 2];
        let mut out = [0; 6];
        label(&x, &[1, 6], -1, &Touching::new(&Grid::structure(2, 2)), &mut out);
        assert_eq!(out, [1, 1, 2, 2, 0, 3]);
        let crossed = [1i32, 2, 2, 1];
        label(&crossed, &[2, 2], 0, &Touching::new(&Grid::structure(2, 2)), &mut out[..4]);
        assert_eq!(out[..4], [1, 2, 2, 1]);
    }
}
