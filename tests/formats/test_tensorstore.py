"""Arrays that tensorstore writes are read exactly, and the other way round."""

import ml_dtypes
import pytest
import tensorstore as ts
from conftest import DTYPES, sample, same

SHAPE, CHUNKS = (13, 9, 11), (5, 4, 6)


def file_spec(driver, path, **more):
    return {"driver": driver, "kvstore": {"driver": "file", "path": str(path)}, **more}


def ts_write(spec, data):
    array = ts.open(spec, create=True, dtype=ts.dtype(data.dtype), shape=data.shape).result()
    array.write(data).result()


@pytest.mark.parametrize("driver", ["zarr", "zarr3"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(store, tmp_path, driver, dtype):
    data = sample(SHAPE, dtype)
    layout = {"chunk_layout": {"chunk": {"shape": list(CHUNKS)}}}
    ts_write(file_spec(driver, tmp_path / "a.zarr", schema=layout), data)
    same(store.read(tmp_path / "a.zarr"), data)
    store.write(data, tmp_path / "b.zarr", format=2 if driver == "zarr" else 3, chunks="5,4,6")
    same(ts.open(file_spec(driver, tmp_path / "b.zarr")).result().read().result(), data)


@pytest.mark.parametrize("driver", ["zarr", "zarr3"])
def test_bfloat16(store, tmp_path, driver):
    data = sample(SHAPE, "f4").astype(ml_dtypes.bfloat16)
    ts_write(file_spec(driver, tmp_path / "a.zarr"), data)
    done = store.run("zarr2npy", tmp_path / "a.zarr", tmp_path / "x.npy")
    assert done.returncode == 3 and "bfloat16" in done.stderr
    assert '"dtype": "bfloat16"' in store.ok("info", tmp_path / "a.zarr")


@pytest.mark.parametrize("codec", ["blosc", "zstd", "gzip"])
def test_sharded(store, tmp_path, codec):
    data = sample(SHAPE, "u2")
    settings = {"blosc": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle"}, "zstd": {"level": 1}, "gzip": {"level": 5}}[codec]
    inner = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": codec, "configuration": settings}]
    metadata = {
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 8, 12]}},
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": list(CHUNKS), "codecs": inner}}],
    }
    ts_write(file_spec("zarr3", tmp_path / "a.zarr", metadata=metadata), data)
    same(store.read(tmp_path / "a.zarr"), data)
    name = {"blosc": "blosc-lz4", "zstd": "zstd", "gzip": "gzip"}[codec]
    store.write(data, tmp_path / "b.zarr", chunks="5,4,6", shards="10,8,12", codec=name)
    same(ts.open(file_spec("zarr3", tmp_path / "b.zarr")).result().read().result(), data)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("compressor", [None, {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2}, {"id": "zstd", "level": 3}, {"id": "gzip", "level": 3}, {"id": "bz2", "level": 1}, {"id": "zlib", "level": 3}])
def test_version_2_codecs(store, tmp_path, order, compressor):
    data = sample(SHAPE, "i4")
    metadata = {"chunks": list(CHUNKS), "order": order, "compressor": compressor, "dimension_separator": "/"}
    ts_write(file_spec("zarr", tmp_path / "a.zarr", metadata=metadata), data)
    same(store.read(tmp_path / "a.zarr"), data)


@pytest.mark.parametrize("codec", ["none", "zstd", "gzip", "blosc-lz4", "blosc-zstd:3:bitshuffle"])
@pytest.mark.parametrize("version", [2, 3])
def test_what_we_write_is_read(store, tmp_path, codec, version):
    data = sample(SHAPE, "u2")
    store.write(data, tmp_path / "b.zarr", format=version, chunks="5,4,6", codec=codec)
    same(ts.open(file_spec("zarr" if version == 2 else "zarr3", tmp_path / "b.zarr")).result().read().result(), data)
