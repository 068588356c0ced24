//! Neighbours that a footprint gives, as steps through a box with a margin.

use voxmill_core::{Error, Region, Result};

use crate::family::grid::{Grid, advance};
use crate::family::window::strides;

/// The elements of a footprint, seen from its middle.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Steps per axis, in C order.
    pub steps: Vec<Vec<i64>>,
    /// How far steps go towards the front of each axis.
    pub before: Vec<usize>,
    /// How far steps go towards the end of each axis.
    pub after: Vec<usize>,
}

impl Neighbours {
    /// The positions of `footprint` around `middle`.
    pub fn new(footprint: &Grid, middle: &[usize], rank: usize) -> Result<Neighbours> {
        if footprint.shape.len() != rank || middle.len() != rank {
            return Err(Error::invalid(format!(
                "the footprint has {} axes and its middle {}, but the array has {rank}; the numbers must be equal",
                footprint.shape.len(),
                middle.len()
            )));
        }
        if middle.iter().zip(&footprint.shape).any(|(m, n)| m >= n) {
            return Err(Error::invalid(format!(
                "the middle {middle:?} lies outside of a footprint of shape {:?}",
                footprint.shape
            )));
        }
        let step = |(at, _): (Vec<usize>, f64)| at.iter().zip(middle).map(|(&a, &m)| a as i64 - m as i64).collect();
        Ok(Neighbours {
            steps: footprint.taps().map(step).collect(),
            before: middle.to_vec(),
            after: footprint.shape.iter().zip(middle).map(|(n, m)| n - 1 - m).collect(),
        })
    }

    /// The margin that a box needs on both sides, per axis.
    pub fn margin(&self) -> Vec<usize> {
        self.before.iter().zip(&self.after).map(|(&a, &b)| a.max(b)).collect()
    }

    /// Steps through the flat memory of a box.
    pub fn flat(&self, shape: &[usize]) -> Vec<isize> {
        let unit = strides(shape);
        self.steps.iter().map(|step| step.iter().zip(&unit).map(|(&s, &n)| s as isize * n as isize).sum()).collect()
    }
}

/// A block with a margin around it, in memory of its own.
#[derive(Debug)]
pub struct Framed<'a> {
    /// The block, as part of the array.
    pub block: &'a Region,
    /// Width of the margin, per axis.
    pub margin: &'a [usize],
}

impl Framed<'_> {
    /// Lengths of the block with its margin.
    pub fn shape(&self) -> Vec<usize> {
        self.block.shape.iter().zip(self.margin).map(|(n, m)| n + 2 * m).collect()
    }

    /// Calls `line` for each line of `region`, a part of the array that lies in the block and its margin: with the place of its first
    /// element in a box of that region, and in the block with its margin.
    pub fn lines(&self, region: &Region, mut line: impl FnMut(usize, usize)) {
        let shape = self.shape();
        let outer = region.rank().saturating_sub(1);
        let width = region.shape.last().copied().unwrap_or(1);
        let mut at = vec![0; outer];
        for k in 0..region.shape[..outer].iter().product::<usize>() {
            let place =
                |k: usize| region.start[k] + at.get(k).copied().unwrap_or(0) + self.margin[k] - self.block.start[k];
            let first = (0..region.rank()).fold(0, |flat, k| flat * shape[k] + place(k));
            line(k * width, first);
            advance(&mut at, &region.shape[..outer]);
        }
    }
}
