"""Arrays from elsewhere, and what may be said about chunks. Values of the creation functions are compared in `cases_create.py`."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
import voxmill as vm
from dask.array.core import normalize_chunks as dask_chunks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from differential import ALL, EXAMPLES, arrays, cuts  # noqa: E402

MANY = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


# Chunks


@MANY
@given(st.data())
def test_chunks_mean_what_they_mean_to_dask(data):
    draw = data.draw
    shape = tuple(draw(st.integers(0, 20)) for _ in range(draw(st.integers(1, 4))))
    one = st.one_of(st.integers(1, 25), st.just(-1), st.none())
    each = [draw(st.one_of(one, st.just(cuts(draw, n)))) for n in shape]
    kind = draw(st.sampled_from(["number", "tuple", "list", "dict", "array"]))
    if kind == "number":
        chunks = draw(st.one_of(st.integers(1, 25), st.just(-1)))
    elif kind == "dict":
        chunks = {k: each[k] for k in draw(st.sets(st.integers(0, len(shape) - 1)))}
    elif kind == "array":
        chunks = np.array([draw(st.integers(1, 9)) for _ in shape])
    else:
        chunks = (tuple if kind == "tuple" else list)(each)
    if len(shape) > 1 or kind != "tuple" or not isinstance(each[0], tuple):
        assert vm.normalize_chunks(chunks, shape) == dask_chunks(chunks, shape)


def test_chunks_of_one_axis():
    for chunks in ((2, 3), [2, 3], ((2, 3),), np.array([2, 3]), 2, (2,), "16 B"):
        assert vm.normalize_chunks(chunks, (5,), dtype="i8") == dask_chunks(chunks, (5,), dtype=np.dtype("i8"))
    assert vm.normalize_chunks(((2, 3), (4,))) == ((2, 3), (4,))
    assert vm.normalize_chunks((), ()) == vm.normalize_chunks((1,), ()) == vm.normalize_chunks(5, ()) == ()
    assert vm.normalize_chunks((), (0, 0)) == dask_chunks((), (0, 0))
    assert vm.normalize_chunks({0: 2, -1: 3}, (4, 5, 6)) == ((2, 2), (5,), (3, 3))


@MANY
@given(st.data())
def test_automatic_chunks_fill_the_limit(data):
    """As in Dask, chunks of open axes are as long as the limit allows, and others stay as they are."""
    draw = data.draw
    shape = tuple(draw(st.integers(1, 3000)) for _ in range(draw(st.integers(1, 3))))
    limit = draw(st.sampled_from([100, 10_000, 1_000_000, "64 kB", "1MiB"]))
    dtype = np.dtype(draw(st.sampled_from(["u1", "f4", "c16"])))
    entries = tuple(draw(st.sampled_from(["auto", "auto", 7, -1])) for _ in shape)
    if draw(st.booleans()) and all(e == "auto" for e in entries):
        previous = tuple(vm.normalize_chunks(draw(st.integers(1, n)), (n,))[0] for n in shape)
    else:
        previous = None
    found = vm.normalize_chunks(entries, shape, limit=limit, dtype=dtype, previous_chunks=previous)
    most = {"64 kB": 64_000, "1MiB": 1 << 20}.get(limit, limit)
    fixed = [max(axis) for axis, entry in zip(found, entries) if entry != "auto"]
    size = math.prod(max(axis) for axis in found) * dtype.itemsize
    for axis, entry, n in zip(found, entries, shape):
        assert sum(axis) == n
        if entry != "auto":
            assert axis == vm.normalize_chunks(entry, (n,))[0]
    if math.prod(fixed) * dtype.itemsize <= most:
        assert size <= most
        whole = all(len(axis) == 1 for axis, entry in zip(found, entries) if entry == "auto")
        # A side that could be twice as long would be; rounding to whole elements can cost a bit more on each axis.
        assert whole or "auto" not in entries or size * 2 ** (1 + len(shape)) > most


def test_sizes():
    for text, size in [
        ("64 MiB", 64 << 20),
        ("1kB", 1000),
        ("1.5GiB", 3 << 29),
        ("100", 100),
        ("2 TB", 2 * 10**12),
        ("5M", 5_000_000),
        ("1e3 B", 1000),
        ("kiB", 1024),
    ]:
        assert vm._chunks.parse_bytes(text) == size
    for text in ("", "many", "12 apples", "1.2.3MB", "-5MB", "MiB64"):
        with pytest.raises(ValueError, match="cannot read"):
            vm._chunks.parse_bytes(text)


def test_rechunk():
    x = vm.zeros((10, 12), chunks=(4, 5))
    for chunks, wanted in [
        (3, ((3, 3, 3, 1), (3, 3, 3, 3))),
        ((5, None), ((5, 5), (5, 5, 2))),
        ({0: 2}, ((2,) * 5, (5, 5, 2))),
        ({-1: -1}, ((4, 4, 2), (12,))),
        ({0: None, 1: 6}, ((4, 4, 2), (6, 6))),
        (-1, ((10,), (12,))),
        ("auto", ((10,), (12,))),
        (((1, 9), (12,)), ((1, 9), (12,))),
    ]:
        assert x.rechunk(chunks).chunks == wanted == vm.rechunk(x, chunks).chunks
    assert x.rechunk(7, balance=True).chunks == ((5, 5), (6, 6))
    assert max(x.rechunk("auto", block_size_limit=400).chunksize) <= 12
    assert math.prod(x.rechunk("auto", block_size_limit=400).chunksize) * 8 <= 400
    assert x.rechunk("400 B").npartitions > 1
    assert x.chunks == ((4, 4, 2), (5, 5, 2))


# Sharing memory


@MANY
@given(st.data())
def test_memory_is_shared_whatever_its_form(data):
    """Views with any strides, read-only ones and those of other byte orders, are seen as NumPy sees them."""
    draw = data.draw
    a = draw(arrays(ALL, ranks=(1, 2, 3), longest=8))
    form = draw(st.sampled_from(["plain", "fortran", "steps", "backwards", "moved", "broadcast", "fixed", "swapped"]))
    if form == "fortran":
        a = np.asfortranarray(a)
    elif form == "steps":
        a = a[tuple(slice(None, None, draw(st.integers(1, 3))) for _ in a.shape)]
    elif form == "backwards":
        a = a[tuple(slice(None, None, draw(st.sampled_from([-1, -2, 1]))) for _ in a.shape)]
    elif form == "moved":
        a = a.transpose(draw(st.permutations(range(a.ndim))))
    elif form == "broadcast":
        a = np.broadcast_to(a, (3, *a.shape))
    elif form == "fixed":
        a.flags.writeable = False
    elif form == "swapped":
        a = a.astype(a.dtype.newbyteorder())
    x = vm.from_array(a, chunks=tuple(cuts(draw, n) for n in a.shape))
    np.testing.assert_array_equal(x, a)
    assert x.dtype == a.dtype.newbyteorder("=")
    if a.flags.writeable and a.size and form != "swapped":
        a[...] = 0  # Shared, not copied: changes are seen.
        np.testing.assert_array_equal(x, a)


def test_memory_is_not_copied_in():
    import tracemalloc

    a = np.ones(1 << 24)
    tracemalloc.start()
    x = vm.from_array(a)
    y = vm.asarray(a)
    z = vm.asarray(a[::2])
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert float(x.sum() + y.sum() + z.sum()) == 2.5 * len(a)


def test_memory_is_kept_alive():
    x = vm.from_array(np.arange(1000.0) * 2)  # Nobody else holds it.
    del_me = [np.ones(1000) for _ in range(50)]
    del del_me
    np.testing.assert_array_equal(x, np.arange(1000.0) * 2)


def test_array_copies_and_asarray_does_not():
    a = np.zeros(3)
    shared, own, asked = vm.asarray(a), vm.array(a), vm.asarray(a, copy=True)
    a[:] = 1
    assert (shared.tolist(), own.tolist(), asked.tolist()) == ([1, 1, 1], [0, 0, 0], [0, 0, 0])
    x = vm.zeros(3)
    assert vm.asarray(x) is x and vm.asarray(x, copy=True) is not x and vm.array(x) is not x
    for wrong in (lambda: vm.asarray([1, 2], copy=False), lambda: vm.asarray(a, dtype="i4", copy=False), lambda: vm.asarray(5, copy=False)):
        with pytest.raises(ValueError, match="copy cannot be avoided"):
            wrong()
    assert vm.asarray(a, copy=False).shape == (3,)


def test_things_that_become_arrays():
    import array as stdlib

    for value in (
        5,
        2.5,
        True,
        1j,
        [1, 2],
        (1.5, 2),
        [[1, 2], [3, 4]],
        range(5),
        [],
        [[]],
        memoryview(b"abc"),
        bytearray(b"abc"),
        stdlib.array("d", [1, 2]),
        np.float32(3),
    ):
        found, wanted = vm.asarray(value), np.asarray(value)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    assert vm.asarray([vm.asarray(1), vm.asarray(2)]).tolist() == [1, 2]
    assert vm.Array([1, 2, 3], chunks=2).chunks == ((2, 1),)
    x = vm.ones(6, chunks=3)
    assert vm.from_array(x) is x and vm.from_array(x, chunks=2).chunks == ((2, 2, 2),)
    assert vm.from_array([1, 2, 3], chunks=1).numblocks == (3,)
    assert vm.from_array(5).shape == ()


def test_numbers_must_fit_the_type():
    for wrong in (lambda: vm.asarray([300], dtype="u1"), lambda: vm.asarray(-1, dtype="u1"), lambda: vm.full(3, 300, dtype="u1")):
        with pytest.raises(OverflowError):
            wrong()
    assert vm.asarray(np.array([300]), dtype="u1").tolist() == [44]


# Objects that are read box by box


class Table:
    """An array of its own kind, which counts what is read."""

    def __init__(self, values):
        self.values, self.shape, self.dtype, self.read = values, values.shape, values.dtype, []

    def __getitem__(self, index):
        self.read.append(index)
        return self.values[index]


def test_from_array_reads_boxes_when_needed():
    table = Table(np.arange(100).reshape(10, 10))
    x = vm.from_array(table, chunks=5)
    assert not table.read
    np.testing.assert_array_equal(x[2:4, 3:5], table.values[2:4, 3:5])
    assert all(isinstance(part, slice) for index in table.read for part in index)
    assert sum((i.stop - i.start) * (j.stop - j.start) for i, j in table.read) <= 25
    np.testing.assert_array_equal((x + 1).sum(axis=0), (table.values + 1).sum(axis=0))


def test_from_array_takes_a_function_and_a_lock():
    import threading

    table = Table(np.arange(12.0))
    x = vm.from_array(table, chunks=3, getitem=lambda source, index: source[index] * 10, lock=threading.Lock())
    np.testing.assert_array_equal(x, np.arange(12) * 10)
    np.testing.assert_array_equal(vm.from_array(table, chunks=3, lock=True), np.arange(12))
    np.testing.assert_array_equal(
        vm.from_array(table, name="n", asarray=True, fancy=False, meta=np.empty(0), inline_array=True), np.arange(12)
    )


def test_from_array_says_what_is_wrong():
    class Liar(Table):
        def __getitem__(self, index):
            return super().__getitem__(index).astype("f4")

    class Short(Table):
        def __getitem__(self, index):
            return super().__getitem__(index)[:1]

    class Broken(Table):
        def __getitem__(self, index):
            raise OSError("the disk is gone")

    for kind, error, words in (
        (Liar, ValueError, "gave float32"),
        (Short, ValueError, "which should be"),
        (Broken, OSError, "the disk is gone"),
    ):
        with pytest.raises(error, match=words):
            vm.from_array(kind(np.arange(10.0)), chunks=5).compute()
    with pytest.raises(TypeError, match="has no shape"):
        vm.from_array(object())
    with pytest.raises(TypeError, match="masked arrays"):
        vm.from_array(np.ma.masked_array([1, 2], [True, False]))
    with pytest.raises(TypeError, match="masked arrays"):
        vm.asarray(np.ma.masked_array([1, 2], [True, False]))


def test_memory_maps_and_hdf5(tmp_path):
    import h5py

    a = np.arange(60.0).reshape(6, 10)
    np.save(tmp_path / "x.npy", a)
    np.testing.assert_array_equal(vm.from_array(np.load(tmp_path / "x.npy", mmap_mode="r"), chunks=4), a)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        d = file.create_dataset("d", data=a, chunks=(3, 4))
        x = vm.from_array(d)
        assert x.chunks == ((3, 3), (4, 4, 2))
        np.testing.assert_array_equal(x.T, a.T)
        np.testing.assert_array_equal(vm.asarray(d), a)


# Functions as sources


def test_from_function():
    calls = []

    def ramp(box, block_id=None, offset=0):
        calls.append(block_id)
        return np.add.outer(*(np.arange(part.start, part.stop) for part in box)) + offset

    x = vm.from_function(ramp, (4, 6), dtype=int, chunks=(2, 3), offset=10)
    assert not calls and x.shape == (4, 6) and x.numblocks == (2, 2)
    np.testing.assert_array_equal(x, np.add.outer(np.arange(4), np.arange(6)) + 10)
    assert sorted(calls) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    calls.clear()
    y = vm.from_function(ramp, (4, 6), chunks=(2, 3))
    assert calls == [(0, 0)] and y.dtype == np.int64
    y.compute()
    assert sorted(calls) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert vm.from_function(lambda box: np.array(5.0), (), dtype=float).compute() == 5
    with pytest.raises(ValueError, match="should be"):
        vm.from_function(lambda box: np.zeros(3), (4,), dtype=float).compute()


def test_from_map():
    x = vm.from_map(lambda n, k=0: np.full((2, 3), n + k), [1, 2, 3], k=5)
    np.testing.assert_array_equal(x[:, 0, 0], [6, 7, 8])
    assert x.chunks == ((1, 1, 1), (2,), (3,))
    calls = []
    y = vm.from_map(calls.append, "abc", shape=(2,), dtype="f4")
    assert y.shape == (3, 2) and not calls
    with pytest.raises(ValueError, match="at least one"):
        vm.from_map(np.ones, [])


# From nothing


def test_empty():
    x = vm.empty((3, 4), dtype="i2", chunks=2)
    assert (x.shape, x.dtype, x.numblocks) == ((3, 4), np.int16, (2, 2))
    assert x.compute().shape == (3, 4)
    like = vm.empty_like(x)
    assert (like.shape, like.dtype, like.chunks) == (x.shape, x.dtype, x.chunks)
    assert vm.empty_like(x, dtype=float, shape=5).shape == (5,)
    assert vm.empty_like(np.zeros((2, 2))).shape == (2, 2)


def test_creation_takes_chunks():
    assert vm.zeros((5, 5), chunks=(2, -1)).chunks == ((2, 2, 1), (5,))
    assert vm.ones((1000, 1000), chunks="1MiB").npartitions > 4
    assert vm.arange(10, chunks=4).chunks == ((4, 4, 2),)
    assert vm.linspace(0, 1, 10, chunks=(3, 7)).chunks == ((3, 7),)
    assert vm.eye(4, chunks=2).numblocks == (2, 2)
    assert vm.full((4,), 1, chunks={0: 3}).chunks == ((3, 1),)
    x = vm.zeros((6, 6), chunks=(2, 3))
    assert vm.ones_like(x).chunks == x.chunks
    assert vm.full_like(x, 3, chunks=6).chunks == ((6,), (6,))
    assert vm.asarray(np.zeros(6), chunks=2).chunks == ((2, 2, 2),)
    assert vm.array([1, 2, 3], chunks=2).chunks == ((2, 1),)
    # Chunks that are chosen have a size that suits a task, whatever the shape.
    assert 1 << 20 < vm.zeros((10**5, 10**5)).blocks[0, 0].nbytes <= 128 << 20


def test_huge_arrays_cost_nothing():
    x = vm.zeros((10**6, 10**6, 10**5))
    assert x.nbytes == 8 * 10**17
    assert float(x[-1, -1, -3:].sum()) == 0


def test_arange_forms():
    assert vm.arange(stop=3).tolist() == vm.arange(3, None).tolist() == vm.arange(None, 3).tolist() == [0, 1, 2]
    assert vm.arange(vm.asarray(2), np.array(5)).tolist() == [2, 3, 4]
    for args, kind in [
        ((), TypeError),
        ((0, 10, 0), ZeroDivisionError),
        (("a",), TypeError),
        ((0, np.nan), ValueError),
        ((0, np.inf), ValueError),
        ((0, 10**30), ValueError),
    ]:
        for arange in (np.arange, vm.arange):
            with pytest.raises(kind):
                arange(*args)
    with pytest.raises(TypeError, match=r"shape \(3,\)"):
        vm.arange(np.zeros(3))


def test_devices():
    for make in (
        lambda device: vm.zeros(3, device=device),
        lambda device: vm.asarray(3, device=device),
        lambda device: vm.arange(3, device=device),
        lambda device: vm.eye(3, device=device),
        lambda device: vm.ones_like(vm.zeros(3), device=device),
        lambda device: vm.linspace(0, 1, 3, device=device),
    ):
        assert make("cpu").device == make(None).device == "cpu"
        with pytest.raises(ValueError, match="no device 'gpu'"):
            make("gpu")
