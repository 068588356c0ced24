"""Features of images against scikit-image on the whole image, for any chunks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import skimage.feature

import voxmill as vm


def chunkings(shape):
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) for n in shape)


def scene(shape, dtype, seed=0):
    """Give shapes on a noisy ground."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0.2, 0.05, shape)
    for _ in range(4):
        begin = [int(rng.integers(0, max(n - 6, 1))) for n in shape]
        x[tuple(slice(b, b + int(rng.integers(3, 12))) for b in begin)] += rng.uniform(0.2, 0.5)
    x = x.clip(0, 1)
    return x.astype(dtype) if np.dtype(dtype).kind == "f" else (x * np.iinfo(dtype).max).astype(dtype)


def each(mine, x):
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = mine(vm.from_array(x, chunks=chunks))
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            yield vm.compute(*lazy) if isinstance(lazy, list) else [lazy.compute()]


def check(mine, theirs, x, limit=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x)
    expected = expected if isinstance(expected, list) else [expected]
    for found in each(mine, x):
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            if b.dtype == bool:
                np.testing.assert_array_equal(a, b)
                continue
            tolerance = limit or (2e-6 if b.dtype == np.float32 else 1e-12)
            np.testing.assert_allclose(a, b, rtol=tolerance * 100, atol=tolerance * max(np.nanmax(np.abs(b)), 1e-30))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "float32", "float64"])
@pytest.mark.parametrize("seed", range(4))
def test_canny(seed, dtype):
    """Equal to the last element, as are smoothing and slopes to the last bit."""
    x = scene((41 + seed, 37), dtype, seed)
    mask = np.random.default_rng(seed).random(x.shape) < 0.95
    scale = 1 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    cases = [
        {},
        {"sigma": 2.5, "mode": "nearest"},
        {"sigma": 0},
        {"sigma": 1.5, "low_threshold": 0.05 * scale, "high_threshold": 0.15 * scale, "mode": "reflect"},
        {"use_quantiles": True, "low_threshold": 0.6, "high_threshold": 0.9},
        {"low_threshold": 0, "high_threshold": 0.01 * scale},
        {"mask": mask, "sigma": 1.2},
        {"mask": mask, "mode": "mirror", "use_quantiles": True, "low_threshold": 0.7, "high_threshold": 0.95},
    ]
    for params in cases:
        check(lambda x: vm.feature.canny(x, **params), lambda x: skimage.feature.canny(x, **params), x)


def test_canny_follows_edges_through_the_whole_image():
    """An edge that is strong at one end only, longer than many chunks."""
    x = np.zeros((12, 200))
    x[6:] = np.linspace(0.02, 1, 200)
    check(lambda x: vm.feature.canny(x, 1, 0.01, 0.9), lambda x: skimage.feature.canny(x, 1, 0.01, 0.9), x)
    ring = np.hypot(*(np.indices((60, 60)) - 30)) < 20
    check(lambda x: vm.feature.canny(x), lambda x: skimage.feature.canny(x), ring.astype("uint8") * 255)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("shape", [(16, 14), (9, 10, 11)])
def test_matrices(shape, dtype):
    x = scene(shape, dtype)
    for params in [{}, {"sigma": 1.5, "mode": "reflect"}, {"sigma": [1, 2, 0.5][: len(shape)], "cval": 0.5}]:
        for derivatives in (False, True):
            check(
                lambda x: vm.feature.hessian_matrix(x, use_gaussian_derivatives=derivatives, **params),
                lambda x: skimage.feature.hessian_matrix(x, use_gaussian_derivatives=derivatives, **params),
                x,
                1e-5 if dtype == "float32" else 1e-11,
            )
        check(lambda x: vm.feature.structure_tensor(x, **params), lambda x: skimage.feature.structure_tensor(x, **params), x)
    check(
        lambda x: vm.feature.structure_tensor_eigenvalues(vm.feature.structure_tensor(x)),
        lambda x: skimage.feature.structure_tensor_eigenvalues(skimage.feature.structure_tensor(x)),
        x,
        1e-5 if dtype == "float32" else 1e-10,
    )
    check(
        lambda x: vm.feature.hessian_matrix_det(x, 1.5, approximate=False),
        lambda x: skimage.feature.hessian_matrix_det(x, 1.5, approximate=False),
        x,
        1e-4 if dtype == "float32" else 1e-10,
    )
    if len(shape) == 2:
        check(lambda x: vm.feature.structure_tensor(x, order="xy"), lambda x: skimage.feature.structure_tensor(x, order="xy"), x)
        for sigma in (1, 2, 3.4, 5):
            check(lambda x: vm.feature.hessian_matrix_det(x, sigma), lambda x: skimage.feature.hessian_matrix_det(x, sigma), x, 1e-5)


def test_shape_index():
    x = scene((15, 17), "float64")
    with np.errstate(all="ignore"):
        check(lambda x: vm.feature.shape_index(x, 1.5), lambda x: skimage.feature.shape_index(x, 1.5), x, 1e-8)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.feature.canny(x[0]), ValueError, "2 axes"),
        (lambda x: vm.feature.canny(x, -1), ValueError, "sigma"),
        (lambda x: vm.feature.canny(x, low_threshold=0.5, high_threshold=0.1), ValueError, "lower"),
        (lambda x: vm.feature.canny(x, low_threshold=2, high_threshold=3, use_quantiles=True), ValueError, "between 0 and 1"),
        (lambda x: vm.feature.canny(x, mask=vm.ones(3)), ValueError, "same shape"),
        (lambda x: vm.feature.canny(x.astype("int64")), ValueError, "64-bit"),
        (lambda x: vm.feature.structure_tensor(x, order="zz"), ValueError, "order"),
        (lambda x: vm.feature.structure_tensor(x, sigma=(1, 2, 3)), ValueError, "sigma"),
        (lambda x: vm.feature.hessian_matrix(vm.ones((4, 4, 4)), order="xy"), ValueError, "rc"),
        (lambda x: vm.feature.hessian_matrix_det(x[0], approximate=False), NotImplementedError, "2 or 3 axes"),
        (lambda x: vm.feature.hessian_matrix_det(x, 0.1), ValueError, "sigma"),
        (lambda x: vm.feature.shape_index(x[0]), ValueError, "2 axes"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))
