//! Counts that slide over boxes of bytes.
//!
//! Every column (a position of the last axis) has a table of how often each value occurs in the part of the window that lies on it. On
//! the way along the second to last axis one row enters a column and one leaves it; on the way along the last axis one column enters the
//! window and one leaves it. Tables have two levels, of 16 and of 256 counts. Only the coarse level of a window is kept up to date at
//! every step; 16 fine counts are brought up to date when the wanted value lies among them.

use super::Ranks;
use crate::family::grid::positions;
use crate::family::window::strides;
use voxmill_ops::numeric::order::Digits;
use voxmill_ops::numeric::simd::{self, Loop};

/// How often 16 neighbouring values occur.
type Counts = [u16; 16];

/// Counts of the values of one column: of groups of 16, and of each.
#[derive(Clone, Copy)]
struct Column {
    coarse: Counts,
    fine: [Counts; 16],
}

const EMPTY: Column = Column { coarse: [0; 16], fine: [[0; 16]; 16] };

pub fn scratch(padded: &[usize]) -> u64 {
    let width = padded.last().copied().unwrap_or(0);
    (width * (size_of::<Column>() + 1)) as u64
}

pub fn run<K: Digits>(ranks: &Ranks, padded: &[K], padded_shape: &[usize], shape: &[usize], out: &mut [K]) {
    simd::dispatch(Work { ranks, padded, padded_shape, shape, out });
}

struct Work<'a, K> {
    ranks: &'a Ranks,
    padded: &'a [K],
    padded_shape: &'a [usize],
    shape: &'a [usize],
    out: &'a mut [K],
}

impl<K: Digits> Loop for Work<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Work { ranks, padded, padded_shape, shape, out } = self;
        let last = shape.len() - 1;
        let (width, columns) = (shape[last], padded_shape[last]);
        let steps = strides(padded_shape);
        let flat = |at: &[usize]| at.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
        // Rows of the window in the axes before the last two: at each step of the second to last axis, one of each enters.
        let slabs: Vec<usize> = positions(&ranks.window[..last - 1]).map(|at| flat(&at)).collect();
        let mut tables = vec![EMPTY; columns];
        let mut out_rows = out.chunks_exact_mut(width.max(1));
        for outer in positions(&shape[..last - 1]) {
            let base = flat(&outer);
            let row = |slab: usize, y: usize| &padded[base + slab + y * columns..][..columns];
            tables.fill(EMPTY);
            for y in 0..ranks.window[last - 1] - 1 {
                slabs.iter().for_each(|&slab| count(&mut tables, row(slab, y)));
            }
            for y in 0..shape[last - 1] {
                slabs.iter().for_each(|&slab| count(&mut tables, row(slab, y + ranks.window[last - 1] - 1)));
                if let Some(out) = out_rows.next() {
                    slide(&tables, ranks.window[last], ranks.rank, out);
                }
                slabs.iter().for_each(|&slab| forget(&mut tables, row(slab, y)));
            }
        }
    }
}

#[inline(always)]
fn count<K: Digits>(tables: &mut [Column], row: &[K]) {
    for (table, value) in tables.iter_mut().zip(row) {
        let value = value.digits() as u8;
        table.coarse[usize::from(value >> 4)] += 1;
        table.fine[usize::from(value >> 4)][usize::from(value & 15)] += 1;
    }
}

#[inline(always)]
fn forget<K: Digits>(tables: &mut [Column], row: &[K]) {
    for (table, value) in tables.iter_mut().zip(row) {
        let value = value.digits() as u8;
        table.coarse[usize::from(value >> 4)] -= 1;
        table.fine[usize::from(value >> 4)][usize::from(value & 15)] -= 1;
    }
}

/// Slides a window of `length` columns along a row.
#[inline(always)]
fn slide<K: Digits>(tables: &[Column], length: usize, rank: usize, out: &mut [K]) {
    let mut coarse = [0; 16];
    tables[..length].iter().for_each(|table| add(&mut coarse, &table.coarse));
    let mut fine = [[0; 16]; 16];
    // The first column that the fine counts of each group hold; they hold `length` of them.
    let mut held: [Option<usize>; 16] = [None; 16];
    for (x, out) in out.iter_mut().enumerate() {
        if x > 0 {
            add(&mut coarse, &tables[x + length - 1].coarse);
            subtract(&mut coarse, &tables[x - 1].coarse);
        }
        let (group, before) = find(&coarse, rank);
        let counts = &mut fine[group];
        match held[group] {
            Some(first) if x - first < length / 2 => {
                for x in first..x {
                    add(counts, &tables[x + length].fine[group]);
                    subtract(counts, &tables[x].fine[group]);
                }
            }
            _ => {
                *counts = [0; 16];
                tables[x..x + length].iter().for_each(|table| add(counts, &table.fine[group]));
            }
        }
        held[group] = Some(x);
        let (value, _) = find(counts, rank - before);
        *out = K::from_digits((group * 16 + value) as u64);
    }
}

/// The place where the element at `rank` is counted, and how many are counted before.
#[inline(always)]
fn find(counts: &Counts, rank: usize) -> (usize, usize) {
    let mut before = 0;
    for (place, &n) in counts.iter().enumerate() {
        if before + usize::from(n) > rank {
            return (place, before);
        }
        before += usize::from(n);
    }
    (15, before)
}

#[inline(always)]
fn add(counts: &mut Counts, more: &Counts) {
    for k in 0..16 {
        counts[k] += more[k];
    }
}

#[inline(always)]
fn subtract(counts: &mut Counts, less: &Counts) {
    for k in 0..16 {
        counts[k] -= less[k];
    }
}
