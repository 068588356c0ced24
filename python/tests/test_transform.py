"""Resizing, warping and registration against scikit-image on the whole image, for several chunkings with random tiles."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.measure
import skimage.registration
import skimage.transform as skt

import voxmill as vm

MODES = ["constant", "edge", "symmetric", "reflect", "wrap"]


def image(shape, dtype="float64", seed=0):
    """Give an image with the range that scikit-image expects."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    return rng.random(shape).astype(dtype) if np.dtype(dtype).kind == "f" else rng.integers(0, 120, shape).astype(dtype)


def chunkings(shape):
    """Give three ways to cut an array."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) if n > 4 else n for n in shape)


def check(name, x, *args, tolerance=1e-9, **params):
    """Compare one function with scikit-image's for all chunkings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(skt, name)(x, *args, **params)
    for k, chunks in enumerate(chunkings(x.shape)):
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = getattr(vm.transform, name)(vm.from_array(x, chunks=chunks), *args, **params).compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        limit = 1e-5 if expected.dtype == np.float32 else tolerance
        np.testing.assert_allclose(found.astype(float), expected.astype(float), atol=limit)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_resize(order, mode):
    check("resize", image((24, 31)), (17, 50), order=order, mode=mode, cval=0.3)
    check("resize", image((24, 31)), (17, 50), order=order, mode=mode, cval=-2, anti_aliasing=False)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint16", "float32", "float64"])
def test_dtypes(dtype):
    x = image((20, 21), dtype)
    check("resize", x, (13, 30))
    check("resize", x, (13, 30), order=0)
    check("resize", x, (7, 8), preserve_range=True)
    check("rescale", x, 0.4)
    check("rotate", x, 20)
    check("downscale_local_mean", x, (3, 4))
    check("integral_image", x)
    if dtype != "bool":
        check("pyramid_reduce", x)
        check("pyramid_expand", x, upscale=1.5)


def test_more_forms():
    check("resize", image((9, 10, 11)), (5, 15, 8))
    check("resize", image((9, 10, 3)), (5, 15))
    check("resize", image((20, 21)), (9, 9), anti_aliasing_sigma=2)
    check("rescale", image((20, 22, 3)), 0.5, channel_axis=-1)
    check("rescale", image((20, 22)), (0.5, 2))
    check("pyramid_reduce", image((20, 22, 3)), channel_axis=2, sigma=1)
    check("downscale_local_mean", image((9, 10, 7)), (2, 5, 3), cval=1)
    for levels in (-1, 2):
        x = image((33, 20))
        expected = list(skt.pyramid_gaussian(x, max_layer=levels))
        found = vm.compute(*vm.transform.pyramid_gaussian(vm.from_array(x, chunks=9), max_layer=levels))
        assert [f.shape for f in found] == [e.shape for e in expected]
        for f, e in zip(found, expected, strict=True):
            np.testing.assert_allclose(f, e, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_rotate_and_warp(mode):
    x = image((24, 31))
    for order in (0, 1, 4):
        check("rotate", x, 33.3, mode=mode, order=order, cval=0.5)
        check("rotate", x, -70, resize=True, mode=mode, order=order)
        check("rotate", x, 90, center=(3, 7), mode=mode, order=order)
    turn = skt.AffineTransform(scale=(1.2, 0.8), rotation=0.4, translation=(3, -2))
    check("warp", x, turn, mode=mode)
    check("warp", x, turn.params, mode=mode, output_shape=(10, 12))
    check("warp", x + 1, np.array([[1, 0, 0.5], [0, 1, 0], [0, 0, 1]]), mode=mode)
    check("warp", x, turn.inverse, mode=mode, order=0)
    check("warp", image((14, 15, 3)), turn, mode=mode)
    bent = np.array([[1, 0.1, 2], [0, 1.1, 1], [0.002, 0.001, 1]])
    check("warp", x, bent, mode=mode)
    check("warp", x, lambda pairs: pairs * 0.5 + 1.5, mode=mode)
    check("warp", x, np.random.default_rng(1).uniform(-5, 35, (2, 6, 7)), mode=mode)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.min, np.max, np.median])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_block_reduce(function, dtype):
    x = image((9, 11), dtype)
    for size in (1, 2, (3, 4), (20, 20)):
        expected = skimage.measure.block_reduce(x, size, function, cval=3)
        found = vm.measure.block_reduce(vm.from_array(x, chunks=4), size, function, cval=3).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def blob(shape, seed=0):
    """Give a smooth random image."""
    return ndi.gaussian_filter(np.random.default_rng(seed).random(shape), 2, mode="wrap")


@pytest.mark.parametrize("shape", [(32, 40), (31, 37), (12, 14, 16), (50,), (1, 20)])
@pytest.mark.parametrize("normalization", ["phase", None])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_phase_cross_correlation(shape, normalization, dtype):
    x = blob(shape).astype(dtype)
    moved = ndi.shift(x, [2.3, -4.1, 1.7][: x.ndim], mode="grid-wrap").astype(dtype)
    for factor in (1, 10, 50):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = skimage.registration.phase_cross_correlation(x, moved, upsample_factor=factor, normalization=normalization)
        with vm.config.set(random_tiles=9, threads=2):
            found = vm.registration.phase_cross_correlation(
                vm.from_array(x, chunks=9), vm.from_array(moved, chunks=11), upsample_factor=factor, normalization=normalization
            )
        # The peak of a plain correlation is flat: single precision moves it by some steps.
        flat = dtype == "float32" and normalization is None and factor > 1
        np.testing.assert_allclose(found[0], expected[0], atol=0.1 if flat else 1e-6)
        np.testing.assert_allclose(found[1:], expected[1:], atol=1e-3 if dtype == "float32" else 1e-8)
    spectra = np.fft.fftn(x), np.fft.fftn(moved)
    assert (vm.registration.phase_cross_correlation(*spectra, space="fourier")[0] == np.round(expected[0])).all()


@pytest.mark.parametrize("shift", [(7, 3), (-9, 20), (25, -4), (1.5, 30.25)])
def test_which_way(shift):
    """A shift of more than half an axis, of images cut out of a larger one."""
    whole = blob((120, 130))
    x, moved = whole[40:80, 50:100], ndi.shift(whole, shift)[40:80, 50:100]
    factor = 4 if shift[0] % 1 else 1
    expected = skimage.registration.phase_cross_correlation(x, moved, upsample_factor=factor, disambiguate=True)[0]
    found = vm.registration.phase_cross_correlation(vm.from_array(x, chunks=17), moved, upsample_factor=factor, disambiguate=True)[0]
    np.testing.assert_allclose(found, expected)


def stack_of_spots(n=7):
    rng = np.random.default_rng(4)
    rows, cols = np.mgrid[0:40, 0:50]
    spots = [np.exp(-((rows - 15 - k) ** 2 + (cols - 30 + 2 * k) ** 2) / 30) * 200 for k in range(n)]
    return (np.stack(spots) + rng.integers(0, 3, (n, 40, 50))).astype("uint8")


def test_centroid_and_recentre():
    x = stack_of_spots()
    x[3] = 0
    expected = np.array([ndi.center_of_mass(one) if one.any() else (0, 0) for one in x])
    for chunks in ((1, 40, 50), (3, 11, 20), -1):
        lazy = vm.from_array(x, chunks=chunks)
        np.testing.assert_allclose(vm.registration.centroid(lazy).compute(), expected, rtol=1e-12)
        found = vm.registration.recentre(lazy, (20, 16)).compute()
        for one, (row, col), cut in zip(x, expected.astype(int), found, strict=True):
            row, col = np.clip(row - 10, 0, 20), np.clip(col - 8, 0, 34)
            np.testing.assert_array_equal(cut, one[row : row + 20, col : col + 16])
    volume = np.moveaxis(x, 0, 1)
    np.testing.assert_array_equal(vm.registration.recentre(volume, (20, 16), axes=(0, 2)).compute(), np.moveaxis(found, 0, 1))
    np.testing.assert_allclose(vm.registration.centroid(x[0], axes=None).compute(), ndi.center_of_mass(x[0]))


def test_align_stack():
    frame = blob((40, 50))
    drift = np.array([[0, 0], [1, -2], [3, -3], [2, 0], [-4, 5]])
    x = np.stack([np.roll(frame, by, (0, 1)) for by in drift])
    for reference in ("previous", 0):
        aligned, shifts = vm.registration.align_stack(vm.from_array(x, chunks=(1, 20, 25)), reference=reference, mode="grid-wrap")
        np.testing.assert_array_equal(shifts, -drift)
        np.testing.assert_allclose(aligned.compute(), np.stack([frame] * 5), atol=1e-12)
    aligned, shifts = vm.registration.align_stack(np.moveaxis(x, 0, 2), axis=2)
    assert aligned.shape == (40, 50, 5) and (shifts == -drift).all()


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.transform.resize(x, (3,) * 1 + (0,)), ValueError, "without elements"),
        (lambda x: vm.transform.resize(x[None], (3,)), ValueError, "cannot be smaller"),
        (lambda x: vm.transform.resize(x > 0, (3, 3), anti_aliasing=True), ValueError, "boolean"),
        (lambda x: vm.transform.resize(x > 0, (3, 3), order=1), ValueError, "bool"),
        (lambda x: vm.transform.resize(x, (3, 3), order=7), ValueError, "0-5"),
        (lambda x: vm.transform.resize(x, (3, 3), mode="mirror"), ValueError, "mirror"),
        (lambda x: vm.transform.resize(x, (3, 3), anti_aliasing_sigma=-1), ValueError, "deviation"),
        (lambda x: vm.transform.rescale(x, (1, 2, 3)), ValueError, "single scale"),
        (lambda x: vm.transform.rotate(x[0], 3), ValueError, "two axes"),
        (lambda x: vm.transform.warp(x[:0], np.eye(3)), ValueError, "empty"),
        (lambda x: vm.transform.pyramid_reduce(x, downscale=1), ValueError, "greater than 1"),
        (lambda x: vm.measure.block_reduce(x, (1, 2, 3)), ValueError, "block_size"),
        (lambda x: vm.measure.block_reduce(x, 0), ValueError, "blocks"),
        (lambda x: vm.registration.phase_cross_correlation(x, x[:4]), ValueError, "same shape"),
        (lambda x: vm.registration.phase_cross_correlation(x, x, space="k"), ValueError, "space"),
        (lambda x: vm.registration.phase_cross_correlation(x, x, normalization="all"), ValueError, "normalization"),
        (lambda x: vm.registration.phase_cross_correlation(x * np.nan, x), ValueError, "NaN"),
        (lambda x: vm.registration.phase_cross_correlation(x, x, reference_mask=x > 0), NotImplementedError, "masks"),
        (lambda x: vm.registration.recentre(x, (9, 10)), ValueError, "fit"),
        (lambda x: vm.registration.recentre(x, (3,)), ValueError, "window"),
        (lambda x: vm.registration.align_stack(x[0]), ValueError, "slices"),
        (lambda x: vm.registration.align_stack(x, reference=99), ValueError, "99"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))
