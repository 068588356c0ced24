//! Memory for chunks: aligned, counted, and recycled.
//!
//! Large buffers are mapped from the operating system directly, so that freeing one really lowers the resident size, and are kept
//! for reuse up to an allowance that the executor sets: a fresh page costs more than a copy of its bytes.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;
use parking_lot::Mutex;

use crate::{Chunk, ChunkGrid, DType, Error, Result, View, ViewMut};

/// From this size on, a buffer is mapped and recycled.
const MAPPED_FROM: usize = 256 << 10;
const PAGE: usize = 4096;

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The recycler of all large buffers of the process.
pub static POOL: MemoryPool = MemoryPool::new();

static LIVE: AtomicU64 = AtomicU64::new(0);
static POISON: AtomicBool = AtomicBool::new(false);

/// Bytes of all buffers alive in this process.
pub fn live_bytes() -> u64 {
    LIVE.load(Ordering::Relaxed)
}

/// A block of bytes, aligned to 64, with unspecified contents until written.
#[derive(Debug)]
pub struct Buffer {
    memory: Option<Memory>,
    len: usize,
    footprint: u64,
}

#[derive(Debug)]
enum Memory {
    Heap(Vec<Line>),
    Mapped(MmapMut),
}

impl Buffer {
    /// A buffer of `len` bytes, recycled where possible: the contents are arbitrary.
    pub fn new(len: usize) -> Result<Buffer> {
        let buffer = Buffer::unwritten(len)?;
        Ok(if POISON.load(Ordering::Relaxed) { buffer.filled(0xA5) } else { buffer })
    }

    /// A buffer of `len` zero bytes.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        Ok(Buffer::unwritten(len)?.filled(0))
    }

    /// Bytes that a buffer of `len` takes, rounding included. Promises are made in these.
    pub fn footprint(len: usize) -> u64 {
        if len < MAPPED_FROM {
            return len.div_ceil(64) as u64 * 64;
        }
        // Eight sizes to the octave: at most an eighth is wasted, and a freed buffer fits the next request.
        let step = (len.next_power_of_two() / 16).max(PAGE);
        len.div_ceil(step) as u64 * step as u64
    }

    /// Fills every new buffer with garbage from now on, so that tests find kernels that do not write all of their output.
    pub fn poison_new(on: bool) {
        POISON.store(on, Ordering::Relaxed);
    }

    fn unwritten(len: usize) -> Result<Buffer> {
        let footprint = Buffer::footprint(len);
        let memory = if len < MAPPED_FROM {
            Memory::Heap(vec![Line([0; 64]); footprint as usize / 64])
        } else {
            Memory::Mapped(POOL.take(footprint).map_or_else(|| map(footprint), Ok)?)
        };
        LIVE.fetch_add(footprint, Ordering::Relaxed);
        Ok(Buffer { memory: Some(memory), len, footprint })
    }

    fn filled(mut self, byte: u8) -> Buffer {
        self.as_mut().fill(byte);
        self
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True for a buffer without bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        match &self.memory {
            Some(Memory::Heap(lines)) => &bytemuck::cast_slice(lines)[..self.len],
            Some(Memory::Mapped(map)) => &map[..self.len],
            None => &[],
        }
    }
}

impl AsMut<[u8]> for Buffer {
    fn as_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Some(Memory::Heap(lines)) => &mut bytemuck::cast_slice_mut(lines)[..self.len],
            Some(Memory::Mapped(map)) => &mut map[..self.len],
            None => &mut [],
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        LIVE.fetch_sub(self.footprint, Ordering::Relaxed);
        if let Some(Memory::Mapped(map)) = self.memory.take() {
            POOL.give(map);
        }
    }
}

fn map(bytes: u64) -> Result<MmapMut> {
    let map = MmapMut::map_anon(bytes as usize)
        .map_err(|e| Error::io(format_args!("asking the system for {bytes} bytes of memory"), &e))?;
    #[cfg(target_os = "linux")]
    {
        // Fewer page faults where the system has huge pages; a refusal changes nothing.
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    Ok(map)
}

/// Hints to the processor that these bytes are needed soon.
#[inline]
pub fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.iter().step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing that a program could notice, and the address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }
    let _ = bytes;
}

/// Freed large buffers, kept for the next request of the same size.
#[derive(Debug)]
pub struct MemoryPool {
    cached: Mutex<Vec<MmapMut>>,
    cached_bytes: AtomicU64,
    allowance: AtomicU64,
}

impl MemoryPool {
    const fn new() -> Self {
        MemoryPool {
            cached: Mutex::new(Vec::new()),
            cached_bytes: AtomicU64::new(0),
            allowance: AtomicU64::new(256 << 20),
        }
    }

    /// Sets how many bytes may lie here unused, and gives back to the system what is more.
    pub fn allow(&self, bytes: u64) {
        self.allowance.store(bytes, Ordering::Relaxed);
        if self.cached_bytes.load(Ordering::Relaxed) <= bytes {
            return;
        }
        let mut dropped = Vec::new();
        let mut cached = self.cached.lock();
        while self.cached_bytes.load(Ordering::Relaxed) > bytes && !cached.is_empty() {
            let map = cached.remove(0);
            self.cached_bytes.fetch_sub(map.len() as u64, Ordering::Relaxed);
            dropped.push(map);
        }
        drop(cached);
        // Unmapping happens here, outside the lock.
        drop(dropped);
    }

    /// Bytes that lie here unused.
    pub fn cached_bytes(&self) -> u64 {
        self.cached_bytes.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> Option<MmapMut> {
        let mut cached = self.cached.lock();
        let found = cached.iter().rposition(|map| map.len() as u64 == bytes)?;
        self.cached_bytes.fetch_sub(bytes, Ordering::Relaxed);
        Some(cached.remove(found))
    }

    fn give(&self, map: MmapMut) {
        let bytes = map.len() as u64;
        if self.cached_bytes() + bytes > self.allowance.load(Ordering::Relaxed) {
            return;
        }
        self.cached_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.cached.lock().push(map);
    }
}

/// An array that several threads fill at once, each its own tiles: the result of a computation in memory.
#[derive(Debug)]
pub struct SharedArray {
    bytes: UnsafeCell<Buffer>,
    dtype: DType,
    tiles: ChunkGrid,
    claimed: Vec<AtomicBool>,
}

// SAFETY: the bytes are only reached through `write_tile`, which lets each tile be written once, and tiles are disjoint boxes.
unsafe impl Sync for SharedArray {}

impl SharedArray {
    /// An array that is filled tile by tile.
    pub fn new(dtype: DType, tiles: ChunkGrid) -> Result<Self> {
        let size: usize = tiles.shape().iter().product();
        let claimed = (0..tiles.n_chunks()).map(|_| AtomicBool::new(false)).collect();
        Ok(SharedArray { bytes: UnsafeCell::new(Buffer::new(size * dtype.size())?), dtype, tiles, claimed })
    }

    /// Bytes that an array of this shape takes.
    pub fn footprint(&self) -> u64 {
        Buffer::footprint(self.tiles.shape().iter().product::<usize>() * self.dtype.size())
    }

    /// Copies `from` into tile number `tile`, which nobody may have filled before.
    pub fn write_tile(&self, tile: usize, from: &View<'_>) -> Result<()> {
        self.fill_tile(tile, |out| from.copy_to(out))
    }

    /// Lets `fill` write tile number `tile`, which nobody may have filled before.
    pub fn fill_tile(&self, tile: usize, fill: impl FnOnce(&mut ViewMut<'_>) -> Result<()>) -> Result<()> {
        if self.claimed[tile].swap(true, Ordering::Relaxed) {
            return Err(Error::internal(format!("tile {tile} of a result is written twice")));
        }
        // SAFETY: the flag above gives this tile to one caller, and no two tiles of a grid share an element.
        let bytes = unsafe { (*self.bytes.get()).as_mut() };
        let mut whole = ViewMut::new(bytes, &self.tiles.shape(), self.dtype)?;
        fill(&mut whole.part(&self.tiles.region(tile)))
    }

    /// The filled array, once all writers are done.
    pub fn into_chunk(self) -> Result<Chunk> {
        Chunk::from_buffer(self.bytes.into_inner(), &self.tiles.shape(), self.dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_waste_at_most_an_eighth() {
        for len in [1, 64, 1000, 300_000, 1_000_000, 5_000_001, (1 << 30) + 1] {
            let footprint = Buffer::footprint(len);
            assert!(footprint >= len as u64);
            assert!(footprint <= (len as u64) * 9 / 8 + 64, "{len} takes {footprint}");
        }
    }

    #[test]
    fn zeroed_means_zero_even_when_recycled() {
        let mut first = Buffer::new(1 << 20).unwrap();
        first.as_mut().fill(7);
        drop(first);
        assert!(Buffer::zeroed(1 << 20).unwrap().as_ref().iter().all(|&b| b == 0));
    }
}
