//! Where arrays live: the trait of open stores, and the spec that says which store to open.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ArrayMeta, Chunk, ChunkGrid, Region, Result, View, ViewMut};

/// Which array, as data: enough to open it again in another process. Credentials and caches are no part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StoreSpec {
    /// Format: `"zarr"`, `"npy"`, `"memory"`.
    pub driver: String,
    /// Path or URL of the array.
    pub location: String,
    /// Further settings that are part of the identity.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl StoreSpec {
    /// A spec without further settings.
    pub fn new(driver: impl Into<String>, location: impl Into<String>) -> Self {
        StoreSpec { driver: driver.into(), location: location.into(), options: BTreeMap::new() }
    }
}

impl fmt::Display for StoreSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.driver, self.location)
    }
}

/// How long one request takes to answer, which decides where reads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// Already in this process's address space.
    Memory,
    /// A local disk: reads run on the thread that needs them.
    Local,
    /// A network: reads run ahead, many at a time.
    Remote,
}

/// An open array. All methods may be called from many threads at once.
///
/// Writers own whole write units: the planner gives each unit to one task, so an implementation needs no locks between them.
pub trait Store: Any + Send + Sync + fmt::Debug {
    /// What to open to get this array again.
    fn spec(&self) -> &StoreSpec;

    /// Shape, dtype, and as grid the boxes that are decoded as a whole.
    fn meta(&self) -> &ArrayMeta;

    /// Reads `region` into `out`, which has its shape and the array's dtype.
    fn read(&self, region: &Region, out: &mut ViewMut<'_>) -> Result<()>;

    /// `region` without copying, where the elements lie in memory as they are.
    fn borrow(&self, region: &Region) -> Option<Chunk> {
        let _ = region;
        None
    }

    /// Writes `from` to `region`. Whole write units replace what was there; parts of units are merged into it.
    fn write(&self, region: &Region, from: &View<'_>) -> Result<()>;

    /// The boxes that are written as a whole: chunks, or shards where there are shards.
    fn write_grid(&self) -> &ChunkGrid {
        &self.meta().grid
    }

    /// Bytes that are decoded to read `region`, roughly: more than it has where only whole chunks can be decoded.
    fn decoded_bytes(&self, region: &Region) -> u64 {
        self.meta().bytes_of(&self.meta().grid.cover(region))
    }

    /// Bytes that reading `region` takes beside `out`.
    fn read_scratch(&self, region: &Region) -> u64;

    /// Bytes that writing `region` takes beside `from`.
    fn write_scratch(&self, region: &Region) -> u64;

    /// How fast a request is answered.
    fn latency(&self) -> Latency;
}

/// Opens stores from specs; the facade hands one to the executor.
pub trait StoreOpener: Send + Sync {
    /// Opens an existing array.
    fn open(&self, spec: &StoreSpec) -> Result<Arc<dyn Store>>;
}
