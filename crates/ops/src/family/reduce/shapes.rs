//! Shapes, grids and boxes of reduced arrays.

use voxmill_core::{ArrayMeta, Axis, AxisCuts, ChunkGrid, DType, Idx, Region};

/// The meta of a reduced array: reduced axes have length 1 or are gone.
pub fn reduced_meta(input: &ArrayMeta, axes: &[usize], keepdims: bool, dtype: DType) -> ArrayMeta {
    let kept = |k: &usize| keepdims || !axes.contains(k);
    let cuts = |k: usize| if axes.contains(&k) { AxisCuts::even(1, 0) } else { input.grid.axes[k].clone() };
    let grid = ChunkGrid { axes: (0..input.rank()).filter(kept).map(cuts).collect() };
    let mut meta = ArrayMeta::new(grid.shape(), dtype).with_grid(grid);
    if !input.axes.is_empty() {
        let axis = |k: usize| if axes.contains(&k) { Axis::default() } else { input.axes[k].clone() };
        meta.axes = (0..input.rank()).filter(kept).map(axis).collect();
    }
    meta
}

/// The box of the input whose reduction is the box `out` of the result.
pub fn reduced_reads(out: &Region, input: &[usize], axes: &[usize], keepdims: bool) -> Region {
    let mut next = 0;
    Region::from_bounds((0..input.len()).map(|k| {
        let reduced = axes.contains(&k);
        let here = next;
        next += usize::from(keepdims || !reduced);
        match reduced {
            true if out.is_empty() => (0, 0),
            true => (0, input[k]),
            false => (out.start[here], out.end(here)),
        }
    }))
}

/// Grouped axes: shape after taking `group[k]` neighbours together along `axes[k]`; an empty axis becomes one empty group.
pub fn grouped_shape(input: &[usize], axes: &[usize], group: &[usize]) -> Idx {
    let mut shape: Idx = input.into();
    for (&axis, &n) in axes.iter().zip(group) {
        shape[axis] = input[axis].div_ceil(n).max(1);
    }
    shape
}

/// The box of the input under the groups in `out` (whose further axes are ignored).
pub fn grouped_reads(out: &Region, input: &[usize], axes: &[usize], group: &[usize]) -> Region {
    let bounds = (0..input.len()).map(|k| match axes.iter().position(|&a| a == k) {
        Some(at) => ((out.start[k] * group[at]).min(input[k]), (out.end(k) * group[at]).min(input[k])),
        None => (out.start[k], out.end(k)),
    });
    let region = Region::from_bounds(bounds);
    if out.is_empty() { Region::new(&region.start, Idx::from_elem(0, input.len())) } else { region }
}
