//! Into which blocks objects are first looked for. Only shape and declared chunks decide: the answer is the same for any blocks, but one
//! plan may be run by several processes, which must agree.

use voxmill_core::{ArrayMeta, Buffer, Chunk, ChunkGrid, DType, Error, Region, Result, View, ViewMut};

use crate::family::grid;
use crate::filter::line::lost;

/// Elements of a block at most. Local numbers of a block fill a few megabytes, and a thousand blocks cover a large volume.
const MOST: usize = 2 << 20;

/// Bytes that it takes to attach rows to a block, beside the rows themselves.
pub const PER_BLOCK: u64 = 256;

/// Lengths of blocks for an array: chunks taken together or cut, with sides that are about equal.
pub fn lengths(meta: &ArrayMeta) -> Vec<usize> {
    let whole = |k: usize| meta.shape[k].max(1);
    let mut block: Vec<usize> =
        meta.grid.axes.iter().enumerate().map(|(k, axis)| axis.longest().clamp(1, whole(k))).collect();
    let size = |block: &[usize]| block.iter().product::<usize>();
    while size(&block) > MOST {
        // The last axis is cut last: lines stay long.
        let Some(k) = (0..block.len()).filter(|&k| block[k] > 1).max_by_key(|&k| (block[k], usize::MAX - k)) else {
            break;
        };
        block[k] = block[k].div_ceil(2);
    }
    loop {
        let open = (0..block.len())
            .rev()
            .filter(|&k| block[k] < whole(k) && size(&block) / block[k] * (2 * block[k]).min(whole(k)) <= MOST);
        let Some(k) = open.min_by_key(|&k| block[k]) else { return block };
        block[k] = (2 * block[k]).min(whole(k));
    }
}

/// The grid of blocks of these lengths.
pub fn cut(shape: &[usize], block: &[usize]) -> Result<ChunkGrid> {
    if block.len() != shape.len() || block.contains(&0) {
        return Err(Error::invalid(format!("blocks of {block:?} do not suit an array of shape {shape:?}")));
    }
    Ok(ChunkGrid::even(shape, block))
}

/// One number for each block of an array, each a chunk of its own: what rows are attached to.
pub fn per_block(shape: &[usize], block: &[usize]) -> Result<ArrayMeta> {
    let counts = cut(shape, block)?.counts();
    Ok(ArrayMeta::new(&counts, DType::U64).with_grid(ChunkGrid::even(&counts, &vec![1; counts.len()])))
}

/// The block at a position of the grid.
pub fn region(position: &[usize], shape: &[usize], block: &[usize]) -> Region {
    Region::from_bounds((0..shape.len()).map(|k| {
        let begin = (position[k] * block[k]).min(shape[k]);
        (begin, (begin + block[k]).min(shape[k]))
    }))
}

/// The box of all blocks in a box of the grid.
pub fn under(positions: &Region, shape: &[usize], block: &[usize]) -> Region {
    Region::from_bounds((0..shape.len()).map(|k| {
        let begin = (positions.start[k] * block[k]).min(shape[k]);
        let end = (positions.end(k) * block[k]).min(shape[k]);
        (begin, end.max(begin))
    }))
}

/// Fills a box of the grid with a number for each block.
pub fn for_each(
    positions: &Region,
    out: &mut ViewMut<'_>,
    mut number: impl FnMut(&[usize]) -> Result<u64>,
) -> Result<()> {
    let out = out.as_slice_mut::<u64>().ok_or_else(lost)?;
    for (at, out) in grid::positions(&positions.shape).zip(out) {
        let position: Vec<usize> = at.iter().zip(&positions.start).map(|(a, start)| a + start).collect();
        *out = number(&position)?;
    }
    Ok(())
}

/// Calls `work` with a part of a box, without gaps: the box itself, or a copy.
pub fn with_part<R>(view: &View<'_>, part: &Region, work: impl FnOnce(&View<'_>) -> Result<R>) -> Result<R> {
    if part.shape[..] == *view.shape() {
        return work(view);
    }
    let mut copy = Chunk::new(&part.shape, view.dtype())?;
    view.part(part).copy_to(&mut copy.view_mut()?)?;
    work(&copy.view())
}

/// Calls `work` with the same part of several boxes, as [`with_part`] does.
pub fn with_parts<R>(views: &[View<'_>], part: &Region, work: impl FnOnce(&[View<'_>]) -> Result<R>) -> Result<R> {
    if views.iter().all(|view| part.shape[..] == *view.shape()) {
        return work(views);
    }
    let copy = |view: &View<'_>| {
        let mut copy = Chunk::new(&part.shape, view.dtype())?;
        view.part(part).copy_to(&mut copy.view_mut()?)?;
        Ok(copy)
    };
    let copies: Vec<Chunk> = views.iter().map(copy).collect::<Result<_>>()?;
    let views: Vec<View<'_>> = copies.iter().map(Chunk::view).collect();
    work(&views)
}

/// A block with `margin` elements more on each side: those of the array, and zeros beyond it. The box that is at hand begins at `origin`.
pub fn framed(view: &View<'_>, origin: &[usize], block: &Region, whole: &[usize], margin: usize) -> Result<Chunk> {
    let shape: Vec<usize> = block.shape.iter().map(|n| n + 2 * margin).collect();
    let bytes = shape.iter().product::<usize>() * view.dtype().size();
    let mut frame = Chunk::from_buffer(Buffer::zeroed(bytes)?, &shape, view.dtype())?;
    let margins = vec![margin; whole.len()];
    let around = block.grown(&margins, &margins, whole);
    // Where the array ends, the frame goes on.
    let to = Region::new(
        around.start.iter().zip(&block.start).map(|(a, b)| a + margin - b).collect::<Vec<_>>(),
        &around.shape,
    );
    view.part(&around.relative_to(origin)).copy_to(&mut frame.view_mut()?.part(&to))?;
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_compact_and_follow_chunks() {
        let check = |shape: &[usize], chunk: &[usize], want: &[usize]| {
            let meta = ArrayMeta::new(shape, DType::Bool).with_grid(ChunkGrid::even(shape, chunk));
            assert_eq!(lengths(&meta), want, "{shape:?} in {chunk:?}");
        };
        check(&[400, 400, 400], &[0, 0, 0], &[100, 100, 200]);
        check(&[400, 400, 400], &[64, 64, 64], &[128, 128, 128]);
        check(&[1000, 20_000], &[1, 20_000], &[64, 20_000]);
        check(&[5, 0], &[0, 0], &[5, 1]);
        check(&[], &[], &[]);
    }
}
