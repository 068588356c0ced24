"""Ridge filters against scikit-image on the whole image, for any chunks."""

from __future__ import annotations

import numpy as np
import pytest
import skimage.feature
import skimage.filters

import voxmill as vm


def image(shape, dtype, seed=0):
    """Give bright lines on a noisy ground."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape) * 3 + 20
    x[shape[0] // 2] += 30
    x[..., shape[-1] // 3] += 20
    return x.clip(0, 100).astype(dtype)


def close(found, expected, dtype):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    limit = (2e-5 if found.dtype == np.float32 else 1e-8) * max(np.abs(expected).max(), 1e-30)
    assert np.abs(found - expected).max(initial=0) <= limit


CASES = [
    ("sato", {}),
    ("sato", {"black_ridges": False, "mode": "nearest"}),
    ("sato", {"mode": "constant", "cval": 7}),
    ("frangi", {"black_ridges": False}),
    ("frangi", {"gamma": 15, "alpha": 0.3, "beta": 0.7, "mode": "mirror"}),
    ("meijering", {"black_ridges": False, "mode": "wrap"}),
    ("meijering", {"alpha": -0.2}),
    ("hessian", {"black_ridges": False}),
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("shape", [(31, 26), (14, 15, 17)])
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{'-'.join(map(str, c[1].values()))}")
def test_ridges(case, shape, dtype):
    name, params = case
    x = image(shape, dtype)
    sigmas = [1.5, 2.5]
    expected = getattr(skimage.filters, name)(x, sigmas=sigmas, **params)
    for k, chunks in enumerate([shape, tuple((n + 1) // 2 for n in shape), tuple((1, 2, n - 4, 1) for n in shape)]):
        lazy = getattr(vm.filters, name)(vm.from_array(x, chunks=chunks), sigmas=sigmas, **params)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            close(lazy.compute(), expected, dtype)


@pytest.mark.parametrize("shape", [(21, 16), (9, 10, 11)])
def test_narrow_gaussians(shape):
    x = image(shape, "float64")
    close(vm.filters.sato(vm.from_array(x, chunks=7), sigmas=[1]).compute(), skimage.filters.sato(x, sigmas=[1]), "float64")


@pytest.mark.parametrize("shape", [(21, 16), (9, 10, 11)])
def test_second_derivatives(shape):
    x = image(shape, "float64")
    for mode in ("constant", "reflect"):
        found = vm.feature.hessian_matrix(vm.from_array(x, chunks=7), 1.5, mode, use_gaussian_derivatives=True)
        expected = skimage.feature.hessian_matrix(x, 1.5, mode, use_gaussian_derivatives=True)
        for mine, theirs in zip(vm.compute(*found), expected, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-10)
        values = vm.feature.hessian_matrix_eigvals(found).compute()
        np.testing.assert_allclose(values, skimage.feature.hessian_matrix_eigvals(expected), atol=1e-6)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="2 and 3 axes"):
        vm.filters.sato(vm.ones(5))
    with pytest.raises(ValueError, match="positive"):
        vm.filters.frangi(vm.ones((5, 5)), sigmas=[0])
    with pytest.raises(ValueError, match="3 or 6"):
        vm.feature.hessian_matrix_eigvals([np.ones(3)])
    assert vm.filters.frangi(vm.zeros((8, 8)), sigmas=[2]).compute().max() == 0
