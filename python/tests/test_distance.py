"""Distances against scipy on the whole matrix: metrics, dtypes, missing values and chunkings, with random tiles."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial.distance as ssd

import voxmill as vm

METRICS = list(vm.distance.METRICS)
DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "int32", "int64", "uint64", "float16", "float32", "float64"]


def samples(shape, dtype, seed=0):
    """Give a matrix without rows of zeros."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.4
    low = -60 if np.dtype(dtype).kind in "if" else 0
    return np.where(rng.random(shape) < 0.2, 0, rng.uniform(low, 60, shape)).astype(dtype)


def chunkings(shape):
    """Give three ways to cut a matrix."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) for n in shape)


def same(found, expected, dtype):
    """Compare with the tolerance that the documentation states."""
    limit = 5e-6 if dtype in ("float16", "float32") else 1e-12
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric", METRICS)
def test_metrics(metric, dtype):
    a, b = samples((9, 37), dtype), samples((13, 37), dtype, seed=1)
    b[3] = a[2]
    p = {"p": 3} if metric == "minkowski" else {}
    wide = [x.astype(float) if dtype == "float16" else x for x in (a, b)]
    expected = ssd.cdist(*wide, metric, **p)
    for k, (ca, cb) in enumerate(zip(chunkings(a.shape), chunkings(b.shape), strict=True)):
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            same(vm.distance.cdist(vm.from_array(a, chunks=ca), vm.from_array(b, chunks=cb), metric, **p).compute(), expected, dtype)
            x = vm.from_array(b, chunks=cb)
            same(vm.distance.pdist(x, metric, **p).compute(), ssd.pdist(wide[1], metric, **p), dtype)
            matrix = vm.distance.pairwise_distance(x, metric, missing=None, **p).compute()
            same(matrix, ssd.cdist(wide[1], wide[1], metric, **p), dtype)
            np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.3, np.inf])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_exponents(p, dtype):
    x = samples((7, 50), dtype)
    same(vm.distance.pdist(vm.from_array(x, chunks=3), "minkowski", p=p).compute(), ssd.pdist(x, "minkowski", p=p), dtype)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_many_features(dtype):
    """Several blocks of features, and panels that are not full."""
    rng = np.random.default_rng(2)
    x = rng.integers(-128, 128, (5, 40_000)).astype(dtype)
    for metric in ("euclidean", "cityblock", "chebyshev", "braycurtis", "cosine"):
        found = vm.distance.pdist(vm.from_array(x, chunks=(2, 7000)), metric).compute()
        same(found, ssd.pdist(x, metric), dtype)


def known_only(function, x):
    """Apply a function of two rows to the features that both have."""
    out = np.zeros((len(x), len(x)))
    for i, a in enumerate(x.astype(float)):
        for j, b in enumerate(x.astype(float)):
            both = (a >= 0) & (b >= 0)
            out[i, j] = function(a[both], b[both])
    return out


@pytest.mark.parametrize("dtype, high", [("int8", 3), ("int8", 100), ("int16", 3), ("float32", 3), ("float64", 9)])
@pytest.mark.parametrize("metric", METRICS)
def test_missing_values(metric, dtype, high):
    rng = np.random.default_rng(3)
    x = rng.integers(0, high, (8, 150)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = -1
    if dtype == "float64":
        x[rng.random(x.shape) < 0.1] = np.nan
    expected = known_only(lambda a, b: ssd.cdist([a], [b], metric)[0, 0], x)
    for k, chunks in enumerate(chunkings(x.shape)):
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = vm.distance.pairwise_distance(vm.from_array(x, chunks=chunks), metric).compute()
        np.testing.assert_allclose(found, expected, rtol=5e-6, atol=1e-6 if dtype == "float32" else 1e-9)


def test_close_rows_keep_their_digits():
    """Rows far from the origin and close to each other: the Gram matrix alone would lose all digits."""
    rng = np.random.default_rng(4)
    x = 1e6 + rng.random((6, 300))
    np.testing.assert_allclose(vm.distance.pdist(x).compute(), ssd.pdist(x), rtol=1e-9)
    x = (1e3 + rng.random((6, 300))).astype("float32")
    np.testing.assert_allclose(vm.distance.pdist(x).compute(), ssd.pdist(x), rtol=1e-6)


def test_not_a_number_and_infinity():
    x = np.array([[1, 2, np.nan, 4], [0, 0, 0, 0], [1, np.inf, 0, 1], [1, 2, 3, 4], [np.nan, 1, 2, 9]])
    for metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "jaccard", "canberra", "braycurtis", "cosine"):
        with np.errstate(all="ignore"):
            expected = ssd.cdist(x, x, metric)
        np.testing.assert_allclose(vm.distance.cdist(x, x, metric).compute(), expected, rtol=1e-12)


def test_squareform():
    x = np.random.default_rng(5).random((11, 4))
    condensed = ssd.pdist(x)
    for k in range(3):
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            matrix = vm.distance.squareform(vm.from_array(condensed, chunks=7))
            np.testing.assert_array_equal(matrix.compute(), ssd.squareform(condensed))
            np.testing.assert_array_equal(vm.distance.squareform(matrix.rechunk(4)).compute(), condensed)


def test_empty_and_single():
    assert vm.distance.cdist(np.ones((2, 0)), np.ones((3, 0))).compute().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert vm.distance.cdist(np.ones((0, 3)), np.ones((3, 3))).compute().shape == (0, 3)
    assert vm.distance.pdist(np.ones((1, 3))).compute().shape == (0,)
    assert vm.distance.pairwise_distance(np.ones((1, 3))).compute().tolist() == [[0]]


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.distance.cdist(x, vm.ones((3, 5))), ValueError, "same number of columns"),
        (lambda x: vm.distance.cdist(x, vm.ones(4)), ValueError, "1 axes"),
        (lambda x: vm.distance.pdist(x, "mahalanobis"), ValueError, "mahalanobis"),
        (lambda x: vm.distance.pdist(x, lambda a, b: 0), TypeError, "function"),
        (lambda x: vm.distance.pdist(x, "minkowski", p=0), ValueError, "p 0"),
        (lambda x: vm.distance.pdist(x, "minkowski", p=np.nan), (ValueError, TypeError), "p|number"),
        (lambda x: vm.distance.pdist(x * 1j), (ValueError, TypeError), "complex"),
        (lambda x: vm.distance.pairwise_distance(x, missing="zero"), ValueError, "missing"),
        (lambda x: vm.distance.squareform(vm.ones(4)), ValueError, "4 is not the number of pairs"),
        (lambda x: vm.distance.squareform(vm.ones((3, 4))), ValueError, "square"),
        (lambda x: vm.distance.squareform(vm.ones(3), force="tovector"), ValueError, "tovector"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 4)))
