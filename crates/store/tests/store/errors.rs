//! What goes wrong is classed, named, and comes with something to try.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use voxmill_core::{Chunk, DType, ErrorClass, Result, Store};
use voxmill_store::{ZarrSettings, create, create_group, create_npy, open_location};

use crate::suite::ramp;

/// Checks class and words of an error.
fn check<T: std::fmt::Debug>(result: Result<T>, kind: &str, words: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.class().kind(), kind, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "'{error}' does not say '{word}'");
    }
}

fn new_array(path: &Path, codec: &str) -> std::sync::Arc<dyn Store> {
    let settings = ZarrSettings { chunks: Some(vec![32, 32]), codec: codec.parse().unwrap(), ..Default::default() };
    let store = create(path.to_str().unwrap(), &[64, 64], DType::U16, &settings).unwrap();
    store.write(&store.meta().whole(), &ramp(&[64, 64], DType::U16).view()).unwrap();
    store
}

fn read_all(store: &dyn Store) -> Result<()> {
    let mut out = Chunk::new(&store.meta().shape, store.meta().dtype)?;
    store.read(&store.meta().whole(), &mut out.view_mut()?)
}

#[test]
fn missing_and_misspelt() {
    let folder = tempfile::tempdir().unwrap();
    new_array(&folder.path().join("nuclei.zarr"), "none");
    let near = folder.path().join("nuclie.zarr");
    check(open_location(near.to_str().unwrap()), "not-found", &["nuclie.zarr", "did you mean", "nuclei.zarr"]);
    check(open_location(folder.path().to_str().unwrap()), "not-found", &["holds no Zarr array"]);
    check(open_location("/nowhere/at/all.npy"), "not-found", &["/nowhere/at/all.npy"]);
    check(open_location(""), "invalid", &["empty"]);
    check(open_location("ftp://host/a"), "unsupported", &["ftp://", "s3://"]);
    let text = folder.path().join("a.txt");
    fs::write(&text, "hello").unwrap();
    check(open_location(text.to_str().unwrap()), "unsupported", &["a.txt", ".npy"]);
}

#[test]
fn a_group_lists_its_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("g.zarr");
    create_group(root.to_str().unwrap(), 3, &Default::default(), false).unwrap();
    new_array(&root.join("0"), "none");
    new_array(&root.join("labels/cells"), "none");
    check(open_location(root.to_str().unwrap()), "invalid", &["is a Zarr group", "g.zarr/0'", "labels/cells"]);
    let settings = ZarrSettings { overwrite: true, ..Default::default() };
    check(create(root.to_str().unwrap(), &[4], DType::U8, &settings), "exists", &["is a Zarr group"]);
    assert!(root.join("0/zarr.json").is_file());
}

#[test]
fn nothing_is_replaced_without_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let location = path.to_str().unwrap();
    new_array(&path, "none");
    check(
        create(location, &[4], DType::U8, &Default::default()),
        "exists",
        &["a.zarr", "[64, 64] uint16", "overwrite"],
    );
    let overwrite = ZarrSettings { overwrite: true, ..Default::default() };
    assert_eq!(create(location, &[4], DType::U8, &overwrite).unwrap().meta().shape.as_slice(), [4]);
    assert!(!path.join("c/0/0").exists());
    // Folders that are not Zarr are never removed.
    let other = folder.path().join("photos");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("cat.jpg"), "meow").unwrap();
    check(create(other.to_str().unwrap(), &[4], DType::U8, &overwrite), "exists", &["other files"]);
    assert!(other.join("cat.jpg").is_file());
    let file = folder.path().join("a.npy");
    create_npy(file.to_str().unwrap(), &[4], DType::U8, false).unwrap();
    check(create_npy(file.to_str().unwrap(), &[4], DType::U8, false), "exists", &["a.npy", "overwrite"]);
}

#[test]
fn damaged_chunks_name_the_chunk_and_the_key() {
    for codec in ["none", "blosc-lz4", "zstd", "gzip", "lz4", "bz2", "zlib"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zarr");
        let store = new_array(&path, codec);
        let chunk = path.join("c/1/0");
        let whole = fs::read(&chunk).unwrap();
        for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
            fs::write(&chunk, &whole[..cut]).unwrap();
            check(read_all(&*store), "corrupt", &["chunk [1, 0]", "c/1/0", "write the chunk again"]);
        }
        fs::write(&chunk, vec![1; 100_000]).unwrap();
        check(read_all(&*store), "corrupt", &["more than any encoding"]);
    }
}

#[test]
fn damaged_shards_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let settings = ZarrSettings { chunks: Some(vec![4, 4]), shards: Some(vec![8, 8]), ..Default::default() };
    let store = create(path.to_str().unwrap(), &[8, 8], DType::U16, &settings).unwrap();
    store.write(&store.meta().whole(), &ramp(&[8, 8], DType::U16).view()).unwrap();
    let shard = path.join("c/0/0");
    let whole = fs::read(&shard).unwrap();
    let mut bent = whole.clone();
    let n = bent.len();
    bent[n - 10] ^= 1;
    fs::write(&shard, &bent).unwrap();
    check(read_all(&*store), "corrupt", &["checksum of the shard index", "chunk [0, 0]"]);
    fs::write(&shard, &whole[..10]).unwrap();
    check(read_all(&*store), "corrupt", &["shorter than its index"]);
    fs::write(&shard, &whole[20..]).unwrap();
    check(read_all(&*store), "corrupt", &["chunk"]);
}

#[test]
fn metadata_that_cannot_be_used_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    new_array(&path, "zstd");
    let file = path.join("zarr.json");
    let good: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut doc = good.clone();
        change(&mut doc);
        fs::write(&file, doc.to_string()).unwrap();
        open_location(path.to_str().unwrap())
    };
    check(with(&|d| d["codecs"][1] = json!({"name": "jpegxl"})), "unsupported", &["codec 'jpegxl'", "a.zarr"]);
    check(with(&|d| d["data_type"] = json!("string")), "unsupported", &["dtype string", "uint8"]);
    check(with(&|d| d["chunk_grid"]["name"] = json!("rectilinear")), "unsupported", &["rectilinear"]);
    check(with(&|d| d["shape"] = json!("big")), "corrupt", &["'shape'", "zarr.json"]);
    check(with(&|d| d["fill_value"] = json!(-4)), "corrupt", &["fill_value -4", "uint16"]);
    check(with(&|d| d["new_thing"] = json!({"must_understand": true})), "unsupported", &["new_thing"]);
    check(with(&|d| d["node_type"] = json!("x")), "corrupt", &["node_type"]);
    assert!(with(&|d| d["new_thing"] = json!({"must_understand": false})).is_ok());
    fs::write(&file, &good.to_string()[..50]).unwrap();
    check(open_location(path.to_str().unwrap()), "corrupt", &["zarr.json", "not JSON"]);
}

#[test]
fn bad_settings_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let with = |settings: ZarrSettings| create(path.to_str().unwrap(), &[8, 8], DType::U8, &settings);
    let some = |n: usize| Some(vec![n; 2]);
    check(with(ZarrSettings { chunks: Some(vec![2]), ..Default::default() }), "invalid", &["chunks [2]", "2"]);
    check(with(ZarrSettings { chunks: some(3), shards: some(4), ..Default::default() }), "invalid", &["no multiple"]);
    check(with(ZarrSettings { zarr_format: 2, shards: some(4), ..Default::default() }), "invalid", &["no shards"]);
    check(with(ZarrSettings { zarr_format: 4, ..Default::default() }), "invalid", &["choose 2 or 3"]);
    check(
        with(ZarrSettings { fill_value: voxmill_core::Scalar::Int(300), ..Default::default() }),
        "invalid",
        &["300", "uint8"],
    );
    check(with(ZarrSettings { separator: '-', ..Default::default() }), "invalid", &["'-'"]);
    check(with(ZarrSettings { dimension_names: vec![None], ..Default::default() }), "invalid", &["dimension names"]);
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn permissions_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let store = new_array(&path, "none");
    let lock = |mode| fs::set_permissions(path.join("c/0"), fs::Permissions::from_mode(mode)).unwrap();
    lock(0o555);
    // The super-user may write anywhere, and then there is nothing to see here.
    if fs::write(path.join("c/0/probe"), "").is_err() {
        check(store.write(&store.meta().whole(), &ramp(&[64, 64], DType::U16).view()), "io", &["c/0/0", "permissions"]);
    }
    lock(0o755);
}

#[test]
fn a_lost_network_may_be_tried_again() {
    // Nothing listens on the discard port of this machine.
    let error = open_location("http://127.0.0.1:9/a.zarr").unwrap_err();
    assert_eq!(error.class(), ErrorClass::Io { retry: true }, "{error}");
    assert!(error.to_string().contains("http://127.0.0.1:9/a.zarr"), "{error}");
}

#[test]
fn damaged_npy_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    create_npy(path.to_str().unwrap(), &[40], DType::F32, false).unwrap();
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    check(open_location(path.to_str().unwrap()), "corrupt", &["header promises", "a.npy"]);
    fs::write(&path, &good[..20]).unwrap();
    check(open_location(path.to_str().unwrap()), "corrupt", &["cut short"]);
    fs::write(&path, "hello, this is no array").unwrap();
    check(open_location(path.to_str().unwrap()), "corrupt", &["not a sound .npy file"]);
    fs::write(&path, String::from_utf8_lossy(&good).replace("<f4", "<M8").as_bytes()).unwrap();
}
