//! The suite that every store runs.

use std::sync::Arc;

use voxmill_core::{Chunk, DType, Region, Scalar, Store, StoreOpener, View};
use voxmill_store::{Codec, MemoryStore, Stores, ZarrSettings, create, create_npy};

/// An array of `dtype` whose elements all differ as far as the dtype can tell them apart.
pub fn ramp(shape: &[usize], dtype: DType) -> Chunk {
    let n: usize = shape.iter().product();
    let values: Vec<u8> = (0..n)
        .flat_map(|i| {
            let i = if dtype == DType::Bool { i % 2 } else { i % 97 + 1 };
            Scalar::Int(i as i128).to_bytes(dtype)
        })
        .collect();
    let mut chunk = Chunk::new(shape, dtype).unwrap();
    View::new(&values, shape, dtype).unwrap().copy_to(&mut chunk.view_mut().unwrap()).unwrap();
    chunk
}

/// `region` of a store, as a chunk.
pub fn read(store: &dyn Store, region: &Region) -> Chunk {
    let mut out = Chunk::new(&region.shape, store.meta().dtype).unwrap();
    store.read(region, &mut out.view_mut().unwrap()).unwrap();
    out
}

pub fn same(a: &Chunk, b: &Chunk) -> bool {
    let (a, b) = (a.to_contiguous().unwrap(), b.to_contiguous().unwrap());
    a.shape() == b.shape() && a.dtype() == b.dtype() && a.view().bytes() == b.view().bytes()
}

/// Boxes that cover whole units, parts of units, several units, single elements and nothing.
fn regions(shape: &[usize]) -> Vec<Region> {
    let bounds = |f: &dyn Fn(usize) -> (usize, usize)| Region::from_bounds(shape.iter().map(|&n| f(n)));
    vec![
        bounds(&|n| (0, n)),
        bounds(&|n| (n / 3, n)),
        bounds(&|n| (0, n.div_ceil(2))),
        bounds(&|n| (n / 2, (n / 2 + 1).min(n))),
        bounds(&|n| (n.saturating_sub(1), n)),
        bounds(&|n| (n / 2, n / 2)),
    ]
}

/// Everything a store must do, on a fresh writable array that holds `empty` everywhere.
pub fn check_store(make: &dyn Fn() -> Arc<dyn Store>, empty: Scalar) {
    let store = make();
    let meta = store.meta().clone();
    let whole = meta.whole();

    let mut want = Chunk::new(&meta.shape, meta.dtype).unwrap();
    want.view_mut().unwrap().fill(&empty.to_bytes(meta.dtype)).unwrap();
    assert!(same(&read(&*store, &whole), &want), "a fresh array holds its fill value");

    let data = ramp(&meta.shape, meta.dtype);
    store.write(&whole, &data.view()).unwrap();
    for region in regions(&meta.shape) {
        assert!(same(&read(&*store, &region), &data.part(&region)), "{region} of {meta:?}");
        if let Some(borrowed) = store.borrow(&region) {
            assert!(same(&borrowed, &data.part(&region)), "borrowed {region} of {meta:?}");
        }
        let _ = (store.read_scratch(&region), store.write_scratch(&region));
    }

    let again = Stores.open(store.spec()).unwrap();
    assert_eq!(again.meta(), &meta, "the spec leads back to the same array");
    assert!(same(&read(&*again, &whole), &data));

    check_partial_writes(&*make(), empty);
    check_concurrent_writers(&*make());
    check_bad_requests(&*store);
}

fn check_partial_writes(store: &dyn Store, empty: Scalar) {
    let meta = store.meta().clone();
    let data = ramp(&meta.shape, meta.dtype);
    let mut want = Chunk::new(&meta.shape, meta.dtype).unwrap();
    want.view_mut().unwrap().fill(&empty.to_bytes(meta.dtype)).unwrap();
    for region in regions(&meta.shape).into_iter().skip(1) {
        let part = data.part(&region);
        store.write(&region, &part.view()).unwrap();
        part.view().copy_to(&mut want.view_mut().unwrap().part(&region)).unwrap();
        assert!(same(&read(store, &meta.whole()), &want), "after writing {region} of {meta:?}");
    }
    // Writing the fill value back makes the chunks go away, or at least read as if they had.
    want.view_mut().unwrap().fill(&empty.to_bytes(meta.dtype)).unwrap();
    store.write(&meta.whole(), &want.view()).unwrap();
    assert!(same(&read(store, &meta.whole()), &want));
}

fn check_concurrent_writers(store: &dyn Store) {
    let meta = store.meta().clone();
    let data = ramp(&meta.shape, meta.dtype);
    let grid = store.write_grid();
    std::thread::scope(|scope| {
        for t in 0..4 {
            let data = &data;
            scope.spawn(move || {
                for n in (t..grid.n_chunks()).step_by(4) {
                    let region = grid.region(n);
                    store.write(&region, &data.part(&region).view()).unwrap();
                }
            });
        }
    });
    assert!(same(&read(store, &meta.whole()), &data), "units written by four threads");
    // Threads that share a unit do not lose each other's parts either, each with a handle of its own.
    let Some(axis) = (0..meta.rank()).rev().find(|&k| meta.shape[k] > 1) else { return };
    let zero = Chunk::new(&meta.shape, meta.dtype).unwrap();
    store.write(&meta.whole(), &zero.view()).unwrap();
    std::thread::scope(|scope| {
        for i in 0..meta.shape[axis].min(4) {
            let (data, meta) = (&data, &meta);
            scope.spawn(move || {
                let store = Stores.open(store.spec()).unwrap();
                for at in (i..meta.shape[axis]).step_by(4) {
                    let region = meta.whole().with_axis(axis, at, 1);
                    store.write(&region, &data.part(&region).view()).unwrap();
                }
            });
        }
    });
    assert!(same(&read(store, &meta.whole()), &data), "slices written by four threads");
}

fn check_bad_requests(store: &dyn Store) {
    let meta = store.meta();
    if meta.rank() == 0 {
        return;
    }
    let mut outside = meta.whole();
    outside.start[0] += 1;
    let mut out = Chunk::new(&outside.shape, meta.dtype).unwrap();
    assert!(store.read(&outside, &mut out.view_mut().unwrap()).unwrap_err().message().contains("outside"));
    let other = if meta.dtype == DType::U8 { DType::F32 } else { DType::U8 };
    let mut out = Chunk::new(&meta.shape, other).unwrap();
    assert!(store.read(&meta.whole(), &mut out.view_mut().unwrap()).unwrap_err().message().contains("does not fit"));
}

fn check_zarr(shape: &[usize], dtype: DType, settings: &ZarrSettings, empty: Scalar) {
    let folder = tempfile::tempdir().unwrap();
    let settings = ZarrSettings { overwrite: true, fill_value: empty, ..settings.clone() };
    let location = folder.path().join("a.zarr");
    check_store(&|| create(location.to_str().unwrap(), shape, dtype, &settings).unwrap(), empty);
}

#[test]
fn zarr_of_every_dtype_in_both_versions() {
    for dtype in DType::ALL {
        for zarr_format in [2, 3] {
            let settings = ZarrSettings { zarr_format, chunks: Some(vec![4, 3]), ..Default::default() };
            check_zarr(&[10, 7], dtype, &settings, Scalar::Int(0));
            let codec = "zstd".parse().unwrap();
            check_zarr(&[10, 7], dtype, &ZarrSettings { codec, ..settings }, Scalar::Int(1));
        }
    }
}

#[test]
fn zarr_with_every_codec() {
    let names =
        ["none", "zstd", "gzip", "zlib", "lz4", "bz2", "blosc-blosclz", "blosc-lz4", "blosc-lz4hc", "blosc-snappy"];
    for name in names.into_iter().chain(["blosc-zlib", "blosc-zstd", "blosc-lz4:9:bitshuffle", "blosc-lz4:0:noshuffle"])
    {
        for zarr_format in [2, 3] {
            let codec: Codec = name.parse().unwrap();
            let settings = ZarrSettings { zarr_format, codec, chunks: Some(vec![5, 4, 6]), ..Default::default() };
            check_zarr(&[9, 8, 13], DType::U16, &settings, Scalar::Int(0));
        }
    }
}

#[test]
fn zarr_with_shards() {
    for codec in ["none", "blosc-lz4", "zstd"] {
        let settings = ZarrSettings {
            codec: codec.parse().unwrap(),
            chunks: Some(vec![3, 4]),
            shards: Some(vec![6, 12]),
            ..Default::default()
        };
        check_zarr(&[17, 25], DType::I32, &settings, Scalar::Int(-1));
        check_zarr(&[17, 25], DType::F16, &settings, Scalar::Float(f64::NAN));
    }
}

#[test]
fn zarr_of_odd_shapes() {
    for (shape, chunks) in
        [(vec![], vec![]), (vec![0, 5], vec![2, 2]), (vec![1], vec![100]), (vec![7, 1, 3, 2, 2], vec![2, 1, 2, 1, 2])]
    {
        for zarr_format in [2, 3] {
            for separator in ['.', '/'] {
                let settings =
                    ZarrSettings { zarr_format, separator, chunks: Some(chunks.clone()), ..Default::default() };
                check_zarr(&shape, DType::F64, &settings, Scalar::Float(f64::INFINITY));
            }
        }
    }
}

#[test]
fn npy_of_every_dtype() {
    let folder = tempfile::tempdir().unwrap();
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::BF16) {
        for shape in [vec![], vec![5], vec![4, 3, 6], vec![0, 3]] {
            let path = folder.path().join("a.npy");
            check_store(&|| create_npy(path.to_str().unwrap(), &shape, dtype, true).unwrap(), Scalar::Int(0));
        }
    }
}

#[test]
fn memory_of_every_dtype() {
    for dtype in DType::ALL {
        for shape in [vec![], vec![5], vec![4, 3, 6], vec![0, 3]] {
            let make = || -> Arc<dyn Store> {
                let mut chunk = Chunk::new(&shape, dtype).unwrap();
                chunk.view_mut().unwrap().fill(&Scalar::Int(0).to_bytes(dtype)).unwrap();
                MemoryStore::new(chunk)
            };
            check_store(&make, Scalar::Int(0));
        }
    }
}

#[test]
fn a_dropped_memory_store_is_not_found() {
    let store = MemoryStore::new(ramp(&[3], DType::U8));
    let spec = store.spec().clone();
    let borrowed = store.borrow(&store.meta().whole()).unwrap();
    store.write(&store.meta().whole(), &ramp(&[3], DType::U8).view()).unwrap();
    drop(store);
    assert_eq!(Stores.open(&spec).unwrap_err().class().kind(), "not-found");
    assert_eq!(borrowed.to_vec::<u8>().unwrap(), [1, 2, 3]);
}
