//! Arrays in memory as stores: results that are used again, and NumPy arrays that enter a plan.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::{Mutex, RwLock};
use voxmill_core::{ArrayMeta, Chunk, ChunkGrid, Error, Latency, Region, Result, Store, StoreSpec, View, ViewMut};

use crate::zarr::check_region;

/// The stores that are alive, by the id in their spec.
static ALIVE: LazyLock<Mutex<BTreeMap<u64, Weak<MemoryStore>>>> = LazyLock::new(Mutex::default);

/// An array in memory. Its spec holds an id of this process and leads back to it for as long as somebody holds the store.
#[derive(Debug)]
pub struct MemoryStore {
    spec: StoreSpec,
    id: u64,
    meta: ArrayMeta,
    data: RwLock<Chunk>,
}

impl MemoryStore {
    /// A store over `chunk`; the bytes are shared, not copied.
    pub fn new(chunk: Chunk) -> Arc<MemoryStore> {
        let grid = ChunkGrid::single(chunk.shape());
        MemoryStore::with_grid(chunk, grid)
    }

    /// A store over `chunk` with declared chunks.
    pub fn with_grid(chunk: Chunk, grid: ChunkGrid) -> Arc<MemoryStore> {
        let meta = ArrayMeta::new(chunk.shape(), chunk.dtype()).with_grid(grid);
        MemoryStore::with_meta(chunk, meta)
    }

    /// A store over `chunk` with declared chunks and axis names; shape and dtype are those of `chunk`.
    pub fn with_meta(chunk: Chunk, mut meta: ArrayMeta) -> Arc<MemoryStore> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        if meta.grid.shape().as_slice() != chunk.shape() {
            meta.grid = ChunkGrid::single(chunk.shape());
        }
        (meta.shape, meta.dtype) = (chunk.shape().into(), chunk.dtype());
        // The process number keeps a spec that travelled to another process from finding a stranger there.
        let spec = StoreSpec::new("memory", format!("{}-{id}", std::process::id()));
        let store = Arc::new(MemoryStore { spec, id, meta, data: RwLock::new(chunk) });
        ALIVE.lock().insert(id, Arc::downgrade(&store));
        store
    }

    /// The array as it is now.
    pub fn chunk(&self) -> Chunk {
        self.data.read().clone()
    }
}

impl Drop for MemoryStore {
    fn drop(&mut self) {
        ALIVE.lock().remove(&self.id);
    }
}

/// Finds the store of a spec.
pub(crate) fn open(spec: &StoreSpec) -> Result<Arc<dyn Store>> {
    let id = spec.location.strip_prefix(&format!("{}-", std::process::id())).and_then(|id| id.parse::<u64>().ok());
    let found = id.and_then(|id| ALIVE.lock().get(&id).and_then(Weak::upgrade));
    found.map(|store| store as Arc<dyn Store>).ok_or_else(|| {
        Error::not_found(format!(
            "{spec} is an array in the memory of another process, or was dropped; write it to a file to use it there"
        ))
    })
}

impl Store for MemoryStore {
    fn spec(&self) -> &StoreSpec {
        &self.spec
    }

    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()> {
        check_region(&self.meta, region, out.shape(), out.dtype())?;
        // The lock is held while copying: a clone that outlived it would make a writer copy the whole array first.
        self.data.read().part(region).view().copy_to(out)
    }

    fn borrow(&self, region: &Region) -> Option<Chunk> {
        let inside =
            region.rank() == self.meta.rank() && (0..region.rank()).all(|k| region.end(k) <= self.meta.shape[k]);
        inside.then(|| self.chunk().part(region))
    }

    /// Writes into the array. Where its bytes are shared with somebody (a borrowed part, a NumPy array), they are copied once first:
    /// what others hold never changes.
    fn write(&self, region: &Region, from: &View<'_>) -> Result<()> {
        check_region(&self.meta, region, from.shape(), from.dtype())?;
        let mut data = self.data.write();
        if data.view_mut().is_err() {
            let mut copy = Chunk::new(data.shape(), data.dtype())?;
            data.view().copy_to(&mut copy.view_mut()?)?;
            *data = copy;
        }
        let mut view = data.view_mut()?;
        from.copy_to(&mut view.part(region))
    }

    fn read_scratch(&self, _region: &Region) -> u64 {
        0
    }

    fn write_scratch(&self, _region: &Region) -> u64 {
        if self.data.write().view_mut().is_ok() { 0 } else { self.meta.n_bytes() + self.meta.n_bytes() / 8 }
    }

    fn latency(&self) -> Latency {
        Latency::Memory
    }
}
