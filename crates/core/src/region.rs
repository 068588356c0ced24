//! Half-open boxes: the one currency in which ops, plans, tasks and stores talk about parts of arrays.

use std::fmt;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// One number per axis: a position, a shape, a count.
pub type Idx = SmallVec<[usize; 6]>;

/// A half-open box: `start[k] .. start[k] + shape[k]` on each axis `k`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Region {
    /// First position on each axis.
    pub start: Idx,
    /// Number of positions on each axis.
    pub shape: Idx,
}

impl Region {
    /// The box that starts at `start` and has `shape`. Both must have the same rank.
    pub fn new(start: impl AsRef<[usize]>, shape: impl AsRef<[usize]>) -> Self {
        let (start, shape): (Idx, Idx) = (start.as_ref().into(), shape.as_ref().into());
        debug_assert_eq!(start.len(), shape.len());
        Region { start, shape }
    }

    /// The whole of an array of `shape`.
    pub fn whole(shape: &[usize]) -> Self {
        Region { start: SmallVec::from_elem(0, shape.len()), shape: shape.into() }
    }

    /// The box from one `(begin, end)` pair per axis; an end before its begin gives an empty axis.
    pub fn from_bounds(bounds: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let (mut start, mut shape) = (Idx::new(), Idx::new());
        for (begin, end) in bounds {
            start.push(begin);
            shape.push(end.saturating_sub(begin));
        }
        Region { start, shape }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// One past the last position on `axis`.
    pub fn end(&self, axis: usize) -> usize {
        self.start[axis] + self.shape[axis]
    }

    /// Number of elements; 1 for rank 0.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// True if there is no element inside.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// `(begin, end)` per axis.
    pub fn bounds(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.start.iter().zip(&self.shape).map(|(&s, &n)| (s, s + n))
    }

    /// The part inside both boxes.
    pub fn intersect(&self, other: &Region) -> Region {
        Region::from_bounds(self.bounds().zip(other.bounds()).map(|((a, b), (c, d))| (a.max(c), b.min(d))))
    }

    /// The smallest box around both. An empty box adds nothing.
    pub fn hull(&self, other: &Region) -> Region {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        Region::from_bounds(self.bounds().zip(other.bounds()).map(|((a, b), (c, d))| (a.min(c), b.max(d))))
    }

    /// True if every element of `other` is inside `self`.
    pub fn contains(&self, other: &Region) -> bool {
        other.is_empty() || self.bounds().zip(other.bounds()).all(|((a, b), (c, d))| a <= c && d <= b)
    }

    /// This box seen from `origin`: positions count from there.
    pub fn relative_to(&self, origin: &[usize]) -> Region {
        let start = self.start.iter().zip(origin).map(|(&s, &o)| s - o).collect();
        Region { start, shape: self.shape.clone() }
    }

    /// This box moved by `origin`: the inverse of [`Region::relative_to`].
    pub fn shifted_by(&self, origin: &[usize]) -> Region {
        let start = self.start.iter().zip(origin).map(|(&s, &o)| s + o).collect();
        Region { start, shape: self.shape.clone() }
    }

    /// The box grown by `before[k]` and `after[k]` on axis `k`, clipped to an array of `shape`.
    pub fn grown(&self, before: &[usize], after: &[usize], shape: &[usize]) -> Region {
        if self.is_empty() {
            return self.clone();
        }
        Region::from_bounds(
            self.bounds().enumerate().map(|(k, (a, b))| (a.saturating_sub(before[k]), (b + after[k]).min(shape[k]))),
        )
    }

    /// The box with `axis` replaced by `begin..begin + len`.
    pub fn with_axis(&self, axis: usize, begin: usize, len: usize) -> Region {
        let mut region = self.clone();
        region.start[axis] = begin;
        region.shape[axis] = len;
        region
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (k, (a, b)) in self.bounds().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{a}:{b}")?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(bounds: &[(usize, usize)]) -> Region {
        Region::from_bounds(bounds.iter().copied())
    }

    #[test]
    fn intersection_and_hull() {
        let (a, b) = (region(&[(0, 5), (2, 8)]), region(&[(3, 9), (0, 4)]));
        assert_eq!(a.intersect(&b), region(&[(3, 5), (2, 4)]));
        assert_eq!(a.hull(&b), region(&[(0, 9), (0, 8)]));
        let apart = region(&[(7, 9), (0, 4)]);
        assert!(a.intersect(&apart).is_empty());
        assert_eq!(region(&[(4, 4), (0, 1)]).hull(&a), a);
    }

    #[test]
    fn growing_clips_to_the_array() {
        let grown = region(&[(1, 3), (8, 10)]).grown(&[2, 2], &[2, 2], &[10, 10]);
        assert_eq!(grown, region(&[(0, 5), (6, 10)]));
    }

    #[test]
    fn rank_zero_has_one_element() {
        assert_eq!(Region::whole(&[]).size(), 1);
        assert!(!Region::whole(&[]).is_empty());
    }
}
