//! How an array is cut into boxes: storage chunks, declared chunks and tiles are all [`ChunkGrid`]s.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Error, Idx, Region, Result};

/// The cuts along one axis.
///
/// Invariant: even cuts have `chunk >= 1`; irregular bounds start at 0, never fall, and end at the axis length.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AxisCuts {
    /// Pieces of `chunk`, the last one shorter where the length is no multiple.
    Even {
        /// Axis length.
        len: usize,
        /// Length of each piece.
        chunk: usize,
    },
    /// Pieces between neighbouring bounds.
    Irregular(Arc<[usize]>),
}

impl AxisCuts {
    /// Even cuts; a chunk of 0 counts as the whole axis.
    pub fn even(len: usize, chunk: usize) -> Self {
        let chunk = if chunk == 0 { len.max(1) } else { chunk };
        AxisCuts::Even { len, chunk }
    }

    /// Cuts from the lengths of the pieces; even where they happen to be even.
    pub fn from_lengths(lengths: &[usize]) -> Self {
        let len: usize = lengths.iter().sum();
        let first = lengths.first().copied().unwrap_or(0);
        let body = lengths.len().saturating_sub(1);
        let even = first > 0
            && lengths[..body].iter().all(|&n| n == first)
            && lengths.last().is_some_and(|&n| n > 0 && n <= first);
        if even || len == 0 {
            return AxisCuts::even(len, first);
        }
        let mut bounds = vec![0];
        let mut at = 0;
        for &n in lengths {
            at += n;
            bounds.push(at);
        }
        AxisCuts::Irregular(bounds.into())
    }

    /// Axis length.
    pub fn len(&self) -> usize {
        match self {
            AxisCuts::Even { len, .. } => *len,
            AxisCuts::Irregular(bounds) => bounds[bounds.len() - 1],
        }
    }

    /// True for an axis without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of pieces; an empty axis has none.
    pub fn n_chunks(&self) -> usize {
        match self {
            AxisCuts::Even { len, chunk } => len.div_ceil(*chunk),
            AxisCuts::Irregular(bounds) => bounds.len() - 1,
        }
    }

    /// `(begin, end)` of piece `i`.
    pub fn bounds(&self, i: usize) -> (usize, usize) {
        match self {
            AxisCuts::Even { len, chunk } => ((i * chunk).min(*len), ((i + 1) * chunk).min(*len)),
            AxisCuts::Irregular(bounds) => (bounds[i], bounds[i + 1]),
        }
    }

    /// The piece that holds position `at`.
    pub fn find(&self, at: usize) -> usize {
        match self {
            AxisCuts::Even { chunk, .. } => at / chunk,
            AxisCuts::Irregular(bounds) => bounds.partition_point(|&b| b <= at).saturating_sub(1),
        }
    }

    /// The pieces that touch `begin..end`, as a half-open range of piece numbers.
    pub fn touching(&self, begin: usize, end: usize) -> (usize, usize) {
        if end <= begin { (0, 0) } else { (self.find(begin), self.find(end - 1) + 1) }
    }

    /// Length of the longest piece.
    pub fn longest(&self) -> usize {
        match self {
            AxisCuts::Even { len, chunk } => (*chunk).min(*len),
            AxisCuts::Irregular(bounds) => bounds.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
        }
    }

    /// The lengths of all pieces. Only for display and for small grids.
    pub fn lengths(&self) -> Vec<usize> {
        (0..self.n_chunks()).map(|i| self.bounds(i)).map(|(a, b)| b - a).collect()
    }

    /// The cuts of the part `begin..end`, counted from `begin`.
    pub fn slice(&self, begin: usize, end: usize) -> AxisCuts {
        if let AxisCuts::Even { chunk, .. } = self
            && (begin.is_multiple_of(*chunk) || end.saturating_sub(begin) <= chunk - begin % chunk)
        {
            return AxisCuts::even(end.saturating_sub(begin), *chunk);
        }
        let (first, last) = self.touching(begin, end);
        let lengths: Vec<usize> =
            (first..last).map(|i| self.bounds(i)).map(|(a, b)| b.min(end) - a.max(begin)).collect();
        AxisCuts::from_lengths(&lengths)
    }
}

/// Cuts on every axis: the array is the grid of boxes between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChunkGrid {
    /// One set of cuts per axis.
    pub axes: Vec<AxisCuts>,
}

impl ChunkGrid {
    /// Even chunks of `chunk` (0 on an axis means the whole of it).
    pub fn even(shape: &[usize], chunk: &[usize]) -> Self {
        ChunkGrid { axes: shape.iter().zip(chunk).map(|(&n, &c)| AxisCuts::even(n, c)).collect() }
    }

    /// The whole array as one chunk.
    pub fn single(shape: &[usize]) -> Self {
        ChunkGrid { axes: shape.iter().map(|&n| AxisCuts::even(n, 0)).collect() }
    }

    /// A grid from the lengths of the pieces on each axis, which must add up to `shape`.
    pub fn from_lengths(shape: &[usize], lengths: &[Vec<usize>]) -> Result<Self> {
        if lengths.len() != shape.len() {
            return Err(Error::invalid(format!(
                "chunks are given for {} axes, the array has {}",
                lengths.len(),
                shape.len()
            )));
        }
        for (axis, (lengths, &n)) in lengths.iter().zip(shape).enumerate() {
            let sum: usize = lengths.iter().sum();
            if sum != n {
                return Err(Error::invalid(format!("chunks of axis {axis} add up to {sum}, the axis has {n}")));
            }
        }
        Ok(ChunkGrid { axes: lengths.iter().map(|l| AxisCuts::from_lengths(l)).collect() })
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// Shape of the array that is cut.
    pub fn shape(&self) -> Idx {
        self.axes.iter().map(AxisCuts::len).collect()
    }

    /// Number of chunks on each axis.
    pub fn counts(&self) -> Idx {
        self.axes.iter().map(AxisCuts::n_chunks).collect()
    }

    /// Number of chunks in all.
    pub fn n_chunks(&self) -> usize {
        self.axes.iter().map(AxisCuts::n_chunks).product()
    }

    /// Shape of the largest chunk.
    pub fn largest(&self) -> Idx {
        self.axes.iter().map(AxisCuts::longest).collect()
    }

    /// The chunk at grid position `at`.
    pub fn region_at(&self, at: &[usize]) -> Region {
        Region::from_bounds(self.axes.iter().zip(at).map(|(cuts, &i)| cuts.bounds(i)))
    }

    /// The chunk with number `n` in C order.
    pub fn region(&self, n: usize) -> Region {
        self.region_at(&self.position(n))
    }

    /// Grid position of chunk number `n` in C order.
    pub fn position(&self, mut n: usize) -> Idx {
        let mut at: Idx = smallvec::SmallVec::from_elem(0, self.rank());
        for (k, cuts) in self.axes.iter().enumerate().rev() {
            let count = cuts.n_chunks().max(1);
            at[k] = n % count;
            n /= count;
        }
        at
    }

    /// C-order number of the chunk at grid position `at`.
    pub fn number(&self, at: &[usize]) -> usize {
        self.axes.iter().zip(at).fold(0, |n, (cuts, &i)| n * cuts.n_chunks() + i)
    }

    /// The box of grid positions whose chunks touch `region`.
    pub fn touching(&self, region: &Region) -> Region {
        Region::from_bounds(self.axes.iter().zip(region.bounds()).map(|(cuts, (a, b))| cuts.touching(a, b)))
    }

    /// The numbers of the chunks that touch `region`, in C order.
    pub fn numbers_touching(&self, region: &Region) -> Vec<usize> {
        positions(&self.touching(region)).map(|p| self.number(&p)).collect()
    }

    /// The smallest box of whole chunks around `region`.
    pub fn cover(&self, region: &Region) -> Region {
        Region::from_bounds(self.axes.iter().zip(region.bounds()).map(|(cuts, (a, b))| {
            let (first, last) = cuts.touching(a, b);
            if last == first { (a, a) } else { (cuts.bounds(first).0, cuts.bounds(last - 1).1) }
        }))
    }
}

/// All positions inside a box, in C order.
pub fn positions(region: &Region) -> impl Iterator<Item = Idx> + use<> {
    let (start, shape) = (region.start.clone(), region.shape.clone());
    let total: usize = if region.is_empty() { 0 } else { region.size() };
    (0..total).map(move |mut n| {
        let mut at = start.clone();
        for k in (0..shape.len()).rev() {
            at[k] += n % shape[k];
            n /= shape[k];
        }
        at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_and_irregular_cuts_agree_on_the_same_pieces() {
        let even = AxisCuts::even(10, 4);
        assert_eq!(even.lengths(), [4, 4, 2]);
        assert_eq!(AxisCuts::from_lengths(&[4, 4, 2]), even);
        let irregular = AxisCuts::from_lengths(&[3, 5, 2]);
        assert_eq!(irregular.lengths(), [3, 5, 2]);
        assert_eq!((0..10).map(|i| irregular.find(i)).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
        assert_eq!(irregular.touching(2, 8), (0, 2));
    }

    #[test]
    fn slices_keep_the_cuts() {
        assert_eq!(AxisCuts::even(10, 4).slice(2, 9).lengths(), [2, 4, 1]);
        assert_eq!(AxisCuts::even(10, 4).slice(4, 10), AxisCuts::even(6, 4));
        assert_eq!(AxisCuts::even(10, 4).slice(5, 5).n_chunks(), 0);
    }

    #[test]
    fn numbers_and_positions_are_inverse() {
        let grid = ChunkGrid::even(&[10, 7, 3], &[4, 2, 3]);
        for n in 0..grid.n_chunks() {
            assert_eq!(grid.number(&grid.position(n)), n);
        }
        let touching = grid.numbers_touching(&Region::new([3usize, 1, 0], [2usize, 2, 3]));
        assert_eq!(touching, [0, 1, 4, 5]);
    }

    #[test]
    fn lengths_must_add_up() {
        let error = ChunkGrid::from_lengths(&[10], &[vec![4, 4]]).unwrap_err();
        assert_eq!(error.message(), "chunks of axis 0 add up to 8, the axis has 10");
    }
}
