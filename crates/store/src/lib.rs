//! Where arrays live: Zarr (versions 2 and 3, local, S3, Google Cloud, Azure, HTTP), `.npy` files and memory.
//!
//! Start with [`open_location`], which finds out what lies at a path or URL, and with [`create`], which makes a new Zarr array.
//! [`Stores`] opens arrays from the specs that plans hold. [`describe`] lists what is in a Zarr hierarchy.
//!
//! - `zarr/`: the format, built on the codecs of the `zarrs` crate; the common codecs are called directly for speed.
//! - `npy.rs`, `memory.rs`: arrays that can be used without copying.
//! - `bytes/`: where the bytes of a format lie; nothing above knows a path from a URL.
//! - `sys.rs`: the only unsafe code.
//!
//! Reads and writes run on the calling thread and start no others, apart from two that serve network requests. What each call
//! allocates is bounded by `read_scratch` and `write_scratch`. There is no cache here: what is worth keeping is decided by the executor.
//!
//! This crate uses `voxmill-core` and nothing else of Voxmill.

mod bytes;
mod location;
mod mapped;
mod memory;
mod npy;
mod open;
mod sys;
mod tree;
mod zarr;

use std::sync::Arc;

use voxmill_core::{Error, Result, Store, StoreOpener, StoreSpec};

pub use location::local_path;
pub use memory::MemoryStore;
pub use npy::{NpyStore, create_npy, draft_npy};
pub use open::{open_for_write, open_location};
pub use tree::{ArrayNode, Node, NodeKind, describe};
pub use zarr::{Codec, ZarrSettings, ZarrStore, append, create, create_group, default_chunks, draft, write_attributes};

/// Opens an array from its spec.
type Open = fn(&StoreSpec) -> Result<Arc<dyn Store>>;

/// All formats: the name in a spec, and what opens it.
const DRIVERS: [(&str, Open); 3] = [
    ("zarr", |spec| Ok(Arc::new(ZarrStore::open(&spec.location)?))),
    ("npy", |spec| Ok(Arc::new(NpyStore::open(&spec.location)?))),
    ("memory", memory::open),
];

/// Opens every kind of array that this crate knows.
#[derive(Debug, Default, Clone, Copy)]
pub struct Stores;

impl StoreOpener for Stores {
    fn open(&self, spec: &StoreSpec) -> Result<Arc<dyn Store>> {
        match DRIVERS.iter().find(|(name, _)| *name == spec.driver) {
            Some((_, open)) => open(spec),
            None => {
                let names: Vec<_> = DRIVERS.iter().map(|(name, _)| *name).collect();
                Err(Error::unsupported(format!(
                    "driver '{}' is not known; there are {}",
                    spec.driver,
                    names.join(", ")
                )))
            }
        }
    }
}
