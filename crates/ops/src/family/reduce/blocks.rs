//! How long the blocks of a reduction are. Only shape, dtype and declared chunks decide, so that a result is the same bits under every
//! plan.

use voxmill_core::ArrayMeta;

/// Elements of a block with all the columns that are read with it.
const BLOCK: usize = 256 << 10;
/// Rows of a block at most, where whole chunks of columns come with every row.
const TALL: usize = 1024;
/// Bytes of such a block at most.
const BLOCK_BYTES: usize = 64 << 20;
/// States that are joined in one step.
const FAN: usize = 4096;

/// Lengths of blocks along `axes` (rising), or `None` where one block covers everything that a value is made from.
pub fn choose(meta: &ArrayMeta, axes: &[usize]) -> Option<Vec<usize>> {
    choose_up_to(meta, axes, BLOCK)
}

/// As [`choose`], with another number of elements.
pub fn choose_up_to(meta: &ArrayMeta, axes: &[usize], elements: usize) -> Option<Vec<usize>> {
    let whole: usize = axes.iter().map(|&a| meta.shape[a]).product();
    let columns = columns(meta, axes).max(1);
    let column_bytes = columns * meta.dtype.size();
    if whole <= elements && whole.saturating_mul(column_bytes) <= BLOCK_BYTES {
        return None;
    }
    let most = (elements / columns).max((BLOCK_BYTES / column_bytes).min(TALL)).max(1);
    let block = lengths(meta, axes, most);
    let covers = block.iter().zip(axes).all(|(&b, &a)| b >= meta.shape[a]);
    (!covers).then_some(block)
}

/// Kept elements that are read together with each reduced one, because they lie in the same chunk.
fn columns(meta: &ArrayMeta, axes: &[usize]) -> usize {
    let kept = (0..meta.rank()).filter(|k| !axes.contains(k));
    let chunk: usize = kept.map(|k| meta.grid.axes[k].longest()).product();
    // A chunk that is the whole array says nothing about how to read it.
    if meta.grid.n_chunks() <= 1 { chunk.min(1024) } else { chunk }
}

/// Lengths whose product is at most `most`: whole chunks taken together, or fractions of one.
fn lengths(meta: &ArrayMeta, axes: &[usize], most: usize) -> Vec<usize> {
    let mut block: Vec<usize> = axes.iter().map(|&a| meta.grid.axes[a].longest().max(1)).collect();
    for k in 0..block.len() {
        let rest: usize = block[k + 1..].iter().product();
        if rest.saturating_mul(block[k]) > most {
            block[k] = fraction(block[k], (most / rest).max(1));
        }
    }
    for k in (0..block.len()).rev() {
        let others: usize = block.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, &b)| b).product();
        let n = meta.shape[axes[k]];
        let times = most / others.saturating_mul(block[k]).max(1);
        if times > 1 && meta.grid.axes[axes[k]].longest() <= block[k] {
            block[k] = block[k].saturating_mul(times).min(n.max(1));
        }
        if block[k] < n {
            break;
        }
    }
    block
}

/// A length of at most `most` that divides `chunk`, or nearly so.
fn fraction(chunk: usize, most: usize) -> usize {
    let exact = (most.div_ceil(2)..=most).rev().take(4096).find(|&n| chunk.is_multiple_of(n));
    exact.unwrap_or_else(|| chunk.div_ceil(chunk.div_ceil(most)))
}

/// How many states along each axis are joined in one step, or `None` where the last step can take all.
pub fn fan(counts: &[usize]) -> Option<Vec<usize>> {
    if counts.iter().product::<usize>() <= FAN {
        return None;
    }
    let mut left = FAN;
    let mut fan: Vec<usize> = counts
        .iter()
        .rev()
        .map(|&n| {
            let own = n.clamp(1, left);
            left = (left / own).max(1);
            own
        })
        .collect();
    fan.reverse();
    Some(fan)
}

#[cfg(test)]
mod tests {
    use voxmill_core::{ChunkGrid, DType};

    use super::*;

    fn chosen(shape: &[usize], chunk: &[usize], axes: &[usize]) -> Option<Vec<usize>> {
        choose(&ArrayMeta::new(shape, DType::U8).with_grid(ChunkGrid::even(shape, chunk)), axes)
    }

    #[test]
    fn blocks_follow_chunks() {
        let check = |shape: &[usize], chunk: &[usize], axes: &[usize], want: Option<Vec<usize>>| {
            assert_eq!(chosen(shape, chunk, axes), want, "{shape:?} in {chunk:?} over {axes:?}");
        };
        check(&[3, 1000, 1000], &[1, 100, 100], &[0], None);
        check(&[1000, 1000, 1000], &[0, 0, 0], &[0, 1, 2], Some(vec![1, 250, 1000]));
        check(&[4096, 4096], &[64, 64], &[0, 1], Some(vec![64, 4096]));
        check(&[10_000, 10_000], &[1, 10_000], &[0, 1], Some(vec![26, 10_000]));
        check(&[1000, 2048, 2048], &[1, 2048, 2048], &[0], Some(vec![16]));
        check(&[1000, 2048, 2048], &[1, 128, 128], &[0], None);
        check(&[1 << 30], &[1 << 30], &[0], Some(vec![1 << 18]));
    }

    #[test]
    fn states_are_joined_in_few_steps() {
        assert_eq!(fan(&[64, 64]), None);
        assert_eq!(fan(&[1 << 22]), Some(vec![4096]));
        assert_eq!(fan(&[1000, 100, 100]), Some(vec![1, 40, 100]));
    }
}
