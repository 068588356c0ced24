//! Reconstruction: values spread from neighbour to neighbour, never above those of a mask. Two scans over the box do most of it, a
//! queue the rest.

use std::collections::VecDeque;

/// A box with a margin, in which values spread. The margin keeps what it has.
#[derive(Debug)]
pub struct Spread<'a, T> {
    /// Values, which grow.
    pub values: &'a mut [T],
    /// What they do not exceed; in the margin, the values themselves.
    pub most: &'a [T],
    /// Lengths of the box with its margin.
    pub shape: &'a [usize],
    /// Inner positions, per axis.
    pub inner: &'a [(usize, usize)],
    /// Steps through flat memory from an element to those it spreads to.
    pub steps: &'a [isize],
}

impl<T: Copy + PartialOrd> Spread<'_, T> {
    /// Spreads until nothing changes.
    pub fn run(&mut self) {
        let (ahead, back): (Vec<isize>, Vec<isize>) = self.steps.iter().partition(|step| **step > 0);
        let rows = self.rows();
        for &(begin, end) in &rows {
            (begin..end).for_each(|at| self.raise(at, &ahead));
        }
        let count = rows.iter().map(|(begin, end)| end - begin).sum();
        let (mut queue, mut queued) = (VecDeque::with_capacity(count), vec![false; self.values.len()]);
        for &(begin, end) in rows.iter().rev() {
            for at in (begin..end).rev() {
                self.raise(at, &back);
                if self.steps.iter().any(|&step| self.would_raise(at, at.wrapping_add_signed(step)).is_some()) {
                    queue.push_back(at as u32);
                    queued[at] = true;
                }
            }
        }
        while let Some(at) = queue.pop_front() {
            let at = at as usize;
            queued[at] = false;
            for k in 0..self.steps.len() {
                let to = at.wrapping_add_signed(self.steps[k]);
                if let Some(value) = self.would_raise(at, to) {
                    self.values[to] = value;
                    if !queued[to] {
                        queued[to] = true;
                        queue.push_back(to as u32);
                    }
                }
            }
        }
    }

    /// What the element `to` gets from `at`, if that is more than it has.
    #[inline(always)]
    fn would_raise(&self, at: usize, to: usize) -> Option<T> {
        let value = if self.values[at] < self.most[to] { self.values[at] } else { self.most[to] };
        (value > self.values[to]).then_some(value)
    }

    /// Raises an element to the highest of those that spread to it by `steps`.
    #[inline(always)]
    fn raise(&mut self, at: usize, steps: &[isize]) {
        for &step in steps {
            if let Some(value) = self.would_raise(at.wrapping_add_signed(-step), at) {
                self.values[at] = value;
            }
        }
    }

    /// Flat bounds of the inner part of each row.
    fn rows(&self) -> Vec<(usize, usize)> {
        let Some((&(first, last), outer)) = self.inner.split_last() else { return vec![(0, 1)] };
        let lengths: Vec<usize> = outer.iter().map(|(begin, end)| end - begin).collect();
        let row = |line: Vec<usize>| {
            let flat = (0..outer.len()).fold(0, |flat, k| flat * self.shape[k] + outer[k].0 + line[k]);
            let begin = flat * self.shape[outer.len()];
            (begin + first, begin + last)
        };
        crate::family::grid::positions(&lengths).map(row).collect()
    }
}

/// Bytes that [`Spread::run`] allocates, for a box with its margin.
pub fn scratch(shape: &[usize]) -> u64 {
    let size = shape.iter().product::<usize>();
    let rows = size / shape.last().copied().unwrap_or(1).max(1);
    (size * 9 + rows * 64 + 1024) as u64
}
