//! The k-th smallest element of every window. Three ways, by the size of the window and the type of its elements:
//!
//! - `network`: small windows of any type; many windows at a time, with comparisons only (the most common in `registers`);
//! - `columns`: boxes over bytes; counts of columns that slide along, work independent of the window's length on the last two axes;
//! - `counts`: everything else; one table of counts that slides along, over the elements' ranks where there are many values.

mod columns;
mod counts;
mod network;
mod registers;

use voxmill_ops::numeric::order::Digits;

/// Windows, and which of their elements is wanted.
#[derive(Debug, Clone)]
pub struct Ranks {
    /// Lengths of the box around the footprint.
    pub window: Vec<usize>,
    /// Positions of the footprint in this box, in C order.
    pub footprint: Vec<Vec<usize>>,
    /// How many elements of the window come before the wanted one.
    pub rank: usize,
}

/// Windows up to this size are sorted by comparisons.
const SMALL: usize = 100;

impl Ranks {
    fn is_box(&self) -> bool {
        self.footprint.len() == self.window.iter().product::<usize>()
    }

    fn uses_columns(&self, rank: usize, bytes: usize) -> bool {
        bytes == 1 && rank >= 2 && self.is_box() && self.footprint.len() < 1 << 16
    }

    /// Bytes that [`Ranks::run`] allocates for elements of this many bytes.
    pub fn scratch(&self, padded: &[usize], bytes: usize) -> u64 {
        if self.footprint.len() <= SMALL {
            return network::scratch();
        }
        if self.uses_columns(padded.len(), bytes) {
            return columns::scratch(padded);
        }
        counts::scratch(padded.iter().product(), self.footprint.len(), bytes)
    }

    /// Fills `out` (of lengths `shape`) from `padded` (of lengths `padded_shape`).
    pub fn run<K: Digits + 'static>(&self, padded: &[K], padded_shape: &[usize], shape: &[usize], out: &mut [K]) {
        let bytes = size_of::<K>();
        if self.footprint.len() <= SMALL {
            network::run(self, padded, padded_shape, shape, out);
        } else if self.uses_columns(shape.len(), bytes) {
            columns::run(self, padded, padded_shape, shape, out);
        } else {
            counts::run(self, padded, padded_shape, shape, out);
        }
    }
}

/// The same by sorting each window, for tests.
#[cfg(test)]
fn by_sorting<K: Digits>(ranks: &Ranks, padded: &[K], padded_shape: &[usize], shape: &[usize]) -> Vec<K> {
    use crate::family::grid::positions;
    let steps = crate::family::window::strides(padded_shape);
    let flat = |at: &[usize]| at.iter().zip(&steps).map(|(a, s)| a * s).sum::<usize>();
    let one = |at: Vec<usize>| {
        let first = flat(&at);
        let mut values: Vec<K> = ranks.footprint.iter().map(|tap| padded[first + flat(tap)]).collect();
        values.sort_unstable();
        values[ranks.rank]
    };
    positions(shape).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::grid::Grid;

    fn check<K: Digits + 'static>(ranks: &Ranks, shape: &[usize], value: impl Fn(u64) -> K) {
        let padded_shape: Vec<usize> = shape.iter().zip(&ranks.window).map(|(n, w)| n + w - 1).collect();
        let n: usize = padded_shape.iter().product();
        let padded: Vec<K> =
            (0..n as u64).map(|i| value((i.wrapping_mul(6364136223846793005) >> 33) ^ (i / 7))).collect();
        let mut out = padded[..shape.iter().product()].to_vec();
        ranks.run(&padded, &padded_shape, shape, &mut out);
        assert!(out == by_sorting(ranks, &padded, &padded_shape, shape), "{shape:?} {:?} {}", ranks.window, ranks.rank);
    }

    #[test]
    fn every_way_equals_sorting() {
        let windows = [
            (Grid::ones(&[3, 3]), vec![5, 70]),
            (Grid::ones(&[5, 4]), vec![3, 3]),
            (Grid::ones(&[5, 5]), vec![4, 37]),
            (Grid::ones(&[3, 3, 3]), vec![2, 3, 40]),
            (Grid::ones(&[11, 13]), vec![9, 40]),
            (Grid::ball(2, 7), vec![12, 33]),
            (Grid::ones(&[5, 5, 5]), vec![3, 4, 35]),
            (Grid::ball(3, 3), vec![3, 2, 9]),
            (Grid::ones(&[103]), vec![200]),
            (Grid::ones(&[2]), vec![7]),
        ];
        for (grid, shape) in windows {
            let footprint: Vec<Vec<usize>> = grid.taps().map(|(at, _)| at).collect();
            let n = footprint.len();
            for rank in [0, 1, n / 4, n / 2, n - 1] {
                let ranks = Ranks { window: grid.shape.clone(), footprint: footprint.clone(), rank };
                check(&ranks, &shape, |v| v as u8);
                check(&ranks, &shape, |v| (v % 3) as u8);
                check(&ranks, &shape, |v| v as i8);
                check(&ranks, &shape, |v| v as u16);
                check(&ranks, &shape, |v| v as i32 % 1000);
                check(&ranks, &shape, |v| v as i64 - (1 << 31));
            }
        }
    }
}
