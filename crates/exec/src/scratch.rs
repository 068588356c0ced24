//! Scratch space on disk for held chunks that do not fit memory.
//!
//! Bytes go to files that have no name: the system removes them with the process, whatever ends it. Files are filled one after the
//! other and closed as soon as nothing in them is needed. Chunks are written as they are while the disk is fast, and with LZ4 once it
//! turns out to be slower than that.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use voxmill_core::{Chunk, DType, Error, ErrorClass, Region, Result, ViewMut, format_bytes};

/// Bytes that are compressed and read at once: one thread never needs more than two of these.
const FRAME: usize = 1 << 20;
/// A file is closed to new chunks at this size.
const SEGMENT: u64 = 256 << 20;
/// Below this many bytes per second, compressing first is faster.
const SLOW_DISK: f64 = 600e6;

/// Where scratch goes and how much of it there may be.
#[derive(Debug, Clone)]
pub struct ScratchSettings {
    /// The folder.
    pub folder: PathBuf,
    /// Most bytes on disk at one time.
    pub quota: u64,
}

impl Default for ScratchSettings {
    fn default() -> Self {
        let folder = std::env::var_os("VOXMILL_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
        ScratchSettings { folder, quota: u64::MAX }
    }
}

/// The scratch files of one run.
#[derive(Debug)]
pub(crate) struct Scratch {
    settings: ScratchSettings,
    current: Mutex<Option<Arc<Segment>>>,
    used: Arc<AtomicU64>,
    /// Nanoseconds and bytes written so far, to judge the disk.
    spent: AtomicU64,
    written: AtomicU64,
}

#[derive(Debug)]
struct Segment {
    file: File,
    next: AtomicU64,
    used: Arc<AtomicU64>,
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.used.fetch_sub(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A chunk on scratch. Its space is free again when all chunks of the same file are dropped. There may be a million of these, so shape and
/// dtype are left to whoever knows the grid.
#[derive(Debug, Clone)]
pub(crate) struct Spilled {
    segment: Arc<Segment>,
    offset: u64,
    /// Stored length of each frame; a frame as long as its contents is not compressed. `None` if none is.
    frames: Option<Arc<[u32]>>,
}

/// A chunk on scratch with its shape.
struct Stored<'a> {
    spilled: &'a Spilled,
    shape: &'a [usize],
    dtype: DType,
}

impl Scratch {
    pub(crate) fn new(settings: ScratchSettings) -> Self {
        Scratch {
            settings,
            current: Mutex::new(None),
            used: Arc::new(AtomicU64::new(0)),
            spent: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }
    }

    /// Writes a contiguous chunk.
    pub(crate) fn write(&self, chunk: &Chunk) -> Result<Spilled> {
        let view = chunk.view();
        let bytes = view.bytes().ok_or_else(|| Error::internal("a spilled chunk must be contiguous"))?;
        let (segment, offset) = self.place(bytes.len() as u64)?;
        let compress = self.disk_is_slow();
        let mut frames = Vec::new();
        let mut packed_any = false;
        let mut at = offset;
        for frame in bytes.chunks(FRAME) {
            let packed = if compress { pack(frame) } else { None };
            packed_any |= packed.is_some();
            let stored = packed.as_deref().unwrap_or(frame);
            self.put(&segment.file, stored, at)?;
            frames.push(stored.len() as u32);
            at += stored.len() as u64;
        }
        Ok(Spilled { segment, offset, frames: packed_any.then(|| frames.into()) })
    }

    /// Room for `bytes` in the current file, or in a new one.
    fn place(&self, bytes: u64) -> Result<(Arc<Segment>, u64)> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if used > self.settings.quota {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Error::new(
                ErrorClass::Io { retry: false },
                format!(
                    "the scratch quota of {} is used up; allow more, or raise the memory limit",
                    format_bytes(self.settings.quota)
                ),
            ));
        }
        let mut current = self.current.lock();
        if let Some(segment) = current.as_ref().filter(|s| s.next.load(Ordering::Relaxed) < SEGMENT) {
            let offset = segment.next.fetch_add(bytes, Ordering::Relaxed);
            return Ok((segment.clone(), offset));
        }
        let folder = &self.settings.folder;
        let file = tempfile::tempfile_in(folder)
            .map_err(|e| Error::io(format_args!("opening scratch in {}", folder.display()), &e))?;
        let segment = Arc::new(Segment { file, next: AtomicU64::new(bytes), used: self.used.clone() });
        *current = Some(segment.clone());
        Ok((segment, 0))
    }

    fn put(&self, file: &File, bytes: &[u8], at: u64) -> Result<()> {
        let start = Instant::now();
        let folder = &self.settings.folder;
        file.write_all_at(bytes, at)
            .map_err(|e| Error::io(format_args!("writing scratch in {}", folder.display()), &e))?;
        self.spent.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn disk_is_slow(&self) -> bool {
        let (spent, written) = (self.spent.load(Ordering::Relaxed), self.written.load(Ordering::Relaxed));
        written > 64 << 20 && written as f64 / (spent as f64 / 1e9) < SLOW_DISK
    }
}

fn pack(frame: &[u8]) -> Option<Vec<u8>> {
    let packed = lz4_flex::block::compress(frame);
    (packed.len() < frame.len() * 9 / 10).then_some(packed)
}

impl Spilled {
    /// Reads the box `region` of the chunk, which has this shape and dtype, into `out`.
    pub(crate) fn read(&self, shape: &[usize], dtype: DType, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        Stored { spilled: self, shape, dtype }.read(region, out)
    }
}

impl Stored<'_> {
    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        if self.spilled.frames.is_none()
            && region.shape[..] == *self.shape
            && let Some(bytes) = out.bytes_mut()
        {
            return self.fetch(self.spilled.offset, bytes);
        }
        self.read_frames(region, out)
    }

    fn total(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }

    fn frame_bytes(&self, k: usize) -> usize {
        FRAME.min(self.total() - k * FRAME)
    }

    fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<()> {
        self.spilled.segment.file.read_exact_at(bytes, at).map_err(|e| Error::io("reading scratch", &e))
    }

    /// Frame by frame: unpacks, and copies what falls inside the box.
    fn read_frames(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        let mut at = self.spilled.offset;
        let mut stored = vec![0; FRAME];
        let mut frame = vec![0; FRAME];
        for k in 0..self.total().div_ceil(FRAME) {
            let bytes = self.frame_bytes(k);
            let len = self.spilled.frames.as_ref().map_or(bytes, |frames| frames[k] as usize);
            let begin = k * FRAME;
            if self.touches(region, begin, begin + bytes) {
                if len == bytes {
                    self.fetch(at, &mut frame[..bytes])?;
                } else {
                    self.fetch(at, &mut stored[..len])?;
                    lz4_flex::block::decompress_into(&stored[..len], &mut frame[..bytes])
                        .map_err(|e| Error::corrupt(format!("scratch is damaged: {e}")))?;
                }
                scatter(&frame[..bytes], begin, self.shape, self.dtype.size(), region, out);
            }
            at += len as u64;
        }
        Ok(())
    }

    /// True if some row of the box may lie in these bytes.
    fn touches(&self, region: &Region, begin: usize, end: usize) -> bool {
        let row = |at: &dyn Fn(usize) -> usize| (0..self.shape.len()).fold(0, |n, k| n * self.shape[k] + at(k));
        let first = row(&|k| region.start[k]) * self.dtype.size();
        let last = row(&|k| region.end(k) - 1) * self.dtype.size();
        !region.is_empty() && first < end && last >= begin
    }
}

/// Copies the part of the rows of `region` that lies in `frame`, which holds the bytes of the chunk from `begin` on.
fn scatter(frame: &[u8], begin: usize, shape: &[usize], width: usize, region: &Region, out: &mut ViewMut<'_>) {
    let rank = shape.len();
    let row = region.shape.last().copied().unwrap_or(1) * width;
    let n_rows: usize = region.shape[..rank.saturating_sub(1)].iter().product();
    let (offset, strides) = (out.offset(), out.strides().to_vec());
    for n in 0..n_rows {
        let (mut rest, mut from, mut step) = (n, 0, 1);
        let mut to = offset as isize;
        for k in (0..rank).rev() {
            let i = if k + 1 == rank { 0 } else { rest % region.shape[k] };
            if k + 1 != rank {
                rest /= region.shape[k];
            }
            from += (region.start[k] + i) * step;
            step *= shape[k];
            to += i as isize * strides[k];
        }
        let from = from * width;
        let (low, high) = (from.max(begin), (from + row).min(begin + frame.len()));
        if low < high {
            let to = to as usize + (low - from);
            out.data_mut()[to..to + high - low].copy_from_slice(&frame[low - begin..high - begin]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk() -> Chunk {
        let values: Vec<u32> = (0..3 * 700 * 500).map(|i| i / 7).collect();
        Chunk::from_slice(&values, &[3, 700, 500]).unwrap()
    }

    fn check(spilled: &Spilled, chunk: &Chunk) {
        for region in [
            Region::whole(&[3, 700, 500]),
            Region::new([1, 0, 0], [1, 700, 500]),
            Region::new([0, 650, 499], [3, 50, 1]),
            Region::new([2, 3, 100], [1, 600, 37]),
        ] {
            let mut out = Chunk::new(&region.shape, chunk.dtype()).unwrap();
            spilled.read(chunk.shape(), chunk.dtype(), &region, &mut out.view_mut().unwrap()).unwrap();
            assert_eq!(out.to_vec::<u32>().unwrap(), chunk.part(&region).to_vec::<u32>().unwrap());
        }
    }

    #[test]
    fn boxes_come_back_plain_and_packed() {
        let scratch = Scratch::new(ScratchSettings::default());
        let chunk = chunk();
        check(&scratch.write(&chunk).unwrap(), &chunk);
        scratch.written.store(1 << 30, Ordering::Relaxed);
        scratch.spent.store(100_000_000_000, Ordering::Relaxed);
        let packed = scratch.write(&chunk).unwrap();
        assert!(packed.frames.is_some());
        check(&packed, &chunk);
    }

    #[test]
    fn the_quota_holds_and_space_comes_back() {
        let settings = ScratchSettings { quota: 5 << 20, ..ScratchSettings::default() };
        let scratch = Scratch::new(settings);
        let first = scratch.write(&chunk()).unwrap();
        let error = scratch.write(&chunk()).unwrap_err();
        assert!(error.message().contains("quota of 5.00 MiB"), "{error}");
        *scratch.current.lock() = None;
        drop(first);
        assert_eq!(scratch.used.load(Ordering::Relaxed), 0);
        scratch.write(&chunk()).unwrap();
    }
}
