"""Functions that change arrays in place, take functions, or are made for arrays too large for NumPy."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm

sys.path.insert(0, str(Path(__file__).parent))

from differential import ALL, EXAMPLES, arrays, chunked  # noqa: E402

thorough = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def changed_alike(data, name, x, *args, **kwargs):
    """Expect that a function changes an array as NumPy's does."""
    expected = x.copy()
    mine = chunked(data.draw, x)
    others, more = chunked(data.draw, args), chunked(data.draw, kwargs)
    try:
        getattr(np, name)(expected, *args, **kwargs)
    except (ValueError, TypeError, IndexError) as error:
        with pytest.raises((type(error), *type(error).__mro__[1:-3])):
            getattr(vm, name)(mine, *others, **more)
            mine.compute()
        return
    with vm.config.set(random_tiles=data.draw(st.integers(0, 1000)), threads=2):
        assert getattr(vm, name)(mine, *others, **more) is None
        found = np.asarray(mine)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


SAFE = ("bool", "uint8", "int32", "float64")


@thorough
@given(st.data())
def test_put_along_axis(data):
    x = data.draw(arrays(SAFE, ranks=(1, 2, 3), longest=5))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = [1 if data.draw(st.integers(0, 4)) == 0 else n for n in x.shape]
    # Where several values meet in one place, NumPy does not say which of them stays.
    shape[axis] = data.draw(st.integers(0, x.shape[axis]))
    others = [n for k, n in enumerate(shape) if k != axis % x.ndim]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = rng.permuted(np.broadcast_to(np.arange(x.shape[axis]), (*others, x.shape[axis])), axis=-1)
    index = np.moveaxis(rows[..., : shape[axis]], -1, axis)
    whole = list(x.shape)
    whole[axis] = shape[axis]
    values = data.draw(st.one_of(st.just(3), arrays(SAFE, shape=tuple(whole), low=0)))
    changed_alike(data, "put_along_axis", x, index, values, axis=axis)


def test_put_along_axis_flat():
    x = vm.from_array(np.arange(6).reshape(2, 3), chunks=1)
    vm.put_along_axis(x, np.array([5, 0]), [7, 8], None)
    assert x.compute().tolist() == [[8, 1, 2], [3, 4, 7]]


@thorough
@given(st.data())
def test_put(data):
    x = data.draw(arrays(SAFE, ranks=(0, 1, 2, 3), longest=5))
    index = np.array(data.draw(st.lists(st.integers(-x.size, max(x.size - 1, 0)), max_size=5)), int)
    values = data.draw(arrays(SAFE, ranks=(0, 1), longest=3, low=0))
    changed_alike(data, "put", x, index, values, mode=data.draw(st.sampled_from(["raise", "wrap"])))


@thorough
@given(st.data())
def test_putmask(data):
    x = data.draw(arrays(ALL, longest=5))
    mask = data.draw(arrays(("bool", "int32"), shape=x.shape if data.draw(st.integers(0, 9)) else (x.size + 1,), low=-1, high=1))
    shape = data.draw(st.sampled_from([x.shape, (), (2,), (3,)]))
    changed_alike(data, "putmask", x, mask, data.draw(arrays(x.dtype.name, shape=shape)))


@thorough
@given(st.data())
def test_place(data):
    x = data.draw(arrays(ALL, longest=5))
    mask = data.draw(arrays(("bool", "int32"), shape=x.shape, low=-1, high=1))
    changed_alike(data, "place", x, mask, data.draw(arrays(x.dtype.name, ranks=1, longest=4)))


@thorough
@given(st.data())
def test_copyto(data):
    x = data.draw(arrays(ALL, longest=5))
    shape = data.draw(st.sampled_from([x.shape, x.shape[1:]]))
    source = data.draw(st.one_of(st.sampled_from([3, 2.5, 1j, True]), arrays(ALL, shape=shape, low=0)))
    where = data.draw(st.one_of(st.just(True), arrays("bool", shape=x.shape)))
    changed_alike(data, "copyto", x, source, where=where)


@thorough
@given(st.data())
def test_fill_diagonal(data):
    x = data.draw(arrays(SAFE, ranks=(1, 2, 2, 3), longest=5))
    if x.ndim == 3 and data.draw(st.booleans()):
        x = data.draw(arrays(SAFE, shape=(3, 3, 3)))
    values = data.draw(st.one_of(st.just(1), arrays(SAFE, ranks=1, low=0, least=1)))
    changed_alike(data, "fill_diagonal", x, values, data.draw(st.booleans()))


@thorough
@given(st.data())
def test_piecewise(data):
    x = data.draw(arrays(("float64", "int32"), longest=5))
    conditions = [data.draw(arrays("bool", shape=x.shape)) for _ in range(data.draw(st.integers(1, 3)))]
    functions = [data.draw(st.sampled_from([1, 2.5, np.negative, lambda v: v * 2])) for _ in conditions]
    functions = functions[: len(functions) + data.draw(st.sampled_from([0, 0, -2]))] + [7] * data.draw(st.booleans())
    try:
        expected = np.piecewise(x, conditions, functions)
    except (ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            vm.piecewise(chunked(data.draw, x), chunked(data.draw, conditions), functions).compute()
        return
    found = vm.piecewise(chunked(data.draw, x), chunked(data.draw, conditions), functions)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)


def test_piecewise_one_condition_and_arguments():
    x = vm.asarray([1.0, 2.0, 3.0])
    assert vm.piecewise(x, x > 1, [lambda v, k: v * k, -1], 10).compute().tolist() == [-1, 20, 30]


@thorough
@given(st.data())
def test_fromfunction(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
    dtype = data.draw(st.sampled_from([int, float, np.float32]))
    chunks = data.draw(st.integers(1, 4))

    def function(*index, more=1):
        return sum(n * (k + 2) for k, n in enumerate(index)) + more

    expected = np.fromfunction(function, shape, dtype=dtype, more=3)
    found = vm.fromfunction(function, shape, dtype=dtype, chunks=chunks, more=3)
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found.compute(), expected)


def test_fromfunction_of_a_number():
    assert vm.fromfunction(lambda i, j: 7, (2, 3), chunks=1).compute().tolist() == [[7] * 3] * 2


@pytest.mark.parametrize(
    "key",
    [np.s_[0:5], np.s_[0:1:5j], np.s_[0:3, 1:6:2], np.s_[0:1:3j, 0:2], np.s_[0:3, 1:1], np.s_[0.5:3, :2]],
)  # fmt: skip
def test_grids_by_slices(key):
    for name in ("mgrid", "ogrid"):
        found, expected = getattr(vm, name)[key], getattr(np, name)[key]
        assert type(found) is tuple if isinstance(expected, tuple) else isinstance(found, vm.Array)
        for f, e in zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]:
            assert f.dtype == e.dtype
            np.testing.assert_array_equal(f.compute(), e)


def test_pad_by_a_function():
    def fill(line, width, axis, kwargs):
        line[: width[0]] = kwargs["value"] + axis
        line[line.size - width[1] :] = -1

    x = np.arange(6).reshape(2, 3)
    expected = np.pad(x, ((1, 0), (2, 1)), fill, value=10)
    np.testing.assert_array_equal(vm.pad(vm.from_array(x, chunks=1), ((1, 0), (2, 1)), fill, value=10).compute(), expected)


def test_coarsen_with_any_function():
    x = vm.from_array(np.arange(24.0).reshape(4, 6), chunks=(3, 2))
    expected = np.median(np.arange(24.0).reshape(2, 2, 2, 3), axis=(1, 3))
    found = vm.coarsen(lambda block, axis: np.median(block, axis=axis), x, {0: 2, 1: 3})
    np.testing.assert_array_equal(found.compute(), expected)


def test_out_of_joined_arrays():
    out = vm.zeros(4)
    assert vm.concatenate([vm.arange(2), vm.arange(2)], out=out) is out
    assert out.compute().tolist() == [0, 1, 0, 1]
    with pytest.raises(TypeError, match="cast"):
        vm.concatenate([vm.ones(2)], dtype=int)


def test_scalars():
    assert vm.isscalar(3)
    assert not vm.isscalar(vm.asarray(3))


def test_rechunk():
    assert vm.rechunk(vm.ones((4, 6)), (2, 3)).chunks == ((2, 2), (3, 3))


def test_numpy_arrays_are_not_changed_in_place():
    with pytest.raises(TypeError, match=r"numpy\.put"):
        vm.put(np.zeros(3), 0, 1)


def test_out():
    out = vm.zeros(2)
    assert vm.take(vm.arange(5), [1, 3], out=out) is out
    assert out.compute().tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="shape"):
        vm.take(vm.arange(5), [1, 3], out=vm.zeros(3))


def test_numpy_functions_stay_lazy():
    x = vm.from_array(np.arange(20.0).reshape(4, 5), chunks=2)
    functions = (
        np.diff, np.gradient, np.tril, np.diagonal, np.trapezoid, lambda v: np.delete(v, [1, 3], 1), lambda v: np.take(v, [3, 0], axis=0),
        lambda v: np.lib.stride_tricks.sliding_window_view(v, 2, 0), lambda v: np.convolve(v[0], [1, 2]), np.tril_indices_from,
        lambda v: np.meshgrid(v[0], v[1]), lambda v: np.block([[v, v], [v, v]]), lambda v: np.split(v, 2)[0],
        lambda v: np.cross(v[:, :3], v[:, :3]),
    )  # fmt: skip
    for function in functions:
        made = function(x)
        for part in made if isinstance(made, tuple) else (made,):
            assert isinstance(part, vm.Array)


def test_numpy_functions_change_in_place():
    x = vm.from_array(np.arange(6.0).reshape(2, 3), chunks=2)
    np.copyto(x, 7, where=[True, False, False])
    np.put_along_axis(x, np.array([[1], [2]]), 9, axis=1)
    np.fill_diagonal(x, -1)
    assert x.compute().tolist() == [[-1, 9, 2], [7, -1, 9]]


def test_lazy_positions_are_not_computed():
    def refuse(box):
        raise RuntimeError("must not be computed")

    labels = vm.from_function(refuse, (4, 4), dtype=int, chunks=2)
    assert vm.take(vm.arange(10), labels).shape == (4, 4)
    assert vm.take_along_axis(vm.ones((4, 4)), labels, 1).shape == (4, 4)
    assert vm.choose(labels, [1, 2]).shape == (4, 4)
    assert vm.unravel_index(labels, (5, 2))[1].shape == (4, 4)


def test_positions_outside_are_refused_when_computed():
    index = vm.from_array(np.array([0, 9]), chunks=1)
    with pytest.raises(IndexError, match="9"):
        vm.take(vm.arange(5), index).compute()


def test_long_axes_are_read_in_parts(monkeypatch):
    """Tables and rows too long for a block are read part by part."""
    from voxmill import _parts

    monkeypatch.setattr(_parts, "LINE", 64)
    rng = np.random.default_rng(0)
    table, index = rng.random((3, 50)), rng.integers(-50, 50, (4, 6))
    mine, where = vm.from_array(table, chunks=(2, 7)), vm.from_array(index, chunks=3)
    np.testing.assert_array_equal(vm.take(mine, where, axis=1).compute(), np.take(table, index, axis=1))
    rows = rng.integers(-50, 50, (3, 20))
    np.testing.assert_array_equal(vm.take_along_axis(mine, vm.asarray(rows), 1).compute(), np.take_along_axis(table, rows, 1))


def test_work_is_cut_into_small_blocks(monkeypatch):
    """With tiny blocks, results are the same: blocks meet in many places."""
    from voxmill import _grids, _neighbours, _parts

    for module in (_parts, _neighbours, _grids):
        monkeypatch.setattr(module, "BLOCK", 16 * 6)
    rng = np.random.default_rng(1)
    x = rng.random((13, 11))
    mine = vm.from_array(x, chunks=(4, 3))
    gone, new = [1, 2, 7, 11], [0, 3, 3, 13, -2]
    index = rng.integers(0, 13, (5, 11))
    line = x.reshape(-1)
    pairs = [
        (vm.delete(mine, gone, 0), np.delete(x, gone, 0)),
        (vm.delete(mine, slice(1, None, 3)), np.delete(x, slice(1, None, 3))),
        (vm.insert(mine, new, 5, 0), np.insert(x, new, 5, 0)),
        (vm.take(mine, vm.asarray(index), 0), np.take(x, index, 0)),
        (vm.take_along_axis(mine, vm.asarray(index), 0), np.take_along_axis(x, index, 0)),
        (vm.sliding_window_view(mine, (3, 2)), np.lib.stride_tricks.sliding_window_view(x, (3, 2))),
        (vm.sliding_window_view(mine, (6, 7), (1, 0)), np.lib.stride_tricks.sliding_window_view(x, (6, 7), (1, 0))),
        (vm.tril_indices(9, 1, 7)[1], np.tril_indices(9, 1, 7)[1]),
        (vm.triu_indices(9, 1, 7)[0], np.triu_indices(9, 1, 7)[0]),
        (vm.fromfunction(lambda i, j: i - j, (9, 7)), np.fromfunction(lambda i, j: i - j, (9, 7))),
        (vm.vander(vm.asarray(line), 9), np.vander(line, 9)),
        (vm.trace(mine, 1), np.trace(x, 1)),
    ]
    for mode in ("full", "same", "valid"):
        for kernel in (line[:4], line[:3]):
            pairs.append((vm.convolve(vm.asarray(line), kernel, mode), np.convolve(line, kernel, mode)))
            pairs.append((vm.correlate(vm.asarray(line), kernel, mode), np.correlate(line, kernel, mode)))
            pairs.append((vm.correlate(vm.asarray(kernel), line, mode), np.correlate(kernel, line, mode)))
    for found, expected in pairs:
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.compute(), expected, rtol=1e-14, atol=1e-14)


def test_huge_arrays_cost_nothing_until_computed():
    """Shapes beyond any memory: only what is asked for is computed."""
    n = 10**6
    x = vm.ones((n, n), dtype="u1", chunks=1000)
    made = [
        vm.diff(x, axis=0), vm.gradient(x, axis=1), vm.tril(x), vm.triu(x, 5), vm.delete(x, [5, 10**5], 0), vm.insert(x, [3, 9], 7, 1),
        vm.append(x, x, 0), vm.sliding_window_view(x, (3, 3)), vm.unwrap(x.astype("f4")[:100]), vm.meshgrid(vm.arange(n), vm.arange(n))[0],
        vm.indices((n, n)), vm.diag(vm.arange(n)), vm.tri(n), vm.resize(x, (n, 2 * n)), vm.block([[x, x], [x, x]]),
        vm.select([x > 0], [x]), vm.take(vm.arange(256), x), vm.roll(x, 3), vm.pad(x, 2), vm.repeat(x, 2, 0), vm.cross(x[:, :3], x[:, 3:6]),
    ]  # fmt: skip
    for y in made:
        corner = y[tuple(slice(0, 2) for _ in range(y.ndim))]
        assert corner.compute(memory_limit="256MiB").size == 2**y.ndim
    assert vm.diagonal(x)[-3:].compute().tolist() == [1, 1, 1]
    rows, columns = vm.tril_indices(n)
    assert (rows[-1].compute(), columns[-1].compute()) == (n - 1, n - 1)
