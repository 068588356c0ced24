//! Windows over several axes: the box they need, and that box with what lies beyond the border around it.

use std::borrow::Cow;

use serde_json::json;
use voxmill_core::{ArrayMeta, AxisCuts, Idx, Region, Result};
use voxmill_plan::{Array, Op};

use super::neighborhood::{Border, Halo, wrapped};

/// A window of a filter over all axes of an array.
#[derive(Debug, Clone)]
pub struct Window {
    /// How far it reaches, per axis.
    pub halos: Vec<Halo>,
    /// What lies beyond the border, per axis.
    pub modes: Vec<Border>,
}

impl Window {
    /// Shape and chunks of the result: shorter where nothing lies beyond the border.
    pub fn infer(&self, input: &ArrayMeta) -> ArrayMeta {
        let mut meta = input.clone().with_dtype(input.dtype);
        for axis in (0..input.rank()).filter(|&axis| self.modes[axis] == Border::Valid) {
            let halo = self.halos[axis];
            meta.shape[axis] = meta.shape[axis].saturating_sub(halo.before + halo.after);
            meta.grid.axes[axis] = AxisCuts::even(meta.shape[axis], input.grid.axes[axis].longest());
        }
        meta
    }

    /// The box behind `out`.
    pub fn reads(&self, out: &Region, input: &ArrayMeta) -> Region {
        if out.is_empty() {
            return Region::new(&out.start, Idx::from_elem(0, out.rank()));
        }
        (0..out.rank()).fold(out.clone(), |region, axis| {
            let (begin, end) =
                self.modes[axis].span(out.start[axis], out.end(axis), input.shape[axis], self.halos[axis]);
            region.with_axis(axis, begin, end - begin)
        })
    }

    /// Lengths of the box with its border.
    pub fn padded_shape(&self, out: &Region) -> Vec<usize> {
        out.shape.iter().zip(&self.halos).map(|(n, halo)| n + halo.before + halo.after).collect()
    }

    /// Elements that [`Window::padded`] allocates.
    pub fn padded_len(&self, out: &Region) -> usize {
        self.padded_shape(out).iter().product()
    }

    /// Wrapping around made of slices, so that each box reads only what it needs: `op`, whose parameter `mode` lists one border per
    /// axis, on a longer array. `None` where nothing is to be done.
    pub fn unwrapped(&self, op: &dyn Op, array: &Array) -> Result<Option<Array>> {
        let (mut longer, mut modes) = (array.clone(), self.modes.clone());
        for axis in (0..array.rank()).filter(|&axis| self.modes[axis] == Border::Wrap) {
            if let Some(extended) = wrapped(&longer, axis, self.halos[axis])? {
                longer = extended;
                modes[axis] = Border::Valid;
            }
        }
        if modes == self.modes {
            return Ok(None);
        }
        let mut params = op.params();
        params["mode"] = json!(modes);
        Array::from_op((op.def().build)(&params)?, vec![longer]).map(Some)
    }

    /// The box `src` (which was read from `read`) with its border, for windows of the positions in `out`.
    pub fn padded<'a, T: Copy>(
        &self,
        src: &'a [T],
        read: &Region,
        out: &Region,
        whole: &[usize],
        constant: T,
    ) -> Cow<'a, [T]> {
        let shape = self.padded_shape(out);
        let sources: Vec<Vec<Option<usize>>> = (0..out.rank())
            .map(|axis| {
                let low = out.start[axis] as i64 - self.halos[axis].before as i64;
                let inside = |at| self.modes[axis].source(at, whole[axis], self.halos[axis]);
                (low..low + shape[axis] as i64).map(|at| inside(at).map(|k| k - read.start[axis])).collect()
            })
            .collect();
        let plain = |axis: usize| {
            shape[axis] == read.shape[axis] && sources[axis].iter().enumerate().all(|(k, source)| *source == Some(k))
        };
        if (0..out.rank()).all(plain) {
            return Cow::Borrowed(src);
        }
        let mut padded = Vec::with_capacity(shape.iter().product());
        fill(&sources, &read.shape, Some(src), constant, &mut padded);
        Cow::Owned(padded)
    }
}

/// Appends a box whose positions come from `sources` along each axis; `None` stands for the constant.
fn fill<T: Copy>(sources: &[Vec<Option<usize>>], shape: &[usize], src: Option<&[T]>, constant: T, to: &mut Vec<T>) {
    let Some((first, rest)) = sources.split_first() else {
        to.push(src.and_then(|src| src.first().copied()).unwrap_or(constant));
        return;
    };
    let Some(src) = src else {
        let n = sources.iter().map(Vec::len).product::<usize>();
        to.resize(to.len() + n, constant);
        return;
    };
    if rest.is_empty() {
        return fill_row(first, src, constant, to);
    }
    let step = shape[1..].iter().product::<usize>();
    for source in first {
        fill(rest, &shape[1..], source.map(|k| &src[k * step..(k + 1) * step]), constant, to);
    }
}

/// Runs of neighbours are copied at once.
fn fill_row<T: Copy>(sources: &[Option<usize>], src: &[T], constant: T, to: &mut Vec<T>) {
    let mut at = 0;
    while at < sources.len() {
        let Some(begin) = sources[at] else {
            to.push(constant);
            at += 1;
            continue;
        };
        let n = sources[at..].iter().zip(begin..).take_while(|(source, k)| **source == Some(*k)).count();
        to.extend_from_slice(&src[begin..begin + n]);
        at += n;
    }
}

/// Steps through flat memory for one step along each axis of a C-ordered box.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Calls `row` for each row along the last axis of `out`: with the position of its first element in `out`, and of its first window in
/// a padded box of `padded` lengths.
pub fn each_row(out: &[usize], padded: &[usize], mut row: impl FnMut(usize, usize)) {
    let (Some(&width), steps) = (out.last(), strides(padded)) else { return row(0, 0) };
    if width == 0 {
        return;
    }
    let outer = &out[..out.len() - 1];
    let n_rows = outer.iter().product::<usize>();
    let mut at = vec![0; outer.len()];
    for k in 0..n_rows {
        let first: usize = at.iter().zip(&steps).map(|(a, s)| a * s).sum();
        row(k * width, first);
        for axis in (0..outer.len()).rev() {
            at[axis] += 1;
            if at[axis] < outer[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_get_their_border() {
        let window = Window {
            halos: vec![Halo { before: 1, after: 0 }, Halo { before: 1, after: 2 }],
            modes: vec![Border::Nearest, Border::Constant],
        };
        let src = [1, 2, 3, 4, 5, 6];
        let whole = Region::new([0, 0], Idx::from_slice(&[2, 3]));
        let padded = window.padded(&src, &whole, &whole, &[2, 3], 0);
        assert_eq!(*padded, [0, 1, 2, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0]);
        let inner = Region::new([1, 1], Idx::from_slice(&[1, 1]));
        let meta = ArrayMeta::new([2, 3], voxmill_core::DType::I32);
        let read = window.reads(&inner, &meta);
        assert_eq!((&read.start[..], &read.shape[..]), (&[0, 0][..], &[2, 3][..]));
        assert_eq!(*window.padded(&src, &read, &inner, &[2, 3], 0), [1, 2, 3, 0, 4, 5, 6, 0]);
    }

    #[test]
    fn rows_follow_each_other() {
        let mut seen = Vec::new();
        each_row(&[2, 2, 3], &[3, 4, 5], |out, first| seen.push((out, first)));
        assert_eq!(seen, [(0, 0), (3, 5), (6, 20), (9, 25)]);
    }
}
