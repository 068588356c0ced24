"""Noise, blur and background against scikit-image on the whole image, for any chunks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import skimage.restoration

import voxmill as vm


def chunkings(shape):
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) if n > 4 else (1,) * n for n in shape)


def image(shape, dtype, seed=0, low=0.0):
    """Give steps with noise."""
    rng = np.random.default_rng(seed)
    x = (np.indices(shape).sum(axis=0) // 5 % 2) * 0.5 + 0.25 + rng.normal(0, 0.08, shape)
    x = x.clip(0, 1) * (1 - low) + low
    return x.astype(dtype) if np.dtype(dtype).kind == "f" else (x * min(np.iinfo(dtype).max, 3000)).astype(dtype)


def both(name, **params):
    """Give our function and scikit-image's."""
    return [lambda x, space=space: getattr(space, name)(x, **params) for space in (vm.restoration, skimage.restoration)]


def check(mine, theirs, x, limit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x)
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = mine(vm.from_array(x, chunks=chunks))
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = lazy.compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=limit * max(np.nanmax(np.abs(expected)), 1))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_bilateral(dtype):
    limit = 2e-5 if dtype == "float32" else 1e-12
    x = image((16, 19), dtype)
    for k, mode in enumerate(["constant", "edge", "symmetric", "reflect", "wrap"]):
        for params in [{}, {"win_size": 4 + k, "sigma_color": 0.1, "sigma_spatial": 2, "bins": 500}, {"sigma_spatial": 0.5, "cval": 0.3}]:
            params = {**params, "mode": mode}
            check(*both("denoise_bilateral", **params), x, limit)
    x = image((3, 13, 14), dtype)
    check(
        lambda x: vm.restoration.denoise_bilateral(x, channel_axis=0),
        lambda x: skimage.restoration.denoise_bilateral(x, channel_axis=0),
        x,
        limit,
    )
    if dtype == "float64":
        x = image((16, 19), dtype, low=-1)
        check(vm.restoration.denoise_bilateral, skimage.restoration.denoise_bilateral, x, limit)
        assert (vm.restoration.denoise_bilateral(np.full((7, 8), 0.5)).compute() == 0.5).all()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_non_local_means(dtype):
    limit = 1e-6 if dtype == "float32" else 1e-10
    for shape in [(14, 15), (8, 9, 7), (5, 6, 5, 6)]:
        x = image(shape, dtype)
        for params in [{"patch_size": 3, "patch_distance": 2}, {"patch_size": 4, "patch_distance": 1, "h": 0.3, "sigma": 0.05}]:
            check(*both("denoise_nl_means", **params), x, limit)
    x = image((9, 10, 3), dtype)
    params = {"patch_size": 3, "patch_distance": 3, "channel_axis": -1}
    check(*both("denoise_nl_means", **params), x, limit)
    params = {"patch_size": 3, "patch_distance": 2, "h": 20, "preserve_range": True}
    check(*both("denoise_nl_means", **params), image((9, 10), dtype), limit)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_total_variation(dtype):
    """The end of the steps is that of the whole image; more steps than are made at once, and fewer."""
    limit = 2e-5 if dtype == "float32" else 1e-10
    for shape in [(100,), (17, 22), (9, 10, 8), (5, 6, 5, 5)]:
        x = image(shape, dtype)
        for params in [{}, {"weight": 0.3, "max_num_iter": 21, "eps": 1e-9}, {"max_num_iter": 1}, {"eps": 0.02, "max_num_iter": 50}]:
            check(
                lambda x: vm.restoration.denoise_tv_chambolle(x, **params),
                lambda x: skimage.restoration.denoise_tv_chambolle(x, **params),
                x,
                limit,
            )
    params = {"channel_axis": 1, "weight": 0.2}
    x = image((9, 2, 8), dtype)
    check(
        lambda x: vm.restoration.denoise_tv_chambolle(x, **params), lambda x: skimage.restoration.denoise_tv_chambolle(x, **params), x, limit
    )


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_deconvolution(dtype):
    rng = np.random.default_rng(2)
    for shape, window in [((40,), (5,)), ((17, 15), (3, 4)), ((7, 8, 9), (3, 1, 2))]:
        x = image(shape, dtype)
        psf = rng.random(window)
        psf /= psf.sum()
        for params in [{"num_iter": 5}, {"num_iter": 3, "clip": False, "filter_epsilon": 0.2}, {"num_iter": 0}]:
            check(
                lambda x: vm.restoration.richardson_lucy(x, psf, **params),
                lambda x: skimage.restoration.richardson_lucy(x, psf, **params),
                x,
                1e-4 if dtype == "float32" else 1e-8,
            )


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_background(dtype):
    limit = 1e-6 if dtype == "float32" else 1e-12
    for shape in [(40,), (17, 15), (7, 8, 9)]:
        x = image(shape, dtype)
        for radius in (1, 2.5, 6):
            check(*both("rolling_ball", radius=radius), x, limit)
    kernel = skimage.restoration.ellipsoid_kernel((5, 8), 3)
    x = image((17, 15), dtype)
    check(*both("rolling_ball", kernel=kernel), x, limit)
    kernel = np.random.default_rng(0).random((2, 3))
    check(*both("rolling_ball", kernel=kernel), x, limit)
    if np.dtype(dtype).kind == "f":
        x[5, 6] = np.nan
        for nansafe in (True, False):
            check(
                lambda x: vm.restoration.rolling_ball(x, radius=2.5, nansafe=nansafe),
                lambda x: skimage.restoration.rolling_ball(x, radius=2.5, nansafe=nansafe),
                x,
                limit,
            )


def test_kernels():
    for radius, ndim in [(1, 1), (2.5, 2), (3, 3)]:
        np.testing.assert_array_equal(vm.restoration.ball_kernel(radius, ndim), skimage.restoration.ball_kernel(radius, ndim))
    np.testing.assert_array_equal(vm.restoration.ellipsoid_kernel((5, 8, 3), 7.5), skimage.restoration.ellipsoid_kernel((5, 8, 3), 7.5))


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.restoration.denoise_bilateral(x[0]), ValueError, "2 axes"),
        (lambda x: vm.restoration.denoise_bilateral(x, mode="mirror"), ValueError, "mirror"),
        (lambda x: vm.restoration.denoise_bilateral(x, sigma_spatial=0), ValueError, "positive"),
        (lambda x: vm.restoration.denoise_bilateral(x[:0]), ValueError, "without elements"),
        (lambda x: vm.restoration.denoise_nl_means(x[0]), NotImplementedError, "2D, 3D or 4D"),
        (lambda x: vm.restoration.denoise_nl_means(x, fast_mode=False), NotImplementedError, "fast_mode"),
        (lambda x: vm.restoration.denoise_nl_means(x, h=0), ValueError, "positive"),
        (lambda x: vm.restoration.denoise_nl_means(x, patch_size=0), ValueError, "patch_size"),
        (lambda x: vm.restoration.denoise_tv_chambolle(x, 0), ValueError, "weight"),
        (lambda x: vm.restoration.denoise_tv_chambolle(x, max_num_iter=0), ValueError, "max_num_iter"),
        (lambda x: vm.restoration.denoise_tv_chambolle(x[:0]), ValueError, "no variation"),
        (lambda x: vm.restoration.richardson_lucy(x, np.ones(3)), ValueError, "psf"),
        (lambda x: vm.restoration.richardson_lucy(x, np.ones((3, 3)), -1), ValueError, "num_iter"),
        (lambda x: vm.restoration.rolling_ball(x, radius=-1), ValueError, "radius"),
        (lambda x: vm.restoration.rolling_ball(x, radius=1e6), ValueError, "radius"),
        (lambda x: vm.restoration.rolling_ball(x, kernel=np.ones(3)), ValueError, "kernel"),
        (lambda x: vm.restoration.rolling_ball(x.astype(complex)), ValueError, "complex"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))
