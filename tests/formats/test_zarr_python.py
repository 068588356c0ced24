"""Arrays that zarr-python writes are read exactly, and the other way round."""

import json

import numcodecs
import numpy as np
import pytest
import zarr
from conftest import DTYPES, sample, same

SHAPE, CHUNKS = (13, 9, 11), (5, 4, 6)

BYTES_CODECS_V2 = {
    "none": None,
    "blosc-lz4": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE),
    "blosc-zstd-bit": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
    "blosc-blosclz": numcodecs.Blosc("blosclz", 5, numcodecs.Blosc.NOSHUFFLE),
    "blosc-lz4hc": numcodecs.Blosc("lz4hc", 5, numcodecs.Blosc.AUTOSHUFFLE),
    "blosc-zlib": numcodecs.Blosc("zlib", 5),
    "zstd": numcodecs.Zstd(3),
    "zstd-sum": numcodecs.Zstd(3, checksum=True),
    "gzip": numcodecs.GZip(5),
    "zlib": numcodecs.Zlib(5),
    "lz4": numcodecs.LZ4(1),
    "bz2": numcodecs.BZ2(5),
}


def zarr_array(path, data, fill=None, **settings):
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, fill_value=fill, **settings)
    array[...] = data
    return array


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(store, tmp_path, dtype, version):
    data = sample(SHAPE, dtype)
    zarr_array(tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=version)
    same(store.read(tmp_path / "a.zarr"), data)
    store.write(data, tmp_path / "b.zarr", format=version, chunks="5,4,6")
    same(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], data)


@pytest.mark.parametrize("name", BYTES_CODECS_V2)
@pytest.mark.parametrize("order", "CF")
def test_codecs_of_version_2(store, tmp_path, name, order):
    data = sample(SHAPE, "u2")
    zarr_array(tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=2, compressors=BYTES_CODECS_V2[name], order=order)
    assert json.loads((tmp_path / "a.zarr/.zarray").read_text())["order"] == order
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("filters", [
    [numcodecs.Delta("<i4")],
    [numcodecs.Delta("<i4", astype="<i2")],
    [numcodecs.Delta(">i4")],
    [numcodecs.FixedScaleOffset(0, 1, "<i4", "<i4")],
    [numcodecs.Shuffle(4)],
])
@pytest.mark.parametrize("compressor", [None, numcodecs.LZ4(), numcodecs.Zstd(1), numcodecs.Blosc("lz4")])
def test_filters_of_version_2(store, tmp_path, filters, compressor):
    order = filters[0].get_config().get("dtype", "<i4")[0]
    data = sample(SHAPE, f"{order}i4")
    zarr_array(tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=2, filters=filters, compressors=compressor)
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("dtype", [">u2", ">i4", ">f4", ">f8", ">c8", ">c16", ">f2"])
@pytest.mark.parametrize("order", "CF")
def test_big_endian_of_version_2(store, tmp_path, dtype, order):
    data = sample(SHAPE, dtype)
    zarr_array(tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=2, order=order)
    assert json.loads((tmp_path / "a.zarr/.zarray").read_text())["dtype"] == dtype
    same(store.read(tmp_path / "a.zarr"), data)


CODECS_V3 = {
    "none": [],
    "blosc": [zarr.codecs.BloscCodec(cname="lz4", shuffle="shuffle")],
    "blosc-zstd-bit": [zarr.codecs.BloscCodec(cname="zstd", shuffle="bitshuffle")],
    "zstd": [zarr.codecs.ZstdCodec(level=3, checksum=True)],
    "gzip": [zarr.codecs.GzipCodec(level=5)],
    "zstd-crc32c": [zarr.codecs.ZstdCodec(level=1), zarr.codecs.Crc32cCodec()],
    "crc32c": [zarr.codecs.Crc32cCodec()],
    "crc32c-gzip": [zarr.codecs.Crc32cCodec(), zarr.codecs.GzipCodec()],
}


@pytest.mark.parametrize("name", CODECS_V3)
@pytest.mark.parametrize("filters", [[], [zarr.codecs.TransposeCodec(order=(2, 0, 1))]], ids=["plain", "transposed"])
@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("shards", [None, (10, 8, 12)], ids=["chunks", "shards"])
def test_codecs_of_version_3(store, tmp_path, name, filters, endian, shards):
    data = sample(SHAPE, "f4")
    zarr_array(
        tmp_path / "a.zarr", data, chunks=CHUNKS, shards=shards, zarr_format=3,
        filters=filters, serializer=zarr.codecs.BytesCodec(endian=endian), compressors=CODECS_V3[name],
    )
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("name", ["Zlib", "LZ4", "BZ2", "Zstd", "Blosc", "GZip"])
@pytest.mark.filterwarnings("ignore")
def test_numcodecs_in_version_3(store, tmp_path, name):
    codecs = pytest.importorskip("zarr.codecs.numcodecs")
    data = sample(SHAPE, "i4")
    zarr_array(tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=3, compressors=[getattr(codecs, name)()])
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.filterwarnings("ignore")
def test_delta_in_version_3(store, tmp_path):
    codecs = pytest.importorskip("zarr.codecs.numcodecs")
    data = sample(SHAPE, "i4")
    zarr_array(
        tmp_path / "a.zarr", data, chunks=CHUNKS, zarr_format=3,
        filters=[codecs.Delta(dtype="<i4")], compressors=[codecs.LZ4()],
    )
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("location", ["start", "end"])
def test_shard_index_at_either_end(store, tmp_path, location):
    data = sample(SHAPE, "u2")
    data[:10, :8] = 0
    codec = zarr.codecs.ShardingCodec(chunk_shape=CHUNKS, codecs=[zarr.codecs.BytesCodec(), zarr.codecs.ZstdCodec()], index_location=location)
    zarr_array(tmp_path / "a.zarr", data, chunks=(10, 8, 12), zarr_format=3, serializer=codec, compressors=[], fill=0)
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("separator", ["/", "."])
def test_separators_and_missing_chunks(store, tmp_path, version, separator):
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=SHAPE, chunks=CHUNKS, dtype="f8", fill_value=np.nan, zarr_format=version,
        chunk_key_encoding={"name": "v2" if version == 2 else "default", "separator": separator},
    )
    array[5:10, 4:8, :] = 3.5
    same(store.read(tmp_path / "a.zarr"), array[...])
    store.write(array[...], tmp_path / "b.zarr", format=version, chunks="5,4,6", separator=separator, fill="nan")
    same(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], array[...])
    files = [p for p in (tmp_path / "b.zarr").rglob("*") if p.is_file() and not p.name.startswith((".z", "zarr"))]
    assert len(files) == 2


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("shape", [(), (0, 4), (1,), (3, 1, 2, 1, 2)])
def test_odd_shapes(store, tmp_path, version, shape):
    data = sample(shape, "i2")
    zarr_array(tmp_path / "a.zarr", data, zarr_format=version)
    same(store.read(tmp_path / "a.zarr"), data)
    store.write(data, tmp_path / "b.zarr", format=version)
    same(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], data)


@pytest.mark.parametrize("codec", ["none", "zstd", "zstd:9", "gzip", "blosc-lz4", "blosc-zstd:3:bitshuffle", "blosc-blosclz", "zlib", "lz4", "bz2"])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_what_we_write_is_read(store, tmp_path, codec, version):
    data = sample(SHAPE, "u2")
    store.write(data, tmp_path / "b.zarr", format=version, chunks="5,4,6", codec=codec)
    same(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], data)


@pytest.mark.parametrize("codec", ["none", "zstd", "blosc-lz4"])
def test_our_shards_are_read(store, tmp_path, codec):
    data = sample(SHAPE, "u2")
    store.write(data, tmp_path / "b.zarr", chunks="5,4,6", shards="10,8,12", codec=codec)
    array = zarr.open_array(tmp_path / "b.zarr", mode="r")
    assert array.shards == (10, 8, 12) and array.chunks == CHUNKS
    same(array[...], data)


@pytest.mark.parametrize("version", [2, 3])
def test_consolidated_groups(store, tmp_path, version):
    root = zarr.create_group(tmp_path / "g.zarr", zarr_format=version, attributes={"of": "cells"})
    data = sample(SHAPE, "u2")
    for name in ["0", "1", "labels/nuclei"]:
        root.create_array(name, data=data, chunks=CHUNKS)
    zarr.consolidate_metadata(tmp_path / "g.zarr", zarr_format=version)
    same(store.read(tmp_path / "g.zarr/labels/nuclei"), data)
    tree = json.loads(store.ok("info", tmp_path / "g.zarr"))
    assert [child["path"] for child in tree["children"]] == ["0", "1", "labels"]
    assert tree["children"][2]["children"][0]["shape"] == list(SHAPE)
    assert tree["attributes"] == {"of": "cells"}
    wrong = store.run("zarr2npy", tmp_path / "g.zarr", tmp_path / "x.npy")
    assert wrong.returncode == 2 and "labels/nuclei" in wrong.stderr


def test_bioformats2raw_layout(store, tmp_path):
    """A version 2 group of numbered images with numbered levels, five axes and nested chunk keys."""
    root = zarr.create_group(tmp_path / "b.zarr", zarr_format=2, attributes={"bioformats2raw.layout": 3})
    data = sample((1, 2, 3, 40, 50), ">u2")
    for level in "01":
        root.create_array(
            f"0/{level}", data=data[..., :: int(level) + 1], chunks=(1, 1, 1, 16, 16),
            compressors=numcodecs.Blosc("lz4", 5, 1), chunk_key_encoding={"name": "v2", "separator": "/"},
        )
    same(store.read(tmp_path / "b.zarr/0/0"), data)
    same(store.read(tmp_path / "b.zarr/0/1"), data[..., ::2])
    tree = json.loads(store.ok("info", tmp_path / "b.zarr"))
    assert [child["path"] for child in tree["children"][0]["children"]] == ["0/0", "0/1"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CF")
def test_npy(store, tmp_path, dtype, order):
    for code in [dtype, np.dtype(dtype).newbyteorder(">")]:
        data = np.asarray(sample((5, 6, 7), dtype), dtype=code, order=order)
        np.save(tmp_path / "a.npy", data)
        same(store.read(tmp_path / "a.npy"), data)
        store.ok("npy2zarr", tmp_path / "a.npy", tmp_path / "b.zarr", "--overwrite")
        same(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], data)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(store, tmp_path, version):
    data = sample((5, 6), "f4")
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, data, version=version)
    same(store.read(tmp_path / "a.npy"), data)
