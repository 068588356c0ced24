//! The blocks of a blosc buffer: which of them hold some elements, and which bytes hold those.
//!
//! A buffer begins with 16 bytes (of which the last twelve are the decoded length, the length of a block and the encoded length), then
//! comes the position of each block, then the blocks in any order. Each block is decoded by itself.

use std::ops::Range;

use crate::sys::BloscParams;

const HEADER: usize = 16;
/// Marks a buffer that is not compressed.
const PLAIN: u8 = 0x2;

/// The bytes that are needed to decode some runs of decoded bytes, given the first bytes of a buffer of `len`. `None` if that cannot be
/// told: then all are needed.
pub(crate) fn needed(head: &[u8], len: usize, runs: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let word = |at: usize| -> Option<usize> {
        let bytes = head.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let (decoded, block, encoded) = (word(4)?, word(8)?, word(12)?);
    if encoded != len || block == 0 || runs.iter().any(|run| run.end > decoded) {
        return None;
    }
    if head[2] & PLAIN != 0 {
        let shifted = runs.iter().map(|run| HEADER + run.start..HEADER + run.end);
        return Some(std::iter::once(0..HEADER).chain(shifted).collect());
    }
    let n = decoded.div_ceil(block);
    let starts = (0..n).map(|k| word(HEADER + 4 * k)).collect::<Option<Vec<_>>>()?;
    let mut sorted = starts.clone();
    sorted.push(len);
    sorted.sort_unstable();
    let ends = |start: usize| sorted[sorted.partition_point(|&s| s <= start).min(n)];
    let mut blocks: Vec<usize> = runs.iter().flat_map(|run| run.start / block..run.end.div_ceil(block)).collect();
    blocks.dedup();
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..HEADER + 4 * n).collect();
    for start in blocks.into_iter().map(|k| starts[k]) {
        let end = ends(start);
        if start < HEADER || end > len {
            return None;
        }
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    Some(ranges)
}

/// Bytes that are decoded to get some runs, each by itself, in blocks of `block` bytes.
pub(crate) fn decoded(runs: &[Range<usize>], block: usize) -> usize {
    runs.iter().map(|run| (run.end.div_ceil(block) - run.start / block) * block).sum()
}

/// Bytes of a block that blosc chooses for `n` bytes, by its own rules. Only for estimates: readers look at the buffer.
pub(crate) fn usual_length(params: &BloscParams, n: usize) -> usize {
    const FIRST_LEVEL: usize = 32 << 10;
    if params.blocksize > 0 {
        return params.blocksize.min(n.max(1));
    }
    if n < FIRST_LEVEL {
        return n.max(1);
    }
    let thorough = !matches!(params.cname.to_bytes(), b"lz4" | b"blosclz" | b"snappy");
    let base = if thorough { 2 * FIRST_LEVEL } else { FIRST_LEVEL };
    let block = match params.level {
        0 => base / 4,
        1 => base / 2,
        2 => base,
        3 => base * 2,
        4 | 5 => base * 4,
        6..=8 => base * 8,
        _ => base * if thorough { 16 } else { 8 },
    };
    // All but zstd see the bytes of an element one by one, in blocks that are longer for it.
    let split =
        params.cname != c"zstd" && params.level > 0 && params.typesize <= 16 && block / params.typesize.max(1) >= 128;
    let block = if split { (block.min(256 << 10) * params.typesize.max(1)).clamp(64 << 10, 1 << 20) } else { block };
    block.min(n)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, some with one element")]
mod tests {
    use super::*;
    use crate::sys;

    fn encoded(cname: &'static std::ffi::CStr, level: u8, data: &[u8]) -> (BloscParams, Vec<u8>) {
        let params = BloscParams { cname, level, shuffle: 1, typesize: 2, blocksize: 0 };
        let mut buffer = vec![0; data.len() + sys::BLOSC_OVERHEAD];
        let n = sys::blosc_encode(&params, data, &mut buffer).unwrap();
        buffer.truncate(n);
        (params, buffer)
    }

    #[test]
    fn the_needed_bytes_are_enough() {
        let smooth: Vec<u8> = (0..3_000_000u32).map(|i| (i / 700) as u8).collect();
        let noisy: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for data in [&smooth, &noisy] {
            for cname in [c"lz4", c"zstd"] {
                let (_, buffer) = encoded(cname, 5, data);
                for runs in
                    [&[0..2, 1_000_000..1_200_000, 2_999_998..3_000_000][..], &[500_000..500_002], &[0..3_000_000]]
                {
                    let ranges = needed(&buffer[..4096], buffer.len(), runs).unwrap();
                    let mut sparse = vec![0xEE; buffer.len()];
                    ranges.iter().for_each(|r| sparse[r.clone()].copy_from_slice(&buffer[r.clone()]));
                    for run in runs {
                        let mut out = vec![0; run.len()];
                        assert!(sys::blosc_decode_range(&sparse, data.len(), run.start, &mut out));
                        assert_eq!(out, data[run.clone()], "{cname:?} {run:?}");
                    }
                    let read = ranges.iter().map(Range::len).sum::<usize>();
                    assert!(runs[0].len() > 2 || read < buffer.len(), "{read} of {}", buffer.len());
                }
            }
        }
    }

    #[test]
    fn damaged_heads_ask_for_everything() {
        let data: Vec<u8> = (0..300_000u32).map(|i| (i / 700) as u8).collect();
        let (_, buffer) = encoded(c"lz4", 5, &data);
        assert_eq!(needed(&buffer[..10], buffer.len(), &[0..2]), None);
        assert_eq!(needed(&buffer, buffer.len() - 1, &[0..2]), None);
        let mut bent = buffer.clone();
        bent[16..20].copy_from_slice(&[0xFF; 4]);
        assert_eq!(needed(&bent, bent.len(), &[0..2]), None);
    }

    #[test]
    fn blocks_are_as_long_as_blosc_makes_them() {
        let data: Vec<u8> = (0..3_000_000u32).map(|i| (i / 700) as u8).collect();
        for cname in [c"lz4", c"zstd", c"zlib", c"lz4hc", c"blosclz"] {
            for level in 1..=9 {
                let (params, buffer) = encoded(cname, level, &data);
                let block = u32::from_le_bytes(buffer[8..12].try_into().unwrap()) as usize;
                assert_eq!(usual_length(&params, data.len()), block, "{cname:?} {level}");
            }
        }
    }
}
