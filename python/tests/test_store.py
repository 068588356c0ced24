"""Results in files: Zarr with zarr-python's and Dask's keywords, .npy, HDF5, and anything that takes `[...] = ...`."""

from __future__ import annotations

import io
import json
import threading
import warnings

import h5py
import numcodecs
import numpy as np
import pytest
import voxmill as vm
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from zarr import codecs

DTYPES = (
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def some(shape, dtype="int32"):
    """Numbers of a shape that differ from each other."""
    values = np.arange(int(np.prod(shape))).reshape(shape)
    if np.dtype(dtype).kind == "c":
        return (values - 1j * values).astype(dtype)
    return (values % 2 == 1) if dtype == "bool" else values.astype(dtype)


def read(place, **kwargs):
    """Read with zarr-python."""
    return zarr.open_array(place, mode="r", **kwargs)


@pytest.fixture
def image():
    a = some((30, 50), "uint16")
    return a, vm.from_array(a, chunks=(10, 20))


# Zarr


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_every_dtype(tmp_path, dtype, zarr_format):
    a = some((7, 5), dtype)
    vm.from_array(a, chunks=3).to_zarr(tmp_path / "x", zarr_format=zarr_format, chunks=(3, 3))
    z = read(tmp_path / "x")
    assert z.metadata.zarr_format == zarr_format and z.dtype == a.dtype and z.chunks == (3, 3)
    np.testing.assert_array_equal(z[:], a)
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "x"), a, strict=True)
    np.testing.assert_array_equal(vm.open(str(tmp_path / "x")), a, strict=True)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 3)])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_odd_shapes(tmp_path, shape, zarr_format):
    a = some(shape)
    vm.asarray(a).to_zarr(tmp_path / "x", zarr_format=zarr_format)
    np.testing.assert_array_equal(read(tmp_path / "x")[...], a)
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "x"), a, strict=True)


CODECS = [
    None,
    "auto",
    "zstd:3",
    "blosc-zstd:3:bitshuffle",
    [],
    codecs.BloscCodec(cname="zstd", clevel=3, shuffle="bitshuffle"),
    codecs.BloscCodec(),
    codecs.ZstdCodec(level=5),
    codecs.ZstdCodec(level=1, checksum=True),
    codecs.GzipCodec(level=2),
    [codecs.ZstdCodec(level=3)],
    {"name": "zstd", "configuration": {"level": 4, "checksum": False}},
    {"name": "gzip", "configuration": {"level": 4}},
    {"id": "zstd", "level": 3},
    {"id": "blosc", "cname": "lz4", "clevel": 9, "shuffle": 2},
    numcodecs.Blosc(cname="lz4hc", clevel=2, shuffle=numcodecs.Blosc.NOSHUFFLE),
    numcodecs.Blosc(shuffle=numcodecs.Blosc.AUTOSHUFFLE),
    numcodecs.Blosc(blocksize=1024),
    numcodecs.Zstd(level=2),
    numcodecs.GZip(level=3),
    numcodecs.Zlib(level=3),
    numcodecs.BZ2(level=3),
    numcodecs.LZ4(),
    numcodecs.LZ4(acceleration=3),
    numcodecs.LZMA(preset=1),
    [codecs.ZstdCodec(level=3), codecs.Crc32cCodec()],
]


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("codec", CODECS, ids=[str(k) for k in range(len(CODECS))])
def test_every_compressor(tmp_path, image, codec, zarr_format):
    a, x = image
    if zarr_format == 2 and isinstance(codec, list) and len(codec) > 1:
        with pytest.raises(ValueError, match="one compressor"):
            x.to_zarr(tmp_path / "x", compressors=codec, zarr_format=2)
        return
    x.to_zarr(tmp_path / "x", compressors=codec, zarr_format=zarr_format)
    z = read(tmp_path / "x")
    np.testing.assert_array_equal(z[:], a)
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "x"), a)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float64"])
def test_codecs_keep_their_settings(tmp_path, dtype):
    """What zarr-python would write into the metadata is what stands there."""
    a = some((20, 20), dtype)
    for k, codec in enumerate(
        [
            codecs.BloscCodec(),
            codecs.BloscCodec(cname="lz4", clevel=1, shuffle="noshuffle"),
            codecs.ZstdCodec(level=3),
            codecs.GzipCodec(level=7),
        ]
    ):
        vm.asarray(a).to_zarr(tmp_path / f"mine{k}", compressors=codec)
        zarr.create_array(tmp_path / f"theirs{k}", data=a, compressors=codec)
        assert read(tmp_path / f"mine{k}").compressors == read(tmp_path / f"theirs{k}").compressors
    for k, codec in enumerate(
        [numcodecs.Blosc(), numcodecs.Blosc("zstd", 2, 2), numcodecs.Zstd(4), numcodecs.LZ4(), numcodecs.BZ2(2), numcodecs.Zlib(2)]
    ):
        vm.asarray(a).to_zarr(tmp_path / f"two{k}", compressor=codec, zarr_format=2)
        assert read(tmp_path / f"two{k}").compressors == (codec,)


def test_layout(tmp_path, image):
    a, x = image
    x.to_zarr(
        tmp_path / "x",
        chunks=(5, 10),
        shards=(15, 20),
        compressors=None,
        fill_value=7,
        dimension_names=["y", "x"],
        attributes={"unit": "counts", "levels": [1, 2.5, None], "nested": {"a": True}, "n": np.int64(3)},
        chunk_key_encoding={"name": "default", "separator": "."},
    )
    z = read(tmp_path / "x")
    assert (z.chunks, z.shards, z.compressors, z.fill_value) == ((5, 10), (15, 20), (), 7)
    assert z.metadata.dimension_names == ("y", "x")
    assert z.attrs.asdict() == {"unit": "counts", "levels": [1, 2.5, None], "nested": {"a": True}, "n": 3}
    assert (tmp_path / "x" / "c.0.0").exists()
    np.testing.assert_array_equal(z[:], a)


def test_layout_of_version_2(tmp_path, image):
    a, x = image
    x.to_zarr(
        tmp_path / "x", zarr_format=2, chunks=-1, fill_value=3, dimension_names=["y", "x"], attributes={"a": 1}, dimension_separator="/"
    )
    z = read(tmp_path / "x")
    assert (z.chunks, z.fill_value, z.order) == ((30, 50), 3, "C")
    assert z.attrs.asdict() == {"a": 1, "_ARRAY_DIMENSIONS": ["y", "x"]}
    assert (tmp_path / "x" / "0" / "0").exists()
    np.testing.assert_array_equal(z[:], a)
    x.to_zarr(
        tmp_path / "f", zarr_format=2, order="F", filters=numcodecs.Delta("<u2"), compressor=numcodecs.Zlib(1), dimension_names=["y", "x"]
    )
    z = read(tmp_path / "f")
    assert (z.order, z.filters, z.compressors) == ("F", (numcodecs.Delta("<u2"),), (numcodecs.Zlib(1),))
    np.testing.assert_array_equal(z[:], a)
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "f"), a)


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
def test_filters_and_serializers(tmp_path, image):
    a, x = image
    x.to_zarr(
        tmp_path / "t",
        filters=[codecs.TransposeCodec(order=(1, 0))],
        serializer=codecs.BytesCodec(endian="big"),
        dimension_names=["y", None],
    )
    z = read(tmp_path / "t")
    assert [type(f).__name__ for f in z.filters] == ["TransposeCodec"] and z.serializer.endian.value == "big"
    assert z.metadata.dimension_names == ("y", None)
    np.testing.assert_array_equal(z[:], a)
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "t"), a)
    x.to_zarr(tmp_path / "d", filters={"name": "numcodecs.delta", "configuration": {"dtype": "<u2"}}, compressors=codecs.ZstdCodec(level=1))
    np.testing.assert_array_equal(read(tmp_path / "d")[:], a)
    x.to_zarr(tmp_path / "q", filters=numcodecs.FixedScaleOffset(offset=0, scale=1, dtype="<u2", astype="<u4"))
    np.testing.assert_array_equal(read(tmp_path / "q")[:], a)
    x.to_zarr(tmp_path / "v2 keys", chunk_key_encoding={"name": "v2", "separator": "."}, chunks=(30, 50))
    assert (tmp_path / "v2 keys" / "0.0").exists()
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "v2 keys"), a)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float32", np.nan),
        ("float64", -np.inf),
        ("bool", True),
        ("complex64", 1 + 2j),
        ("uint8", 255),
        ("int64", -(2**63)),
        ("uint64", 2**64 - 1),
        ("float16", 0.5),
    ],
)
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_fill_values(tmp_path, dtype, value, zarr_format):
    vm.full((6,), value, dtype=dtype, chunks=3).to_zarr(tmp_path / "x", fill_value=value, zarr_format=zarr_format)
    np.testing.assert_array_equal(read(tmp_path / "x").fill_value, np.dtype(dtype).type(value))
    np.testing.assert_array_equal(read(tmp_path / "x")[:], np.full(6, value, dtype))


def test_chunks_beyond_the_array_are_kept(tmp_path):
    vm.arange(5).to_zarr(tmp_path / "x", chunks=(100,))
    assert read(tmp_path / "x").chunks == (100,)


def test_declared_chunks_are_the_layout(tmp_path):
    vm.zeros((100, 100), chunks=(50, 40)).to_zarr(tmp_path / "even")
    assert read(tmp_path / "even").chunks == (50, 40)
    # Uneven and tiny ones are no layout for files.
    vm.zeros((100, 100), chunks=((30, 70), (100,))).to_zarr(tmp_path / "uneven")
    vm.zeros((100, 100), chunks=2).to_zarr(tmp_path / "tiny")
    assert read(tmp_path / "tiny").chunks == read(tmp_path / "uneven").chunks == (100, 100)
    vm.zeros((128, 128), chunks=(32, 64)).to_zarr(tmp_path / "sharded", shards=(64, 128))
    assert (read(tmp_path / "sharded").chunks, read(tmp_path / "sharded").shards) == ((32, 64), (64, 128))


def test_components_lie_in_groups(tmp_path, image):
    a, x = image
    x.to_zarr(tmp_path / "g", component="a/b")
    x.to_zarr(tmp_path / "g", component="a/c", chunks=(30, 50))
    group = zarr.open_group(tmp_path / "g", mode="r")
    np.testing.assert_array_equal(group["a/b"][:], a)
    assert sorted(group["a"].array_keys()) == ["b", "c"]
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "g", component="a/b"), a)
    np.testing.assert_array_equal(vm.from_zarr(group, component="a/b"), a)
    np.testing.assert_array_equal(vm.from_zarr(group["a/b"]), a)
    with pytest.raises(FileExistsError, match="is an array already"):
        x.to_zarr(tmp_path / "g", component="a/b/c")
    x.to_zarr(tmp_path / "two", component="0", zarr_format=2)
    x.to_zarr(tmp_path / "two", component="1")  # The version of the group around it.
    assert zarr.open_group(tmp_path / "two", mode="r")["1"].metadata.zarr_format == 2
    x.to_zarr(zarr.open_group(tmp_path / "g", mode="a"), component="d")
    assert "d" in zarr.open_group(tmp_path / "g", mode="r")


def test_stores_of_zarr_python(tmp_path, image):
    a, x = image
    local, memory, mapping = zarr.storage.LocalStore(tmp_path / "l"), zarr.storage.MemoryStore(), {}
    for place in (local, memory, mapping):
        x.to_zarr(place, component="i", chunks=(8, 8), compressors=codecs.ZstdCodec(level=1))
        z = zarr.open_array(place, path="i", mode="r")
        assert z.chunks == (8, 8)
        np.testing.assert_array_equal(z[:], a)
        np.testing.assert_array_equal(vm.from_zarr(place, component="i"), a)
        with pytest.raises(FileExistsError):
            x.to_zarr(place, component="i")
        stored = x.to_zarr(place, component="i", overwrite=True, return_stored=True, shards=(15, 25), chunks=(15, 5))
        np.testing.assert_array_equal(stored, a)


def test_storage_options(image):
    a, x = image
    url = "memory://voxmill/test_storage_options.zarr"
    x.to_zarr(url, storage_options={"auto_mkdir": True}, compressors=None)
    np.testing.assert_array_equal(vm.from_zarr(url, storage_options={"auto_mkdir": True}), a)


def test_zip_files(tmp_path, image):
    a, x = image
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        x.to_zarr(store, component="x")
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="r") as store:
        np.testing.assert_array_equal(vm.from_zarr(store, component="x"), a)


def test_what_exists_is_left_alone(tmp_path, image):
    a, x = image
    x.to_zarr(tmp_path / "x")
    for kwargs in (
        {},
        {"mode": "w-"},
        {"chunks": (3, 3)},
        {"zarr_format": 2},
        {"compressors": codecs.ZstdCodec(checksum=True)},
        {"mode": "x"},
    ):
        with pytest.raises(FileExistsError, match="overwrite"):
            (x + 1).to_zarr(tmp_path / "x", **kwargs)
        np.testing.assert_array_equal(read(tmp_path / "x")[:], a)
    (x + 1).to_zarr(tmp_path / "x", overwrite=True)
    np.testing.assert_array_equal(read(tmp_path / "x")[:], a + 1)
    (x + 2).to_zarr(tmp_path / "x", mode="w", chunks=(4, 4))
    np.testing.assert_array_equal(read(tmp_path / "x")[:], a + 2)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(FileExistsError):
            x.to_zarr(tmp_path / "folder", overwrite=overwrite)
    assert (tmp_path / "folder" / "notes.txt").read_text() == "mine"
    with pytest.raises(ValueError, match="both read and written"):
        (vm.open(tmp_path / "x") + 1).to_zarr(tmp_path / "x", overwrite=True)
    np.testing.assert_array_equal(read(tmp_path / "x")[:], a + 2)


def test_regions():
    """Parts of random boxes, written one after the other, with chunks that do not fit each other."""

    @settings(max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data):
        draw = data.draw
        shape = tuple(draw(st.integers(1, 12)) for _ in range(draw(st.integers(1, 3))))
        chunks = tuple(draw(st.integers(1, n)) for n in shape)
        shards = tuple(c * draw(st.integers(1, 2)) for c in chunks) if draw(st.booleans()) else None
        z = zarr.create_array(zarr.storage.MemoryStore(), shape=shape, chunks=chunks, shards=shards, dtype="int32")
        wanted = np.zeros(shape, "int32")
        for _ in range(3):
            ends = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for n in shape]
            region = tuple(slice(*e) for e in ends)
            part = some(wanted[region].shape)
            x = vm.from_array(part, chunks=tuple(draw(st.integers(1, max(n, 1))) for n in part.shape))
            wanted[region] = part
            with vm.config.set(random_tiles=draw(st.integers(0, 99))):
                x.to_zarr(z, region=region)
        np.testing.assert_array_equal(z[...], wanted)

    run()


def test_regions_of_files(tmp_path, image):
    a, x = image
    x.to_zarr(tmp_path / "x", chunks=(7, 7))
    (x[:5, :6] * 0).to_zarr(tmp_path / "x", region=(slice(3, 8), slice(-6, None)))
    a[3:8, -6:] = 0
    x[4].to_zarr(tmp_path / "x", region=(2,))
    a[2] = a[4]
    (x[..., :1] * 0 + 9).to_zarr(tmp_path / "x", region=(..., slice(5, 6)))
    a[..., 5] = 9
    np.testing.assert_array_equal(read(tmp_path / "x")[:], a)
    x.to_zarr(tmp_path / "x", mode="r+")
    np.testing.assert_array_equal(read(tmp_path / "x")[:], x)
    with pytest.raises(ValueError, match="does not fit a region of shape"):
        x.to_zarr(tmp_path / "x", region=(slice(3), slice(3)))
    with pytest.raises(ValueError, match="step 1"):
        x.to_zarr(tmp_path / "x", region=(slice(None, None, 2), slice(None)))
    with pytest.raises(FileNotFoundError):
        x.to_zarr(tmp_path / "nothing", region=(slice(0, 30), slice(0, 50)))
    with pytest.raises(FileNotFoundError):
        x.to_zarr(tmp_path / "nothing", mode="r+")


def test_appending(tmp_path):
    """A file grows by zarr-python's resize; the new part is a region."""
    vm.arange(10).to_zarr(tmp_path / "x", chunks=(4,))
    zarr.open_array(tmp_path / "x").resize((25,))
    vm.arange(10, 25).to_zarr(tmp_path / "x", region=slice(10, 25))
    np.testing.assert_array_equal(vm.from_zarr(tmp_path / "x"), np.arange(25))


def test_open_arrays_of_zarr_python(tmp_path, image):
    a, x = image
    z = zarr.create_array(tmp_path / "x", shape=a.shape, dtype="float32", chunks=(8, 9), shards=(16, 18))
    assert x.to_zarr(z) is None
    np.testing.assert_array_equal(z[:], a.astype("float32"))
    np.testing.assert_array_equal((x * 2).to_zarr(z, return_stored=True), a * 2.0)
    assert vm.from_zarr(z).chunks[0][0] == 8


def test_written_later(tmp_path, image):
    a, x = image
    later = x.to_zarr(tmp_path / "x", compute=False, compressors="zstd:1")
    assert not (tmp_path / "x").exists()
    assert vm.compute(later) == (None,)
    np.testing.assert_array_equal(read(tmp_path / "x")[:], a)
    later = x.to_zarr(tmp_path / "y", compute=False, return_stored=True)
    np.testing.assert_array_equal(later.compute(), a)
    target = np.zeros_like(a)
    later = vm.store(x, target, compute=False)
    assert not target.any()
    later.compute()
    np.testing.assert_array_equal(target, a)


def test_read_with_other_chunks(tmp_path, image):
    a, x = image
    x.to_zarr(tmp_path / "x", chunks=(10, 10))
    y = vm.from_zarr(tmp_path / "x", chunks=(15, 25))
    assert y.chunks == ((15, 15), (25, 25))
    np.testing.assert_array_equal(y, a)
    assert vm.from_zarr(str(tmp_path / "x"), name="n", inline_array=True).chunks == ((10,) * 3, (10,) * 5)
    assert vm.open(tmp_path / "x").name == "source"


def test_codecs_that_the_engine_lacks(tmp_path, image):
    """zarr-python decodes what the engine cannot; without it, the message names the codec."""
    a, x = image
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.create_array(tmp_path / "x", data=a, compressors=zarr.codecs.numcodecs.LZMA(preset=1), chunks=(10, 10))
        np.testing.assert_array_equal(vm.from_zarr(tmp_path / "x"), a)
        (x + 1).to_zarr(tmp_path / "x", mode="r+")
        np.testing.assert_array_equal(read(tmp_path / "x")[:], a + 1)
        with pytest.raises(TypeError, match="lzma"):
            vm.open(tmp_path / "x")


def test_what_is_wrong_is_said(tmp_path, image):
    _, x = image
    for kwargs, kind, words in [
        ({"mode": "q"}, ValueError, "mode must be"),
        ({"zarr_format": 4}, ValueError, "zarr_format must be 2 or 3"),
        ({"chunks": (10,)}, ValueError, "have 1 axes, the array has 2"),
        ({"chunks": (0, 10)}, ValueError, "at least 1 long"),
        ({"chunks": ((10, 20), (50,))}, ValueError, "must be even"),
        ({"shards": (15,)}, ValueError, "for 1 axes, the array has 2"),
        ({"shards": (10, 20), "zarr_format": 2}, ValueError, "version 2 of Zarr has none"),
        ({"shards": (15, 20), "chunks": (10, 20)}, ValueError, "no multiple of chunks"),
        ({"compressors": "lzma"}, ValueError, "codec 'lzma' is not known; choose one of"),
        ({"compressors": "zstd:99"}, ValueError, "level '99'"),
        ({"compressors": object()}, TypeError, "is no codec"),
        ({"compressors": 5}, TypeError, "is no codec"),
        ({"fill_value": 70000}, OverflowError, "fill_value 70000 does not fit uint16"),
        ({"fill_value": "a"}, ValueError, "fill_value 'a' does not fit uint16"),
        ({"dimension_names": ["x"]}, ValueError, "1 names for 2 axes"),
        ({"order": "Z"}, ValueError, "order must be"),
        ({"nonsense": 1}, TypeError, "unexpected keyword argument 'nonsense'"),
        ({"dimension_separator": "-"}, ValueError, "separator"),
        ({"attributes": {"a": object()}}, TypeError, "plain value"),
    ]:
        with pytest.raises(kind, match=words):
            x.to_zarr(tmp_path / "x", **kwargs)
        assert not (tmp_path / "x").exists()
    with pytest.raises(TypeError, match="not int"):
        x.to_zarr(5)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        vm.from_zarr(tmp_path / "nowhere")
    with pytest.raises(TypeError, match="from_zarr"):
        vm.from_zarr(tmp_path / "nowhere", nonsense=1)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "array"}))
    with pytest.raises((OSError, ValueError)):
        vm.from_zarr(tmp_path / "bad")


# NumPy's files


def test_npy(tmp_path):
    for k, dtype in enumerate(DTYPES):
        for shape in ((), (0, 3), (5, 4)):
            a = some(shape, dtype)
            place = tmp_path / f"{k}-{shape}.npy"
            vm.asarray(a).to_npy(place)
            np.testing.assert_array_equal(np.load(place), a, strict=True)
            np.testing.assert_array_equal(vm.from_npy(place), a, strict=True)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(some((4, 5))))
    np.testing.assert_array_equal(vm.from_npy(tmp_path / "fortran.npy"), some((4, 5)))
    np.save(tmp_path / "big.npy", some((4, 5)).astype(">i4"))
    np.testing.assert_array_equal(vm.from_npy(tmp_path / "big.npy"), some((4, 5)))
    with pytest.raises(FileExistsError):
        vm.arange(3).to_npy(tmp_path / "big.npy")
    vm.to_npy(vm.arange(3), tmp_path / "big.npy", overwrite=True)
    np.testing.assert_array_equal(np.load(tmp_path / "big.npy"), np.arange(3))
    with pytest.raises(ValueError, match="ends in .npy"):
        vm.arange(3).to_npy(tmp_path / "x.bin")
    with pytest.raises(FileNotFoundError):
        vm.from_npy(tmp_path / "no.npy")
    np.save(tmp_path / "text.npy", np.array(["a"]))
    with pytest.raises((TypeError, ValueError, OSError)):
        vm.from_npy(tmp_path / "text.npy")


def test_raw_bytes(tmp_path):
    a = some((5, 4), "float32")
    x = vm.from_array(a, chunks=2)
    x.tofile(tmp_path / "x.raw")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "x.raw", "float32"), a.ravel())
    stream = io.BytesIO()
    x.tofile(stream)
    assert stream.getvalue() == a.tobytes() == x.tobytes()


# Anything that takes [...] = ...


def test_store_into_numpy():
    a = some((9, 7), "float64")
    x = vm.from_array(a, chunks=(4, 3))
    out = np.zeros((9, 7))
    assert vm.store(x, out) is None
    np.testing.assert_array_equal(out, a)
    out = np.zeros((12, 12), "int32")
    x.store(out, regions=(slice(1, 10), slice(2, 9)))
    np.testing.assert_array_equal(out[1:10, 2:9], a.astype("int32"))
    assert out[0].sum() == 0
    strided = np.zeros((9, 14))[:, ::-2]
    vm.store(x, strided, lock=False)
    np.testing.assert_array_equal(strided, a)
    zero = np.zeros(())
    vm.store(x.sum(), zero)
    assert zero == a.sum()
    first, second = np.zeros((9, 7)), np.zeros((9, 7))
    stored = vm.store([x, x + 1], [first, second], lock=threading.Lock(), return_stored=True)
    np.testing.assert_array_equal(second, first + 1)
    np.testing.assert_array_equal(stored[1], second)
    # The same target several times: later sources win where they overlap.
    vm.store([x, x], [out, out], regions=[(slice(0, 9), slice(0, 7)), (slice(3, 12), slice(5, 12))], lock=True)
    np.testing.assert_array_equal(out[3:, 5:], a.astype("int32"))


def test_store_into_hdf5(tmp_path, image):
    a, x = image
    with h5py.File(tmp_path / "x.h5", "w") as file:
        d = file.create_dataset("a/b", shape=(40, 50), dtype="uint16", chunks=(8, 8))
        vm.store(x, d, regions=(slice(5, 35),))
        np.testing.assert_array_equal(d[5:35], a)
        np.testing.assert_array_equal(vm.from_array(d, lock=True)[5:35], a)
    x.to_hdf5(tmp_path / "y.h5", "/x", compression="gzip")
    with h5py.File(tmp_path / "y.h5") as file:
        np.testing.assert_array_equal(file["x"][:], a)


def test_store_into_zarr(image):
    a, x = image
    z = zarr.create_array(zarr.storage.MemoryStore(), shape=(60, 50), chunks=(7, 11), dtype="uint16")
    vm.store(x, z, regions=(slice(15, 45), slice(None)), lock=False)
    np.testing.assert_array_equal(z[15:45], a)


def test_parts_of_one_chunk_are_not_lost(tmp_path):
    z = zarr.create_array(tmp_path / "z", shape=(100,), chunks=(100,), dtype="int64")
    parts = [vm.arange(10 * k, 10 * k + 10) for k in range(10)]
    vm.store(parts, [z] * 10, regions=[(slice(10 * k, 10 * k + 10),) for k in range(10)], lock=False)
    np.testing.assert_array_equal(z[:], np.arange(100))


def test_store_into_ones_own_class():
    class Target:
        shape, dtype = (100,), np.dtype("int64")

        def __init__(self):
            self.values, self.busy, self.together = np.zeros(100, "int64"), 0, 0

        def __setitem__(self, index, value):
            self.busy += 1
            self.together = max(self.together, self.busy)
            self.values[index] = value
            self.busy -= 1

        def __getitem__(self, index):
            return self.values[index]

    target = Target()
    vm.store(vm.arange(100, chunks=5), target)
    np.testing.assert_array_equal(target.values, np.arange(100))
    assert target.together == 1


def test_store_says_what_is_wrong(image):
    _, x = image
    fixed = np.zeros((30, 50))
    fixed.flags.writeable = False
    for args, kwargs, kind, words in [
        ((x, np.zeros(3)), {}, ValueError, "does not fit"),
        (([x], [np.zeros(3), np.zeros(3)]), {}, ValueError, "different number of sources"),
        (([x, x], np.zeros((30, 50))), {}, ValueError, "as many targets"),
        (([np.zeros(3)], [np.zeros(3)]), {}, TypeError, "must be voxmill arrays"),
        ((x, fixed), {}, ValueError, "read-only"),
        ((x, [0] * 30), {}, TypeError, "has no shape"),
        ((x, x + 1), {}, ValueError, "stored arrays only"),
        ((x, np.zeros((30, 50))), {"regions": ("a",)}, TypeError, "slices and integers"),
        ((x, np.zeros((30, 50))), {"regions": (99,)}, IndexError, "out of bounds"),
        ((x, np.zeros((30, 50))), {"regions": (slice(None),) * 3}, ValueError, "the region has 3 axes"),
    ]:
        with pytest.raises(kind, match=words):
            vm.store(*args, **kwargs)


def test_an_exception_of_the_target_is_the_users():
    class Full:
        shape, dtype = (10,), np.dtype("int64")

        def __getitem__(self, index):
            return np.zeros(10, "int64")[index]

        def __setitem__(self, index, value):
            raise OSError("the tape is full")

    with pytest.raises(OSError, match="the tape is full"):
        vm.store(vm.arange(10), Full())
