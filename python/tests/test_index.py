"""Indexing and assignment against NumPy: every kind of index, on random shapes and chunks."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import voxmill as vm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from voxmill import _assign, _index

sys.path.insert(0, str(Path(__file__).parent))

from differential import EXAMPLES, arrays, chunked, cuts  # noqa: E402

MANY = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
DTYPES = ("int32", "float64", "uint8", "bool", "complex64", "float16")


@pytest.fixture(params=["usual boxes", "tiny boxes"])
def boxes(request, monkeypatch):
    """Run a test with boxes that a small array fits, and with ones that cut it into many."""
    if request.param == "tiny boxes":
        for module in (_index, _assign):
            monkeypatch.setattr(module, "BOX_BYTES", 40)
        monkeypatch.setattr(_index, "BITS", 30)


def an_array(draw, least_rank=0, least=0):
    """Draw a NumPy array and the same one cut into chunks."""
    a = draw(arrays(DTYPES, ranks=tuple(r for r in (0, 1, 2, 3, 4) if r >= least_rank), longest=6, least=least))
    return a, chunked(draw, a)


def a_slice(draw, n):
    """Draw any slice, also beyond the ends and backwards."""
    end = st.one_of(st.none(), st.integers(-n - 2, n + 2))
    return slice(draw(end), draw(end), draw(st.one_of(st.none(), st.integers(-3, 3).filter(bool))))


def a_position(draw, n):
    """Draw a position of an axis, from either end."""
    return draw(st.integers(-n, n - 1))


def basic_index(draw, shape):
    """Draw integers, slices, new axes and an ellipsis."""
    used = draw(st.integers(0, len(shape)))
    ellipsis = draw(st.booleans())
    head = draw(st.integers(0, used)) if ellipsis else used
    axes = [*range(head), *range(len(shape) - used + head, len(shape))]
    index = [a_position(draw, shape[k]) if shape[k] and draw(st.booleans()) else a_slice(draw, shape[k]) for k in axes]
    if ellipsis:
        index.insert(head, Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        index.insert(draw(st.integers(0, len(index))), None)
    return tuple(index)


def positions(draw, n, shape):
    """Draw an array of positions; without a valid one, an empty array."""
    size = int(np.prod(shape))
    values = draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size)) if n else [0] * 0
    return np.array(values, np.intp).reshape(shape) if n or not size else None


def a_list(draw, values):
    """Give positions or truth values as a list, an array of some type, or a lazy array."""
    kind = draw(st.sampled_from(["list", "numpy", "lazy", "narrow"]))
    if kind == "list" and values.size:
        return values.tolist()
    if kind == "lazy":
        return chunked(draw, values)
    return values.astype(np.int8) if kind == "narrow" and values.dtype != bool else values


def plain(entry):
    """Give a lazy entry of an index to NumPy."""
    return np.asarray(entry) if isinstance(entry, vm.Array) else entry


def advanced_index(draw, shape):
    """Draw an index with arrays: on one axis or several, beside slices, integers, new axes, masks and an ellipsis."""
    broadcast = tuple(draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, 2))))
    index, axis = [], 0
    while axis < len(shape):
        n = shape[axis]
        kind = draw(st.sampled_from(["array", "array", "slice", "whole", "int", "mask", "new", "truth"]))
        if kind == "array":
            part = broadcast[draw(st.integers(0, len(broadcast))) :]
            part = tuple(1 if draw(st.integers(0, 4)) == 0 else m for m in part)
            found = positions(draw, n, part)
            if found is None:
                index.append(slice(None))
            else:
                index.append(a_list(draw, found))
        elif kind == "mask":
            rank = draw(st.integers(1, min(2, len(shape) - axis)))
            rng = np.random.default_rng(draw(st.integers(0, 1000)))
            index.append(a_list(draw, rng.random(shape[axis : axis + rank]) < draw(st.sampled_from([0.0, 0.2, 0.7]))))
            axis += rank - 1
        elif kind == "int" and n:
            index.append(draw(st.sampled_from([int, np.int16, np.array]))(a_position(draw, n)))
        elif kind == "new":
            index.append(None)
            continue
        elif kind == "truth":
            index.append(draw(st.sampled_from([True, False, np.True_, np.array(True)])))
            if draw(st.booleans()):
                continue
            index.append(slice(None))
        else:
            index.append(a_slice(draw, n) if kind == "slice" else slice(None))
        axis += 1
    end = draw(st.integers(0, 3))
    if end == 0 and index and isinstance(index[-1], slice):
        index[-1] = Ellipsis
    elif end == 1:
        index.insert(draw(st.integers(0, len(index))), Ellipsis)
    return tuple(index)


def single_index(draw, shape):
    """Draw an index with one array or mask and otherwise simple entries: the common forms, which have ways of their own."""
    axis = draw(st.integers(0, len(shape) - 1))
    index = [a_slice(draw, n) if draw(st.booleans()) else slice(None) for n in shape]
    if draw(st.booleans()):
        rank = draw(st.integers(1, len(shape) - axis))
        mask = np.random.default_rng(draw(st.integers(0, 1000))).random(shape[axis : axis + rank]) < 0.4
        index[axis : axis + rank] = [a_list(draw, mask)]
    else:
        found = positions(draw, shape[axis], tuple(draw(st.integers(0, 4)) for _ in range(draw(st.integers(1, 2)))))
        if found is not None:
            index[axis] = a_list(draw, found)
    return tuple(index)


LENIENT = (
    "boolean array indexing assignment requires a 0 or 1-dimensional input",
    "only 0-dimensional arrays can be converted to Python scalars",
    "setting an array element with a sequence",
)
"""Where NumPy refuses values that have axes of length 1 too many, in some forms of assignment only."""


def expect(run, reference):
    """Expect the same result, or an exception of the same kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = reference()
        except (IndexError, ValueError, TypeError, OverflowError) as error:
            if any(words in str(error) for words in LENIENT):
                return
            with pytest.raises(type(error)):
                run()
            return
        found = np.asarray(run())
    wanted = np.asarray(wanted)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("draw_index", [basic_index, advanced_index, single_index])
def test_get(draw_index, boxes):
    @MANY
    @given(st.data())
    def run(data):
        a, x = an_array(data.draw, least_rank=1 if draw_index is single_index else 0)
        index = draw_index(data.draw, a.shape)
        with vm.config.set(random_tiles=data.draw(st.integers(0, 100))):
            expect(lambda: x[index], lambda: a[tuple(map(plain, index))])

    run()


def a_value(draw, shape):
    """Draw what is assigned to a selection of some shape: a number, an array of it, one that broadcasts, one that does not fit."""
    kind = draw(st.sampled_from(["number", "full", "broadcast", "number", "full", "broadcast", "leading", "wrong", "list"]))
    if kind == "number":
        return draw(st.sampled_from([0, 1, 3, True, 2.5, np.float32(7), np.int64(5)]))
    if kind == "broadcast":
        shape = tuple(1 if draw(st.booleans()) else n for n in shape)[draw(st.integers(0, len(shape))) :]
    if kind == "leading":
        shape = (1, 1, *shape)
    if kind == "wrong":
        shape = (*shape[:-1], (shape[-1] if shape else 0) + 2)
    value = draw(arrays(("int32", "float64", "uint8", "bool"), shape=shape, low=0, high=9))
    if kind == "list":
        return value.tolist()
    return value


@pytest.mark.parametrize("draw_index", [basic_index, advanced_index, single_index])
def test_set(draw_index, boxes):
    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        a, x = an_array(draw, least_rank=1 if draw_index is single_index else 0)
        index = draw_index(draw, a.shape)
        numpy_index = tuple(map(plain, index))
        try:
            shape = a[numpy_index].shape
        except IndexError:
            shape = ()
        value = a_value(draw, shape)
        lazy = chunked(draw, value) if isinstance(value, np.ndarray) and draw(st.booleans()) else value
        before = a.copy()

        def reference():
            b = a.copy()
            b[numpy_index] = value
            return b

        def assigned():
            y = x.copy()
            y[index] = lazy
            assert y.chunks == x.chunks
            return y

        with vm.config.set(random_tiles=draw(st.integers(0, 100))):
            expect(assigned, reference)
        np.testing.assert_array_equal(x, before)

    run()


def test_set_one_after_the_other(boxes):
    """Several assignments, of which each sees what the ones before it did; positions that come twice take the last value."""

    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        a, x = an_array(draw, least_rank=1, least=1)
        for _ in range(draw(st.integers(1, 4))):
            index = draw(st.sampled_from([basic_index, advanced_index, single_index]))(draw, a.shape)
            numpy_index = tuple(map(plain, index))
            try:
                value = draw(arrays("uint8", shape=a[numpy_index].shape, low=0, high=9))
            except IndexError:
                continue
            a[numpy_index] = value
            x[index] = value
        np.testing.assert_array_equal(x, a)

    run()


def test_blocks(boxes):
    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        a = draw(arrays(("int32",), ranks=(1, 2, 3), longest=7, least=1))
        chunks = tuple(cuts(draw, n) for n in a.shape)
        x = vm.from_array(a, chunks=chunks)
        assert x.blocks.shape == x.numblocks == tuple(map(len, chunks))
        assert x.blocks.size == x.npartitions
        axis = draw(st.integers(0, a.ndim - 1))
        n = len(chunks[axis])
        choice = draw(
            st.one_of(
                st.integers(-n, n - 1),
                st.lists(st.integers(-n, n - 1), max_size=4),
                st.lists(st.booleans(), min_size=n, max_size=n),
                st.builds(slice, st.one_of(st.none(), st.integers(-n, n)), st.one_of(st.none(), st.integers(-n, n))),
            )
        )
        picked = np.atleast_1d(np.arange(n)[choice])
        ends = np.cumsum([0, *chunks[axis]])
        where = np.concatenate([np.empty(0, int), *(np.arange(ends[b], ends[b + 1]) for b in picked)])
        found = x.blocks[(slice(None),) * axis + (choice,)]
        np.testing.assert_array_equal(found, np.take(a, where, axis), strict=True)
        if len(picked):
            assert found.chunks[axis] == tuple(chunks[axis][b] for b in picked)
        assert len(x.blocks.ravel()) == x.npartitions
        np.testing.assert_array_equal(x.partitions[(0,) * a.ndim], a[tuple(slice(0, c[0]) for c in chunks)])

    run()


def test_vindex(boxes):
    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        a, x = an_array(draw, least_rank=1, least=1)
        shape = tuple(draw(st.integers(0, 3)) for _ in range(draw(st.integers(1, 2))))
        chosen = sorted(draw(st.sets(st.integers(0, a.ndim - 1), min_size=1)))
        index = [positions(draw, n, shape) if k in chosen else slice(None) for k, n in enumerate(a.shape)]
        order = chosen + [k for k in range(a.ndim) if k not in chosen]
        wanted = a.transpose(order)[tuple(index[k] for k in chosen)]
        np.testing.assert_array_equal(x.vindex[tuple(index)], wanted, strict=True)

    run()


def test_loops(boxes):
    a = np.arange(24).reshape(4, 3, 2)
    x = vm.from_array(a, chunks=(3, 2, 1))
    for row, wanted in zip(x, a, strict=True):
        assert isinstance(row, vm.Array)
        np.testing.assert_array_equal(row, wanted)
    assert list(x.flat) == list(a.flat)
    assert all(isinstance(value, np.int64) for value in x.flat)
    assert len(x.flat) == 24
    np.testing.assert_array_equal(x.flat[[3, 5]], a.flat[[3, 5]])
    x.flat[5:9] = -1
    a.flat[5:9] = -1
    np.testing.assert_array_equal(x, a)
    assert 7 in vm.from_array(np.arange(9), chunks=2) and 17 not in vm.from_array(np.arange(9), chunks=2)
    with pytest.raises(TypeError, match="0-d array|without axes"):
        iter(vm.asarray(3))


WRONG = [
    (3, IndexError),
    (-4, IndexError),
    ((0, 0, 0), IndexError),
    (1.0, IndexError),
    ("a", IndexError),
    (b"a", IndexError),
    (2**80, IndexError),
    ((..., ...), IndexError),
    ([0, 3], IndexError),
    ([0.0, 1.0], IndexError),
    (np.array([]), IndexError),
    (np.zeros(4, bool), IndexError),
    (np.zeros((3, 3), bool), IndexError),
    (np.zeros((3, 4, 1), bool), IndexError),
    (([0, 1], [0, 1, 2]), IndexError),
    (slice(None, None, 0), ValueError),
    (slice(0.5), TypeError),
    (slice("a"), TypeError),
    (object(), IndexError),
    ([[0], [1, 2]], ValueError),
    ({}, IndexError),
    (np.array(["a"]), IndexError),
]


@pytest.mark.parametrize(("index", "kind"), WRONG, ids=[str(k) for k in range(len(WRONG))])
def test_wrong(index, kind):
    a = np.zeros((3, 4))
    x = vm.from_array(a, chunks=2)
    with pytest.raises(kind):
        a[index]
    with pytest.raises(kind):
        x[index]
    with pytest.raises(kind):
        x[index] = 1
    np.testing.assert_array_equal(x, a)


def test_messages_say_what_is_wrong():
    x = vm.zeros((3, 4))
    for index, words in [
        (7, "index 7 is out of bounds for axis 0 with size 3"),
        ((0, [1, 9]), "index 9 is out of bounds for axis 1 with size 4"),
        (np.zeros(5, bool), "size of axis is 3 but size of corresponding boolean axis is 5"),
        ((0, 1, 2), "too many indices"),
        ("name", "only integers, slices"),
        (vm.zeros(3), "must be of integer"),
    ]:
        with pytest.raises(IndexError, match=words):
            x[index]
    with pytest.raises(ValueError, match=r"from shape \(5,\) into shape \(3, 4\)"):
        x[:] = np.zeros(5)
    with pytest.raises(IndexError, match="does not take new axes"):
        x.vindex[None, 0]


def test_lazy_numbers_are_indices():
    x = vm.arange(10, chunks=3)
    assert int(x[vm.asarray(4)]) == 4
    assert int(x[x.argmax()]) == 9
    assert x[vm.asarray(2) : vm.asarray(5)].shape == (3,)
    np.testing.assert_array_equal(x[x[::-1]], np.arange(10)[::-1])
    assert list(range(20))[vm.asarray(7)] == 7


def test_huge_ends_of_slices():
    x = vm.arange(5)
    np.testing.assert_array_equal(x[: 10**30], np.arange(5))
    np.testing.assert_array_equal(x[10**30 : -(10**30) : -1], np.arange(5)[::-1])


def test_assigned_memory_may_change_later(boxes):
    x = vm.zeros((4, 3), chunks=2)
    row, mask, where = np.arange(3.0), np.array([True, False, True, False]), np.array([1, 3])
    x[0] = row
    x[mask] = x[mask] + 1
    y = x[mask]
    x[where] = row
    row[:] = 99
    mask[:] = False
    where[:] = 0
    np.testing.assert_array_equal(x, [[1, 2, 3], [0, 1, 2], [1, 1, 1], [0, 1, 2]])
    assert y.shape == (2, 3)


def test_values_must_fit_the_type():
    for value, kind in [
        (300, OverflowError),
        ([300], OverflowError),
        (float("nan"), ValueError),
        (1j, TypeError),
        ("a", ValueError),
        (None, TypeError),
    ]:
        a, x = np.zeros(2, np.uint8), vm.zeros(2, np.uint8)
        with pytest.raises(kind):
            a[:1] = value
        with pytest.raises(kind):
            x[:1] = value
    x = vm.zeros(2, np.uint8)
    x[:1] = np.array([300.5]).astype(int)
    assert x.tolist() == [300 % 256, 0]


class Watched:
    """An array in a file that notes what is read."""

    shape, dtype, chunks = (1 << 20, 1 << 20), np.dtype("uint8"), (1 << 10, 1 << 10)

    def __init__(self):
        self.read = 0

    def __getitem__(self, index):
        rows, columns = (np.arange(part.start, part.stop) for part in index)
        self.read += len(rows) * len(columns)
        return np.bitwise_xor.outer(rows.astype(np.uint8), columns.astype(np.uint8))


FEW = [
    ("integer", (5, 7), 1),
    ("corner", (slice(-2, None), slice(-2, None)), 4),
    ("far rows", ([0, 1 << 19, (1 << 20) - 1], slice(10)), 30),
    ("far rows backwards", ([(1 << 20) - 1, 1 << 19, 0], slice(10)), 30),
    ("far points", ([0, 1 << 19, 77], [5, 99_999, 1]), 3),
    ("many points", (np.arange(64) * 16_000, np.arange(64)[::-1] * 16_000), 64),
    ("crossing", np.ix_([0, 700_000], [3, 900_000]), 4),
    ("mask", (np.arange(1 << 20) % 300_000 == 0, slice(3)), 12),
]


@pytest.mark.parametrize(("index", "n"), [few[1:] for few in FEW], ids=[few[0] for few in FEW])
def test_reads_only_what_is_asked(index, n):
    """An array of a terabyte, of which few elements are picked: these are read, and little else."""
    source = Watched()
    found = np.asarray(vm.from_array(source)[index])
    assert found.size == n
    assert source.read <= 2 * n
    sequences = [np.arange(1 << 20, dtype=np.int64).reshape(shape) for shape in ((-1, 1), (1, -1))]
    rows, columns = (np.broadcast_to(s.astype(np.uint8), Watched.shape) for s in sequences)
    np.testing.assert_array_equal(found, rows[index] ^ columns[index])


def test_assignment_reads_only_what_is_asked():
    source = Watched()
    x = vm.from_array(source)
    x[5:10, 3] = 1
    x[[7, 900_000]] = 2
    x[::2, ::3] = 3
    x[x == 4] = 5
    x[[0, 1], [0, 1]] = [6, 7]
    found = x[:1024, :1024].compute()
    assert source.read <= 8 << 20
    wanted = Watched()[0:1024, 0:1024]
    wanted[5:10, 3] = 1
    wanted[7] = 2
    wanted[::2, ::3] = 3
    wanted[wanted == 4] = 5
    wanted[[0, 1], [0, 1]] = [6, 7]
    np.testing.assert_array_equal(found, wanted)


def test_large_picks_stay_within_memory():
    x = vm.zeros((1 << 16, 1 << 12), dtype="u1", chunks=(1 << 10, 1 << 12))
    rows = np.random.default_rng(0).permutation(1 << 16)
    assert int(x[rows].sum().compute(memory_limit="128MiB")) == 0
    y = x.copy()
    y[rows[: 1 << 15]] = 1
    assert int(y.sum(dtype="i8").compute(memory_limit="128MiB")) == 1 << 27


def test_masks_stay_within_memory():
    """A quarter of a GiB, of which a mask keeps every third element, and puts others in their places."""
    x = vm.arange(1 << 25, dtype="f8", chunks=1 << 20).reshape(1 << 10, 1 << 15)
    third = vm.arange(1 << 25, chunks=1 << 20).reshape(1 << 10, 1 << 15) % 3 == 0
    found = x[third]
    assert found.shape == ((1 << 25) // 3 + 1,)
    assert float(found.sum().compute(memory_limit="128MiB")) == float(np.arange(0, 1 << 25, 3, dtype=float).sum())
    x[third] = found * 0
    wanted = float(np.arange(1 << 25, dtype=float).sum() - np.arange(0, 1 << 25, 3, dtype=float).sum())
    assert float(x.sum().compute(memory_limit="128MiB")) == wanted
