//! Truth values 64 to a word, and erosion of rows of them by any structure.
//!
//! A structure is taken apart into runs along the last axis. What a run leaves of a row is made by doubling, and a row of the result is
//! the conjunction of such rows: 64 elements per instruction, whatever the structure.

use crate::family::grid::{Grid, positions};
use crate::family::window::strides;
use voxmill_ops::numeric::simd::{self, Loop};

/// Words that hold `n` bits, and one more, so that a word at any bit can be read.
fn words(n: usize) -> usize {
    n / 64 + 2
}

/// A run of a structure along the last axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    length: usize,
    /// Where it begins, counted from the first position of the structure.
    start: usize,
}

/// A structure as runs.
#[derive(Debug)]
pub struct Erosion {
    /// Different runs, by rising length.
    kinds: Vec<Run>,
    /// The kind of each run, and its position on the axes before the last.
    runs: Vec<(usize, Vec<usize>)>,
}

impl Erosion {
    /// Erosion by the elements of `grid` that are not zero.
    pub fn new(grid: &Grid) -> Self {
        let mut found: Vec<(Run, Vec<usize>)> = Vec::new();
        for (at, _) in grid.taps() {
            let (x, row) = at.split_last().map_or((0, &[][..]), |(x, row)| (*x, row));
            match found.last_mut() {
                Some((run, last)) if last == row && run.start + run.length == x => run.length += 1,
                _ => found.push((Run { length: 1, start: x }, row.to_vec())),
            }
        }
        let mut kinds: Vec<Run> = found.iter().map(|(run, _)| *run).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = |run: Run| kinds.binary_search(&run).unwrap_or(0);
        let runs = found.into_iter().map(|(run, row)| (kind(run), row)).collect();
        Erosion { kinds, runs }
    }

    /// Bytes that [`Erosion::run`] allocates for a padded box of these lengths.
    pub fn scratch(&self, padded: &[usize], shape: &[usize]) -> u64 {
        let Boxes { padded_rows, padded_width, rows, width, .. } = Boxes::new(padded, shape);
        let kept = padded_rows * width.div_ceil(64) * self.kinds.len() + rows * width.div_ceil(64);
        (8 * (kept + words(padded_width)) + 64 * self.runs.len()) as u64
    }

    /// Fills `out` (0 or 1, of lengths `shape`) from `padded` (0 or 1, of lengths `padded_shape`); with `invert`, false is eroded.
    pub fn run(&self, padded: &[u8], padded_shape: &[usize], shape: &[usize], invert: bool, out: &mut [u8]) {
        simd::dispatch(Work { erosion: self, padded, padded_shape, shape, invert, out });
    }
}

/// Boxes as planes of the last two axes.
struct Boxes {
    /// Rows of the padded box.
    padded_rows: usize,
    /// Length of its last axis.
    padded_width: usize,
    /// Rows of one plane of the result.
    rows: usize,
    /// Length of its last axis.
    width: usize,
    /// Steps in rows of the padded box for the axes before the last.
    steps: Vec<usize>,
}

impl Boxes {
    fn new(padded: &[usize], shape: &[usize]) -> Self {
        let (&padded_width, outer) = padded.split_last().unwrap_or((&1, &[]));
        let rank = shape.len();
        let rows = if rank < 2 { 1 } else { shape[rank - 2] };
        let width = shape.last().copied().unwrap_or(1);
        Boxes { padded_rows: outer.iter().product(), padded_width, rows, width, steps: strides(outer) }
    }

    fn row(&self, at: &[usize]) -> usize {
        at.iter().zip(&self.steps).map(|(a, s)| a * s).sum()
    }
}

struct Work<'a> {
    erosion: &'a Erosion,
    padded: &'a [u8],
    padded_shape: &'a [usize],
    shape: &'a [usize],
    invert: bool,
    out: &'a mut [u8],
}

impl Loop for Work<'_> {
    type Output = ();

    /// What each kind of run leaves of each row is kept in one table per kind, with a fixed number of words per row: a plane of the
    /// result is then the conjunction of plain stretches of these tables.
    #[inline(always)]
    fn run(self) {
        let Work { erosion, padded, padded_shape, shape, invert, out } = self;
        let boxes = Boxes::new(padded_shape, shape);
        let per_row = boxes.width.div_ceil(64);
        let table = boxes.padded_rows * per_row;
        let mut left = vec![0_u64; erosion.kinds.len() * table];
        let mut bits = vec![0_u64; words(boxes.padded_width)];
        for (k, row) in padded.chunks_exact(boxes.padded_width.max(1)).enumerate() {
            pack(row, invert, &mut bits);
            erode_row(&mut bits, &erosion.kinds, per_row, &mut left[k * per_row..], table);
        }
        let places: Vec<usize> = erosion.runs.iter().map(|(kind, at)| kind * table + boxes.row(at) * per_row).collect();
        let mut plane = vec![0_u64; boxes.rows * per_row];
        let planes = positions(&shape[..shape.len().saturating_sub(2)]);
        for (at, out) in planes.zip(out.chunks_exact_mut((boxes.rows * boxes.width).max(1))) {
            let first = boxes.row(&at) * per_row;
            plane.fill(!0);
            for place in &places {
                let from = &left[first + place..][..plane.len()];
                for k in 0..plane.len() {
                    plane[k] &= from[k];
                }
            }
            for (row, bits) in out.chunks_exact_mut(boxes.width.max(1)).zip(plane.chunks_exact(per_row.max(1))) {
                unpack(bits, invert, row);
            }
        }
    }
}

/// One bit per element.
#[inline(always)]
fn pack(row: &[u8], invert: bool, bits: &mut [u64]) {
    let flip = if invert { !0 } else { 0 };
    bits.fill(0);
    for (word, bytes) in bits.iter_mut().zip(row.chunks(64)) {
        let mut packed = 0;
        for (k, eight) in bytes.chunks(8).enumerate() {
            let mut lanes = [0; 8];
            lanes[..eight.len()].copy_from_slice(eight);
            // The product gathers the lowest bit of each byte in the top byte.
            let gathered =
                (u64::from_le_bytes(lanes) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            packed |= gathered << (8 * k);
        }
        *word = packed ^ flip;
    }
}

/// One element per bit.
#[inline(always)]
fn unpack(bits: &[u64], invert: bool, row: &mut [u8]) {
    let flip = if invert { !0 } else { 0 };
    for (word, bytes) in bits.iter().zip(row.chunks_mut(64)) {
        let word = word ^ flip;
        for (k, eight) in bytes.chunks_mut(8).enumerate() {
            let spread = (word >> (8 * k) & 0xff).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            // Every byte has at most one bit left; adding 127 carries it to the top.
            let lanes = (spread.wrapping_add(0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101).to_le_bytes();
            eight.copy_from_slice(&lanes[..eight.len()]);
        }
    }
}

/// What each kind of run leaves of a row, as `per_row` words in each of the tables of `left`. `row` is overwritten.
#[inline(always)]
fn erode_row(row: &mut [u64], kinds: &[Run], per_row: usize, left: &mut [u64], table: usize) {
    let mut span = 1;
    for (kind, run) in kinds.iter().enumerate() {
        while 2 * span <= run.length {
            for k in 0..row.len() {
                row[k] &= bits_at(row, k * 64 + span);
            }
            span *= 2;
        }
        for (k, left) in left[kind * table..][..per_row].iter_mut().enumerate() {
            let at = k * 64 + run.start;
            *left = bits_at(row, at) & bits_at(row, at + run.length - span);
        }
    }
}

/// 64 bits from any position; zeros past the end.
#[inline(always)]
fn bits_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, (at % 64) as u32);
    let low = words.get(word).copied().unwrap_or(0);
    let high = words.get(word + 1).copied().unwrap_or(0);
    if shift == 0 { low } else { low >> shift | high << (64 - shift) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erosion_equals_its_definition() {
        for (grid, shape) in [
            (Grid::ones(&[3]), vec![130]),
            (Grid::ball(2, 1), vec![5, 64]),
            (Grid::ball(2, 6), vec![9, 200]),
            (Grid::ball(3, 4), vec![3, 5, 66]),
            (Grid { shape: vec![2, 4], values: vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0] }, vec![4, 70]),
            (Grid::ones(&[1, 90]), vec![2, 129]),
        ] {
            let padded_shape: Vec<usize> = shape.iter().zip(&grid.shape).map(|(n, w)| n + w - 1).collect();
            let n: usize = padded_shape.iter().product();
            let padded: Vec<u8> = (0..n).map(|i| u8::from(i.wrapping_mul(2654435761) % 97 > 2)).collect();
            let steps = strides(&padded_shape);
            let flat = |at: &[usize]| at.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
            for invert in [false, true] {
                let mut out = vec![9; shape.iter().product()];
                Erosion::new(&grid).run(&padded, &padded_shape, &shape, invert, &mut out);
                for (at, &got) in positions(&shape).zip(&out) {
                    let all = grid.taps().all(|(tap, _)| (padded[flat(&at) + flat(&tap)] != 0) != invert);
                    assert_eq!(got != 0, all != invert, "{:?} {at:?} {invert}", grid.shape);
                    assert!(got < 2);
                }
            }
        }
    }
}
