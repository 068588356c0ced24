//! Random damage never makes us panic.

use std::fs;

use proptest::prelude::*;
use voxmill_core::{Chunk, DType};
use voxmill_store::{ZarrSettings, create, create_npy, open_location};

use crate::suite::ramp;

/// Replaces, drops or repeats bytes at a few places.
fn mutate(bytes: &[u8], changes: &[(usize, u8, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, byte, how) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at % bytes.len();
        match how % 4 {
            0 => bytes[at] = *byte,
            1 => {
                bytes.remove(at);
            }
            2 => bytes.insert(at, *byte),
            // Digits are where metadata hurts most.
            _ => bytes.insert(at, b'0' + byte % 10),
        }
    }
    bytes
}

/// Opens and reads whatever is there; huge arrays are opened only.
fn open_and_read(location: &str) {
    let Ok(store) = open_location(location) else { return };
    let meta = store.meta().clone();
    let unit: usize = store.write_grid().largest().iter().product();
    if meta.n_bytes() > 1 << 20 || unit > 1 << 20 || store.read_scratch(&meta.whole()) > 64 << 20 {
        return;
    }
    let Ok(mut out) = Chunk::new(&meta.shape, meta.dtype) else { return };
    if let Ok(mut view) = out.view_mut() {
        let _ = store.read(&meta.whole(), &mut view);
    }
    // A small part takes another way through the codecs.
    if meta.rank() > 0 && meta.size() > 0 {
        let part = meta.whole().with_axis(0, meta.shape[0] / 2, 1);
        let Ok(mut out) = Chunk::new(&part.shape, meta.dtype) else { return };
        if let Ok(mut view) = out.view_mut() {
            let _ = store.read(&part, &mut view);
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<(usize, u8, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..Default::default() })]

    #[test]
    fn damaged_metadata_never_panics(changes in changes(), kind in 0usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zarr");
        let settings = ZarrSettings {
            zarr_format: if kind == 0 { 2 } else { 3 },
            chunks: Some(vec![4, 4]),
            shards: (kind == 2).then(|| vec![8, 8]),
            codec: if kind == 3 { "zstd".parse().unwrap() } else { Default::default() },
            ..Default::default()
        };
        let store = create(path.to_str().unwrap(), &[8, 8], DType::U16, &settings).unwrap();
        store.write(&store.meta().whole(), &ramp(&[8, 8], DType::U16).view()).unwrap();
        let file = path.join(if kind == 0 { ".zarray" } else { "zarr.json" });
        fs::write(&file, mutate(&fs::read(&file).unwrap(), &changes)).unwrap();
        open_and_read(path.to_str().unwrap());
    }

    #[test]
    fn damaged_chunks_never_panic(changes in changes(), kind in 0usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zarr");
        let settings = ZarrSettings {
            chunks: Some(vec![16, 16]),
            shards: (kind == 2).then(|| vec![32, 32]),
            codec: ["blosc-lz4", "zstd", "blosc-zstd:1:bitshuffle", "lz4"][kind].parse().unwrap(),
            ..Default::default()
        };
        let store = create(path.to_str().unwrap(), &[32, 32], DType::U16, &settings).unwrap();
        store.write(&store.meta().whole(), &ramp(&[32, 32], DType::U16).view()).unwrap();
        let file = path.join("c/0/0");
        fs::write(&file, mutate(&fs::read(&file).unwrap(), &changes)).unwrap();
        open_and_read(path.to_str().unwrap());
    }

    #[test]
    fn damaged_npy_headers_never_panic(changes in changes()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        create_npy(path.to_str().unwrap(), &[5, 3], DType::F32, false).unwrap();
        let bytes = fs::read(&path).unwrap();
        let bent = [mutate(&bytes[..128], &changes), bytes[128..].to_vec()].concat();
        fs::write(&path, bent).unwrap();
        open_and_read(path.to_str().unwrap());
    }
}
