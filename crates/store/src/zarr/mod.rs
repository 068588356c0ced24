//! Zarr arrays, versions 2 and 3.
//!
//! Start with [`ZarrStore`]; `header.rs` reads metadata, `open.rs` finds it, `create.rs` writes it. A chunk travels through
//! `pipeline.rs` (elements to bytes), `codec.rs` (compressors) and `shard.rs` (many chunks in one object). Nothing here knows paths or
//! URLs: bytes come from `crate::bytes`.
//!
//! Chunks whose elements are all the fill value are not stored, as zarr-python does by default: writing one removes its key.

mod blocks;
mod codec;
mod codec_text;
mod create;
mod elements;
mod foreign;
mod header;
mod open;
mod pipeline;
mod plugins;
mod shard;

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use voxmill_core::{
    ArrayMeta, Buffer, Chunk, ChunkGrid, Error, ErrorClass, Idx, Latency, Region, Result, Store, StoreSpec, View,
    ViewMut,
};

pub use codec_text::Codec;
pub use create::{ZarrSettings, append, create, create_group, default_chunks, draft, write_attributes};
pub(crate) use elements::{fill_to_json, normalize_bools, swap_bytes};
pub(crate) use header::Header;
pub(crate) use open::{Found, consolidated, look, missing};

use crate::bytes::{Blob, Bytes};
use pipeline::{Parts, Pipeline, Unit};
use shard::Sharding;

/// Chunks of this size are mapped where only a small part of them is wanted.
const MAPPED_FROM: usize = 4 << 20;

/// Chunks of this size are mapped, too, where some blocks of them are wanted.
const HUGE: usize = 64 << 20;

/// Encoded bytes of chunks that one read asks a network for at the same time, unless a single chunk has more.
const IN_FLIGHT: u64 = 32 << 20;

/// Held while a part of a unit is merged, so that threads of this process do not lose each other's parts, also where they opened the
/// array twice. Units share locks by chance, which costs a wait and nothing else.
static MERGING: [Mutex<()>; 256] = [const { Mutex::new(()) }; 256];

/// An open Zarr array.
#[derive(Debug)]
pub struct ZarrStore {
    spec: StoreSpec,
    meta: ArrayMeta,
    write_grid: ChunkGrid,
    header: Header,
    unit: Unit,
    layout: Layout,
    bytes: Arc<dyn Bytes>,
}

/// What one key holds.
#[derive(Debug)]
enum Layout {
    Chunk(Pipeline),
    Shard(Sharding),
}

impl ZarrStore {
    /// Opens the array at a path or URL, for reading and writing.
    pub fn open(location: &str) -> Result<ZarrStore> {
        let location = crate::location::normal(location)?;
        open::open(&location).map_err(|e| e.at(format!("Zarr array {location}")))
    }

    pub(crate) fn new(location: &str, header: Header, bytes: Arc<dyn Bytes>) -> Result<ZarrStore> {
        let unit = Unit { shape: header.chunk.clone(), dtype: header.dtype, fill: header.fill.clone() };
        let layout = match Sharding::new(&header.codecs, &unit)? {
            Some(sharding) => Layout::Shard(sharding),
            None => Layout::Chunk(Pipeline::new(&header.codecs, &unit)?),
        };
        let write_grid = ChunkGrid::even(&header.shape, &header.chunk);
        let grid = match &layout {
            Layout::Chunk(_) => write_grid.clone(),
            Layout::Shard(sharding) => ChunkGrid::even(&header.shape, &sharding.inner.shape),
        };
        let mut meta = ArrayMeta::new(&header.shape, header.dtype).with_grid(grid);
        meta.axes = header.axes();
        Ok(ZarrStore { spec: StoreSpec::new("zarr", location), meta, write_grid, header, unit, layout, bytes })
    }

    /// The attributes of the array, as they were when it was opened.
    pub fn attributes(&self) -> &Map<String, Value> {
        &self.header.attributes
    }

    /// Version of the format: 2 or 3.
    pub fn zarr_format(&self) -> u8 {
        self.header.format
    }

    /// The bytes of an element that is not stored.
    pub fn fill_value(&self) -> &[u8] {
        &self.header.fill
    }

    /// Shape of the chunks, also where the array is smaller than one.
    pub(crate) fn chunk_shape(&self) -> &[usize] {
        match &self.layout {
            Layout::Chunk(_) => &self.unit.shape,
            Layout::Shard(sharding) => &sharding.inner.shape,
        }
    }

    pub(crate) fn is_sharded(&self) -> bool {
        matches!(self.layout, Layout::Shard(_))
    }

    pub(crate) fn bytes(&self) -> &Arc<dyn Bytes> {
        &self.bytes
    }

    fn fail(&self, error: Error, at: &[usize], key: &str) -> Error {
        let hint = if error.class() == ErrorClass::Corrupt {
            "; write the chunk again, or remove it to read the fill value there"
        } else {
            ""
        };
        let message = format!("{}{hint}", error.message());
        let moved = error.trail().iter().fold(Error::new(error.class(), message), |e, line| e.at(line.clone()));
        moved.at(format!("chunk {at:?} ({})", self.bytes.place(key)))
    }

    /// Reads the box `part` of the unit at grid position `at`, counted from the start of the unit.
    fn read_unit(&self, at: &[usize], part: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        let key = self.header.keys.key(at);
        let found = match &self.layout {
            Layout::Shard(sharding) => sharding.read(&*self.bytes, &key, part, out),
            Layout::Chunk(pipeline) => self.read_chunk(pipeline, &key, part, out),
        };
        match found {
            Ok(true) => Ok(()),
            Ok(false) => out.fill(&self.unit.fill),
            Err(e) => Err(self.fail(e, at, &key)),
        }
    }

    fn read_chunk(&self, pipeline: &Pipeline, key: &str, part: &Region, out: &mut ViewMut<'_>) -> Result<bool> {
        let whole = part.shape == self.unit.shape;
        if whole
            && pipeline.is_plain(&self.unit)
            && let Some(bytes) = out.bytes_mut()
        {
            return self.bytes.read_into(key, bytes);
        }
        let limit = pipeline.bound(&self.unit);
        let sparse = part.size() * 2 < self.unit.shape.iter().product();
        if sparse && pipeline.parts() == Parts::Blocks {
            let needed = |head: &[u8], len: usize| pipeline.needed(&self.unit, part, head, len);
            // A buffer for a huge file would be touched in more and more places, read after read.
            let blob = match self.unit.n_bytes() >= HUGE {
                true => self.bytes.view(key, limit)?,
                false => self.bytes.read_parts(key, limit, &needed)?,
            };
            let Some(blob) = blob else { return Ok(false) };
            if pipeline.decode_part(&self.unit, blob.as_ref(), part, out)? {
                return Ok(true);
            }
        }
        // Mapping a file costs more than reading a small one, and pays where most of a large one is never looked at.
        let mapped = sparse && pipeline.parts() == Parts::Any && self.unit.n_bytes() >= MAPPED_FROM;
        let blob = if mapped { self.bytes.view(key, limit)? } else { self.bytes.read(key, limit)? };
        let Some(blob) = blob else { return Ok(false) };
        pipeline.decode(&self.unit, blob.as_ref(), part, out).map(|()| true)
    }

    /// Reads chunks from a network, a few at a time: each would else wait for the one before.
    fn read_ahead(&self, pipeline: &Pipeline, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        let numbers: Vec<usize> = self.write_grid.numbers_touching(region);
        for batch in numbers.chunks(self.requests_at_once(numbers.len())) {
            let places: Vec<_> = batch.iter().map(|&n| self.write_grid.position(n)).collect();
            let keys: Vec<_> = places.iter().map(|at| self.header.keys.key(at)).collect();
            let blobs = self.bytes.read_many(&keys, pipeline.bound(&self.unit))?;
            for ((at, key), blob) in places.iter().zip(&keys).zip(blobs) {
                let unit = self.write_grid.region_at(at);
                let part = unit.intersect(region);
                let mut out = out.part(&part.relative_to(&region.start));
                match blob {
                    None => out.fill(&self.unit.fill)?,
                    Some(blob) => pipeline
                        .decode(&self.unit, blob.as_ref(), &part.relative_to(&unit.start), &mut out)
                        .map_err(|e| self.fail(e, at, key))?,
                }
            }
        }
        Ok(())
    }

    /// How many chunks are asked for at once, of `n`.
    fn requests_at_once(&self, n: usize) -> usize {
        match (&self.layout, self.latency()) {
            (Layout::Chunk(pipeline), Latency::Remote) => {
                let most = (IN_FLIGHT / pipeline.bound(&self.unit).max(1)) as usize;
                most.clamp(1, 16).min(n.max(1))
            }
            _ => 1,
        }
    }

    /// Writes a whole unit, also the part of it beyond the border of the array.
    fn write_unit(&self, at: &[usize], from: &View<'_>) -> Result<()> {
        let key = self.header.keys.key(at);
        let encoded = match &self.layout {
            Layout::Shard(sharding) => sharding.encode(from),
            Layout::Chunk(pipeline) => match from.bytes() {
                Some(bytes) if elements::is_all(bytes, &self.unit.fill) => Ok(None),
                _ => pipeline.encode(&self.unit, from).map(Some),
            },
        };
        let written = match encoded {
            Ok(Some(payload)) => self.bytes.write(&key, payload),
            Ok(None) => self.bytes.delete(&key),
            Err(e) => Err(e),
        };
        written.map_err(|e| self.fail(e, at, &key))
    }

    /// Writes a part of a unit, or the clipped unit at the border of the array.
    fn merge_unit(&self, at: &[usize], unit_region: &Region, part: &Region, from: &View<'_>) -> Result<()> {
        let mut whole = Chunk::new(&self.unit.shape, self.unit.dtype)?;
        let lock = BuildHasherDefault::<DefaultHasher>::default().hash_one((&self.spec.location, at));
        let lock = &MERGING[lock as usize % MERGING.len()];
        let guard = (part != unit_region).then(|| lock.lock());
        let mut view = whole.view_mut()?;
        if guard.is_some() {
            self.read_unit(at, &Region::whole(&self.unit.shape), &mut view)?;
        } else {
            view.fill(&self.unit.fill)?;
        }
        from.copy_to(&mut view.part(&part.relative_to(&unit_region.start)))?;
        self.write_unit(at, &whole.view())
    }

    /// True if a tile of whole units could need the unit gathered or merged first.
    fn unit_copy_bytes(&self) -> u64 {
        Buffer::footprint(self.unit.n_bytes())
    }
}

impl Store for ZarrStore {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        check_region(&self.meta, region, out.shape(), out.dtype())?;
        let read = match &self.layout {
            Layout::Chunk(pipeline) if self.latency() == Latency::Remote && !region.is_empty() => {
                self.read_ahead(pipeline, region, out)
            }
            _ => for_each_unit(&self.write_grid, region, |at, unit, part| {
                self.read_unit(at, &part.relative_to(&unit.start), &mut out.part(&part.relative_to(&region.start)))
            }),
        };
        read.map_err(|e| e.at(format!("reading {region} of {}", self.spec)))
    }

    fn write(&self, region: &Region, from: &View<'_>) -> Result<()> {
        check_region(&self.meta, region, from.shape(), from.dtype())?;
        for_each_unit(&self.write_grid, region, |at, unit, part| {
            let from = from.part(&part.relative_to(&region.start));
            if part.shape != self.unit.shape {
                return self.merge_unit(at, unit, part, &from);
            }
            if from.is_contiguous() || matches!(self.layout, Layout::Shard(_)) {
                return self.write_unit(at, &from);
            }
            let copy = shard::gathered(&self.unit, &from)?;
            self.write_unit(at, &View::new(copy.as_ref(), &self.unit.shape, self.unit.dtype)?)
        })
        .map_err(|e| e.at(format!("writing {region} of {}", self.spec)))
    }

    fn write_grid(&self) -> &ChunkGrid {
        &self.write_grid
    }

    fn decoded_bytes(&self, region: &Region) -> u64 {
        let (pipeline, unit) = match &self.layout {
            Layout::Chunk(pipeline) => (pipeline, &self.unit),
            Layout::Shard(sharding) => (&sharding.pipeline, &sharding.inner),
        };
        if region.is_empty() {
            return 0;
        }
        // One in the middle speaks for all: those at the ends are cut, too, but of many they are few.
        let touched = self.meta.grid.touching(region);
        let middle: Idx = (0..touched.rank()).map(|k| touched.start[k] + touched.shape[k] / 2).collect();
        let chunk = self.meta.grid.region_at(&middle);
        let part = chunk.intersect(region).relative_to(&chunk.start);
        touched.size() as u64 * pipeline.decoded_bytes(unit, &part) as u64
    }

    fn read_scratch(&self, region: &Region) -> u64 {
        let one = region.shape == self.meta.grid.cover(region).shape && self.meta.grid.touching(region).size() == 1;
        let held = |n: u64| Buffer::footprint(Blob::room(n as usize));
        // Lists of chunk numbers, keys and the like.
        let small = 4096 + 32 * self.meta.grid.touching(region).size() as u64;
        small
            + match &self.layout {
                Layout::Chunk(pipeline) => {
                    let requests = self.requests_at_once(self.write_grid.touching(region).size()) as u64;
                    requests * held(pipeline.bound(&self.unit))
                        + pipeline.decode_scratch(&self.unit, one && region.shape == self.unit.shape)
                }
                Layout::Shard(sharding) => {
                    let inner = &sharding.inner;
                    let encoded = held(sharding.batch_bytes()) + 3 * sharding.index_bytes();
                    encoded + sharding.pipeline.decode_scratch(inner, one && region.shape == inner.shape)
                }
            }
    }

    fn write_scratch(&self, region: &Region) -> u64 {
        let whole_units = self.write_grid.cover(region) == *region;
        let copy = self.unit_copy_bytes();
        let encode = match &self.layout {
            Layout::Chunk(pipeline) => pipeline.encode_scratch(&self.unit),
            Layout::Shard(sharding) => {
                let inner =
                    sharding.pipeline.encode_scratch(&sharding.inner) + Buffer::footprint(sharding.inner.n_bytes());
                inner + Buffer::footprint(sharding.bound() as usize) + 4 * sharding.index_bytes()
            }
        };
        let merge = if whole_units { 0 } else { self.read_scratch(region) };
        copy + encode.max(merge)
    }

    fn latency(&self) -> Latency {
        self.bytes.latency()
    }
}

/// Calls `visit` with grid position, box and part inside `region` of every unit that touches `region`.
pub(crate) fn for_each_unit(
    grid: &ChunkGrid,
    region: &Region,
    mut visit: impl FnMut(&[usize], &Region, &Region) -> Result<()>,
) -> Result<()> {
    if region.is_empty() {
        return Ok(());
    }
    for n in grid.numbers_touching(region) {
        let at = grid.position(n);
        let unit = grid.region_at(&at);
        visit(&at, &unit, &unit.intersect(region))?;
    }
    Ok(())
}

/// The box and the memory must fit the array; callers are other crates, so this is checked at the door.
pub(crate) fn check_region(
    meta: &ArrayMeta,
    region: &Region,
    shape: &[usize],
    dtype: voxmill_core::DType,
) -> Result<()> {
    let fits = region.rank() == meta.rank() && (0..meta.rank()).all(|k| region.end(k) <= meta.shape[k]);
    if !fits {
        return Err(Error::invalid(format!("{region} lies outside an array of shape {:?}", meta.shape.as_slice())));
    }
    if shape != region.shape.as_slice() || dtype != meta.dtype {
        return Err(Error::invalid(format!(
            "memory of shape {shape:?} and dtype {dtype} does not fit {region} of an array of {}",
            meta.dtype
        )));
    }
    Ok(())
}
