//! An in-memory store that pretends to be a file with chunks: reads count, nothing is borrowed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use voxmill::core::{
    ArrayMeta, Chunk, ChunkGrid, Error, Latency, Region, Result, Store, StoreOpener, StoreSpec, View, ViewMut,
};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Opens the stores it was given, by their specs.
pub struct Known(pub Vec<Arc<dyn Store>>);

impl StoreOpener for Known {
    fn open(&self, spec: &StoreSpec) -> Result<Arc<dyn Store>> {
        let found = self.0.iter().find(|store| store.spec() == spec);
        found.cloned().ok_or_else(|| Error::not_found(spec.to_string()))
    }
}

/// Elements in memory, cut into chunks that are "decoded" as a whole.
#[derive(Debug)]
pub struct GridStore {
    spec: StoreSpec,
    meta: ArrayMeta,
    chunk: Chunk,
    /// Elements handed out.
    pub read: AtomicU64,
}

impl GridStore {
    pub fn new(chunk: Chunk, grid: ChunkGrid) -> Self {
        let meta = ArrayMeta::new(chunk.shape(), chunk.dtype()).with_grid(grid);
        let spec = StoreSpec::new("test", NEXT.fetch_add(1, Ordering::Relaxed).to_string());
        GridStore { spec, meta, chunk, read: AtomicU64::new(0) }
    }
}

impl Store for GridStore {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }
    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }
    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        self.read.fetch_add(region.size() as u64, Ordering::Relaxed);
        self.chunk.view().part(region).copy_to(out)
    }
    fn write(&self, _: &Region, _: &View<'_>) -> Result<()> {
        Err(Error::unsupported("read only"))
    }
    fn read_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn write_scratch(&self, _: &Region) -> u64 {
        0
    }
    fn latency(&self) -> Latency {
        Latency::Local
    }
}
