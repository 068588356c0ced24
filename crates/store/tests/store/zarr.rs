//! What is special to Zarr: layouts that others write, growth, groups, trees.

use std::fs;

use serde_json::{Value, json};
use voxmill_core::{Chunk, DType, Region, Scalar, Store};
use voxmill_store::{
    NodeKind, ZarrSettings, ZarrStore, append, create, create_group, describe, open_location, write_attributes,
};

use crate::suite::{ramp, read, same};

fn settings(chunks: &[usize]) -> ZarrSettings {
    ZarrSettings { chunks: Some(chunks.to_vec()), ..Default::default() }
}

#[test]
fn whole_fill_chunks_are_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let store = create(path.to_str().unwrap(), &[4, 4], DType::U8, &settings(&[2, 2])).unwrap();
    let mut data = ramp(&[4, 4], DType::U8);
    store.write(&store.meta().whole(), &data.view()).unwrap();
    assert!(path.join("c/1/1").is_file());
    data.view_mut().unwrap().part(&Region::new([2, 2], [2, 2])).fill(&[0]).unwrap();
    store.write(&store.meta().whole(), &data.view()).unwrap();
    assert!(!path.join("c/1/1").exists() && path.join("c/0/1").is_file());
    assert!(same(&read(&*store, &store.meta().whole()), &data));
}

/// Noise of every width, so that some chunk is just too noisy to be made smaller.
#[test]
fn noise_comes_back_whatever_the_codec_makes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u16
    };
    for codec in ["blosc-lz4", "blosc-zstd", "zstd:1", "gzip", "lz4"] {
        for bits in 5..=16 {
            let values: Vec<u16> = (0..64 * 64 * 32).map(|_| next() >> (16 - bits)).collect();
            let location = folder.path().join(format!("{codec}-{bits}.zarr"));
            let settings = ZarrSettings { codec: codec.parse().unwrap(), ..settings(&[64, 64, 32]) };
            let shape = [64, 64, 32];
            let store = create(location.to_str().unwrap(), &shape, DType::U16, &settings).unwrap();
            let chunk = Chunk::from_slice(&values, &shape).unwrap();
            store.write(&Region::whole(&shape), &chunk.view()).unwrap();
            let mut back = Chunk::new(&shape, DType::U16).unwrap();
            store.read(&Region::whole(&shape), &mut back.view_mut().unwrap()).unwrap();
            assert_eq!(back.to_vec::<u16>().unwrap(), values, "{codec} with {bits} bits");
        }
    }
}

#[test]
fn no_partial_files_stay_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let store = create(path.to_str().unwrap(), &[4, 4], DType::U8, &settings(&[2, 4])).unwrap();
    store.write(&store.meta().whole(), &ramp(&[4, 4], DType::U8).view()).unwrap();
    let mut names: Vec<_> = fs::read_dir(path.join("c/0")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["0"]);
    // A folder in the place of the chunk file makes the rename fail.
    fs::remove_file(path.join("c/0/0")).unwrap();
    fs::create_dir_all(path.join("c/0/0/x")).unwrap();
    let error = store.write(&store.meta().whole(), &ramp(&[4, 4], DType::U8).view()).unwrap_err();
    assert!(error.to_string().contains("chunk [0, 0]"), "{error}");
    assert_eq!(fs::read_dir(path.join("c/0")).unwrap().count(), 1);
}

#[test]
fn fortran_order_and_big_endian_of_version_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    fs::create_dir_all(&path).unwrap();
    let doc = json!({"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "dtype": ">u2", "order": "F", "fill_value": 7,
        "filters": null, "compressor": null});
    fs::write(path.join(".zarray"), doc.to_string()).unwrap();
    fs::write(path.join("0.0"), [0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6]).unwrap();
    let store = open_location(path.to_str().unwrap()).unwrap();
    let all = read(&*store, &store.meta().whole());
    assert_eq!(all.to_vec::<u16>().unwrap(), [1, 2, 3, 4, 5, 6]);
    store.write(&Region::new([0, 1], [2, 1]), &Chunk::from_slice(&[20u16, 50], &[2, 1]).unwrap().view()).unwrap();
    assert_eq!(fs::read(path.join("0.0")).unwrap(), [0, 1, 0, 4, 0, 20, 0, 50, 0, 3, 0, 6]);
}

#[test]
fn any_byte_but_zero_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let plain = ZarrSettings { codec: "none".parse().unwrap(), ..settings(&[4]) };
    let store = create(path.to_str().unwrap(), &[4], DType::Bool, &plain).unwrap();
    fs::create_dir_all(path.join("c")).unwrap();
    fs::write(path.join("c/0"), [0, 1, 2, 255]).unwrap();
    assert_eq!(read(&*store, &store.meta().whole()).view().bytes().unwrap(), [0, 1, 1, 1]);
    assert_eq!(read(&*store, &Region::new([1], [2])).view().bytes().unwrap(), [1, 1]);
}

#[test]
fn shards_are_written_whole_and_read_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let sharded = ZarrSettings { shards: Some(vec![8, 8]), ..settings(&[2, 2]) };
    let store = create(path.to_str().unwrap(), &[16, 8], DType::U16, &sharded).unwrap();
    assert_eq!(store.meta().grid.largest().as_slice(), [2, 2]);
    assert_eq!(store.write_grid().largest().as_slice(), [8, 8]);
    let data = ramp(&[16, 8], DType::U16);
    store.write(&store.meta().whole(), &data.view()).unwrap();
    let region = Region::new([3, 1], [6, 5]);
    assert!(same(&read(&*store, &region), &data.part(&region)));
    assert!(path.join("c/1/0").is_file());
}

#[test]
fn slices_of_large_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zarr");
    let data = ramp(&[160, 130, 150], DType::U16);
    let whole = Region::whole(data.shape());
    for codec in ["none", "blosc-lz4", "blosc-zstd:1:bitshuffle", "zstd"] {
        for order in ["C", "F"] {
            let wanted = ZarrSettings {
                zarr_format: 2,
                codec: codec.parse().unwrap(),
                overwrite: true,
                ..settings(&[160, 130, 150])
            };
            let location = path.to_str().unwrap();
            create(location, data.shape(), DType::U16, &wanted).unwrap();
            let file = path.join(".zarray");
            let text =
                fs::read_to_string(&file).unwrap().replace("\"order\": \"C\"", &format!("\"order\": \"{order}\""));
            fs::write(&file, text).unwrap();
            let store = open_location(location).unwrap();
            store.write(&whole, &data.view()).unwrap();
            for axis in 0..3 {
                for region in [whole.with_axis(axis, 77, 1), whole.with_axis(axis, 100, 30)] {
                    assert!(same(&read(&*store, &region), &data.part(&region)), "{codec} {order} {region}");
                }
            }
            let window = Region::new([150, 3, 7], [10, 100, 1]);
            assert!(same(&read(&*store, &window), &data.part(&window)), "{codec} {order} {window}");
        }
    }
}

#[test]
fn arrays_grow() {
    for zarr_format in [2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zarr");
        let location = path.to_str().unwrap();
        let names = vec![Some("t".to_string()), Some("x".to_string())];
        let attributes = json!({"a": [1, "b"]}).as_object().unwrap().clone();
        let wanted = ZarrSettings { zarr_format, dimension_names: names, attributes, ..settings(&[2, 3]) };
        let store = create(location, &[3, 3], DType::U8, &wanted).unwrap();
        store.write(&store.meta().whole(), &ramp(&[3, 3], DType::U8).view()).unwrap();
        let longer = append(location, 0, 2).unwrap();
        assert_eq!(longer.meta().shape.as_slice(), [5, 3]);
        assert_eq!(
            read(&*longer, &longer.meta().whole()).to_vec::<u8>().unwrap(),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0]
        );
        let again = ZarrStore::open(location).unwrap();
        assert_eq!(again.attributes()["a"], json!([1, "b"]));
        assert_eq!(again.meta().axes[1].name.as_deref(), Some("x"));
        assert!(append(location, 2, 1).unwrap_err().message().contains("axis 2"));
    }
}

#[test]
fn a_tree_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("image.zarr");
    let at = |name: &str| root.join(name).to_str().unwrap().to_string();
    create_group(root.to_str().unwrap(), 3, &json!({"ome": {}}).as_object().unwrap().clone(), false).unwrap();
    let fill = ZarrSettings { fill_value: Scalar::Int(3), shards: Some(vec![4, 4]), ..settings(&[2, 2]) };
    let store = create(&at("0"), &[8, 8], DType::U16, &fill).unwrap();
    store.write(&Region::new([0, 0], [4, 4]), &ramp(&[4, 4], DType::U16).view()).unwrap();
    create_group(&at("labels"), 3, &Default::default(), false).unwrap();
    create(&at("labels/cells"), &[8, 8], DType::U32, &settings(&[8, 8])).unwrap();
    fs::create_dir_all(root.join("bad")).unwrap();
    fs::write(root.join("bad/zarr.json"), "{").unwrap();

    let tree = describe(root.to_str().unwrap()).unwrap();
    let names: Vec<_> = tree.children.iter().map(|node| node.path.as_str()).collect();
    assert_eq!(names, ["0", "bad", "labels"]);
    assert!(matches!(&tree.children[1].kind, NodeKind::Broken { error } if error.contains("not JSON")));
    let NodeKind::Array(array) = &tree.children[0].kind else { panic!("{tree:?}") };
    assert_eq!((array.chunks.clone(), array.shards.clone()), (vec![2, 2], Some(vec![4, 4])));
    assert_eq!((array.stored_objects, array.n_chunks), (Some(1), 4));
    assert_eq!(array.fill_value, json!(3));
    assert_eq!(array.codecs, ["sharding_indexed", "bytes", "blosc(lz4)"]);
    assert_eq!(tree.children[2].children[0].path, "labels/cells");
    let text: Value = serde_json::to_value(&tree).unwrap();
    assert_eq!(text["children"][0]["kind"], "array");

    write_attributes(&at("labels"), &json!({"labels": ["cells"]}).as_object().unwrap().clone()).unwrap();
    assert_eq!(describe(&at("labels")).unwrap().attributes["labels"], json!(["cells"]));
}

#[test]
fn metadata_only_in_the_group_above_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("g.zarr");
    let location = root.join("a/b");
    let v2 = ZarrSettings { zarr_format: 2, ..settings(&[2]) };
    let store = create(location.to_str().unwrap(), &[4], DType::U8, &v2).unwrap();
    store.write(&store.meta().whole(), &ramp(&[4], DType::U8).view()).unwrap();
    let doc: Value = serde_json::from_slice(&fs::read(location.join(".zarray")).unwrap()).unwrap();
    fs::remove_file(location.join(".zarray")).unwrap();
    let all = json!({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, "a/b/.zarray": doc}});
    fs::write(root.join(".zmetadata"), all.to_string()).unwrap();
    fs::write(root.join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
    let store = open_location(location.to_str().unwrap()).unwrap();
    assert_eq!(read(&*store, &store.meta().whole()).to_vec::<u8>().unwrap(), [1, 2, 3, 4]);
    assert_eq!(describe(root.to_str().unwrap()).unwrap().children[0].children[0].path, "a/b");
    let error = open_location(root.to_str().unwrap()).unwrap_err();
    assert!(error.message().contains("a/b'"), "{error}");
}

#[test]
fn groups_above_learn_what_changed() {
    for (zarr_format, list, pointer, entry) in
        [(2, ".zmetadata", "/metadata", "a/b/.zarray"), (3, "zarr.json", "/consolidated_metadata/metadata", "a/b")]
    {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("g.zarr");
        let location = root.join("a/b").to_str().unwrap().to_string();
        let wanted = ZarrSettings { zarr_format, ..settings(&[2]) };
        create(&location, &[4], DType::U8, &wanted).unwrap();
        let file = if zarr_format == 2 { ".zarray" } else { "zarr.json" };
        let doc: Value = serde_json::from_slice(&fs::read(root.join("a/b").join(file)).unwrap()).unwrap();
        let all = match zarr_format {
            2 => json!({"zarr_consolidated_format": 1, "metadata": {entry: doc}}),
            _ => json!({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {entry: doc}}}),
        };
        fs::write(root.join(list), all.to_string()).unwrap();
        let listed = || {
            let text = fs::read(root.join(list)).unwrap();
            serde_json::from_slice::<Value>(&text).unwrap().pointer(pointer).unwrap()[entry].clone()
        };
        append(&location, 0, 3).unwrap();
        assert_eq!(listed()["shape"], json!([7]));
        create(&location, &[9, 9], DType::U16, &ZarrSettings { overwrite: true, zarr_format, ..settings(&[3, 3]) })
            .unwrap();
        assert_eq!(listed()["shape"], json!([9, 9]));
    }
}
