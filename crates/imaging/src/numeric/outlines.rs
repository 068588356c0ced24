//! What can be said of the surface of regions from pairs and squares, or cubes, of neighbouring elements: sums that add up over a box.

use rustc_hash::FxHashMap;

/// Which sums there are for each region, in this order: the Euler number with all neighbours and with those along the axes, both times
/// `2^rank`; for each of the [`directions`] the pairs of neighbours of which one lies in the region, as often as a pair lies in one of the
/// windows of two elements along each axis; and on planes the elements of the contour of three kinds of weight.
pub fn n_sums(rank: usize) -> usize {
    2 + directions(rank).len() + if rank == 2 { 3 } else { 0 }
}

/// Steps to neighbours, one of each two that are opposite.
pub fn directions(rank: usize) -> Vec<Vec<i64>> {
    let all = (0..3usize.pow(rank as u32))
        .map(|code| (0..rank).rev().map(move |k| (code / 3usize.pow(k as u32) % 3) as i64 - 1));
    all.map(Iterator::collect).filter(|step: &Vec<i64>| step.iter().find(|s| **s != 0) == Some(&1)).collect()
}

/// Where the bit `i` of a window lies along each axis: 0 before, 1 behind.
fn corner(i: usize, rank: usize) -> [usize; 3] {
    let [z, y, x] = [usize::from(i < 4), usize::from(i.is_multiple_of(2)), usize::from(i & 2 == 0)];
    if rank == 2 { [y, x, 0] } else { [z, y, x] }
}

/// What the elements of a region in a window add to its sums, for each way they can lie there.
fn weights(rank: usize) -> Vec<Vec<i64>> {
    let bits = 1usize << rank;
    let codes = 1usize << bits;
    // The cells of a grid that touch the middle of a window, by the elements they touch: along each axis either one or both.
    let cells: Vec<(usize, i64)> = (0..3usize.pow(rank as u32))
        .map(|cell| {
            let side = |k: usize| cell / 3usize.pow(k as u32) % 3;
            let touched = |i: &usize| (0..rank).all(|k| side(k) == 2 || side(k) == corner(*i, rank)[k]);
            let mask = (0..bits).filter(touched).fold(0, |mask, i| mask | 1 << i);
            let dimension = (0..rank).filter(|&k| side(k) != 2).count();
            let sign = if dimension.is_multiple_of(2) { 1 } else { -1 };
            (mask, sign << (rank - dimension))
        })
        .collect();
    let euler = |code: usize| cells.iter().filter(|(mask, _)| code & mask != 0).map(|(_, weight)| weight).sum::<i64>();
    let sign = if rank.is_multiple_of(2) { -1 } else { 1 };
    let steps = directions(rank);
    let crossings = |code: usize, step: &[i64]| {
        let pairs = (0..bits).flat_map(|i| (0..bits).map(move |j| (i, j)));
        let along =
            pairs.filter(|&(i, j)| (0..rank).all(|k| corner(i, rank)[k] as i64 - corner(j, rank)[k] as i64 == step[k]));
        along.filter(|(i, j)| (code >> i & 1) != (code >> j & 1)).count() as i64
    };
    let one = |code: usize| {
        let numbers = [euler(code), sign * euler(codes - 1 - code)];
        numbers.into_iter().chain(steps.iter().map(|step| crossings(code, step))).collect()
    };
    (0..codes).map(one).collect()
}

/// A block of labels with a margin of its neighbours, zeros where the array ends. Two or three axes.
#[derive(Debug)]
pub struct Framed<'a, T> {
    /// Labels in C order.
    pub values: &'a [T],
    /// Shape with the margin.
    pub shape: &'a [usize],
    /// Elements on each side that are not of the block: 2 on planes, else 1.
    pub margin: usize,
    /// For each axis: the array ends where the block does.
    pub at_end: &'a [bool],
}

/// Sums of all regions of a block.
#[derive(Debug, Default)]
pub struct Outlines {
    /// Labels.
    pub labels: Vec<i64>,
    /// [`n_sums`] for each of them.
    pub sums: Vec<i64>,
    number: FxHashMap<i64, usize>,
    latest: Option<(i64, usize)>,
    width: usize,
}

impl Outlines {
    fn of(&mut self, label: i64) -> &mut [i64] {
        let at = match self.latest {
            Some((known, at)) if known == label => at,
            _ => {
                let new = self.labels.len();
                let at = *self.number.entry(label).or_insert(new);
                if at == new {
                    self.labels.push(label);
                    self.sums.resize((new + 1) * self.width, 0);
                }
                at
            }
        };
        self.latest = Some((label, at));
        &mut self.sums[at * self.width..(at + 1) * self.width]
    }
}

/// The outlines of the regions of a block. A window belongs to the block that its last element lies in, those beyond the end of the array to
/// the last block. `border` is 4 or 8: the neighbours of which one is missing where the contour of a plane is.
pub fn outlines<T: Copy + PartialEq + Into<i128>>(block: &Framed<'_, T>, zero: T, border: usize) -> Outlines {
    let rank = block.shape.len();
    let mut found = Outlines { width: n_sums(rank), ..Outlines::default() };
    add_windows(block, zero, &mut found);
    if rank == 2 {
        add_contours(block, zero, border, &mut found);
    }
    found
}

fn add_windows<T: Copy + PartialEq + Into<i128>>(block: &Framed<'_, T>, zero: T, found: &mut Outlines) {
    let rank = block.shape.len();
    let weights = weights(rank);
    let ends = |k: usize| (block.margin, block.shape[k] - block.margin + usize::from(block.at_end[k]));
    let width = block.shape[rank - 1];
    let height = block.shape[rank - 2];
    let row = |z: usize, y: usize| &block.values[(z * height + y) * width..][..width];
    // On a plane, the row below takes the place of that behind, and its bits are left out.
    let (depth, behind, bits) = if rank == 3 { (ends(0), 1, 255) } else { ((0, 1), 0, 15) };
    for z in depth.0..depth.1 {
        for y in ends(rank - 2).0..ends(rank - 2).1 {
            let rows = [row(z, y), row(z, y - 1), row(z - behind, y), row(z - behind, y - 1)];
            let even = |x: usize| rows[1..].iter().all(|row| row[x] == rows[0][x]);
            let (begin, end) = ends(rank - 1);
            let mut was_even = even(begin - 1);
            for x in begin..end {
                let is_even = even(x);
                if !(was_even && is_even && rows[0][x] == rows[0][x - 1]) {
                    let [a, b, c, d] = rows;
                    let window = [a[x], b[x], a[x - 1], b[x - 1], c[x], d[x], c[x - 1], d[x - 1]];
                    add_window(&window, zero, bits, &weights, found);
                }
                was_even = is_even;
            }
        }
    }
}

fn add_window<T: Copy + PartialEq + Into<i128>>(
    window: &[T; 8],
    zero: T,
    bits: usize,
    weights: &[Vec<i64>],
    found: &mut Outlines,
) {
    let mut done = 0;
    for (i, &label) in window.iter().enumerate() {
        if done >> i & 1 == 1 {
            continue;
        }
        let code = (i..8).filter(|&j| window[j] == label).fold(0, |code, j| code | 1 << j);
        done |= code;
        if label != zero {
            let own = found.of(label.into() as i64);
            own.iter_mut().zip(&weights[code & bits]).for_each(|(sum, weight)| *sum += weight);
        }
    }
}

/// Which of three weights (1, the root of 2, and the mean of both) an element of a contour has, by its neighbours on the contour: 2 for
/// each along the axes, 10 for each along a diagonal, 1 for itself.
fn kind(code: usize) -> Option<usize> {
    match code {
        5 | 7 | 15 | 17 | 25 | 27 => Some(0),
        21 | 33 => Some(1),
        13 | 23 => Some(2),
        _ => None,
    }
}

const SIDES: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [(isize, isize); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

fn add_contours<T: Copy + PartialEq + Into<i128>>(block: &Framed<'_, T>, zero: T, border: usize, found: &mut Outlines) {
    let (height, width) = (block.shape[0], block.shape[1]);
    let there = |at: usize, step: &(isize, isize)| at.wrapping_add_signed(step.0 * width as isize + step.1);
    let near: Vec<(isize, isize)> =
        SIDES.iter().chain(&DIAGONALS[..if border == 8 { 4 } else { 0 }]).copied().collect();
    let mut on_contour = vec![false; block.values.len()];
    for y in 1..height - 1 {
        let begin = y * width + 1;
        for (k, on_contour) in on_contour[begin..begin + width - 2].iter_mut().enumerate() {
            let label = block.values[begin + k];
            *on_contour = label != zero && near.iter().any(|step| block.values[there(begin + k, step)] != label);
        }
    }
    let first = found.width - 3;
    let margin = block.margin;
    for y in margin..height - margin {
        for at in y * width + margin..(y + 1) * width - margin {
            if !on_contour[at] {
                continue;
            }
            let label = block.values[at];
            let neighbours = |steps: &[(isize, isize)]| {
                let is_one =
                    |step: &&(isize, isize)| on_contour[there(at, step)] && block.values[there(at, step)] == label;
                steps.iter().filter(is_one).count()
            };
            if let Some(kind) = kind(1 + 2 * neighbours(&SIDES) + 10 * neighbours(&DIAGONALS)) {
                found.of(label.into() as i64)[first + kind] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(values: &[u8], shape: &[usize], margin: usize) -> Vec<i64> {
        let block = Framed { values, shape, margin, at_end: &vec![true; shape.len()] };
        outlines(&block, 0, 4).sums
    }

    #[test]
    fn one_element_is_one_object() {
        let mut plane = [0; 25];
        plane[12] = 7;
        let sums = alone(&plane, &[5, 5], 2);
        assert_eq!(sums[..2], [4, 4]);
        // Two crossings along each line, in two windows along the axes and in one along diagonals.
        assert_eq!(sums[2..6].iter().sum::<i64>(), 2 * 4 + 2 * 2);
        assert_eq!(sums[6..], [0, 0, 0]);
        let mut cube = [0; 27];
        cube[13] = 7;
        let sums = alone(&cube, &[3, 3, 3], 1);
        assert_eq!(sums[..2], [8, 8]);
        assert_eq!(sums[2..].iter().sum::<i64>(), 3 * 8 + 6 * 4 + 4 * 2);
    }

    #[test]
    fn two_that_touch_at_a_corner() {
        let mut plane = [0; 36];
        plane[14] = 1;
        plane[21] = 1;
        let sums = alone(&plane, &[6, 6], 2);
        assert_eq!((sums[0], sums[1]), (4, 8));
    }
}
