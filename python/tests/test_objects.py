"""Ops on whole objects against scipy and scikit-image: for any chunks, tiles and blocks."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.filters
import skimage.measure
import skimage.morphology
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm
from voxmill._core import call

sys.path.insert(0, str(Path(__file__).parent))

from test_label import EXAMPLES, cut  # noqa: E402

seeds = given(st.integers(0, 2**32 - 1))
examples = settings(
    max_examples=max(EXAMPLES // 5, 50), deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def drawn(seed, ranks=(1, 2, 3), share=(0.3, 0.5, 0.7, 0.9)):
    """Give a generator, a truth image, the same image in random chunks, and blocks to look for objects in."""
    rng = np.random.default_rng(seed)
    rank = int(rng.choice(ranks))
    shape = tuple(int(n) for n in rng.integers(1, [0, 60, 24, 12][rank], rank))
    x = rng.random(shape) < rng.choice(share)
    return rng, x, vm.from_array(x, chunks=cut(rng, shape)), [int(rng.integers(1, n + 1)) for n in shape]


def same(found, expected, seed=0):
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found = found.compute()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@examples
@seeds
def test_marked_objects(seed):
    rng, x, lazy, block = drawn(seed)
    connectivity = int(rng.integers(1, x.ndim + 1))
    structure = ndi.generate_binary_structure(x.ndim, connectivity)
    marks = rng.random(x.shape) < 0.1
    border = bool(rng.integers(2))
    found = call("keep_marked", (lazy, vm.from_array(marks & x, chunks=-1)), {"structure": structure, "border": border, "block": block})
    same(found, ndi.binary_propagation(marks & x, structure, x, border_value=border), seed)
    # Seeds outside the mask stay, and spread into it.
    same(vm.ndimage.binary_propagation(marks, structure, lazy, border_value=border), ndi.binary_propagation(marks, structure, x, border_value=border), seed)


@examples
@seeds
def test_holes(seed):
    rng, x, lazy, block = drawn(seed, ranks=(1, 2, 3))
    structure = ndi.generate_binary_structure(x.ndim, int(rng.integers(1, x.ndim + 1)))
    same(vm.ndimage.binary_fill_holes(lazy, structure), ndi.binary_fill_holes(x, structure), seed)
    same(vm.ndimage.binary_fill_holes(lazy), ndi.binary_fill_holes(x), seed)
    if x.ndim == 3:
        same(vm.ndimage.binary_fill_holes(lazy, axes=(0, 2)), ndi.binary_fill_holes(x, axes=(0, 2)), seed)


@examples
@seeds
def test_until_nothing_changes(seed):
    rng, x, lazy, _ = drawn(seed)
    marks = rng.random(x.shape) < 0.1
    border = int(rng.integers(2))
    for name in ("binary_dilation", "binary_erosion", "binary_opening", "binary_closing"):
        mine, theirs = getattr(vm.ndimage, name), getattr(ndi, name)
        same(mine(marks, iterations=0, mask=lazy, border_value=border), theirs(marks, iterations=0, mask=x, border_value=border), seed)
        same(mine(lazy, iterations=-1, border_value=border), theirs(x, iterations=-1, border_value=border), seed)


@examples
@seeds
def test_sizes(seed):
    rng, x, lazy, block = drawn(seed)
    connectivity, size = int(rng.integers(1, x.ndim + 1)), int(rng.integers(0, 12))
    expected = skimage.morphology.remove_small_objects(x, max_size=size, connectivity=connectivity)
    same(vm.morphology.remove_small_objects(lazy, max_size=size, connectivity=connectivity), expected, seed)
    params = {"max_size": size, "connectivity": connectivity, "block": block}
    same(call("remove_small_objects", (lazy,), params), expected, seed)
    expected = skimage.morphology.remove_small_holes(x, max_size=size, connectivity=connectivity)
    same(vm.morphology.remove_small_holes(lazy, max_size=size, connectivity=connectivity), expected, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        older = vm.morphology.remove_small_objects(lazy, size + 1, connectivity)
    same(older, skimage.morphology.remove_small_objects(x, max_size=size, connectivity=connectivity), seed)


@examples
@seeds
def test_hysteresis(seed):
    rng, x, _, _ = drawn(seed)
    image = rng.integers(0, 10, x.shape).astype(rng.choice(["uint8", "float32"]))
    lazy = vm.from_array(image, chunks=cut(rng, x.shape))
    low, high = sorted(rng.integers(0, 10, 2).tolist())
    same(vm.filters.apply_hysteresis_threshold(lazy, low, high), skimage.filters.apply_hysteresis_threshold(image, low, high), seed)


@examples
@seeds
def test_regions_of_equal_values(seed):
    rng, x, _, block = drawn(seed, ranks=(1, 2, 3))
    dtype = rng.choice(["uint8", "int16", "int64", "uint32", "bool"])
    image = rng.integers(0, rng.choice([2, 3, 4]), x.shape).astype(dtype)
    lazy = vm.from_array(image, chunks=cut(rng, x.shape))
    background = [None, 0, 1, -1][rng.integers(4)]
    connectivity = [None, *range(1, x.ndim + 1)][rng.integers(x.ndim + 1)]
    expected, n_expected = skimage.measure.label(image, background, True, connectivity)
    if 1 in x.shape:
        # scikit-image turns arrays with axes of length 1 before it counts; ours are numbered in the order of the array as ever.
        _, first, inverse = np.unique(expected[expected > 0], return_index=True, return_inverse=True)
        expected[expected > 0] = np.argsort(np.argsort(first))[inverse] + 1
    labels, num = vm.measure.label(lazy, background, True, connectivity)
    structure = ndi.generate_binary_structure(x.ndim, connectivity or x.ndim)
    background = 0 if dtype == "bool" and background == -1 else background or 0
    params = {"structure": structure, "background": background, "block": block}
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found, n_found, in_blocks = vm.compute(labels, num, call("label_values", (lazy,), params))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(in_blocks, expected)
    assert n_found == n_expected


THRESHOLDS = ["otsu", "yen", "isodata", "triangle", "minimum", "mean"]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "float32", "float64"])
@pytest.mark.parametrize("name", THRESHOLDS)
def test_thresholds(name, dtype):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        low = rng.normal(30, rng.uniform(2, 9), 700)
        high = rng.normal(rng.uniform(60, 100), rng.uniform(2, 9), rng.integers(100, 900))
        image = rng.permutation(np.concatenate([low, high]))[:790].clip(0, 127).reshape(-1, 10).astype(dtype)
        expected = getattr(skimage.filters, f"threshold_{name}")(image)
        found = getattr(vm.filters, f"threshold_{name}")(vm.from_array(image, chunks=(7, 3))).compute()
        if name == "mean":
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        elif name in ("otsu", "yen", "isodata") and found != expected:
            # scikit-image adds counts in float32, where two thresholds may seem equally good.
            assert abs(float(found) - float(expected)) <= 1.5 * np.ptp(image.astype(float)) / (1 if dtype[0] != "f" else 256)
        else:
            assert found == expected, (name, dtype, seed)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16"])
def test_li(dtype):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        image = np.concatenate([rng.normal(30, 5, 500), rng.normal(80, 9, 300)]).astype(dtype)
        expected = skimage.filters.threshold_li(image)
        np.testing.assert_allclose(vm.filters.threshold_li(vm.from_array(image, chunks=77)).compute(), expected, rtol=1e-4)


@pytest.mark.parametrize("name", ["otsu", "yen", "isodata", "triangle", "li"])
def test_an_image_of_one_value(name):
    assert getattr(vm.filters, f"threshold_{name}")(vm.full((5, 5), 7, dtype="uint8")).compute() == 7
    if name != "li":
        assert getattr(vm.filters, f"threshold_{name}")(vm.full((5, 5), 7.25)).compute() == 7.25


def test_thresholds_refuse():
    with pytest.raises((TypeError, ValueError), match="cast to uint16"):
        call("threshold_otsu", (vm.ones(5, dtype="int32"),))
    with pytest.raises(TypeError, match="complex"):
        vm.filters.threshold_otsu(vm.ones(5, dtype="complex64"))
    with pytest.raises(ValueError, match="without elements"):
        vm.filters.threshold_otsu(vm.ones((0, 5)))
    with pytest.raises(ValueError, match="two maxima"):
        vm.filters.threshold_minimum(vm.arange(100, dtype="uint8")).compute()


def test_sizes_refuse():
    with pytest.raises(TypeError, match="truth values"):
        vm.morphology.remove_small_objects(vm.ones(5))
    with pytest.raises(ValueError, match="middle"):
        vm.ndimage.binary_fill_holes(vm.ones((5, 5)), origin=1)
    with pytest.raises(TypeError, match="vm.ndimage.label"):
        vm.measure.label(vm.ones((5, 5)))


@pytest.mark.parametrize("name", ["ball", "disk", "octahedron", "diamond"])
def test_structuring_elements(name):
    for radius in (0, 1, 2, 5):
        expected = getattr(skimage.morphology, name)(radius)
        found = getattr(vm.morphology, name)(radius)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
