"""Labels, extremes, reconstruction and watersheds against scikit-image on the whole array: for any chunks, tiles and blocks."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.feature
import skimage.measure
import skimage.morphology
import skimage.segmentation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm
from voxmill._core import call
from voxmill._reconstruct import reconstructed

sys.path.insert(0, str(Path(__file__).parent))

from test_label import EXAMPLES, cut, structures  # noqa: E402

seeds = given(st.integers(0, 2**32 - 1))
examples = settings(
    max_examples=max(EXAMPLES // 10, 25), deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def drawn(seed, ranks=(1, 2, 3)):
    """Give a generator, a shape and a way to cut it."""
    rng = np.random.default_rng(seed)
    rank = int(rng.choice(ranks))
    shape = tuple(int(n) for n in rng.integers(1, [0, 50, 20, 10, 6][rank], rank))
    return rng, shape, cut(rng, shape)


def same(found, expected, seed=0):
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found = found.compute()
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def labelled(rng, shape, dtype="int32", share=0.1):
    """Give scattered labels."""
    return np.where(rng.random(shape) < share, rng.integers(1, 9, shape), 0).astype(dtype)


@examples
@seeds
def test_periodic_objects(seed):
    """Objects of a tiled image that touch are one, if the ends of axes are joined."""
    rng, shape, chunks = drawn(seed)
    x = rng.random(shape) < rng.choice([0.2, 0.4, 0.6])
    structure = structures(rng, x.ndim)
    axes = [k for k in range(x.ndim) if rng.random() < 0.7]
    block = [int(rng.integers(1, n + 1)) for n in shape]
    lazy = vm.from_array(x, chunks=chunks)
    params = {"structure": structure, "wrap_axes": axes, "block": block}
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found, number = vm.compute(call("label", (lazy,), params), call("n_labels", (lazy,), params))
    expected = periodic(x, structure, axes)
    np.testing.assert_array_equal(found, expected)
    assert number == expected.max(initial=0)
    values = x.astype("uint8") + (rng.random(shape) < 0.5)
    found = vm.measure.label(vm.from_array(values, chunks=chunks), wrap_axes=axes)
    same(found, sum_of_values(values, axes), seed)


def periodic(x, structure, axes):
    """Label with joined ends: neighbours are visited one by one."""
    labels = np.zeros(x.shape, dtype=np.int32)
    steps = np.argwhere(structure) - 1
    number = 0
    for first in map(tuple, np.argwhere(x)):
        if labels[first]:
            continue
        number += 1
        labels[first], todo = number, [first]
        while todo:
            at = todo.pop()
            for step in steps:
                to = [a + s for a, s in zip(at, step)]
                to = tuple(t % n if k in axes else t for k, (t, n) in enumerate(zip(to, x.shape)))
                if all(0 <= t < n for t, n in zip(to, x.shape)) and x[to] and not labels[to]:
                    labels[to] = number
                    todo.append(to)
    return labels


def sum_of_values(values, axes):
    """Label equal values with joined ends, corners included."""
    structure = np.ones([3] * values.ndim)
    parts = [periodic(values == value, structure, axes) for value in np.unique(values) if value]
    result = np.zeros(values.shape, dtype=np.int32)
    names = {}
    for at in np.ndindex(values.shape):
        for k, part in enumerate(parts):
            if part[at]:
                result[at] = names.setdefault((k, part[at]), len(names) + 1)
    return result


@examples
@seeds
def test_relabelled(seed):
    rng, shape, chunks = drawn(seed)
    dtype = rng.choice(["uint8", "int16", "int32", "int64", "uint32"])
    x = rng.choice(rng.integers(0, 120, 8), shape).astype(dtype)
    lazy = vm.from_array(x, chunks=chunks)
    offset = int(rng.choice([1, 5, 250]))
    expected = skimage.segmentation.relabel_sequential(x, offset)
    found = vm.segmentation.relabel_sequential(lazy, offset)
    same(found[0], expected[0], seed)
    for mine, theirs in zip(found[1:], expected[1:]):
        np.testing.assert_array_equal(mine.in_values, theirs.in_values)
        np.testing.assert_array_equal(mine.out_values, theirs.out_values)
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))
        np.testing.assert_array_equal(mine[theirs.in_values], theirs[theirs.in_values])
    y = rng.integers(0, 4, shape).astype(dtype)
    if dtype == "uint8":
        return  # scikit-image runs over there.
    expected = skimage.segmentation.join_segmentations(x, y, return_mapping=True)
    found = vm.segmentation.join_segmentations(lazy, y, return_mapping=True)
    same(found[0], expected[0], seed)
    for mine, theirs in zip(found[1:], expected[1:]):
        np.testing.assert_array_equal(mine.in_values, theirs.in_values)
        np.testing.assert_array_equal(mine.out_values, theirs.out_values)


@examples
@seeds
def test_borders(seed):
    rng, shape, chunks = drawn(seed)
    dtype = rng.choice(["bool", "uint8", "int32"])
    x = (rng.integers(0, 4, shape) * (rng.random(shape) < 0.6)).astype(dtype)
    lazy = vm.from_array(x, chunks=chunks)
    buffer, background = int(rng.integers(0, min(shape))), int(rng.integers(0, 2))
    same(vm.segmentation.clear_border(lazy, buffer, background), skimage.segmentation.clear_border(x, buffer, background), seed)
    mask = rng.random(shape) < 0.9
    same(vm.segmentation.clear_border(lazy, mask=mask), skimage.segmentation.clear_border(x, mask=mask), seed)
    for mode in ("thick", "inner", "outer", "subpixel"):
        connectivity = int(rng.integers(1, x.ndim + 1))
        expected = skimage.segmentation.find_boundaries(x, connectivity, mode, background)
        same(vm.segmentation.find_boundaries(lazy, connectivity, mode, background), expected, seed)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("colours", [False, True])
def test_drawn_boundaries(dtype, colours):
    rng = np.random.default_rng(1)
    image = rng.uniform(0, 1 if dtype[0] == "f" else 200, (12, 15, 3) if colours else (12, 15)).astype(dtype)
    labels = np.kron(rng.integers(0, 4, (4, 5)), np.ones((3, 3))).astype("int32")
    for params in ({}, {"color": (0.2, 0.5, 1), "outline_color": (1, 0, 0), "mode": "inner", "background_label": 2}):
        expected = skimage.segmentation.mark_boundaries(image, labels, **params)
        found = vm.segmentation.mark_boundaries(vm.from_array(image, chunks=5), vm.from_array(labels, chunks=4), **params).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@examples
@seeds
def test_expanded(seed):
    rng, shape, chunks = drawn(seed)
    x = labelled(rng, shape, rng.choice(["int32", "uint8", "int64"]), 0.05)
    x.flat[0] = 3
    lazy = vm.from_array(x, chunks=chunks)
    distance = float(rng.choice([0, 1, 1.5, 2, 3.7, 100]))
    same(vm.segmentation.expand_labels(lazy, distance), skimage.segmentation.expand_labels(x, distance), seed)
    spacing = [float(s) for s in rng.choice([0.5, 1, 2], x.ndim)]
    same(vm.segmentation.expand_labels(lazy, distance, spacing), skimage.segmentation.expand_labels(x, distance, spacing), seed)


def test_more_objects_than_numbers():
    x = vm.from_array(np.arange(600) % 2, chunks=100)
    labels, num = vm.ndimage.label(x, output="uint8")
    assert labels.dtype == np.uint8 and int(num) == 300
    with pytest.raises(ValueError, match="300 objects, more than uint8"):
        labels.compute()
    assert vm.ndimage.label(x, output="uint16")[0].compute().max() == 300
    assert vm.ndimage.label(x, output="float32")[0].compute().dtype == np.float32


def test_small_labels_go():
    rng = np.random.default_rng(2)
    for dtype in ("uint8", "int32", "int64"):
        x = rng.integers(0, 40, (20, 21)).astype(dtype)
        lazy = vm.from_array(x, chunks=(7, 5))
        same(vm.morphology.remove_small_objects(lazy, max_size=10), skimage.morphology.remove_small_objects(x, max_size=10))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(vm.morphology.remove_small_holes(lazy, max_size=2), skimage.morphology.remove_small_holes(x, max_size=2))


@examples
@seeds
def test_extremes(seed):
    rng, shape, chunks = drawn(seed)
    dtype = rng.choice(["bool", "uint8", "int16", "int64", "float32", "float64"])
    x = rng.integers(0, rng.choice([2, 4, 30]), shape).astype(dtype)
    lazy = vm.from_array(x, chunks=chunks)
    connectivity = int(rng.integers(1, x.ndim + 1))
    borders = bool(rng.integers(2)) or min(shape) < 3
    for mine, theirs in [
        (vm.morphology.local_maxima, skimage.morphology.local_maxima),
        (vm.morphology.local_minima, skimage.morphology.local_minima),
    ]:
        expected = theirs(x, connectivity=connectivity, allow_borders=borders)
        same(mine(lazy, connectivity=connectivity, allow_borders=borders), expected, seed)
    expected = skimage.morphology.local_maxima(x, connectivity=connectivity, allow_borders=borders)
    block = [int(rng.integers(1, n + 1)) for n in shape]
    params = {"structure": ndi.generate_binary_structure(x.ndim, connectivity), "allow_borders": borders, "block": block}
    same(call("local_maxima", (lazy,), params), expected, seed)
    for mine, theirs in zip(vm.morphology.local_maxima(lazy, indices=True), skimage.morphology.local_maxima(x, indices=True)):
        np.testing.assert_array_equal(mine, theirs)


@examples
@seeds
def test_reconstruction(seed):
    rng, shape, chunks = drawn(seed)
    dtype = rng.choice(["uint8", "int16", "float32", "float64"])
    one, other = rng.integers(0, 20, (2, *shape)).astype(dtype)
    low, high = np.minimum(one, other), np.maximum(one, other)
    footprint = structures(rng, len(shape)) if rng.random() < 0.6 else None
    block = [int(rng.integers(1, n + 1)) for n in shape]
    for method, seed_image, mask in [("dilation", low, high), ("erosion", high, low)]:
        expected = skimage.morphology.reconstruction(seed_image, mask, method, footprint)
        lazy = vm.from_array(seed_image, chunks=chunks), vm.from_array(mask, chunks=chunks)
        same(vm.morphology.reconstruction(*lazy, method, footprint), expected, seed)
        near = np.ones([3] * len(shape)) if footprint is None else footprint
        floats = [x.astype(expected.dtype) for x in lazy]
        same(reconstructed(*floats, near, [1] * len(shape), erosion=method == "erosion", block=block), expected, seed)


def test_reconstruction_with_offset():
    rng = np.random.default_rng(3)
    low, high = np.sort(rng.random((2, 30, 31)), axis=0)
    footprint = rng.random((3, 4)) < 0.6
    offset = np.array([2, 1])
    footprint[2, 1] = True
    # scikit-image takes an offset as an array with as many axes as the footprint, of which only the elements count.
    found = vm.morphology.reconstruction(low, high, footprint=footprint, offset=offset)
    blocks = reconstructed(vm.asarray(low), vm.asarray(high), footprint, offset, erosion=False, block=[7, 6])
    expected, steps = low.copy(), np.argwhere(footprint) - offset
    while True:
        before = expected.copy()
        for step in steps:
            to = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(step, low.shape))
            source = tuple(slice(max(-s, 0), n + min(-s, 0)) for s, n in zip(step, low.shape))
            expected[to] = np.maximum(expected[to], np.minimum(expected[source], high[to]))
        if (expected == before).all():
            break
    same(found, expected)
    same(blocks, expected)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
def test_outstanding_extremes(dtype):
    rng = np.random.default_rng(4)
    x = (rng.random((25, 26)) * 50).astype(dtype)
    lazy = vm.from_array(x, chunks=(7, 9))
    for h in (1, 5, 20, 100):
        same(vm.morphology.h_maxima(lazy, h), skimage.morphology.h_maxima(x, h))
        same(vm.morphology.h_minima(lazy, h), skimage.morphology.h_minima(x, h))
    cross = ndi.generate_binary_structure(2, 1)
    same(vm.morphology.h_maxima(lazy, 7, cross), skimage.morphology.h_maxima(x, 7, cross))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(vm.morphology.h_maxima(lazy, 2.5), skimage.morphology.h_maxima(x, 2.5))
    with pytest.raises(ValueError, match="ambiguous"):
        vm.morphology.h_maxima(lazy, 0)


@examples
@seeds
def test_watershed(seed):
    """The labels are those of scikit-image, ties included."""
    rng, shape, chunks = drawn(seed)
    image = rng.random(shape) if rng.random() < 0.5 else rng.integers(0, 5, shape).astype(rng.choice(["uint8", "float32"]))
    markers = labelled(rng, shape, rng.choice(["int32", "int64"]))
    mask = rng.random(shape) < 0.9 if rng.random() < 0.5 else None
    connectivity = int(rng.integers(1, len(shape) + 1))
    lazy = vm.from_array(image, chunks=chunks)
    given = [markers, None, int(rng.integers(1, 9))][rng.integers(3)]
    for params in ({}, {"compactness": 0.3}, {"watershed_line": True}):
        if isinstance(given, int) and mask is not None and not mask.any():
            continue
        params = {**params, "connectivity": connectivity, "mask": mask}
        expected = skimage.segmentation.watershed(image, given, **params)
        same(vm.segmentation.watershed(lazy, given, **params), expected, seed)


def test_watershed_that_does_not_fit():
    image = vm.zeros((400, 400, 100), chunks=100)
    with vm.config.set(memory_limit="200MiB"), pytest.raises(Exception, match="watershed"):
        vm.segmentation.watershed(image, 8, tiled=False).compute()


@examples
@seeds
def test_tiled_watershed_does_not_depend_on_blocks(seed):
    from voxmill._watershed import _in_tiles

    rng, shape, chunks = drawn(seed)
    image = rng.random(shape) if rng.random() < 0.5 else rng.integers(0, 5, shape).astype(float)
    markers, mask = labelled(rng, shape), rng.random(shape) < 0.9
    markers[~mask] = 0
    lazy = [vm.from_array(x, chunks=chunks) for x in (image, markers, mask)]
    structure = ndi.generate_binary_structure(len(shape), int(rng.integers(1, len(shape) + 1)))
    expected = _in_tiles(*lazy, structure, list(shape)).compute()
    block = [int(rng.integers(1, n + 1)) for n in shape]
    same(_in_tiles(*lazy, structure, block), expected, seed)
    # All that can be reached is flooded, and markers stay.
    exact = skimage.segmentation.watershed(image, markers, structure, mask=mask)
    np.testing.assert_array_equal(expected != 0, exact != 0)
    np.testing.assert_array_equal(expected[markers != 0], markers[markers != 0])


@pytest.mark.parametrize("levels, bound", [(None, 0.0), (200, 0.01), (8, 0.02)])
@pytest.mark.parametrize("shape", [(150, 160), (40, 42, 44)])
def test_tiled_watershed_is_near(shape, levels, bound):
    """The share of elements that scikit-image gives to another basin."""
    rng = np.random.default_rng(8)
    image = ndi.gaussian_filter(rng.random(shape), 2)
    image = (image - image.min()) / np.ptp(image)
    if levels:
        image = np.floor(image * levels).astype("uint8")
    markers = ndi.label(skimage.morphology.local_minima(ndi.gaussian_filter(image.astype(float), 3)))[0]
    exact = skimage.segmentation.watershed(image, markers)
    found = vm.segmentation.watershed(vm.from_array(image, chunks=37), markers, tiled=True).compute()
    differing = (found != exact).mean()
    assert differing <= bound, differing


def test_rounds_in_little_memory():
    """What is held between rounds lies in the scratch folder, and blocks are smaller."""
    rng = np.random.default_rng(9)
    image = ndi.gaussian_filter(rng.random((420, 450)), 2)
    markers = ndi.label(skimage.morphology.local_minima(image))[0]
    lazy = vm.from_array(image, chunks=100)
    with vm.config.set(memory_limit="24MiB", threads=2):
        found = vm.segmentation.watershed(lazy, vm.from_array(markers, chunks=100)).compute()
        grown = vm.morphology.reconstruction(lazy - 0.02, lazy).compute()
    np.testing.assert_array_equal(found, skimage.segmentation.watershed(image, markers))
    np.testing.assert_array_equal(grown, skimage.morphology.reconstruction(image - 0.02, image))


@pytest.mark.parametrize("shape", [(1, 1), (40, 45), (23, 70), (64, 3)])
def test_thinned(shape):
    rng = np.random.default_rng(5)
    for smooth in (0.7, 2, 4):
        x = ndi.gaussian_filter(rng.standard_normal(shape), smooth) > 0
        for chunks in (shape, 16, cut(rng, shape)):
            lazy = vm.from_array(x, chunks=chunks)
            same(vm.morphology.skeletonize(lazy), skimage.morphology.skeletonize(x))
            same(vm.morphology.thin(lazy), skimage.morphology.thin(x))
            same(vm.morphology.thin(lazy, 2), skimage.morphology.thin(x, 2))


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 12, 15), (20, 22, 24), (30, 5, 12)])
def test_skeletons_of_volumes(shape):
    rng = np.random.default_rng(6)
    for smooth in (0.5, 1, 2):
        x = ndi.gaussian_filter(rng.standard_normal(shape), smooth) > 0
        for chunks in (shape, 7, cut(rng, shape)):
            same(vm.morphology.skeletonize(vm.from_array(x, chunks=chunks)), skimage.morphology.skeletonize(x))
        plane = x[0]
        same(vm.morphology.skeletonize(plane, method="lee"), skimage.morphology.skeletonize(plane, method="lee"))
    with pytest.raises(ValueError, match="zhang"):
        vm.morphology.skeletonize(vm.zeros((3, 3, 3)), method="zhang")


def test_all_neighbourhoods():
    """Every square of 3 by 3, and every neighbourhood of a block that is thinned step by step."""
    codes = np.arange(512)
    tiles = (codes[:, None] >> np.arange(9) & 1).reshape(16, 32, 3, 3).astype(bool)
    x = np.pad(tiles, ((0, 0), (0, 0), (0, 2), (0, 2))).transpose(0, 2, 1, 3).reshape(80, 160)
    same(vm.morphology.skeletonize(vm.from_array(x, chunks=30)), skimage.morphology.skeletonize(x))
    same(vm.morphology.thin(vm.from_array(x, chunks=30)), skimage.morphology.thin(x))


@examples
@seeds
def test_peaks(seed):
    rng, shape, chunks = drawn(seed, ranks=(1, 2, 3))
    dtype = rng.choice(["uint8", "int32", "float64"])
    image = rng.integers(0, rng.choice([5, 100]), shape).astype(dtype)
    lazy = vm.from_array(image, chunks=chunks)
    params = {"min_distance": int(rng.integers(1, 4)), "exclude_border": [True, False, 1][rng.integers(3)]}
    if rng.random() < 0.3:
        params["threshold_abs"] = 20
    if rng.random() < 0.3:
        params["threshold_rel"] = 0.4
    if rng.random() < 0.3:
        params["num_peaks"] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        params["p_norm"] = 2
    expected = skimage.feature.peak_local_max(image, **params)
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        np.testing.assert_array_equal(vm.feature.peak_local_max(lazy, **params), expected)
    labels = labelled(rng, shape, "int32", 0.8) % 3
    expected = skimage.feature.peak_local_max(image, labels=labels, **params)
    found = vm.feature.peak_local_max(lazy, labels=vm.from_array(labels, chunks=chunks), **params)
    np.testing.assert_array_equal(found, expected.reshape(found.shape) if not expected.size else expected)


@examples
@seeds
def test_areas(seed):
    rng, shape, _ = drawn(seed)
    # scikit-image has no answer for shorter axes.
    shape = tuple(n + 2 for n in shape)
    chunks = cut(rng, shape)
    dtype = rng.choice(["uint8", "int16", "float32", "float64"])
    x = rng.integers(0, rng.choice([3, 10, 200]), shape).astype(dtype)
    lazy = vm.from_array(x, chunks=chunks)
    area, connectivity = int(rng.integers(1, 30)), int(rng.integers(1, x.ndim + 1))
    same(vm.morphology.area_opening(lazy, area, connectivity), skimage.morphology.area_opening(x, area, connectivity), seed)
    same(vm.morphology.area_closing(lazy, area, connectivity), skimage.morphology.area_closing(x, area, connectivity), seed)


@examples
@seeds
def test_floods(seed):
    rng, shape, chunks = drawn(seed)
    dtype = rng.choice(["uint8", "int16", "float32"])
    x = rng.integers(0, rng.choice([2, 6]), shape).astype(dtype)
    lazy = vm.from_array(x, chunks=chunks)
    point = tuple(int(rng.integers(-n, n)) for n in shape)
    params = {"connectivity": int(rng.integers(1, x.ndim + 1)), "tolerance": [None, 1, 2][rng.integers(3)]}
    same(vm.morphology.flood(lazy, point, **params), skimage.morphology.flood(x, point, **params), seed)
    same(vm.morphology.flood_fill(lazy, point, 9, **params), skimage.morphology.flood_fill(x, point, 9, **params), seed)


def test_floods_from_nowhere():
    with pytest.raises(ValueError, match="coordinates"):
        vm.morphology.flood(vm.zeros((3, 4)), 1)
    with pytest.raises(IndexError, match="outside"):
        vm.morphology.flood(vm.zeros((3, 4)), (3, 0))


def threshold(block):
    return ndi.label(block > 0.5)[0]


@pytest.mark.parametrize("shape, chunk", [((90,), 20), ((60, 70), 17), ((30, 32, 34), 13)])
def test_segmented_in_blocks(shape, chunk):
    """With a segmenter that sees whole objects in each overlap, the objects are those of the whole."""
    rng = np.random.default_rng(6)
    centers = np.stack([rng.uniform(0, n, 12) for n in shape], axis=1)
    places = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    image = (np.linalg.norm(places[..., None, :] - centers, axis=-1).min(axis=-1) < 2.5).astype(float)
    expected, n_expected = ndi.label(image > 0.5)
    found = vm.segmentation.segment_blocks(vm.from_array(image, chunks=chunk), threshold, depth=6).compute()
    assert found.dtype == np.int32 and found.max() == n_expected
    # The same objects under other numbers.
    pairs = np.unique(np.stack([found.ravel(), expected.ravel()]), axis=1)
    assert pairs.shape[1] == n_expected + 1
    again = vm.segmentation.segment_blocks(vm.from_array(image, chunks=chunk), threshold, depth=6)
    with vm.config.set(threads=1):
        np.testing.assert_array_equal(again.compute(), found)


def test_blocks_that_disagree():
    """Labels that share too little stay apart; what a block does not see itself is not numbered."""
    image = np.ones(8)

    def ends(block):
        labels = np.zeros(block.shape, dtype=int)
        labels[:5], labels[5:] = 7, 9
        return labels

    lazy = vm.from_array(image, chunks=4)
    # Blocks see elements 0 to 5 and 2 to 7: labels 777779 and 777779, of which the common part is 7779 and 7777.
    found = vm.segmentation.segment_blocks(lazy, ends, depth=2, iou_threshold=0.7).compute()
    np.testing.assert_array_equal(found, [1, 1, 1, 1, 1, 1, 1, 2])
    found = vm.segmentation.segment_blocks(lazy, ends, depth=2, iou_threshold=0.9).compute()
    np.testing.assert_array_equal(found, [1, 1, 1, 1, 2, 2, 2, 3])
    assert (vm.segmentation.segment_blocks(lazy, lambda block: np.zeros(block.shape, int), depth=1).compute() == 0).all()


def test_bad_input():
    x = vm.zeros((6, 7), chunks=3)
    with pytest.raises(ValueError, match="shape"):
        vm.segmentation.watershed(x, np.ones((6, 8), int))
    with pytest.raises(ValueError, match="shape"):
        vm.segmentation.watershed(x, np.ones((6, 7), int), mask=np.ones((7, 6)))
    with pytest.raises(TypeError, match="whole numbers"):
        vm.segmentation.watershed(x, np.ones((6, 7)))
    with pytest.raises(ValueError, match="compactness"):
        vm.segmentation.watershed(x, np.ones((6, 7), int), compactness=-1)
    with pytest.raises(ValueError, match="center"):
        vm.segmentation.watershed(x, np.ones((6, 7), int), connectivity=np.ones((2, 2)))
    outside = np.zeros((6, 7), int)
    outside[0, 0] = 5
    mask = np.ones((6, 7), bool)
    mask[0, 0] = False
    assert not vm.segmentation.watershed(x, outside, mask=mask).any().compute()
    assert not vm.segmentation.watershed(x, np.zeros((6, 7), int)).any().compute()
    with pytest.raises(TypeError, match="integer"):
        vm.segmentation.relabel_sequential(x)
    with pytest.raises(ValueError, match="negative"):
        vm.segmentation.relabel_sequential(vm.asarray([-1, 2]))
    with pytest.raises(ValueError, match="positive"):
        vm.segmentation.relabel_sequential(vm.asarray([1, 2]), 0)
    with pytest.raises(ValueError, match="shape"):
        vm.segmentation.join_segmentations(vm.asarray([1, 2]), vm.asarray([1, 2, 3]))
    with pytest.raises(ValueError, match="buffer"):
        vm.segmentation.clear_border(vm.asarray([[1, 2]]), 1)
    with pytest.raises(TypeError, match="bool"):
        vm.segmentation.clear_border(vm.asarray([[1, 2]]), mask=np.ones((1, 2)))
    with pytest.raises(TypeError):
        vm.segmentation.clear_border(x)
    with pytest.raises(ValueError, match="mode"):
        vm.segmentation.find_boundaries(vm.asarray([1, 2]), mode="thin")
    with pytest.raises(TypeError, match="labels"):
        vm.segmentation.expand_labels(x, 2)
    with pytest.raises(ValueError, match="spacing"):
        vm.segmentation.expand_labels(vm.asarray([1, 2]), 2, spacing=0)
    with pytest.raises(ValueError, match="less"):
        vm.morphology.reconstruction(x + 1, x)
    with pytest.raises(ValueError, match="greater"):
        vm.morphology.reconstruction(x, x + 1, method="erosion")
    with pytest.raises(ValueError, match="equal"):
        vm.morphology.reconstruction(x, x[1:])
    with pytest.raises(ValueError, match="method"):
        vm.morphology.reconstruction(x, x, method="opening")
    with pytest.raises(ValueError, match="odd"):
        vm.morphology.reconstruction(x, x, footprint=np.ones((2, 3)))
    with pytest.raises(ValueError, match="size"):
        vm.morphology.local_maxima(x, footprint=np.ones((3, 5)))
    with pytest.raises(ValueError, match="2 axes"):
        vm.morphology.thin(vm.zeros((3, 3, 3)))
    with pytest.raises(ValueError, match="iou"):
        vm.segmentation.segment_blocks(x, threshold, iou_threshold=0)
    with pytest.raises(ValueError, match="shape"):
        vm.segmentation.segment_blocks(x, lambda block: block[1:].astype(int))
    with pytest.raises(TypeError, match="whole numbers"):
        vm.segmentation.segment_blocks(x, lambda block: block)
    with pytest.raises(ValueError, match="negative"):
        vm.segmentation.segment_blocks(x, lambda block: block.astype(int) - 1)
    with pytest.raises(OverflowError, match="int8"):
        vm.segmentation.segment_blocks(vm.ones(300), lambda block: np.arange(block.size) + 1, dtype="int8")
    for empty in (vm.zeros((0, 3)), vm.zeros((3, 0))):
        assert vm.morphology.local_maxima(empty).compute().shape == empty.shape
        assert vm.segmentation.watershed(empty, np.zeros(empty.shape, int)).compute().shape == empty.shape
        assert vm.segmentation.segment_blocks(empty, threshold).compute().shape == empty.shape
        assert vm.morphology.skeletonize(empty).compute().shape == empty.shape
