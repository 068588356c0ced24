"""Splines, shifts, zooms and other transformations against scipy.ndimage on the whole array, for three chunkings with random tiles."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.ndimage as ndi

import voxmill as vm

MODES = ["reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap"]
DTYPES = ["bool", "uint8", "int16", "int32", "uint64", "float32", "float64"]


def image(shape, dtype="float64", seed=0):
    """Give an image with values of both signs where the dtype has them."""
    rng = np.random.default_rng(seed)
    low = -60 if np.dtype(dtype).kind in "if" else 0
    return rng.uniform(low, 140, shape).astype(dtype) if dtype != "bool" else rng.random(shape) < 0.5


def chunkings(shape):
    """Give three ways to cut an array: as one piece, evenly, and unevenly with pieces smaller than any window."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) if n > 4 else n for n in shape)


def check(name, x, *args, tolerance=1e-9, **params):
    """Compare one function with scipy's for all chunkings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(ndi, name)(x, *args, **params)
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = getattr(vm.ndimage, name)(vm.from_array(x, chunks=chunks), *args, **params)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = lazy.compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if expected.dtype.kind in "fc":
            limit = 1e-6 if expected.dtype == np.float32 else tolerance
            assert np.abs(found - expected).max(initial=0) <= limit * max(np.abs(expected).max(initial=0), 1)
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
class TestModes:
    """Every order and border."""

    def test_shift(self, order, mode):
        check("shift", image((24, 23)), (2.3, -4.75), order=order, mode=mode, cval=3.5)
        check("shift", image((29,)), -40.4, order=order, mode=mode, cval=3.5)
        check("shift", image((24, 23)), 5, order=order, mode=mode)

    def test_zoom(self, order, mode):
        check("zoom", image((24, 23)), (1.7, 0.6), order=order, mode=mode, cval=-2)
        # Short axes are left to the other modes: scipy's own coefficients for "reflect" are exact for long ones only.
        shape = (7, 9, 6) if mode not in ("reflect", "grid-mirror") else (25, 20, 27)
        check("zoom", image(shape), (0.5, 2, 1.3), order=order, mode=mode, grid_mode=True)

    def test_affine(self, order, mode):
        matrix = [[0.83, -0.41], [0.37, 1.21]]
        check("affine_transform", image((26, 23)), matrix, offset=(2.7, -3.1), order=order, mode=mode, cval=3.5)
        check("affine_transform", image((25, 24)), [0.7, 1.4], offset=0.3, order=order, mode=mode, output_shape=(15, 9))

    def test_map_coordinates(self, order, mode):
        places = np.random.default_rng(1).uniform(-15, 30, (2, 6, 7))
        check("map_coordinates", image((17, 23)), places, order=order, mode=mode, cval=3.5)

    def test_filter(self, order, mode):
        check("spline_filter1d", image((24, 23)), order, axis=0, mode=mode, tolerance=1e-12)
        if order > 1:
            shape = (9, 11, 6) if mode not in ("reflect", "grid-mirror", "nearest") else (24, 26, 25)
            check("spline_filter", image(shape), order, mode=mode, tolerance=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = image((14, 15), dtype)
    for order in (0, 1, 3):
        check("shift", x, (1.25, -0.75), order=order, mode="mirror")
        check("zoom", x, 1.6, order=order, mode="nearest")
        check("affine_transform", x, [[0.9, 0.3], [-0.2, 1.1]], order=order)
        check("rotate", x, 33, order=order, mode="reflect")
    check("zoom", x, 1.5, order=1, output=np.float32)


@pytest.mark.parametrize("angle", [0, 17.3, 30, 45, 60, 90, 135, 180, 270, -50, 400])
@pytest.mark.parametrize("reshape", [True, False])
def test_rotate(angle, reshape):
    check("rotate", image((12, 17)), angle, reshape=reshape, order=1, mode="mirror")
    check("rotate", image((12, 17)), angle, reshape=reshape, order=3, mode="nearest")
    check("rotate", image((5, 9, 8)), angle, axes=(0, 2), reshape=reshape, order=3, mode="mirror")
    check("rotate", image((12, 17)), angle, reshape=reshape, order=1)
    check("rotate", image((13, 13), "uint8"), angle, reshape=reshape, order=0)


def test_more_forms():
    x = image((6, 7, 8))
    homogeneous = np.eye(4)
    homogeneous[:3, 3] = (0.5, 1, -2)
    check("affine_transform", x, homogeneous, order=1)
    check("affine_transform", x, homogeneous[:3], order=3)
    check("affine_transform", x, np.array([[1.0, 0], [0, 1], [0.3, 0.4]]), offset=(1, 0, 2), output_shape=(5, 6), order=1)
    check("zoom", x, 1)
    check("zoom", image((1, 5)), (4, 3), order=1)
    check("shift", x, (0.5, 0, 1), prefilter=False)
    check("shift", image((4, 3, 5, 6)), 0.5, order=2)
    z = image((8, 9)) + 1j * image((8, 9), seed=1)
    check("shift", z, 0.5, mode="grid-constant", cval=1 + 2j)
    check("map_coordinates", z, np.random.default_rng(2).uniform(0, 7, (2, 5)))
    check("geometric_transform", image((6, 7)), lambda at: (at[1] * 0.7, at[0] + 0.5), order=1, output_shape=(5, 4))


def test_coordinates_of_large_images_read_boxes(monkeypatch):
    monkeypatch.setattr("voxmill._interpolation._LARGE", 0)
    monkeypatch.setattr("voxmill._interpolation._POINTS", 20)
    rng = np.random.default_rng(3)
    for mode in MODES:
        for order in (0, 1, 3):
            places = np.stack([np.linspace(-3, 19, 60).reshape(6, 10), rng.uniform(-5, 28, (6, 10))])
            check("map_coordinates", image((17, 23)), places, order=order, mode=mode, cval=1.5)
    x = vm.zeros((10_000, 10_000), chunks=1000)
    assert "map_sample" in str(vm.explain(vm.ndimage.map_coordinates(x, rng.uniform(4000, 4100, (2, 50)), order=1)))


def test_only_the_needed_box_is_read():
    """A small result of a large image must not compute the image."""
    x = vm.ones((100_000, 100_000), chunks=1000, dtype="float32")
    assert vm.ndimage.shift(x, 0.5)[50_000:50_003, 7:9].compute(memory_limit="200 MiB").tolist() == [[1, 1], [1, 1], [1, 1]]
    assert vm.ndimage.rotate(x, 10, reshape=False, order=1)[50_000, 50_000].compute(memory_limit="200 MiB") == 1


def test_empty_and_not_a_number():
    assert vm.ndimage.zoom(vm.ones((0, 4)), 2).compute().shape == (0, 8)
    assert vm.ndimage.map_coordinates(vm.arange(4.0), [[np.nan, 1]], order=1, cval=7).compute().tolist() == [7, 1]
    x = np.arange(9.0)
    x[4] = np.nan
    found = vm.ndimage.shift(x, 0.5, order=1, mode="nearest").compute()
    np.testing.assert_array_equal(np.isnan(found), [False] * 4 + [True, True] + [False] * 3)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.ndimage.shift(x, 1, order=6), ValueError, "order 6"),
        (lambda x: vm.ndimage.shift(x, [1, 2, 3]), ValueError, "3 values for 2 axes"),
        (lambda x: vm.ndimage.shift(x, 1, mode="around"), ValueError, "around"),
        (lambda x: vm.ndimage.shift(x, np.nan), (ValueError, TypeError), "shift|number"),
        (lambda x: vm.ndimage.zoom(x, -1), ValueError, "zoom -1"),
        (lambda x: vm.ndimage.rotate(x, 10, axes=(0, 0)), ValueError, "plane"),
        (lambda x: vm.ndimage.rotate(x, 10, axes=(0, 2)), ValueError, "axis 2"),
        (lambda x: vm.ndimage.rotate(x[0], 10), ValueError, "two axes"),
        (lambda x: vm.ndimage.affine_transform(x, np.ones((3, 4))), ValueError, "rows"),
        (lambda x: vm.ndimage.affine_transform(x, [[1, 0, 0], [0, 1, 0], [0, 1, 1]]), ValueError, "last row"),
        (lambda x: vm.ndimage.map_coordinates(x, np.ones((3, 4))), ValueError, "2 rows"),
        (lambda x: vm.ndimage.map_coordinates(x, np.ones((2, 4)) * 1j), TypeError, "complex"),
        (lambda x: vm.ndimage.spline_filter(x, order=1), ValueError, "order 1"),
        (lambda x: vm.ndimage.spline_filter1d(x, axis=2), ValueError, "axis 2"),
        (lambda x: vm.ndimage.shift(x, 1, output=np.zeros((8, 9))), TypeError, "lazy"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))
