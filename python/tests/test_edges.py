"""Derivatives, edges and smoothing against scipy and scikit-image on the whole image: dtypes, borders and three chunkings."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.filters

import voxmill as vm

MODES = ["reflect", "mirror", "nearest", "constant", "wrap"]
DIRECTED = [f"{name}_{direction}" for name in ("sobel", "prewitt", "scharr", "farid") for direction in "hv"]
DTYPES = ["bool", "uint8", "int16", "uint32", "int64", "float32", "float64"]


def image(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-1, 1, shape).astype(dtype)
    low = -60 if np.dtype(dtype).kind == "i" else 0
    return rng.integers(low, 120, shape).astype(dtype)


def chunkings(shape):
    """Give three ways to cut an array: as one piece, evenly, and unevenly with pieces smaller than any window."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) if n > 4 else (1,) * n for n in shape)


def check(mine, theirs, x, tolerance=None, **params):
    """Compare one function with its peer for all chunkings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x, **params)
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = mine(vm.from_array(x, chunks=chunks), **params)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = lazy.compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if expected.dtype.kind == "f":
            limit = tolerance or (2e-6 if expected.dtype == np.float32 else 1e-12)
            np.testing.assert_allclose(found, expected, rtol=0, atol=limit * max(np.nanmax(np.abs(expected), initial=0), 1))
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["sobel", "prewitt", "laplace", "gaussian_laplace", "gaussian_gradient_magnitude"])
def test_derivatives(name, mode, dtype):
    mine, theirs = getattr(vm.ndimage, name), getattr(ndi, name)
    sigma = {"sigma": 1.3} if name.startswith("gaussian") else {}
    cval = 0 if dtype == "bool" else 3
    if dtype == "bool" and name != "gaussian_gradient_magnitude":
        # Between axes, scipy keeps truth values other than 0 and 1, which no other function takes for one.
        check(mine, theirs, image((9, 13), dtype), mode=mode, output="float32", **sigma)
        return
    if name == "gaussian_gradient_magnitude" and dtype in ("int16", "int64"):
        # Second derivatives of whole numbers are exact up to the last bit of the weights; squares make that visible.
        check(mine, theirs, image((9, 13), dtype), mode=mode, output="float64", **sigma)
        return
    if name.startswith("gaussian") and np.dtype(dtype).kind in "iub":
        check(mine, theirs, image((9, 13), dtype), mode=mode, cval=cval, output="float64", **sigma)
        return
    check(mine, theirs, image((9, 13), dtype), mode=mode, cval=cval, **sigma)
    check(mine, theirs, image((6, 7, 8), dtype), mode=[mode, "nearest", "mirror"], cval=cval, **sigma)


@pytest.mark.parametrize("name", ["sobel", "prewitt"])
def test_derivatives_along_axes(name):
    for shape in [(17,), (9, 8), (6, 5, 7), (5, 5, 6, 5)]:
        for axis in range(-1, len(shape)):
            check(getattr(vm.ndimage, name), getattr(ndi, name), image(shape, "int32"), axis=axis)
            check(getattr(vm.ndimage, name), getattr(ndi, name), image(shape, "uint8"), axis=axis, output="float32")


@pytest.mark.parametrize("name", ["laplace", "gaussian_laplace", "gaussian_gradient_magnitude"])
def test_derivatives_over_some_axes(name):
    mine, theirs = getattr(vm.ndimage, name), getattr(ndi, name)
    x = image((6, 7, 8), "float64")
    sigma = {"sigma": 1.1, "truncate": 3.0} if name.startswith("gaussian") else {}
    for axes in [(0, 2), 1, (-1, 0), ()]:
        if axes == () and name == "gaussian_laplace":
            continue
        check(mine, theirs, x, axes=axes, **sigma)
    if name == "gaussian_laplace":
        check(mine, theirs, x, sigma=[0.8, 2], axes=(0, 2), mode=["wrap", "constant"])
    if sigma:
        check(mine, theirs, x, sigma=[0.8, 2, 0])
        check(mine, theirs, x, sigma=1.5, radius=2)


def test_generic_derivatives():
    x = image((9, 8), "float64")

    def second(x, axis, output, mode, cval, weight=1.0):
        module = vm.ndimage if isinstance(x, vm.Array) else ndi
        return module.correlate1d(x, [weight, -2, weight], axis, output, mode, cval)

    check(vm.ndimage.generic_laplace, ndi.generic_laplace, x, derivative2=second, extra_keywords={"weight": 1.5}, axes=(1,))

    def first(x, axis, output, mode, cval):
        return (vm.ndimage if isinstance(x, vm.Array) else ndi).sobel(x, axis, output, mode, cval)

    check(vm.ndimage.generic_gradient_magnitude, ndi.generic_gradient_magnitude, x, derivative=first, mode=["wrap", "nearest"])
    check(vm.ndimage.generic_gradient_magnitude, ndi.generic_gradient_magnitude, image((9, 8), "uint8"), derivative=first, output="float32")


@pytest.mark.parametrize("dtype", [*DTYPES, "uint64", "int8", "float16"])
@pytest.mark.parametrize("name", ["sobel", "prewitt", "scharr", "farid"])
def test_edges(name, dtype):
    mine, theirs = getattr(vm.filters, name), getattr(skimage.filters, name)
    for k, shape in enumerate([(11,), (9, 13), (6, 7, 8), (5, 6, 5, 5)]):
        check(mine, theirs, image(shape, dtype), mode=MODES[k], cval=0.3)
        check(mine, theirs, image(shape, dtype), axis=len(shape) - 1, mode=MODES[k + 1], cval=-0.4)
    check(mine, theirs, image((6, 7, 8), dtype), axis=[0, 2])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("name", ["roberts", "roberts_pos_diag", "roberts_neg_diag", "laplace", *DIRECTED])
def test_edges_of_planes(name, dtype):
    mine, theirs = getattr(vm.filters, name), getattr(skimage.filters, name)
    x = image((12, 9), dtype)
    mask = np.random.default_rng(1).random(x.shape) < 0.9
    check(mine, theirs, x)
    check(lambda x: mine(x, mask=vm.from_array(mask, chunks=4)), lambda x: theirs(x, mask=mask), x)
    if name != "laplace":
        with pytest.raises(ValueError, match="2 axes"):
            mine(vm.ones(5))


def test_laplace_and_masks_in_space():
    x = image((6, 7, 5), "uint16")
    mask = np.random.default_rng(1).random(x.shape) < 0.97
    check(lambda x: vm.filters.laplace(x, mask=mask), lambda x: skimage.filters.laplace(x, mask=mask), x)
    check(lambda x: vm.filters.sobel(x, mask), lambda x: skimage.filters.sobel(x, mask), x)


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_smoothing(dtype):
    x = image((11, 12, 5), dtype)
    for params in [{}, {"sigma": (1, 2, 0)}, {"sigma": 2, "channel_axis": -1, "mode": "wrap"}, {"preserve_range": True, "truncate": 2.0}]:
        check(vm.filters.gaussian, skimage.filters.gaussian, x, **params)
    check(vm.filters.difference_of_gaussians, skimage.filters.difference_of_gaussians, x, low_sigma=0.7)
    check(vm.filters.difference_of_gaussians, skimage.filters.difference_of_gaussians, x, low_sigma=0.7, high_sigma=(2, 3), channel_axis=2)
    for params in [{}, {"radius": 2, "amount": 3}, {"channel_axis": 0}, {"preserve_range": True}]:
        if dtype == "float16" and not params.get("channel_axis") == 0:
            continue
        check(vm.filters.unsharp_mask, skimage.filters.unsharp_mask, x, **params)
    if dtype not in ("float16", "bool"):
        check(vm.filters.median, skimage.filters.median, x)
        check(vm.filters.median, skimage.filters.median, x, footprint=np.ones((1, 3, 2)), mode="constant", cval=2)


def test_sharpening_limits():
    for low in (0.0, -0.5):
        x = np.random.default_rng(0).uniform(low, 1, (9, 9))
        check(vm.filters.unsharp_mask, skimage.filters.unsharp_mask, x, amount=5)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.ndimage.sobel(x, axis=2), np.exceptions.AxisError, "axis 2"),
        (lambda x: vm.ndimage.sobel(x, mode="around"), ValueError, "around"),
        (lambda x: vm.ndimage.laplace(x, mode=["reflect"]), ValueError, "mode has 1"),
        (lambda x: vm.ndimage.gaussian_laplace(x, [1, 2, 3]), ValueError, "sigma has 3"),
        (lambda x: vm.ndimage.gaussian_laplace(x, 1e9), ValueError, "radius"),
        (lambda x: vm.ndimage.generic_laplace(x, None, mode=["a"]), RuntimeError, "mode has 1"),
        (lambda x: vm.filters.gaussian(x, -1), ValueError, "less than zero"),
        (lambda x: vm.filters.gaussian(x.astype(complex)), ValueError, "complex"),
        (lambda x: vm.filters.sobel(x.astype(complex)), ValueError, "complex"),
        (lambda x: vm.filters.sobel(x, mask=vm.ones(3)), ValueError, "mask"),
        (lambda x: vm.filters.difference_of_gaussians(x, 2, 1), ValueError, "larger"),
        (lambda x: vm.filters.difference_of_gaussians(x, [1, 2, 3]), ValueError, "low_sigma"),
        (lambda x: vm.filters.median(x, behavior="rank"), NotImplementedError, "ndimage"),
        (lambda x: vm.filters.median(x, out=np.ones((8, 9))), NotImplementedError, "lazy"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))


def test_empty_and_single():
    for shape in [(0, 4), (1, 1), (1, 5)]:
        x = np.ones(shape)
        for name in ("sobel", "laplace"):
            np.testing.assert_array_equal(getattr(vm.ndimage, name)(x).compute(), getattr(ndi, name)(x))
        np.testing.assert_allclose(vm.filters.sobel(x).compute(), skimage.filters.sobel(x))
