//! What a store says it takes beside its arguments is never less than what it takes.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use voxmill_core::{Chunk, DType, Region, Store, StoreOpener};
use voxmill_store::{Stores, ZarrSettings, create, create_npy};

use crate::suite::ramp;

/// Counts what the current thread has allocated, and the most it ever had.
struct Counting;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // Threads that end may allocate after their variables are gone.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

// SAFETY: every call is passed on unchanged; counting touches no allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most bytes that `work` had allocated at a time.
fn peak_of(work: impl FnOnce()) -> u64 {
    let before = NOW.get();
    PEAK.set(before);
    work();
    (PEAK.get() - before) as u64
}

fn check(store: &dyn Store) {
    let meta = store.meta().clone();
    let data = ramp(&meta.shape, meta.dtype);
    let boxes =
        [meta.whole(), Region::new([0, 0], [48, 48]), Region::new([0, 0], [96, 96]), Region::new([30, 7], [50, 60])];
    for region in boxes {
        let part = data.part(&region).to_contiguous().unwrap();
        let written = peak_of(|| store.write(&region, &part.view()).unwrap());
        let promised = store.write_scratch(&region);
        assert!(written <= promised, "writing {region} took {written} bytes, {promised} were promised: {store:?}");
        let mut out = Chunk::new(&region.shape, meta.dtype).unwrap();
        let read = peak_of(|| store.read(&region, &mut out.view_mut().unwrap()).unwrap());
        let promised = store.read_scratch(&region);
        assert!(read <= promised, "reading {region} took {read} bytes, {promised} were promised: {store:?}");
    }
}

/// The chunks are small enough for the heap, where they can be counted.
#[test]
fn scratch_is_an_upper_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    for codec in ["none", "blosc-lz4", "zstd", "gzip", "lz4", "bz2"] {
        for shards in [None, Some(vec![96, 96])] {
            let settings = ZarrSettings {
                codec: codec.parse().unwrap(),
                chunks: Some(vec![48, 48]),
                shards,
                overwrite: true,
                ..Default::default()
            };
            check(&*create(path.to_str().unwrap(), &[200, 150], DType::U32, &settings).unwrap());
        }
    }
}

#[test]
fn scratch_of_chains_that_zarrs_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let settings = ZarrSettings { zarr_format: 2, chunks: Some(vec![48, 48]), ..Default::default() };
    let store = create(path.to_str().unwrap(), &[200, 150], DType::I32, &settings).unwrap();
    let file = path.join(".zarray");
    let mut doc: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    doc["filters"] = serde_json::json!([{"id": "delta", "dtype": "<i4", "astype": "<i8"}]);
    doc["compressor"] = serde_json::json!({"id": "lz4", "acceleration": 1});
    std::fs::write(&file, doc.to_string()).unwrap();
    check(&*Stores.open(store.spec()).unwrap());
}

#[test]
fn scratch_of_npy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    check(&*create_npy(path.to_str().unwrap(), &[200, 150], DType::U32, false).unwrap());
}
