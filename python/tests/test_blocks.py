"""Functions of users over blocks: the same results as Dask, each block once, and nothing before it is asked for."""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
import voxmill as vm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from differential import EXAMPLES, cuts  # noqa: E402

RANDOM = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def both(a, chunks):
    """Give an array for the package and one for Dask."""
    return vm.from_array(a, chunks=chunks), da.from_array(a, chunks=chunks)


def values(shape, dtype=float):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def same(mine, theirs):
    """Expect equal shapes, chunks, dtypes and elements."""
    expected = np.asarray(theirs)
    found = mine.compute()
    assert mine.shape == expected.shape
    assert found.dtype == expected.dtype == mine.dtype
    np.testing.assert_array_equal(found, expected)
    if isinstance(theirs, da.Array):
        assert mine.chunks == theirs.chunks


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls, self.lock = function, [], threading.Lock()
        self.__name__ = "counted"

    def __call__(self, *args, **kwargs):
        with self.lock:
            self.calls.append([np.shape(arg) for arg in args])
        return self.function(*args, **kwargs)


# map_blocks


def test_plain_function():
    x, d = both(values((10, 7)), (4, 3))
    same(x.map_blocks(np.negative), d.map_blocks(np.negative))


def test_dtype_is_seen_or_declared():
    x, d = both(values((6,)), 4)
    to_int = lambda b: b.astype("i2")  # noqa: E731
    same(vm.map_blocks(to_int, x), da.map_blocks(to_int, d, dtype="i2"))
    same(vm.map_blocks(to_int, x, dtype="i2"), da.map_blocks(to_int, d, dtype="i2"))
    same(vm.map_blocks(to_int, x, meta=np.empty(0, "i2")), da.map_blocks(to_int, d, meta=np.empty(0, "i2")))


def test_several_arrays_and_other_arguments():
    a = values((6, 8))
    x, d = both(a, (2, 3))
    y, e = both(a[:1], (1, 3))
    z, f = both(a[0], 3)
    function = lambda p, q, r, number, scale=1: p + q * number - r * scale  # noqa: E731
    same(vm.map_blocks(function, x, y, z, 3, scale=2), da.map_blocks(function, d, e, f, 3, scale=2, dtype=float))


def test_numpy_arrays_are_passed_whole():
    x, d = both(values((6,)), 2)
    table = np.arange(10.0)
    same(vm.map_blocks(lambda b, t: b + t.sum(), x, table), da.map_blocks(lambda b, t: b + t.sum(), d, table, dtype=float))


def test_arrays_as_keywords_are_computed():
    x, d = both(values((6,)), 2)
    function = lambda b, low=0, more=None: b - low + (sum(more) if more else 0)  # noqa: E731
    same(x.map_blocks(function, low=x.min(), dtype=float), d.map_blocks(function, low=d.min(), dtype=float))
    found = x.map_blocks(function, more=[x.max(), x.sum()], dtype=float).compute()
    np.testing.assert_array_equal(found, values((6,)) + 5 + 15)


def test_arrays_as_keywords_are_lazy_and_computed_once():
    source = Counted(np.negative)
    low = vm.map_blocks(source, vm.from_array(values((4,)), chunks=4), dtype=float)
    y = vm.from_array(values((100,)), chunks=2).map_blocks(lambda b, low: b + low.sum(), low=low, dtype=float)
    assert not source.calls
    np.testing.assert_array_equal(y.compute(), values((100,)) - 6)
    assert len(source.calls) == 1


def test_a_function_may_change_arrays_that_it_gets_whole():
    def spoil(block, table):
        table += block.sum()
        return block + table[0]

    x = vm.from_array(values((8,)), chunks=2)
    y = x.map_blocks(spoil, table=vm.zeros(3), dtype=float)
    np.testing.assert_array_equal(y.compute(), [1, 2, 7, 8, 13, 14, 19, 20])


def test_delayed_values_as_arguments():
    calls = []
    table = vm.delayed(lambda: calls.append(1) or np.array([10.0]))()
    y = vm.from_array(values((6,)), chunks=2).map_blocks(lambda b, t: b + t, table, dtype=float)
    assert not calls
    np.testing.assert_array_equal(y.compute(), values((6,)) + 10)
    assert len(calls) == 1


def test_drop_axis():
    x, d = both(values((4, 6)), (2, 6))
    same(x.map_blocks(lambda b: b.sum(1), drop_axis=1), d.map_blocks(lambda b: b.sum(1), drop_axis=1, dtype=float))
    same(x.map_blocks(lambda b: b.sum(1), drop_axis=-1), d.map_blocks(lambda b: b.sum(1), drop_axis=-1, dtype=float))


def test_dropped_axes_are_whole():
    a = values((4, 6))
    x, d = both(a, (2, 4))
    same(x.map_blocks(lambda b: b.sum(1), drop_axis=[1]), d.map_blocks(lambda b: b.sum(1), drop_axis=[1], dtype=float))
    same(x.map_blocks(lambda b: b.sum(), drop_axis=[0, 1]), a.sum())


def test_new_axis():
    x, d = both(values((4, 6)), (2, 3))
    function = lambda b: b[:, None]  # noqa: E731
    same(x.map_blocks(function, new_axis=1), d.map_blocks(function, new_axis=1, dtype=float))
    twice = lambda b: np.stack([b, -b])  # noqa: E731
    same(x.map_blocks(twice, new_axis=0, chunks=(2, 2, 3)), d.map_blocks(twice, new_axis=0, chunks=(2, 2, 3), dtype=float))
    same(x.map_blocks(twice, chunks=(2, 2, 3)), d.map_blocks(twice, chunks=(2, 2, 3), dtype=float))
    # What Dask wants to be told, the first block tells here.
    same(x.map_blocks(twice, new_axis=0), d.map_blocks(twice, new_axis=0, chunks=(2, 2, 3), dtype=float))


def test_new_axis_of_several_blocks():
    def fill(block, block_id=None):
        return np.full((2, *block.shape), block_id[0])

    x, d = both(values((4,)), 2)
    kwargs = dict(new_axis=0, chunks=((2, 2, 2), (2, 2)), dtype=int)
    same(x.map_blocks(fill, **kwargs), d.map_blocks(fill, **kwargs))


def test_drop_and_new_axis():
    x, d = both(values((4, 6)), (2, 6))
    function = lambda b: b.sum(1)[None]  # noqa: E731
    kwargs = dict(drop_axis=1, new_axis=0, chunks=(1, (2, 2)), dtype=float)
    same(x.map_blocks(function, **kwargs), d.map_blocks(function, **kwargs))


def test_chunks_of_another_length():
    x, d = both(values((6, 4)), (3, 2))
    half = lambda b: b[:, ::2]  # noqa: E731
    same(x.map_blocks(half), d.map_blocks(half, chunks=((3, 3), (1, 1)), dtype=float))
    same(x.map_blocks(half, chunks=(3, 1), dtype=float), d.map_blocks(half, chunks=(3, 1), dtype=float))
    y, e = both(values((7,)), 3)
    same(y.map_blocks(lambda b: b[:1], chunks=(1,), dtype=float), e.map_blocks(lambda b: b[:1], chunks=(1,), dtype=float))
    ragged = dict(chunks=((6, 6, 2),), dtype=float)
    same(y.map_blocks(lambda b: np.repeat(b, 2), **ragged), e.map_blocks(lambda b: np.repeat(b, 2), **ragged))


def test_blocks_without_elements():
    def first_rows(block, block_id=None):
        return block[: block_id[0]]

    x, d = both(values((6, 2)), (2, 2))
    kwargs = dict(chunks=((0, 1, 2), (2,)), dtype=float)
    expected = d.map_blocks(first_rows, **kwargs).compute()
    np.testing.assert_array_equal(x.map_blocks(first_rows, **kwargs).compute(), expected)
    np.testing.assert_array_equal(x.map_blocks(first_rows, chunks=((0, 1, 2), (2,))).compute(), expected)


def test_empty_arrays():
    x = vm.from_array(np.empty((0, 3), "i4"), chunks=2)
    assert x.map_blocks(lambda b: b * 0.5).compute().dtype == float
    assert x.map_blocks(np.max, dtype="i4", drop_axis=0, chunks=((2, 1),)).shape == (3,)
    with pytest.raises(ValueError, match="pass dtype="):
        x.map_blocks(lambda b: b.max())


def test_blocks_that_fit_by_their_number():
    x, d = both(values((1000,)), 100)
    y, e = both(values((100,)), 10)
    function = lambda p, q: np.array([p.max(), q.max()])  # noqa: E731
    same(vm.map_blocks(function, x, y, chunks=(2,), dtype=float), da.map_blocks(function, d, e, chunks=(2,), dtype=float))
    with pytest.raises(ValueError, match="do not go together"):
        vm.map_blocks(function, x, vm.from_array(values((100,)), chunks=50))


def test_blocks_are_cut_where_chunks_differ():
    a = values((10,))
    found = vm.map_blocks(np.add, vm.from_array(a, chunks=3), vm.from_array(a, chunks=4))
    assert found.chunks == ((3, 1, 2, 2, 1, 1),)
    same(found, a + a)


def test_no_arrays():
    def make(block_info=None):
        (begin, end), = block_info[None]["array-location"]
        return np.arange(begin, end)

    kwargs = dict(chunks=((4, 4, 2),), dtype=int)
    same(vm.map_blocks(make, **kwargs), da.map_blocks(make, **kwargs))
    with pytest.raises(ValueError, match="chunks="):
        vm.map_blocks(make, dtype=int)


def test_block_id():
    def number(block, block_id=None):
        return np.full(block.shape, block_id[0] * 10 + block_id[1])

    x, d = both(values((5, 6)), (2, 4))
    same(x.map_blocks(number), d.map_blocks(number, dtype=int))
    same(x.map_blocks(number, block_id=(1, 2)), np.full((5, 6), 12))
    partial = functools.partial(number, block_id=(0, 3))
    assert (vm.map_blocks(partial, x).compute() == d.map_blocks(partial, dtype=int).compute()).all()


@pytest.mark.parametrize("kwargs", [{}, {"drop_axis": 0}, {"new_axis": 1}, {"chunks": ((1, 1, 1), (4, 2))}])
def test_block_info(kwargs):
    def note(infos, other, block, block_info=None, **_):
        infos[block_info[None]["chunk-location"]] = block_info
        shape = block_info[None]["chunk-shape"]
        return np.zeros(shape)

    x, d = both(values((5, 6)), (2, 4))
    mine, theirs = {}, {}
    vm.map_blocks(functools.partial(note, mine), 1, x, dtype=float, **kwargs).compute()
    da.map_blocks(functools.partial(note, theirs), 1, d, dtype=float, meta=np.empty(0), **kwargs).compute(scheduler="sync")
    assert mine == theirs


def test_block_info_of_several_arrays():
    def note(infos, a, b, block_info=None):
        infos[block_info[None]["chunk-location"]] = block_info
        return a + b

    x, d = both(values((5, 6)), (2, 4))
    y, e = both(values((6,)), 4)
    mine, theirs = {}, {}
    vm.map_blocks(functools.partial(note, mine), x, y, dtype=float).compute()
    da.map_blocks(functools.partial(note, theirs), d, e, dtype=float, meta=np.empty((0, 0))).compute(scheduler="sync")
    assert mine == theirs


@RANDOM
@given(st.data())
def test_random_blocks(data):
    """Any shape and chunks, with a function that knows where it is."""
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    chunks = tuple(cuts(data.draw, n) for n in shape)
    other = tuple(n if data.draw(st.booleans()) else 1 for n in shape[data.draw(st.integers(0, len(shape) - 1)) :])
    a, b = values(shape), values(other) * 7

    def function(p, q, block_id=None):
        return p * 3 + q + sum(block_id)

    x, d = both(a, chunks)
    own = tuple(c if n > 1 else (1,) for c, n in zip(chunks[len(shape) - len(other) :], other))
    y, e = both(b, own)
    with vm.config.set(threads=2, random_tiles=data.draw(st.integers(0, 99))):
        same(vm.map_blocks(function, x, y), da.map_blocks(function, d, e, dtype=float, meta=np.empty((0,) * len(shape))))


# map_overlap


def window_min(block, around):
    """The minimum of a neighbourhood that ends where the block ends."""
    for axis, (low, high) in enumerate(around):
        width = [(low, high) if k == axis else (0, 0) for k in range(block.ndim)]
        padded = np.pad(block, width, constant_values=1e9)
        block = np.lib.stride_tricks.sliding_window_view(padded, low + high + 1, axis=axis).min(axis=-1)
    return block


PAD = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "periodic": "wrap"}


def whole(a, around, boundary):
    """What `window_min` gives without blocks."""
    cut = []
    for axis, ((low, high), edge) in enumerate(zip(around, boundary)):
        width = [(low, high) if k == axis else (0, 0) for k in range(a.ndim)]
        if edge == "none":
            cut.append(slice(None))
            continue
        a = np.pad(a, width, mode=PAD[edge]) if isinstance(edge, str) else np.pad(a, width, constant_values=edge)
        cut.append(slice(low, a.shape[axis] - high))
    return window_min(a, around)[tuple(cut)]


@RANDOM
@given(st.data())
def test_random_overlaps(data):
    """Depth may be larger than chunks and arrays, and differ on both sides, with every boundary."""
    shape = tuple(data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=3)))
    around = [(data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))) for _ in shape]
    if data.draw(st.integers(0, 4)) == 0:
        around[0] = (data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20)))
    boundary = [data.draw(st.sampled_from(["none", "reflect", "mirror", "nearest", "periodic", -3.0])) for _ in shape]
    a = np.random.default_rng(data.draw(st.integers(0, 999))).permutation(int(np.prod(shape))).reshape(shape).astype(float)
    x = vm.from_array(a, chunks=tuple(cuts(data.draw, n) for n in shape))
    with vm.config.set(threads=2, random_tiles=data.draw(st.integers(0, 99))):
        y = vm.map_overlap(
            window_min, x, around=around, depth=dict(enumerate(around)), boundary=dict(enumerate(boundary)),
            dtype=float if data.draw(st.booleans()) else None,
        )  # fmt: skip
        assert y.chunks == x.chunks
        np.testing.assert_array_equal(y.compute(), whole(a, around, boundary))


@pytest.mark.parametrize("boundary", ["none", None, "reflect", "nearest", "periodic", 0, 7, {0: "reflect", 1: 3}, ("none", "periodic")])
@pytest.mark.parametrize("depth", [0, 1, 2, (1, 2), {0: 2}, {1: 1}, {0: 0, 1: 2}])
def test_overlap_equals_dask(depth, boundary):
    x, d = both(values((8, 10)), (4, (3, 5, 2)))
    function = lambda b: b + np.roll(b, 1, 0) - np.roll(b, -1, 1)  # noqa: E731
    mine = x.map_overlap(function, depth, boundary, dtype=float)
    same(mine, d.map_overlap(function, depth, boundary, dtype=float, meta=np.empty((0, 0))))


@pytest.mark.parametrize("boundary", ["none", "reflect", 0])
def test_overlap_in_old_order(boundary):
    x = vm.from_array(values((9,)), chunks=3)
    function = lambda b: b - np.roll(b, 1)  # noqa: E731
    new = vm.map_overlap(function, x, depth=1, boundary=boundary)
    np.testing.assert_array_equal(vm.map_overlap(x, function, 1, boundary).compute(), new.compute())


def test_asymmetric_overlap_equals_dask():
    x, d = both(values((12,)), 4)
    function = lambda b: np.minimum.accumulate(b)[::-1]  # noqa: E731
    mine = x.map_overlap(function, {0: (2, 1)}, "none")
    same(mine, d.map_overlap(function, {0: (2, 1)}, "none", dtype=float, meta=np.empty(0)))


def test_overlap_of_several_arrays():
    a, b = values((8, 9)), values((9,)) * 5
    x, d = both(a, (4, 3))
    y, e = both(b, 3)
    function = lambda p, q: p + q  # noqa: E731
    kwargs = dict(depth=1, boundary="reflect", dtype=float)
    same(vm.map_overlap(function, x, y, **kwargs), da.map_overlap(function, d, e, meta=np.empty((0, 0)), **kwargs))
    kwargs = dict(depth=[{0: 1, 1: 2}, 2], boundary=["nearest", "periodic"], dtype=float)
    same(vm.map_overlap(function, x, y, **kwargs), da.map_overlap(function, d, e, meta=np.empty((0, 0)), **kwargs))


def test_overlap_of_arrays_with_other_chunks():
    a = values((12,))
    x, y = vm.from_array(a, chunks=5), vm.from_array(a, chunks=4)
    d, e = da.from_array(a, chunks=5), da.from_array(a, chunks=4)
    kwargs = dict(depth=1, boundary=0, dtype=float)
    found = vm.map_overlap(np.add, x, y, **kwargs)
    np.testing.assert_array_equal(found.compute(), da.map_overlap(np.add, d, e, meta=np.empty(0), **kwargs).compute())


def test_untrimmed_overlap():
    x, d = both(values((9,)), 3)
    own = lambda b: b[1:-1] * 2  # noqa: E731
    kwargs = dict(depth=1, boundary="nearest", trim=False)
    same(vm.map_overlap(own, x, **kwargs), da.map_overlap(own, d, meta=np.empty(0), **kwargs))
    same(vm.map_overlap(own, x, dtype=float, **kwargs), da.map_overlap(own, d, meta=np.empty(0), **kwargs))
    # The function leaves its blocks as they are: their shape is seen from the first one, or declared.
    expected = da.overlap.overlap(d, {0: 1}, {0: "nearest"})
    same(vm.map_overlap(lambda b: b, x, **kwargs), expected)
    same(vm.map_overlap(lambda b: b, x, dtype=float, chunks=(5,), **kwargs), expected)
    same(vm.overlap(x, 1, "nearest"), expected)


def test_overlap_and_back():
    a = values((9, 8))
    x, d = both(a, (3, 4))
    for boundary in ("none", "reflect", 3):
        wide = vm.overlap(x, {0: 2, 1: 1}, boundary)
        same(wide, da.overlap.overlap(d, {0: 2, 1: 1}, boundary))
        same(vm.trim_overlap(wide, {0: 2, 1: 1}, boundary), a)


def test_overlap_with_other_axes():
    x, d = both(values((6, 8)), (3, 8))
    total = lambda b: b.sum(axis=1)  # noqa: E731
    kwargs = dict(depth={0: 1}, boundary="nearest", drop_axis=1, dtype=float)
    same(vm.map_overlap(total, x, **kwargs), da.map_overlap(total, d, meta=np.empty(0), **kwargs))
    pair = lambda b: np.stack([b, b * 2])  # noqa: E731
    kwargs = dict(depth={0: 1}, boundary="nearest", new_axis=0, chunks=((2,), (5, 5), (8,)), dtype=float)
    # Dask trims the wrong axes of this one.
    same(vm.map_overlap(pair, x, **kwargs), np.stack([values((6, 8)), values((6, 8)) * 2]))


def test_overlap_knows_where_it_is():
    seen = {}

    def note(block, block_info=None, block_id=None):
        seen[block_id] = block_info[0]["array-location"], block_info[None]["array-location"]
        return block

    vm.from_array(values((6,)), chunks=3).map_overlap(note, 1, "reflect", dtype=float).compute()
    assert seen == {(0,): ([(-1, 4)], [(0, 3)]), (1,): ([(2, 7)], [(3, 6)])}


# blockwise


def test_blockwise_contraction():
    a, b = values((4, 6)), values((6, 4))
    x, d = both(a, (2, 3))
    y, e = both(b, (3, 2))
    same(
        vm.blockwise(np.dot, "ik", x, "ij", y, "jk", concatenate=True, dtype=float),
        da.blockwise(np.dot, "ik", d, "ij", e, "jk", concatenate=True, dtype=float),
    )

    def dot(p, q):
        return sum(np.dot(m, n) for m, n in zip(p, q))

    same(
        vm.blockwise(dot, "ik", x, "ij", y, "jk", dtype=float),
        da.blockwise(dot, "ik", d, "ij", e, "jk", dtype=float, meta=np.empty((0, 0))),
    )


def test_blockwise_axes():
    x, d = both(values((4, 6)), (2, 3))
    same(
        vm.blockwise(np.transpose, "ji", x, "ij", dtype=float),
        da.blockwise(np.transpose, "ji", d, "ij", dtype=float),
    )
    function = lambda b, n: b[:, :, None] * np.arange(n)  # noqa: E731
    same(
        vm.blockwise(function, "ijk", x, "ij", 5, None, new_axes={"k": 5}, dtype=float),
        da.blockwise(function, "ijk", d, "ij", 5, None, new_axes={"k": 5}, dtype=float),
    )
    double = lambda b: np.concatenate([b, b])  # noqa: E731
    for adjust in (lambda n: 2 * n, 4, (4, 4)):
        same(
            vm.blockwise(double, "ij", x, "ij", adjust_chunks={"i": adjust}, dtype=float),
            da.blockwise(double, "ij", d, "ij", adjust_chunks={"i": adjust}, dtype=float),
        )


def test_blockwise_outer_and_alignment():
    a, b = values((5,)), values((4,))
    x, d = both(a, 2)
    y, e = both(b, 3)
    same(vm.blockwise(np.outer, "ij", x, "i", y, "j"), da.blockwise(np.outer, "ij", d, "i", e, "j", dtype=float))
    z, f = both(a * 2, (4, 1))
    same(vm.blockwise(np.add, "i", x, "i", z, "i"), a * 3)
    function = lambda p, q: p[:1] + q[:1]  # noqa: E731
    p, q = both(a, (3, 2))
    r, s = both(a, (1, 4))
    same(
        vm.blockwise(function, "i", p, "i", r, "i", align_arrays=False, adjust_chunks={"i": 1}, dtype=float),
        da.blockwise(function, "i", q, "i", s, "i", align_arrays=False, adjust_chunks={"i": 1}, dtype=float),
    )


def test_blockwise_refuses():
    x = vm.from_array(values((4, 6)), chunks=2)
    with pytest.raises(ValueError, match="pairs"):
        vm.blockwise(np.negative, "ij", x)
    with pytest.raises(ValueError, match="axes"):
        vm.blockwise(np.negative, "ij", x, "i")
    with pytest.raises(ValueError, match="new_axes"):
        vm.blockwise(np.negative, "ijk", x, "ij")
    with pytest.raises(ValueError, match="twice"):
        vm.blockwise(np.negative, "ii", x, "ij")
    with pytest.raises(ValueError, match="do not go together"):
        vm.blockwise(np.add, "ij", x, "ij", x, "ji")


def test_unify_chunks():
    a = values((10,))
    chunks, (x, y) = vm.unify_chunks(vm.from_array(a, chunks=5), "i", vm.from_array(a, chunks=4), "i")
    assert chunks == {"i": (4, 1, 3, 2)} and x.chunks == y.chunks == ((4, 1, 3, 2),)


# reduction


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("split_every", [None, 2, 8, {0: 2, 1: 3, 2: 2}])
def test_reduction(axis, keepdims, split_every):
    x, d = both(values((7, 6, 5), int), (2, 1, 2))
    kwargs = dict(axis=axis, keepdims=keepdims, split_every=split_every, dtype=int)
    same(vm.reduction(x, np.sum, np.sum, **kwargs), da.reduction(d, np.sum, np.sum, **kwargs))


def test_reduction_in_steps_of_other_dtypes():
    """The steps in between may have any dtype: it is nobody's business."""
    calls = []

    def chunk(block, axis, keepdims):
        calls.append("chunk")
        return block.sum(axis=axis, keepdims=keepdims).astype("f4")

    def combine(parts, axis, keepdims):
        assert parts.dtype == "f4"
        calls.append("combine")
        return parts.sum(axis=axis, keepdims=keepdims)

    def aggregate(parts, axis, keepdims):
        calls.append("aggregate")
        return (parts.sum(axis=axis, keepdims=keepdims) > 10).astype("u1")

    x, d = both(values((9, 2), int), (1, 2))
    y = vm.reduction(x, chunk, aggregate, combine=combine, axis=0, dtype="u1")
    assert not calls
    same(y, np.array([1, 1], "u1"))
    assert calls.count("chunk") == 9 and calls.count("aggregate") == 1


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64", "complex128"])
def test_reduction_of_every_dtype(dtype):
    a = np.random.default_rng(0).integers(0, 2, (5, 4)).astype(dtype)
    take_first = lambda b, axis, keepdims: b[:1] if keepdims else b[0]  # noqa: E731
    same(vm.reduction(vm.from_array(a, chunks=2), take_first, take_first, axis=0, dtype=dtype), a[0])


def test_reduction_with_lists_and_weights():
    x, d = both(values((7, 4)), (2, 3))

    def total(parts, axis, keepdims):
        while isinstance(parts, list):
            parts = parts[0] if len(parts) == 1 else sum(total(part, axis, True) if isinstance(part, list) else part for part in parts)
        return parts if keepdims else parts.sum(axis=axis)

    same(vm.reduction(x, np.sum, total, axis=0, concatenate=False, dtype=float), values((7, 4)).sum(0))

    def weighted(block, weights=None, axis=None, keepdims=None):
        return (block * weights).sum(axis=axis, keepdims=keepdims)

    w = np.arange(4.0)
    same(vm.reduction(x, weighted, np.sum, weights=w, dtype=float), da.reduction(d, weighted, np.sum, weights=w, dtype=float))
    with pytest.raises(ValueError, match="weights"):
        vm.reduction(x, weighted, np.sum, weights=np.ones(3), dtype=float)


def test_reduction_of_other_sizes():
    def two(block, axis, keepdims):
        return np.sort(block, axis=0)[-2:]

    x, d = both(np.random.default_rng(1).permutation(20).astype(float), 4)
    kwargs = dict(axis=0, keepdims=True, output_size=2, dtype=float)
    same(vm.reduction(x, two, two, **kwargs), da.reduction(d, two, two, **kwargs))


def test_reduction_refuses():
    x = vm.from_array(values((4, 4)), chunks=2)
    with pytest.raises(ValueError, match="dtype="):
        vm.reduction(x, np.sum, np.sum)
    with pytest.raises(ValueError, match="split_every"):
        vm.reduction(x, np.sum, np.sum, dtype=float, split_every="two")
    with pytest.raises(np.exceptions.AxisError):
        vm.reduction(x, np.sum, np.sum, dtype=float, axis=2)
    with pytest.raises(ValueError, match="keepdims"):
        vm.reduction(x, lambda b, axis, keepdims: b.sum(axis), np.sum, axis=0, dtype=float).compute()
    with pytest.raises(TypeError, match="float64.*announced"):
        total = lambda b, axis, keepdims: b.sum(axis=axis, keepdims=keepdims)  # noqa: E731
        vm.reduction(x, total, total, dtype=int).compute()


# Along axes


ALONG = [np.sum, np.sort, lambda row: row[:2], lambda row: np.outer(row, row)[:2, :3], lambda row: row.argmax()]


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("function", ALONG)
def test_apply_along_axis(axis, function):
    a = np.random.default_rng(0).random((4, 5, 6))
    for chunks in (2, (4, 5, 6), (3, 1, 4)):
        same(vm.apply_along_axis(function, axis, vm.from_array(a, chunks=chunks)), np.apply_along_axis(function, axis, a))


def test_apply_along_axis_declared():
    x, d = both(values((4, 6)), (2, 3))
    function = Counted(lambda row, k, scale=1: row[:k] * scale)
    y = vm.apply_along_axis(function, 1, x, 2, scale=3, dtype=float, shape=(2,))
    assert not function.calls
    same(y, da.apply_along_axis(function.function, 1, d, 2, scale=3, dtype=float, shape=(2,)))


def test_apply_along_axis_calls_once_for_each_row():
    function = Counted(np.sum)
    vm.apply_along_axis(function, 1, vm.from_array(values((6, 4)), chunks=2)).compute()
    assert len(function.calls) == 6


def test_apply_over_axes():
    a = values((3, 4, 5))
    for axes in (0, [0, 2], (1, 2)):
        same(vm.apply_over_axes(vm.sum, vm.from_array(a, chunks=2), axes), np.apply_over_axes(np.sum, a, axes))


# Sources


def test_from_function():
    def corner(box, block_id=None, add=0):
        grid = np.ogrid[box]
        return grid[0] * 10 + grid[1] + add + 1000 * block_id[0]

    y = vm.from_function(corner, (4, 5), chunks=(2, 3), add=1)
    expected = np.add.outer(np.arange(4) * 10, np.arange(5)) + 1 + 1000 * (np.arange(4) // 2)[:, None]
    same(y, expected)
    same(vm.from_function(corner, (4, 5), dtype=int, chunks=(2, 3), add=1), expected)
    same(vm.from_function(lambda box: np.array(3.5), (), dtype=float), np.float64(3.5))


def test_from_function_is_called_once_for_each_block():
    function = Counted(lambda box: np.zeros([part.stop - part.start for part in box]))
    y = vm.from_function(function, (10,), chunks=3)
    assert len(function.calls) == 1
    y.compute()
    assert len(function.calls) == 4
    declared = Counted(function.function)
    y = vm.from_function(declared, (10,), chunks=3, dtype=float)
    assert not declared.calls


def test_from_function_computes_what_is_asked_for():
    function = Counted(lambda box: np.zeros([part.stop - part.start for part in box]))
    vm.from_function(function, (100,), chunks=10, dtype=float)[15:25].compute()
    assert len(function.calls) == 2


def test_from_map():
    items = ["a", "bb", "ccc"]
    function = Counted(lambda item, more=0: np.full((2, 2), len(item) + more))
    y = vm.from_map(function, items, more=1)
    assert len(function.calls) == 1 and y.chunks == ((1, 1, 1), (2,), (2,))
    same(y, np.stack([np.full((2, 2), n) for n in (2, 3, 4)]))
    assert len(function.calls) == 3
    declared = Counted(function.function)
    y = vm.from_map(declared, items, shape=(2, 2), dtype=int)
    assert not declared.calls
    np.testing.assert_array_equal(y[1].compute(), np.full((2, 2), 2))
    assert len(declared.calls) == 1


def test_from_map_names_the_item_that_is_wrong():
    with pytest.raises(ValueError, match=r"item 1 \('bb'\) has shape \(2,\)"):
        vm.from_map(lambda item: np.zeros(len(item)), ["a", "bb"]).compute()

    def fails(item):
        return np.zeros(1) if item == "a" else 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        vm.from_map(fails, ["a", "b"]).compute()
    assert any("item 1: 'b'" in note for note in caught.value.__notes__)
    with pytest.raises(ValueError, match="at least one item"):
        vm.from_map(fails, [])
