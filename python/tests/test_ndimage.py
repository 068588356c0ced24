"""Filters and morphology against scipy.ndimage on the whole array: every dtype, border and three chunkings, with random tiles."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage as ndi

import voxmill as vm

DTYPES = ["bool", "uint8", "uint16", "int16", "int32", "int64", "uint64", "float32", "float64"]
MODES = ["reflect", "mirror", "nearest", "constant", "wrap"]
SHAPES = [(17, 23), (9, 11, 13)]


def image(shape, dtype, seed=0):
    """Give an image with values of both signs where the dtype has them."""
    rng = np.random.default_rng(seed)
    low = -60 if np.dtype(dtype).kind in "if" else 0
    return rng.uniform(low, 140, shape).astype(dtype) if dtype != "bool" else rng.random(shape) < 0.5


def chunkings(shape):
    """Give three ways to cut an array: as one piece, evenly, and unevenly with pieces smaller than any window."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) for n in shape)


def check(name, x, tolerance=None, **params):
    """Compare one function with scipy's for all chunkings."""
    expected = getattr(ndi, name)(x, **params)
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = getattr(vm.ndimage, name)(vm.from_array(x, chunks=chunks), **params)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = lazy.compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if expected.dtype.kind == "f":
            limit = tolerance or (1e-6 if expected.dtype == np.float32 else 1e-12)
            assert np.abs(found - expected).max(initial=0) <= limit * max(np.abs(expected).max(initial=0), 1)
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
class TestWindows:
    """Filters with windows, for all dtypes and borders."""

    def test_uniform(self, shape, dtype, mode):
        x = image(shape, dtype)
        # Between axes, scipy keeps truth values other than 0 and 1 (a byte of 3), which no other function takes for one.
        cval = 1 if dtype == "bool" else 3
        check("uniform_filter", x, size=3, mode=mode, cval=cval)
        cval = 0 if dtype == "bool" else -2.5
        check("uniform_filter", x, size=[4, 1, 7][: x.ndim], mode=mode, cval=cval, origin=[0, 0, -3][: x.ndim])
        check("uniform_filter1d", x, size=5, axis=0, mode=mode, origin=-2)

    def test_extremes(self, shape, dtype, mode):
        x = image(shape, dtype)
        check("minimum_filter", x, size=4, mode=mode, cval=3)
        check("maximum_filter", x, size=[1, 9, 2][: x.ndim], mode=mode, cval=3)
        check("maximum_filter1d", x, size=6, axis=1, mode=mode, cval=3, origin=1)
        cross = ndi.generate_binary_structure(x.ndim, 1)
        check("minimum_filter", x, footprint=cross, mode=mode, cval=3)
        check("maximum_filter", x, footprint=cross, mode=mode, cval=3, origin=1)

    def test_ranks(self, shape, dtype, mode):
        x = image(shape, dtype)
        for size in (2, 3, 5 if x.ndim == 3 else 11):
            check("median_filter", x, size=size, mode=mode, cval=3)
        check("rank_filter", x, rank=-3, size=[4, 3, 2][: x.ndim], mode=mode, cval=3)
        corner = np.indices((4,) * x.ndim).sum(axis=0) < 5
        check("percentile_filter", x, percentile=70, footprint=corner, mode=mode, cval=3)

    def test_weights(self, shape, dtype, mode):
        x = image(shape, dtype)
        weights = np.random.default_rng(3).normal(size=(3, 4, 2)[: x.ndim])
        weights[0, 1] = 0
        check("correlate", x, weights=weights, mode=mode, cval=3.5)
        check("convolve", x, weights=weights, mode=mode, cval=3.5, origin=[0, 1, 0][: x.ndim])


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_axes_and_output(dtype):
    x = image((9, 11, 13), dtype)
    for name, params in [
        ("uniform_filter", {"size": [3, 4]}),
        ("minimum_filter", {"size": [3, 4]}),
        ("median_filter", {"size": [3, 4]}),
        ("percentile_filter", {"size": [3, 4], "percentile": 20}),
        ("correlate", {"weights": np.ones((3, 2))}),
    ]:
        check(name, x, axes=(0, 2), **params)
        check(name, x, axes=(0, 1), output=np.float64, **params)


def test_complex():
    x = image((17, 23), "float64") + 1j * image((17, 23), "float64", seed=1)
    for name, params in [("uniform_filter", {"size": 3}), ("correlate", {"weights": [[1, 2], [3, -4]]})]:
        expected = getattr(ndi, name)(x, mode="constant", cval=1 + 2j, **params)
        found = getattr(vm.ndimage, name)(vm.from_array(x, chunks=5), mode="constant", cval=1 + 2j, **params).compute()
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-10)
    with pytest.raises(TypeError, match="complex"):
        vm.ndimage.median_filter(vm.asarray(x), 3)


def test_not_a_number():
    """A NaN in a window of an extreme gives NaN; for ranks it counts as the largest."""
    x = np.arange(7.0)
    x[3] = np.nan
    np.testing.assert_array_equal(vm.ndimage.maximum_filter(vm.asarray(x), 3).compute(), [1, 2, np.nan, np.nan, np.nan, 6, 6])
    np.testing.assert_array_equal(vm.ndimage.median_filter(vm.asarray(x), 3).compute(), [0, 1, 2, 4, 5, 5, 6])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("border", [0, 1])
@pytest.mark.parametrize("name", ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"])
def test_binary(name, shape, border):
    rng = np.random.default_rng(5)
    x = rng.random(shape) < (0.8 if "erosion" in name else 0.2)
    border_value = {} if name in ("binary_opening", "binary_closing") else {"border_value": border}
    check(name, x, **border_value)
    check(name, x, iterations=3, **border_value)
    check(name, x, structure=np.ones((4, 2, 3)[: x.ndim]), **border_value)
    check(name, x, structure=rng.random((3,) * x.ndim) < 0.7, origin=1, **border_value)
    if border_value:
        check(name, x, structure=ndi.generate_binary_structure(x.ndim, x.ndim), axes=tuple(range(x.ndim)), **border_value)
    check(name, image(shape, "float32").clip(0), **border_value)
    mask = rng.random(shape) < 0.8
    expected = getattr(ndi, name)(x, mask=mask, iterations=2)
    found = getattr(vm.ndimage, name)(vm.from_array(x, chunks=4), mask=mask, iterations=2, output=np.uint8).compute()
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.uint8  # scipy gives bool all the same


def test_large_structures():
    """A ball larger than the array, and one that needs several words of a row."""
    rng = np.random.default_rng(6)
    x = rng.random((20, 30, 150)) < 0.999
    ball = (np.indices((25, 25, 25)) - 12) ** 2
    check("binary_erosion", x, structure=ball.sum(axis=0) <= 144)
    check("binary_dilation", ~x, structure=np.ones((1, 3, 141)))


@pytest.mark.parametrize("shape, share", [((50,), 0.9), ((30, 41), 0.97), ((14, 20, 33), 0.999), ((4, 5, 6, 7), 0.9)])
def test_distances(shape, share):
    """Equal to the last bit: squares are whole numbers, or sums in the same order."""
    x = np.random.default_rng(7).random(shape) < share
    for sampling in (None, 2.5, [0.5, 3, 1, 2][: x.ndim]):
        expected = ndi.distance_transform_edt(x, sampling=sampling)
        for k, chunks in enumerate(chunkings(x.shape)):
            with vm.config.set(random_tiles=k * 31 + 7, threads=2):
                found = vm.ndimage.distance_transform_edt(vm.from_array(x, chunks=chunks), sampling=sampling).compute()
            np.testing.assert_array_equal(found, expected)
    assert np.isinf(vm.ndimage.distance_transform_edt(vm.ones(shape, dtype=bool)).compute()).all()


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.ndimage.uniform_filter(x, 0), ValueError, "size 0"),
        (lambda x: vm.ndimage.median_filter(x), ValueError, "size"),
        (lambda x: vm.ndimage.median_filter(x, footprint=np.zeros((3, 3))), ValueError, "empty"),
        (lambda x: vm.ndimage.rank_filter(x, 9, size=3), ValueError, "rank 9"),
        (lambda x: vm.ndimage.percentile_filter(x, 120, size=3), ValueError, "percentile 120"),
        (lambda x: vm.ndimage.correlate(x, [1, 2, 3]), ValueError, "axes"),
        (lambda x: vm.ndimage.correlate(x, [[1, 2], [3]]), ValueError, "length"),
        (lambda x: vm.ndimage.minimum_filter(x, 3, origin=2), ValueError, "origin 2"),
        (lambda x: vm.ndimage.uniform_filter(x, 3, mode="around"), ValueError, "around"),
        (lambda x: vm.ndimage.binary_erosion(x, np.zeros((3, 3))), ValueError, "empty"),
        (lambda x: vm.ndimage.binary_erosion(x, "bell(3)"), ValueError, "bell"),
        (lambda x: vm.ndimage.binary_erosion(x, [[0, 1, 0]] * 2, iterations=0, origin=[0, 1]), ValueError, "middle"),
        (lambda x: vm.ndimage.binary_erosion(x, mask=vm.ones(3)), ValueError, "mask"),
        (lambda x: vm.ndimage.distance_transform_edt(x, sampling=-1), ValueError, "sampling -1"),
        (lambda x: vm.ndimage.distance_transform_edt(x, indices=np.zeros((2, 8, 9))), TypeError, "indices="),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("mode", MODES)
def test_many_weights(mode, dtype):
    """Convolutions that take Fourier transforms: also of axes longer and shorter than a block, moved windows, other dtypes, NaN."""
    rng = np.random.default_rng(3)
    x = image((70, 90), dtype)
    weights = rng.normal(size=(13, 16))
    output = None if dtype != "uint8" else "float32"
    check("convolve", x, 1e-6 if dtype != "float64" else 1e-12, weights=weights, mode=mode, cval=-2.5, output=output)
    check("correlate", x, 1e-6 if dtype != "float64" else 1e-12, weights=weights, mode=mode, origin=[-3, 7], output=output)
    if dtype == "float64":
        check("correlate", image((9, 8, 10), dtype), weights=rng.normal(size=(7, 1, 12)), mode=mode, cval=1)
        x = x.copy()
        x[30, 40], x[5, 80], x[60, 3] = np.nan, np.inf, -np.inf
        with np.errstate(invalid="ignore"):
            expected = ndi.correlate(x, weights, mode=mode)
        found = vm.ndimage.correlate(vm.from_array(x, chunks=33), weights, mode=mode).compute()
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("mode", [*MODES, "grid-mirror", "valid"])
def test_vectorized_functions(mode):
    x = image((11, 13), "int16")
    origin = None if mode == "valid" else (0, 1)
    check("vectorized_filter", x, function=np.median, size=(3, 4), mode=mode, origin=origin)
    check("vectorized_filter", x, function=np.max, footprint=np.eye(3), mode=mode)
    check("vectorized_filter", x, function=np.mean, size=5, axes=1, mode=mode)
    check("vectorized_filter", x, function=np.std, size=(2, 5), axes=(1, 0), mode=mode, batch_memory=3000)
    check("vectorized_filter", image((5, 6, 7), "float32"), function=np.min, size=3, mode=mode)
    if mode == "constant":
        check("vectorized_filter", x, function=np.sum, size=3, mode=mode, cval=7)


@pytest.mark.parametrize(
    "params, words",
    [
        ({}, "size"),
        ({"size": 3, "footprint": np.ones((3, 3))}, "not both"),
        ({"size": 0}, "positive"),
        ({"size": 3, "mode": "around"}, "mode"),
        ({"size": 3, "cval": 2}, "cval"),
        ({"size": 3, "origin": 2}, "origin 2"),
        ({"size": 2.5}, "integers"),
        ({"size": 20, "mode": "valid"}, "fit"),
    ],
)
def test_vectorized_bad_input(params, words):
    with pytest.raises(ValueError, match=words):
        vm.ndimage.vectorized_filter(vm.ones((8, 9)), np.sum, **params)
