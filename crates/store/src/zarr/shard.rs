//! Shards: one object that holds many inner chunks and an index of where each lies.
//!
//! Inner chunks are read by byte range, so a small window of a large shard costs what it covers. A shard is written as a whole.

use std::ops::Range;

use serde_json::Value;
use voxmill_core::{Buffer, ChunkGrid, Error, Idx, Region, Result, View, ViewMut};

use super::elements;
use super::pipeline::{Pipeline, Unit, name_and_config};
use crate::bytes::{Blob, Bytes, Payload};

/// Offset and length that mark an inner chunk without bytes.
const ABSENT: u64 = u64::MAX;

/// Most encoded bytes of inner chunks that one request asks for, unless a single one is larger.
const BATCH: u64 = 8 << 20;

/// How shards are laid out.
#[derive(Debug)]
pub(crate) struct Sharding {
    /// The inner chunk.
    pub(crate) inner: Unit,
    /// How inner chunks are encoded.
    pub(crate) pipeline: Pipeline,
    /// The inner chunks of one shard.
    grid: ChunkGrid,
    index_at_end: bool,
    index_checksum: bool,
    index_swapped: bool,
}

impl Sharding {
    /// The sharding that a list of codecs describes; `None` if the list has no sharding, or one that only `zarrs` can read as a whole.
    pub(crate) fn new(codecs: &[Value], shard: &Unit) -> Result<Option<Sharding>> {
        let [codec] = codecs else { return Ok(None) };
        let (name, config) = name_and_config(codec);
        if name != "sharding_indexed" {
            return Ok(None);
        }
        let shape: Option<Idx> = config
            .get("chunk_shape")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(|n| n.as_u64().filter(|&n| n > 0).map(|n| n as usize)).collect());
        let fits =
            |shape: &Idx| shape.len() == shard.shape.len() && shape.iter().zip(&shard.shape).all(|(n, s)| s % n == 0);
        let shape = shape.filter(fits).ok_or_else(|| {
            let given = config.get("chunk_shape").unwrap_or(&Value::Null);
            Error::corrupt(format!("inner chunks of {given} do not divide shards of {:?}", shard.shape))
        })?;
        let empty = Vec::new();
        let list = |key: &str| config.get(key).and_then(Value::as_array).unwrap_or(&empty);
        let index: Vec<_> = list("index_codecs").iter().map(name_and_config).collect();
        let (bytes, index_checksum) = match index.as_slice() {
            [bytes] if bytes.0 == "bytes" => (bytes, false),
            [bytes, (sum, _)] if bytes.0 == "bytes" && *sum == "crc32c" => (bytes, true),
            _ => return Ok(None),
        };
        let big = bytes.1.get("endian").and_then(Value::as_str) == Some("big");
        let inner = Unit { shape, dtype: shard.dtype, fill: shard.fill.clone() };
        Ok(Some(Sharding {
            pipeline: Pipeline::new(list("codecs"), &inner)?,
            grid: ChunkGrid::even(&shard.shape, &inner.shape),
            inner,
            index_at_end: config.get("index_location").and_then(Value::as_str) != Some("start"),
            index_checksum,
            index_swapped: big == cfg!(target_endian = "little"),
        }))
    }

    /// Bytes of the index of one shard.
    pub(crate) fn index_bytes(&self) -> u64 {
        16 * self.grid.n_chunks() as u64 + if self.index_checksum { 4 } else { 0 }
    }

    /// Most bytes that one request for inner chunks holds.
    pub(crate) fn batch_bytes(&self) -> u64 {
        BATCH.max(2 * self.pipeline.bound(&self.inner))
    }

    /// Most bytes of a shard.
    pub(crate) fn bound(&self) -> u64 {
        self.pipeline.bound(&self.inner) * self.grid.n_chunks() as u64 + self.index_bytes()
    }

    /// Reads the box `part` of the shard `key` into `out`; false if there is no such shard.
    pub(crate) fn read(&self, bytes: &dyn Bytes, key: &str, part: &Region, out: &mut ViewMut<'_>) -> Result<bool> {
        let Some(index) = self.read_index(bytes, key)? else { return Ok(false) };
        let mut batch: Vec<(usize, Range<u64>)> = Vec::new();
        let mut held = 0;
        for n in self.grid.numbers_touching(part) {
            match index[n] {
                [ABSENT, ABSENT] => self.place(n, part, out, |unit, _, out| out.fill(&unit.fill))?,
                [start, len] => {
                    let end = start.checked_add(len).filter(|_| len <= self.pipeline.bound(&self.inner));
                    let end = end.ok_or_else(|| {
                        Error::corrupt(format!(
                            "the index gives inner chunk {n} {len} bytes at {start}, which cannot be"
                        ))
                    })?;
                    if held + len > BATCH && !batch.is_empty() {
                        self.read_batch(bytes, key, &batch, part, out)?;
                        batch.clear();
                        held = 0;
                    }
                    held += len;
                    batch.push((n, start..end));
                }
            }
        }
        self.read_batch(bytes, key, &batch, part, out)?;
        Ok(true)
    }

    fn read_batch(
        &self,
        bytes: &dyn Bytes,
        key: &str,
        batch: &[(usize, Range<u64>)],
        part: &Region,
        out: &mut ViewMut<'_>,
    ) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let ranges: Vec<_> = batch.iter().map(|(_, range)| range.clone()).collect();
        let gone = || Error::corrupt(format!("{} went away while it was read", bytes.place(key)));
        let blobs = bytes.read_ranges(key, &ranges)?.ok_or_else(gone)?;
        for ((n, _), blob) in batch.iter().zip(blobs) {
            self.place(*n, part, out, |unit, inside, out| {
                let decoded = self.pipeline.decode(unit, blob.as_ref(), inside, out);
                decoded.map_err(|e| e.at(format!("inner chunk {:?}", self.grid.position(*n).as_slice())))
            })?;
        }
        Ok(())
    }

    /// Calls `fill` with the box of inner chunk `n` that lies in `part`, and the place for it in `out`.
    fn place(
        &self,
        n: usize,
        part: &Region,
        out: &mut ViewMut<'_>,
        fill: impl FnOnce(&Unit, &Region, &mut ViewMut<'_>) -> Result<()>,
    ) -> Result<()> {
        let chunk = self.grid.region(n);
        let both = chunk.intersect(part);
        fill(&self.inner, &both.relative_to(&chunk.start), &mut out.part(&both.relative_to(&part.start)))
    }

    fn read_index(&self, bytes: &dyn Bytes, key: &str) -> Result<Option<Vec<[u64; 2]>>> {
        let n = self.index_bytes();
        let found = if self.index_at_end {
            bytes.read_tail(key, n)?
        } else {
            let found = bytes.read_ranges(key, std::slice::from_ref(&(0..n)))?;
            found.and_then(|mut blobs| blobs.pop())
        };
        found.map(|blob| self.parse_index(blob.as_ref())).transpose()
    }

    fn parse_index(&self, mut raw: &[u8]) -> Result<Vec<[u64; 2]>> {
        if raw.len() as u64 != self.index_bytes() {
            return Err(Error::corrupt(format!("the shard is shorter than its index of {} bytes", self.index_bytes())));
        }
        if let Some((body, sum)) = raw.split_last_chunk::<4>().filter(|_| self.index_checksum) {
            if crc32c::crc32c(body) != u32::from_le_bytes(*sum) {
                return Err(Error::corrupt("the crc32c checksum of the shard index does not match"));
            }
            raw = body;
        }
        let number = |bytes: [u8; 8]| {
            let number = u64::from_ne_bytes(bytes);
            if self.index_swapped { number.swap_bytes() } else { number }
        };
        let numbers: Vec<u64> = raw.as_chunks::<8>().0.iter().map(|bytes| number(*bytes)).collect();
        Ok(numbers.as_chunks::<2>().0.to_vec())
    }

    /// Encodes a whole shard; `None` if every element is the fill value.
    pub(crate) fn encode(&self, from: &View<'_>) -> Result<Option<Payload<'static>>> {
        // Pages of the buffer that compression leaves unused are never touched, so they take no memory.
        let mut shard = Buffer::new(self.bound() as usize)?;
        let head = if self.index_at_end { 0 } else { self.index_bytes() as usize };
        let mut end = head;
        let mut index = Vec::with_capacity(self.grid.n_chunks());
        for n in 0..self.grid.n_chunks() {
            // Encoding looks at the elements more than once, so gathering them first pays.
            let copy = gathered(&self.inner, &from.part(&self.grid.region(n)))?;
            if elements::is_all(copy.as_ref(), &self.inner.fill) {
                index.push([ABSENT, ABSENT]);
                continue;
            }
            let part = View::new(copy.as_ref(), &self.inner.shape, self.inner.dtype)?;
            let len = self.pipeline.encode_into(&self.inner, &part, &mut shard.as_mut()[end..])?;
            index.push([end as u64, len as u64]);
            end += len;
        }
        if end == head {
            return Ok(None);
        }
        let index = self.index_to_bytes(&index);
        let at = if self.index_at_end { end } else { 0 };
        shard.as_mut()[at..at + index.len()].copy_from_slice(&index);
        let len = if self.index_at_end { end + index.len() } else { end };
        Ok(Some(Payload::Owned(Blob::Buffer(shard, len))))
    }

    fn index_to_bytes(&self, index: &[[u64; 2]]) -> Vec<u8> {
        let number = |n: &u64| if self.index_swapped { n.swap_bytes().to_ne_bytes() } else { n.to_ne_bytes() };
        let mut raw: Vec<u8> = index.iter().flatten().flat_map(number).collect();
        if self.index_checksum {
            let sum = crc32c::crc32c(&raw).to_le_bytes();
            raw.extend_from_slice(&sum);
        }
        raw
    }
}

/// The elements in C order without gaps.
pub(super) fn gathered(unit: &Unit, from: &View<'_>) -> Result<Buffer> {
    let mut copy = Buffer::new(unit.n_bytes())?;
    from.copy_to(&mut ViewMut::new(copy.as_mut(), &unit.shape, unit.dtype)?)?;
    Ok(copy)
}
