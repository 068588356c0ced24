//! The only unsafe code of this crate: mapping a file, and calling the C library of the blosc format.
//!
//! Blosc is called directly, not through a wrapper that allocates its result, because decoding straight into the output is what
//! makes whole-chunk reads cheap.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Most bytes that blosc adds to incompressible data.
pub(crate) const BLOSC_OVERHEAD: usize = 16;

/// Most bytes that one blosc buffer can hold.
pub(crate) const BLOSC_MAX: usize = i32::MAX as usize - BLOSC_OVERHEAD;

/// How blosc is asked to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BloscParams {
    /// Name of the compressor inside blosc.
    pub(crate) cname: &'static CStr,
    /// 0 (store) to 9.
    pub(crate) level: u8,
    /// 0 none, 1 bytes, 2 bits.
    pub(crate) shuffle: u8,
    /// Bytes of one element, for the shuffle.
    pub(crate) typesize: usize,
    /// Bytes of one block; 0 lets blosc choose.
    pub(crate) blocksize: usize,
}

/// Maps a file for reading.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes are only ever read as plain old data, for which every value is valid. A file that another process cuts
    // short while it is mapped ends this process with a bus error, which no interface to mapped files can prevent.
    unsafe { Mmap::map(file) }
}

/// Gives the pages of `begin..end` back to the system. They stay in its cache: looking at them again is cheap.
pub(crate) fn forget_pages(map: &Mmap, begin: usize, end: usize) {
    const PAGE: usize = 4096;
    let begin = begin.next_multiple_of(PAGE);
    if begin < end {
        // SAFETY: the map is of a file and read-only, so dropped pages come back with the same bytes.
        let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, begin, end - begin) };
    }
}

/// The decoded size that a blosc buffer declares, if its header is sound and its length is right.
pub(crate) fn blosc_size(src: &[u8]) -> Option<usize> {
    let mut n = 0;
    // SAFETY: the pointer and length describe `src`; the function reads no more than that.
    let status = unsafe { blosc_src::blosc_cbuffer_validate(src.as_ptr().cast(), src.len(), &raw mut n) };
    (status == 0).then_some(n)
}

/// Decodes a blosc buffer that holds exactly `dst.len()` bytes; false where it is damaged.
pub(crate) fn blosc_decode(src: &[u8], dst: &mut [u8]) -> bool {
    if blosc_size(src) != Some(dst.len()) {
        return false;
    }
    if dst.is_empty() {
        return true;
    }
    // SAFETY: the header was validated against `src.len()`, and at most `dst.len()` bytes are written.
    let n = unsafe { blosc_src::blosc_decompress_ctx(src.as_ptr().cast(), dst.as_mut_ptr().cast(), dst.len(), 1) };
    usize::try_from(n) == Ok(dst.len())
}

/// Decodes only the bytes from `start` on that fill `dst`, out of `size`, block by block. False if that was not possible: the range does
/// not fall on whole items, or the buffer is damaged.
pub(crate) fn blosc_decode_range(src: &[u8], size: usize, start: usize, dst: &mut [u8]) -> bool {
    if blosc_size(src) != Some(size) || start.checked_add(dst.len()).is_none_or(|end| end > size) {
        return false;
    }
    let (mut width, mut flags) = (0, 0);
    // SAFETY: the header was validated, and the two results are written to variables of this function.
    unsafe { blosc_src::blosc_cbuffer_metainfo(src.as_ptr().cast(), &raw mut width, &raw mut flags) };
    if width == 0 || !start.is_multiple_of(width) || !dst.len().is_multiple_of(width) {
        return false;
    }
    let (Ok(first), Ok(n)) = (i32::try_from(start / width), i32::try_from(dst.len() / width)) else { return false };
    // SAFETY: the header was validated, the range lies inside, and exactly `n` items of `width` bytes are written, which is the
    // length of `dst`.
    let written = unsafe { blosc_src::blosc_getitem(src.as_ptr().cast(), first, n, dst.as_mut_ptr().cast()) };
    usize::try_from(written) == Ok(dst.len())
}

/// Encodes `src` into `dst`, which has at least [`BLOSC_OVERHEAD`] bytes more; the number of bytes written.
pub(crate) fn blosc_encode(params: &BloscParams, src: &[u8], dst: &mut [u8]) -> Option<usize> {
    // SAFETY: both pointers come with their lengths, and the name ends with a zero byte.
    let n = unsafe {
        blosc_src::blosc_compress_ctx(
            params.level.into(),
            params.shuffle.into(),
            params.typesize,
            src.len(),
            src.as_ptr().cast(),
            dst.as_mut_ptr().cast(),
            dst.len(),
            params.cname.as_ptr(),
            params.blocksize,
            1,
        )
    };
    usize::try_from(n).ok().filter(|&n| n > 0)
}
