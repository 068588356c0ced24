//! Boxes as runs of bytes: what kernels that only move or number elements need.

use voxmill_core::smallvec::SmallVec;
use voxmill_core::{Element, Error, Idx, Region, Result, View, ViewMut, bytemuck};

/// A read that says "not needed".
pub fn nothing(rank: usize) -> Region {
    Region::new(Idx::from_elem(0, rank), Idx::from_elem(0, rank))
}

/// The box in as few axes as possible, and the array's shape in the same axes: an axis joins the one before it where the box covers it
/// whole, or has one position on that before it. There is always at least one axis, and elements that follow each other along the last one are neighbours in the array.
pub fn collapse(region: &Region, shape: &[usize]) -> (Region, Idx) {
    let (mut start, mut len, mut full) = (Idx::from_elem(0, 1), Idx::from_elem(1, 1), Idx::from_elem(1, 1));
    for (k, &n) in shape.iter().enumerate() {
        let last = full.len() - 1;
        if region.shape[k] == n || len[last] == 1 {
            start[last] = start[last] * n + region.start[k];
            len[last] *= region.shape[k];
            full[last] *= n;
        } else {
            start.push(region.start[k]);
            len.push(region.shape[k]);
            full.push(n);
        }
    }
    (Region { start, shape: len }, full)
}

/// Calls `visit(linear, position, len)` for every run of neighbouring elements of the box: its place in the C-ordered array of
/// `shape`, its place in the C-ordered box, its length.
pub fn for_each_run(region: &Region, shape: &[usize], mut visit: impl FnMut(usize, usize, usize)) {
    if region.is_empty() {
        return;
    }
    let (region, shape) = collapse(region, shape);
    let last = shape.len() - 1;
    let len = region.shape[last];
    let mut at = region.start.clone();
    let mut position = 0;
    loop {
        visit(linear_index(&at, &shape), position, len);
        position += len;
        if !advance(&mut at[..last], &region) {
            return;
        }
    }
}

/// C-order number of the element at `at`.
pub fn linear_index(at: &[usize], shape: &[usize]) -> usize {
    at.iter().zip(shape).fold(0, |sum, (&i, &n)| sum * n + i)
}

/// The next position inside the box, in C order, over the leading axes that `at` has; false after the last.
pub fn advance(at: &mut [usize], region: &Region) -> bool {
    for k in (0..at.len()).rev() {
        at[k] += 1;
        if at[k] < region.end(k) {
            return true;
        }
        at[k] = region.start[k];
    }
    false
}

/// The bytes of an input, which the executor hands over in C order.
pub fn input_bytes<'a>(view: &View<'a>) -> Result<&'a [u8]> {
    view.bytes().ok_or_else(|| Error::internal("an input does not lie in C order"))
}

/// The bytes of the output, which lies in C order.
pub fn output_bytes<'a>(view: &'a mut ViewMut<'_>) -> Result<&'a mut [u8]> {
    view.bytes_mut().ok_or_else(|| Error::internal("an output does not lie in C order"))
}

/// The elements of an input.
pub fn elements<'a, T: Element>(view: &View<'a>) -> Result<&'a [T]> {
    match view.as_slice::<T>() {
        Some(slice) => Ok(slice),
        None if view.size() == 0 => Ok(&[]),
        None => Err(Error::internal(format!("an input of {} does not lie in C order", T::DTYPE))),
    }
}

/// The elements of the output.
pub fn elements_mut<'a, T: Element>(view: &'a mut ViewMut<'_>) -> Result<&'a mut [T]> {
    if view.size() == 0 {
        return Ok(&mut []);
    }
    view.as_slice_mut::<T>().ok_or_else(|| Error::internal("an output does not lie in C order"))
}

/// `out[i, j, ...] = src[indices[0][i], indices[1][j], ...]`, for an array `src` of `shape` in C order.
pub fn gather(src: &[u8], shape: &[usize], indices: &[Vec<usize>], out: &mut [u8], width: usize) {
    if indices.iter().any(Vec::is_empty) {
        return;
    }
    let mut unit = width;
    let mut rank = shape.len();
    while rank > 0 && indices[rank - 1].len() == shape[rank - 1] && is_identity(&indices[rank - 1]) {
        rank -= 1;
        unit *= shape[rank];
    }
    if rank == 0 {
        return out.copy_from_slice(&src[..out.len()]);
    }
    let axis = rank - 1;
    let row = shape[axis] * unit;
    let counts: SmallVec<[usize; 6]> = indices[..axis].iter().map(Vec::len).collect();
    let lines = Region::whole(&counts);
    let mut at = lines.start.clone();
    for target in out.chunks_exact_mut(indices[axis].len() * unit) {
        let line = at.iter().enumerate().fold(0, |sum, (k, &i)| sum * shape[k] + indices[k][i]);
        gather_line(&src[line * row..(line + 1) * row], &indices[axis], target, unit);
        advance(&mut at, &lines);
    }
}

fn is_identity(indices: &[usize]) -> bool {
    indices.iter().enumerate().all(|(k, &i)| k == i)
}

fn gather_line(src: &[u8], indices: &[usize], out: &mut [u8], unit: usize) {
    let mut k = 0;
    while k < indices.len() {
        let len = 1 + indices[k..].windows(2).take_while(|w| w[1] == w[0] + 1).count();
        if len >= 8 || !matches!(unit, 1 | 2 | 4 | 8 | 16) {
            out[k * unit..(k + len) * unit].copy_from_slice(&src[indices[k] * unit..(indices[k] + len) * unit]);
            k += len;
            continue;
        }
        // Scattered elements: one by one until the next long run.
        let mut end = k + len;
        while end < indices.len() && !indices[end..].windows(2).take(7).all(|w| w[1] == w[0] + 1) {
            end += 1;
        }
        let (some, out) = (&indices[k..end], &mut out[k * unit..end * unit]);
        match unit {
            1 => gather_units::<u8>(src, some, out),
            2 => gather_units::<u16>(src, some, out),
            4 => gather_units::<u32>(src, some, out),
            8 => gather_units::<u64>(src, some, out),
            _ => gather_units::<[u64; 2]>(src, some, out),
        }
        k = end;
    }
}

fn gather_units<W: bytemuck::Pod>(src: &[u8], indices: &[usize], out: &mut [u8]) {
    let width = size_of::<W>();
    for (out, &i) in out.chunks_exact_mut(width).zip(indices) {
        let word: W = bytemuck::pod_read_unaligned(&src[i * width..(i + 1) * width]);
        out.copy_from_slice(bytemuck::bytes_of(&word));
    }
}

/// Bytes that [`gather`]'s index lists take for the box `out`.
pub fn gather_scratch(out: &Region) -> u64 {
    out.shape.iter().map(|&n| 8 * n as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_visit_every_element_of_the_box_once_in_order() {
        let shape = [3, 4, 5, 2];
        for region in [
            Region::whole(&shape),
            Region::new([1, 0, 0, 0], [2, 4, 5, 2]),
            Region::new([0, 1, 2, 0], [3, 2, 2, 2]),
            Region::new([2, 3, 4, 1], [1, 1, 1, 1]),
        ] {
            let mut seen = Vec::new();
            for_each_run(&region, &shape, |linear, position, len| {
                assert_eq!(position, seen.len());
                seen.extend(linear..linear + len);
            });
            let inside = |&linear: &usize| {
                let at = [linear / 40, linear / 10 % 4, linear / 2 % 5, linear % 2];
                region.contains(&Region::new(at, [1; 4]))
            };
            let want: Vec<usize> = (0..120).filter(inside).collect();
            assert_eq!(seen, want, "{region}");
        }
    }

    #[test]
    fn whole_boxes_are_one_run() {
        let mut runs = 0;
        for_each_run(&Region::new([2, 0, 0], [3, 4, 5]), &[9, 4, 5], |linear, _, len| {
            assert_eq!((linear, len), (40, 60));
            runs += 1;
        });
        assert_eq!(runs, 1);
        for_each_run(&Region::whole(&[]), &[], |linear, _, len| assert_eq!((linear, len), (0, 1)));
    }

    #[test]
    fn gathering_equals_index_arithmetic() {
        let src: Vec<u16> = (0..5 * 40).collect();
        let rows = vec![4, 0, 0, 2];
        let columns: Vec<usize> = (0..20).chain([3, 3, 39, 38]).chain(10..30).chain([0]).collect();
        let mut out = vec![0u16; rows.len() * columns.len()];
        let indices = [rows.clone(), columns.clone()];
        gather(bytemuck::cast_slice(&src), &[5, 40], &indices, bytemuck::cast_slice_mut(&mut out), 2);
        for (i, &r) in rows.iter().enumerate() {
            for (j, &c) in columns.iter().enumerate() {
                assert_eq!(out[i * columns.len() + j], src[r * 40 + c]);
            }
        }
    }
}
