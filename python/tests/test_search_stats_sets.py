"""What comparing with NumPy does not show: laziness, long axes, and what is said when arguments are wrong."""

import numpy as np
import pytest

import voxmill as vm
from voxmill import _search, _sorting


def never(box):
    """Be a source that must not be read."""
    raise AssertionError(f"{box} was read")


def unread(shape, dtype="float64"):
    """Give an array that must not be read."""
    return vm.from_function(never, shape, dtype=dtype, chunks="auto")


def test_nothing_is_read_before_compute():
    x, whole = unread((30, 40)), unread((30,), "int64")
    vm.sort(x), vm.argsort(x, axis=None), vm.partition(x, 3), vm.topk(x, 3), vm.argtopk(x, -3, axis=0), vm.lexsort([x, x])
    vm.searchsorted(whole, x), vm.digitize(x, [1, 2]), vm.isin(x, whole)
    vm.histogram(x), vm.histogram(x, weights=x), vm.histogram_bin_edges(x), vm.histogram2d(whole, whole), vm.histogramdd(x[:, :3])
    vm.average(x, weights=x), vm.cov(x), vm.corrcoef(x), vm.allclose(x, 1), vm.array_equal(x, x), vm.array_equiv(x, 1)
    vm.quantile(x, 0.5), vm.percentile(x, [1, 2], axis=0), vm.cumsum(x), vm.clip(x, 0, x), vm.moment(x, 3)


def short_blocks():
    """Let arrays that are made within be cut into short blocks: what takes gigabytes otherwise."""
    return vm.config.set(memory_limit="64KiB")


LONG = np.random.default_rng(7)


@pytest.mark.parametrize("n", [1025, 5000, 60_000])
@pytest.mark.parametrize("dtype", ["float64", "int16", "uint8", "complex128", "bool"])
def test_axes_longer_than_blocks_are_sorted(n, dtype):
    values = LONG.normal(0, 50, (2, n)).round()
    values = (values + 1j * values[:, ::-1] if dtype == "complex128" else values if dtype == "float64" else np.abs(values)).astype(dtype)
    if dtype in ("float64", "complex128"):
        values[:, ::7] = np.nan
    x = vm.from_array(values, chunks=(1, 700))
    with short_blocks():
        lazy = vm.sort(x), vm.argsort(x), vm.topk(x, 20), vm.argtopk(x, -20)
    in_order, order = np.sort(values), np.argsort(values, kind="stable")
    for found, expected in zip(vm.compute(*lazy), (in_order, order, in_order[:, ::-1][:, :20], order[:, :20])):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [2, 3, 17, 1000, 12_345, 10**6, 10**9, 10**11])
@pytest.mark.parametrize("target", [2, 10, 4096, 1 << 21])
def test_columns_are_long_enough_to_be_sorted_by(n, target):
    s, r = _sorting.column_shape(n, target)
    assert s * r >= n and r % s == 0 and r % 2 == 0 and r >= 2 * (s - 1) ** 2


def test_long_axes_are_sorted_within_a_limit():
    n = 3_000_000
    x = (vm.arange(n, chunks=100_000) * 7919) % 1_000_003
    with vm.config.set(memory_limit="24MiB"):
        y = vm.sort(x)
        rising = (y[1:] >= y[:-1]).all()
        assert vm.compute(rising, y.sum()) == (True, x.sum().compute())


def test_many_positions_are_found_again_when_asked_for(monkeypatch):
    monkeypatch.setattr(_search, "KEPT_BYTES", 0)
    values = np.arange(6000).reshape(60, 100) % 3
    found = vm.nonzero(vm.from_array(values, chunks=(7, 30)))
    for axis, expected in zip(found, np.nonzero(values)):
        assert len(axis) == 4000
        np.testing.assert_array_equal(axis.compute(), expected)


def test_sorted_arrays_longer_than_blocks_are_searched():
    edges, values = np.sort(LONG.normal(size=20_000)), LONG.normal(size=(30, 400))
    with short_blocks():
        found = vm.searchsorted(vm.from_array(edges, chunks=999), vm.from_array(values, chunks=17), "right")
        within = vm.isin(vm.from_array(values.round(1), chunks=100), vm.from_array(edges.round(2), chunks=999))
    np.testing.assert_array_equal(found.compute(), np.searchsorted(edges, values, "right"))
    np.testing.assert_array_equal(within.compute(), np.isin(values.round(1), edges.round(2)))


def test_different_elements_must_fit_memory():
    with vm.config.set(memory_limit="16MiB"), pytest.raises(MemoryError, match="elements that differ"):
        vm.unique(vm.arange(3_000_000, chunks=100_000))


def test_few_different_elements_of_many_are_found():
    x = vm.arange(5_000_000, chunks=100_000) % 1000
    with vm.config.set(memory_limit="24MiB"):
        values, index, counts = vm.unique(x, return_index=True, return_counts=True)
    np.testing.assert_array_equal(values.compute(), np.arange(1000))
    np.testing.assert_array_equal(index.compute(), np.arange(1000))
    np.testing.assert_array_equal(counts.compute(), np.full(1000, 5000))


def test_results_of_the_array_api_have_names():
    found = vm.unique_all(vm.array([2, 1, 2]))
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    assert vm.unique_counts(vm.array([1]))._fields == ("values", "counts")
    assert vm.unique_inverse(vm.array([1]))._fields == ("values", "inverse_indices")


def test_weights_that_sum_to_zero_are_refused():
    with pytest.raises(ZeroDivisionError, match="average: weights sum to zero"):
        vm.average(vm.array([1.0, 2.0]), weights=[1, -1]).compute()


@pytest.mark.parametrize("weights", [None, [1.0, 1.0]])
def test_a_range_that_is_not_finite_is_refused(weights):
    counts, edges = vm.histogram(vm.array([1.0, np.nan]), weights=weights)
    for part in (counts, edges):
        with pytest.raises(ValueError, match="not finite; give range="):
            part.compute()


REFUSED = [
    (ValueError, "edges of bins must not be NaN", lambda x: vm.histogram(x, [0, np.nan, 3])),
    (ValueError, "edges of bins must not be NaN", lambda x: vm.histogramdd([x], [[0, np.nan, 3]])),
    (ValueError, "axis 1: bins must be positive, not 0", lambda x: vm.histogram2d(x, x, [3, 0])),
    (TypeError, "complex128 has no order", lambda x: vm.histogram(x * 1j)),
    (ValueError, "kth=7 is out of bounds of an axis of length 5", lambda x: vm.partition(x, 7)),
    (ValueError, "side must be 'left' or 'right', not 'up'", lambda x: vm.searchsorted(x, x, "up")),
    (np.exceptions.AxisError, "axis 3", lambda x: vm.sort(x, 3)),
    (np.exceptions.AxisError, "axis 3", lambda x: vm.topk(x, 1, 3)),
    (TypeError, "whole numbers, not float64; cast it", lambda x: vm.bincount(x)),
    (ValueError, "fweights cannot be negative", lambda x: vm.cov(x, fweights=[-1] * 5)),
    (TypeError, "fweights must be whole numbers", lambda x: vm.cov(x, fweights=vm.array([0.5] * 5)).compute()),
    (RuntimeError, "aweights have shape .2,., but there are 5 observations", lambda x: vm.cov(x, aweights=[1, 2])),
    (ValueError, "clip: give either", lambda x: vm.clip(x, 1, min=2)),
]


@pytest.mark.parametrize("kind, words, make", REFUSED, ids=[words for _, words, _ in REFUSED])
def test_wrong_arguments_are_named(kind, words, make):
    with pytest.raises(kind, match=words):
        make(vm.array([1.0, 2.0, 3.0, 4.0, 5.0]))


def test_results_go_into_out():
    x, out = vm.arange(4), vm.zeros(4)
    assert vm.cumsum(x, out=out) is out
    np.testing.assert_array_equal(out.compute(), [0, 1, 3, 6])
    into = np.zeros(4, int)
    assert vm.clip(x, 1, 2, out=into) is into
    np.testing.assert_array_equal(into, [1, 1, 2, 2])
    with pytest.raises(ValueError):
        vm.median(x, out=vm.zeros(3))


def test_arrays_in_numpys_own_functions():
    x = vm.array([3.0, 1.0, 2.0, 2.0])
    assert isinstance(np.sort(x), vm.Array)
    np.testing.assert_array_equal(np.unique(x, return_counts=True)[1], [1, 2, 1])
    np.testing.assert_array_equal(np.histogram(x, bins=2)[0].compute(), [1, 3])
    np.testing.assert_array_equal(np.clip(x, 1.5, None), [3, 1.5, 2, 2])
    assert np.array_equal(x, [3, 1, 2, 2])
