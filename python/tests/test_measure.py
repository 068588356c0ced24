"""Measurements of regions against scipy and scikit-image, for any chunks."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.measure
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm
from voxmill._regions import CROPS, LIGHT, LIGHT_MOMENTS, MOMENTS, OBJECTS, PROPERTIES, SURFACE

sys.path.insert(0, str(Path(__file__).parent))

from test_label import EXAMPLES, cut  # noqa: E402

FLAT = {"eccentricity", "orientation", "moments_hu", "moments_weighted_hu", "perimeter", "perimeter_crofton"}
OURS = {"surface_area_faces", "surface_area_crofton"}
EVEN = {"perimeter", "perimeter_crofton", "moments_hu", "moments_weighted_hu"}
HULLS = {"image_convex", "area_convex", "solidity", "feret_diameter_max"}

many = settings(
    max_examples=max(EXAMPLES // 10, 50), deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
few = settings(many, max_examples=max(EXAMPLES // 40, 12))


def drawn(seed, channels=None):
    """Give a generator, labels, intensities, both in random chunks, and a spacing."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 4))
    shape = tuple(int(n) for n in rng.integers(2, [0, 0, 30, 12][rank], rank))
    labels = rng.integers(0, rng.choice([2, 5, 40]), shape).astype(rng.choice(["uint8", "int32", "int64"]))
    if seed % 3 == 0:
        labels = ndi.label(ndi.uniform_filter(rng.random(shape), 3) > 0.5)[0].astype(labels.dtype)
    if not labels.any():
        labels.flat[0] = 1
    more = shape if channels is None else (*shape, channels)
    light = (rng.random(more) * 100).astype(rng.choice(["uint8", "float32", "float64"]))
    chunks = cut(rng, shape)
    lazy = vm.from_array(labels, chunks=chunks), vm.from_array(light, chunks=chunks if channels is None else (*chunks, 1))
    return rng, labels, light, *lazy, None if seed % 2 else tuple(rng.uniform(0.5, 3, rank).tolist())


def same_column(name, found, expected, light):
    if expected.dtype == object:
        assert len(found) == len(expected)
        for mine, theirs in zip(found, expected):
            if name == "slice":
                assert mine == theirs
            else:
                np.testing.assert_allclose(mine, theirs, rtol=1e-12, err_msg=name)
        return
    if name.startswith("moments"):
        # Sums of high powers cancel: what is left is as precise as what they were made from.
        atol = 1e-9
        if "central" in name:
            powers = [int(word) for word in name.replace("_", "-").split("-") if word.isdigit()]
            atol = 1e-13 * light.size * 100 * (3.0 * max(light.shape)) ** sum(powers)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=atol, err_msg=name)
        return
    assert found.dtype == expected.dtype, name
    atol = 1e-6 if "axis_minor" in name or "eccentricity" in name else 1e-9
    np.testing.assert_allclose(found, expected, rtol=1e-6 if light.dtype == np.float32 else 1e-8, atol=atol, err_msg=name)


@many
@given(st.integers(0, 2**32 - 1))
def test_regionprops_table(seed):
    rng, labels, light, *lazy, spacing = drawn(seed)
    rank = labels.ndim
    names = [name for name in (*PROPERTIES, *MOMENTS, *SURFACE, *LIGHT, *LIGHT_MOMENTS) if rank == 2 or name not in FLAT]
    names = [name for name in names if name not in OURS and (spacing is None or name not in EVEN)]
    with np.errstate(all="ignore"):
        expected = skimage.measure.regionprops_table(labels, light, names, spacing=spacing or (1.0,) * rank)
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found = vm.measure.regionprops_table(*lazy, names, spacing=spacing)
    assert list(found) == list(expected)
    for name, values in expected.items():
        if name == "orientation":
            # A round region has no direction, and rounding decides which of two it seems to have.
            difference = np.abs(found[name] - values) % np.pi
            near = np.minimum(difference, np.pi - difference) < 1e-6
            tensor = [skimage.measure.regionprops(labels, light, spacing=spacing or (1.0,) * rank)[k].inertia_tensor_eigvals for k in np.flatnonzero(~near)]
            assert all(abs(a - b) <= 1e-9 * max(a, 1) for a, b in tensor)
            continue
        same_column(name, found[name], values, light)


@few
@given(st.integers(0, 2**32 - 1))
def test_several_channels(seed):
    rng, labels, light, *lazy, spacing = drawn(seed, channels=2)
    names = [name for name in ("label", *LIGHT, *LIGHT_MOMENTS) if labels.ndim == 2 or name not in FLAT]
    names = [name for name in names if spacing is None or name not in EVEN]
    with np.errstate(all="ignore"):
        expected = skimage.measure.regionprops_table(labels, light, names, spacing=spacing or (1.0,) * labels.ndim, separator="_")
    found = vm.measure.regionprops_table(*lazy, names, spacing=spacing, separator="_")
    assert list(found) == list(expected)
    for name, values in expected.items():
        same_column(name, found[name], values, light)


def is_solid(mask):
    """Say whether a region does not lie in one plane; scikit-image finds no hull for those that do."""
    points = np.argwhere(mask)
    return mask.ndim == 2 or np.linalg.matrix_rank(points - points[0]) == 3


@few
@given(st.integers(0, 2**32 - 1))
def test_regions_one_by_one(seed):
    rng, labels, light, *lazy, spacing = drawn(seed)
    steps = spacing or (1.0,) * labels.ndim

    def spread(mask, shown):
        return np.ptp(shown[mask]).astype(float)

    def sides(mask):
        return np.array(mask.shape)

    theirs = skimage.measure.regionprops(labels, light, spacing=steps)
    keep = [k for k, region in enumerate(theirs) if is_solid(region.image)]
    close = 1e-6 if light.dtype == np.float32 else 1e-9
    names = ["label", *CROPS, "intensity_median", "intensity_percentile_90"]
    with vm.config.set(threads=2):
        found = vm.measure.regionprops_table(*lazy, names, spacing=spacing, extra_properties=(spread, sides))
    mine = vm.measure.regionprops(*lazy, spacing=spacing, extra_properties=(spread, sides))
    assert len(mine) == len(theirs) == found.n_rows
    for name in names[:-1]:
        for k in keep if name in HULLS else range(len(theirs)):
            expected = getattr(theirs[k], name)
            np.testing.assert_allclose(found[name][k], expected, rtol=close, err_msg=name)
            np.testing.assert_allclose(getattr(mine[k], name), expected, rtol=close, err_msg=name)
    for k, region in enumerate(theirs):
        values = light[labels == region.label]
        np.testing.assert_allclose(found["intensity_percentile_90"][k], np.percentile(values.astype(float), 90), rtol=1e-9)
        assert found["spread"][k] == np.ptp(values).astype(float) == mine[k].spread
        assert [found[f"sides-{axis}"][k] for axis in range(labels.ndim)] == list(region.image.shape) == mine[k].sides.tolist()


def test_regions_as_objects():
    rng, labels, light, *lazy, _ = drawn(5)
    mine, theirs = vm.measure.regionprops(*lazy, offset=(3,) * labels.ndim), skimage.measure.regionprops(labels, light, offset=(3,) * labels.ndim)
    for region, expected in zip(mine, theirs):
        assert repr(region) == repr(expected)
        assert region.slice == expected.slice and region.bbox == expected.bbox and region["label"] == expected.label
        assert isinstance(region.area, float) and isinstance(region.num_pixels, int)
        np.testing.assert_allclose(region.centroid, expected.centroid)
        np.testing.assert_array_equal(region.coords, expected.coords)
        np.testing.assert_allclose(region.moments_central, expected.moments_central, atol=1e-6)
    assert {"area", "image", "intensity_mean"} <= set(mine[0])
    assert "intensity_mean" not in set(vm.measure.regionprops(labels)[0])
    with pytest.raises(AttributeError, match="needs an intensity_image"):
        vm.measure.regionprops(labels)[0].intensity_mean
    with pytest.raises(AttributeError, match="did you mean area"):
        mine[0].aera
    with pytest.raises(ValueError, match="offset"):
        vm.measure.regionprops(labels, offset=(1,))


def ball(radius, margin=2):
    at = np.indices([2 * (radius + margin) + 1] * 3) - radius - margin
    return (at**2).sum(axis=0) <= radius**2


def test_surfaces():
    labels = np.zeros((9, 10, 11), dtype=int)
    labels[1:4, 2:7, 3:5] = 4
    labels[5:9, :, :] = 9
    table = vm.measure.regionprops_table(vm.from_array(labels, chunks=(4, 3, 7)), properties=["surface_area_faces"], spacing=(2, 3, 5))
    # Sides of 6, 15, 10 and of 8, 30, 55.
    assert table["surface_area_faces"].tolist() == [2 * (6 * 15 + 6 * 10 + 15 * 10), 2 * (8 * 30 + 8 * 55 + 30 * 55)]
    round_one = ball(20).astype(int)
    area = vm.measure.regionprops_table(vm.from_array(round_one, chunks=17), properties=["surface_area_crofton"], spacing=0.5)
    assert area["surface_area_crofton"][0] == pytest.approx(np.pi * 20**2, rel=0.02)
    plane = vm.measure.regionprops_table(labels[2], properties=["surface_area_faces"])
    assert plane["surface_area_faces"].tolist() == [14]


@many
@given(st.integers(0, 2**32 - 1))
def test_whole_images(seed):
    rng, labels, light, lazy, lazy_light, _ = drawn(seed)
    mask = labels > labels.max() / 2
    for connectivity in (1, mask.ndim, None):
        assert vm.measure.euler_number(lazy > int(labels.max()) / 2, connectivity) == skimage.measure.euler_number(mask, connectivity)
    if mask.ndim == 2:
        for n in (4, 8):
            np.testing.assert_allclose(vm.measure.perimeter(mask, n), skimage.measure.perimeter(mask, n))
        for n in (2, 4):
            np.testing.assert_allclose(vm.measure.perimeter_crofton(lazy, n), skimage.measure.perimeter_crofton(labels, n))
    spacing = tuple(rng.uniform(0.5, 2, mask.ndim))
    close = {"rtol": 2e-4 if light.dtype == np.float32 else 1e-8}
    for order in (1, 2, 3):
        expected = skimage.measure.moments(light, order, spacing=spacing)
        np.testing.assert_allclose(vm.measure.moments(lazy_light, order, spacing=spacing), expected, **close)
        expected = skimage.measure.moments_central(light, order=order, spacing=spacing)
        scale = np.abs(expected).max()
        found = vm.measure.moments_central(lazy_light, order=order, spacing=spacing)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=(1e-3 if light.dtype == np.float32 else 1e-9) * scale)
    center = rng.random(mask.ndim) * 3
    np.testing.assert_allclose(
        vm.measure.moments_central(lazy, center), skimage.measure.moments_central(labels, center), rtol=1e-7, atol=1e-6 * labels.size
    )
    np.testing.assert_allclose(vm.measure.centroid(lazy_light, spacing=spacing), skimage.measure.centroid(light, spacing=spacing), rtol=1e-5)
    exact = light.astype(float)
    mu = skimage.measure.moments_central(exact, spacing=spacing)
    np.testing.assert_allclose(vm.measure.moments_normalized(mu, 3, spacing), skimage.measure.moments_normalized(mu, 3, spacing), rtol=1e-12)
    np.testing.assert_allclose(vm.measure.inertia_tensor(exact), skimage.measure.inertia_tensor(exact), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(vm.measure.inertia_tensor_eigvals(exact), skimage.measure.inertia_tensor_eigvals(exact), rtol=1e-8, atol=1e-9)
    if mask.ndim == 2:
        nu = skimage.measure.moments_normalized(mu)
        np.testing.assert_allclose(vm.measure.moments_hu(nu), skimage.measure.moments_hu(nu), rtol=1e-9)
    points = rng.random((7, 3))
    np.testing.assert_allclose(vm.measure.moments_coords(points, 2), skimage.measure.moments_coords(points, 2))
    np.testing.assert_allclose(vm.measure.moments_coords_central(points), skimage.measure.moments_coords_central(points), atol=1e-12)


@many
@given(st.integers(0, 2**32 - 1))
def test_other_functions(seed):
    rng, labels, light, lazy, lazy_light, _ = drawn(seed)
    mask = rng.random(labels.shape) < 0.7
    mask.flat[:3] = True
    other = rng.random(labels.shape)
    for chosen in (None, mask):
        if np.ptp(light if chosen is None else light[chosen]):
            found = vm.measure.pearson_corr_coeff(lazy_light, other, chosen)
            np.testing.assert_allclose(found, skimage.measure.pearson_corr_coeff(light.astype(float), other, chosen), rtol=1e-7, atol=1e-12)
        args = (light.astype(float), labels > 1, chosen)
        np.testing.assert_allclose(vm.measure.manders_coloc_coeff(*args), skimage.measure.manders_coloc_coeff(*args))
        args = (light.astype(float), other, chosen)
        np.testing.assert_allclose(vm.measure.manders_overlap_coeff(*args), skimage.measure.manders_overlap_coeff(*args))
        args = (labels > 1, other > 0.5, chosen)
        np.testing.assert_allclose(vm.measure.intersection_coeff(*args), skimage.measure.intersection_coeff(*args))
    np.testing.assert_allclose(vm.measure.shannon_entropy(lazy), skimage.measure.shannon_entropy(labels), atol=1e-12)
    sizes = tuple(int(n) for n in rng.integers(1, 5, labels.ndim))
    for func, kwargs in ((np.sum, None), (np.mean, None), (np.max, None), (np.median, None), (np.mean, {"dtype": np.float32}), (np.ptp, None)):
        expected = skimage.measure.block_reduce(light, sizes, func, cval=3, func_kwargs=kwargs)
        found = vm.measure.block_reduce(lazy_light, sizes, func, cval=3, func_kwargs=kwargs).compute()
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@many
@given(st.integers(0, 2**32 - 1))
def test_profiles(seed):
    rng = np.random.default_rng(seed)
    shape = (*(int(n) for n in rng.integers(1, 20, 2)), *([3] if seed % 3 == 0 else []))
    image = (rng.random(shape) * 200 - 50 * (seed % 2)).astype(rng.choice(["int16", "float64", "float32"]))
    ends = [rng.uniform(-3, n + 3, 2) for n in shape[:2]]
    src, dst = np.transpose(ends)
    mode = rng.choice(["reflect", "mirror", "nearest", "wrap", "constant"])
    kwargs = {"linewidth": int(rng.integers(1, 4)), "order": int(rng.integers(2)), "mode": str(mode), "cval": 5}
    if seed % 5 == 0:
        kwargs["reduce_func"] = None
    expected = skimage.measure.profile_line(image, src, dst, **kwargs)
    found = vm.measure.profile_line(vm.from_array(image, chunks=4), src, dst, **kwargs)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def brute_contacts(labels, connectivity):
    """Count neighbours of different labels one by one."""
    found = {}
    rank = labels.ndim
    steps = [s for s in np.ndindex((3,) * rank) if 0 < sum(k != 1 for k in s) <= connectivity]
    steps = [tuple(k - 1 for k in s) for s in steps]
    steps = [s for s in steps if next(k for k in s if k) > 0]
    for at in np.ndindex(labels.shape):
        for step in steps:
            there = tuple(a + s for a, s in zip(at, step))
            if any(not 0 <= t < n for t, n in zip(there, labels.shape)):
                continue
            pair = tuple(sorted((int(labels[at]), int(labels[there]))))
            if 0 not in pair and pair[0] != pair[1]:
                faces = sum(map(abs, step)) == 1
                counts = found.setdefault(pair, np.zeros(2 + rank, dtype=int))
                counts[1] += 1
                if faces:
                    counts[0] += 1
                    counts[2 + np.flatnonzero(step)[0]] += 1
    return found


@few
@given(st.integers(0, 2**32 - 1))
def test_contacts(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(1, [0, 40, 14, 7, 5][rank], rank))
    labels = rng.integers(0, 5, shape).astype(rng.choice(["uint8", "int32", "int64", "uint16"]))
    connectivity = int(rng.integers(1, rank + 1))
    spacing = rng.uniform(0.5, 2, rank)
    expected = brute_contacts(labels, connectivity)
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found = vm.measure.contacts(vm.from_array(labels, chunks=cut(rng, shape)), connectivity, spacing)
    assert list(zip(found["label_a"].tolist(), found["label_b"].tolist())) == sorted(expected)
    counts = np.array([expected[pair] for pair in sorted(expected)]).reshape(-1, 2 + rank)
    np.testing.assert_array_equal(found["faces"], counts[:, 0])
    np.testing.assert_allclose(found["area"], counts[:, 2:] @ (np.prod(spacing) / spacing))
    assert ("pairs" in found) == (connectivity > 1)
    if connectivity > 1:
        np.testing.assert_array_equal(found["pairs"], counts[:, 1])


def test_contacts_across_blocks():
    labels = ndi.zoom(np.random.default_rng(3).integers(0, 60, (14, 16, 17)), 10, order=0).astype("int32")
    found = vm.measure.contacts(vm.from_array(labels, chunks=(50, 64, 128)))
    pairs = []
    for axis in range(3):
        here, there = np.moveaxis(labels, axis, 0)[:-1].ravel(), np.moveaxis(labels, axis, 0)[1:].ravel()
        touch = (here != there) & (here > 0) & (there > 0)
        pairs.append(np.stack([np.minimum(here, there)[touch], np.maximum(here, there)[touch]], axis=1))
    expected, counts = np.unique(np.concatenate(pairs), axis=0, return_counts=True)
    np.testing.assert_array_equal(np.stack([found["label_a"], found["label_b"]], axis=1), expected)
    np.testing.assert_array_equal(found["faces"], counts)


def test_contacts_refuse():
    with pytest.raises(ValueError, match="between 1 and 2"):
        vm.measure.contacts(vm.ones((3, 3), dtype=int), 3)
    with pytest.raises(TypeError, match="whole numbers"):
        vm.measure.contacts(vm.ones((3, 3)))
    assert vm.measure.contacts(vm.zeros((0, 3), dtype=int)).n_rows == 0
    assert vm.measure.contacts(vm.zeros((4, 3), dtype=int), 2)["pairs"].shape == (0,)


@settings(max_examples=max(EXAMPLES // 10, 50), deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_scipy_measurements(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    shape = tuple(int(n) for n in rng.integers(1, [0, 50, 20, 10][rank], rank))
    labels = rng.integers(0, 6, shape)
    values = rng.integers(-50, 50, shape).astype(rng.choice(["int16", "int64", "float64"]))
    lazy = [vm.from_array(x, chunks=cut(rng, shape)) for x in (values, labels)]
    present = [k for k in range(1, 6) if (labels == k).any()]
    for index in (None, present or None, (present or [None])[0], np.array(present)[::-1].copy() if present else None):
        if index is None and not (labels > 0).any():
            continue
        for name in ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum"):
            expected = getattr(ndi, name)(values, labels, index)
            found = getattr(vm.ndimage, name)(*lazy, index)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
            assert np.shape(found) == np.shape(expected)
        for name in ("minimum_position", "maximum_position"):
            found, expected = getattr(vm.ndimage, name)(*lazy, index), getattr(ndi, name)(values, labels, index)
            # Of equal elements, ours is the first; scipy's is any.
            single = index is None or np.ndim(index) == 0
            for mine, theirs in zip(*([[p] for p in (found, expected)] if single else (found, expected))):
                assert values[mine] == values[theirs] and len(mine) == rank
    positive = np.abs(values) + 1
    np.testing.assert_allclose(
        vm.ndimage.center_of_mass(np.abs(lazy[0]) + 1, lazy[1], present), ndi.center_of_mass(positive, labels, present)
    )
    np.testing.assert_allclose(vm.ndimage.center_of_mass(np.abs(lazy[0]) + 1), ndi.center_of_mass(positive))
    assert vm.ndimage.find_objects(lazy[1]) == ndi.find_objects(labels)
    assert vm.ndimage.find_objects(lazy[1], 9) == ndi.find_objects(labels, 9)


@many
@given(st.integers(0, 2**32 - 1))
def test_scipy_order_measurements(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    shape = tuple(int(n) for n in rng.integers(1, [0, 50, 20, 10][rank], rank))
    labels = rng.integers(0, 6, shape)
    values = rng.integers(-50, 50, shape).astype(rng.choice(["int16", "int64", "float64"]))
    lazy = [vm.from_array(x, chunks=cut(rng, shape)) for x in (values, labels)]
    present = [k for k in range(0, 6) if (labels == k).any()]
    for index in (present, present[-1], np.array(present)[::-1].copy(), None):
        if index is None and not (labels > 0).any():
            continue
        for name in ("sum", "median", "mean", "variance"):
            found = getattr(vm.ndimage, name)(*lazy, index)
            expected = getattr(ndi, name)(values, labels, index)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
            assert np.asarray(found).dtype == np.asarray(expected).dtype
        found = vm.ndimage.histogram(lazy[0], -50, 50, 7, lazy[1], index)
        expected = ndi.histogram(values, -50, 50, 7, labels, index)
        for mine, theirs in zip(np.atleast_1d(found), np.atleast_1d(expected)):
            np.testing.assert_array_equal(mine, theirs)

    def far(values, positions):
        return (values * (positions + 1)).sum()

    for index in (present, present[0], [*present, 77]):
        found = vm.ndimage.labeled_comprehension(*lazy, index, far, float, -1, True)
        np.testing.assert_allclose(found, ndi.labeled_comprehension(values, labels, index, far, float, -1, True))
    for index in (None,):
        np.testing.assert_allclose(
            vm.ndimage.labeled_comprehension(*lazy, index, far, float, -1, True),
            ndi.labeled_comprehension(values, labels, index, far, float, -1, True),
        )
    assert vm.ndimage.sum_labels(lazy[0]) == values.sum()
    np.testing.assert_allclose(vm.ndimage.median(lazy[0]), np.median(values))
    np.testing.assert_array_equal(vm.ndimage.histogram(lazy[0], -50, 50, 7), ndi.histogram(values, -50, 50, 7))
    found, expected = vm.ndimage.value_indices(lazy[1], ignore_value=2), ndi.value_indices(labels, ignore_value=2)
    assert {int(k) for k in found} == {int(k) for k in expected}
    for value, places in expected.items():
        for mine, theirs in zip(found[value], places):
            np.testing.assert_array_equal(mine, theirs)


def test_measurements_of_what_is_not_there():
    labels, values = vm.asarray([1, 1, 2]), vm.asarray([3, 4, 5])
    assert vm.ndimage.sum_labels(values, labels, [1, 9]).tolist() == [7, 0]
    assert vm.ndimage.maximum(values, labels, [1, 9]).tolist() == [4, 0]
    assert np.isnan(vm.ndimage.median(values, labels, [9])[0])
    for name in ("minimum", "maximum", "minimum_position", "extrema"):
        with pytest.raises(ValueError, match="no element"):
            getattr(vm.ndimage, name)(values, labels, 9)
    with pytest.raises(ValueError, match="give both"):
        vm.ndimage.median(values, None, 1)
    with pytest.raises(ValueError, match="whole numbers"):
        vm.ndimage.mean(values, labels, [1.5])
    with pytest.raises(TypeError, match="whole numbers"):
        vm.ndimage.mean(values, labels.astype(float), 1)
    with pytest.raises(ValueError, match="whole numbers"):
        vm.ndimage.value_indices(values.astype(float))


def test_regions_across_blocks():
    rng = np.random.default_rng(3)
    shape = (140, 160, 170)
    labels = ndi.zoom(rng.integers(0, 200, (14, 16, 17)), 10, order=0).astype("int32")
    light = rng.random(shape).astype("float32")
    names = ["label", "area", "bbox", "centroid", "inertia_tensor", "intensity_mean", "intensity_max", "intensity_std"]
    found = vm.measure.regionprops_table(vm.from_array(labels, chunks=50), vm.from_array(light, chunks=64), names)
    index = np.unique(labels)[1:]
    np.testing.assert_array_equal(found["label"], index)
    np.testing.assert_array_equal(found["area"], np.bincount(labels.ravel())[index])
    np.testing.assert_allclose(found["intensity_mean"], ndi.mean(light.astype(float), labels, index), rtol=1e-12)
    np.testing.assert_allclose(found["intensity_std"], ndi.standard_deviation(light.astype(float), labels, index), rtol=1e-9)
    np.testing.assert_allclose(np.stack([found[f"centroid-{k}"] for k in range(3)], axis=1), ndi.center_of_mass(labels > 0, labels, index))


@pytest.mark.parametrize("shape", [(1500, 1700), (120, 150, 140)])
def test_shapes_across_blocks(shape):
    """Regions that lie in several of the blocks that are first looked at, which have two million elements."""
    rng = np.random.default_rng(4)
    smooth = ndi.gaussian_filter(rng.random(shape), 40 if len(shape) == 2 else 12, mode="wrap")
    holes = rng.random(shape) > 0.001
    labels = ndi.label((smooth > np.median(smooth)) & holes)[0].astype("int32")
    labels[labels > 50] = 0
    light = rng.random((*shape, 2))
    names = [name for name in (*MOMENTS, *SURFACE, *LIGHT, *LIGHT_MOMENTS) if len(shape) == 2 or name not in FLAT]
    names = ["label", "bbox", *(name for name in names if name not in OURS)]
    expected = skimage.measure.regionprops_table(labels, light, names)
    lazy = vm.from_array(labels, chunks=tuple(n // 3 for n in shape)), vm.from_array(light, chunks=(*(n // 2 for n in shape), 2))
    found = vm.measure.regionprops_table(*lazy, names)
    assert (found["bbox-" + str(len(shape))] - found["bbox-0"]).max() > shape[0] // 2
    assert list(found) == list(expected)
    for name, values in expected.items():
        same_column(name, found[name], values, light)


def test_nothing_is_a_region():
    table = vm.measure.regionprops_table(vm.zeros((5, 6), dtype=int), vm.ones((5, 6)), ("label", "area", "centroid", "intensity_mean"))
    assert {name: values.shape for name, values in table.items()} == {
        "label": (0,), "area": (0,), "centroid-0": (0,), "centroid-1": (0,), "intensity_mean": (0,)
    }  # fmt: skip
    assert vm.ndimage.find_objects(vm.zeros((0, 4), dtype=int)) == []


def test_negative_labels_are_no_regions():
    labels = vm.asarray([[-3, -3, 0, 7]])
    table = vm.measure.regionprops_table(labels, properties=("label", "area", "area_convex"))
    assert table["label"].tolist() == [7] and table["area"].tolist() == [1] and table["area_convex"].tolist() == [1]


def test_objects_of_no_region():
    def own(mask, light):
        return np.array([light[mask].sum(), 1.0])

    names = ("label", "image", "slice", "area_convex", "intensity_median", "moments")
    labels, light = np.zeros((5, 6), dtype=int), np.ones((5, 6))
    expected = skimage.measure.regionprops_table(labels, light, names, extra_properties=[own])
    found = vm.measure.regionprops_table(labels, light, names, extra_properties=[own])
    assert list(found) == list(expected)
    assert [(v.shape, v.dtype) for v in found.values()] == [(v.shape, v.dtype) for v in expected.values()]
    assert vm.measure.regionprops(labels) == []


def test_a_million_regions():
    labels = np.arange(1, 1_000_001, dtype="int32").reshape(1000, 1000)
    table = vm.measure.regionprops_table(vm.from_array(labels, chunks=300), properties=("label", "area", "euler_number", "perimeter"))
    assert table.n_rows == 1_000_000 and (table["area"] == 1).all() and (table["euler_number"] == 1).all()
    np.testing.assert_array_equal(table["label"], labels.ravel())


def test_a_region_that_does_not_fit():
    labels = vm.ones((300, 300, 300), dtype="uint8", chunks=100)
    assert vm.measure.regionprops_table(labels, properties=["area"], memory_limit="64 MiB")["area"].tolist() == [27e6]
    with pytest.raises(MemoryError, match="region 1 lies in a box of 300x300x300"):
        vm.measure.regionprops_table(labels, properties=["image"], memory_limit="64 MiB")


def test_wrong_arguments():
    labels = vm.ones((4, 4), dtype=int)
    with pytest.raises(AttributeError, match="there is no property 'aera'; did you mean area"):
        vm.measure.regionprops_table(labels, properties=("aera",))
    with pytest.raises(AttributeError, match="needs an intensity_image"):
        vm.measure.regionprops_table(labels, properties=("intensity_mean",))
    with pytest.raises(TypeError, match="whole numbers"):
        vm.measure.regionprops_table(vm.ones((4, 4)))
    with pytest.raises(ValueError, match="must be equal"):
        vm.measure.regionprops_table(labels, vm.ones((4, 5)))
    with pytest.raises(ValueError, match="must be equal"):
        vm.measure.regionprops_table(labels, vm.ones((4, 5)), ("label", "intensity_mean"))
    with pytest.raises(TypeError, match="not bool"):
        vm.measure.regionprops_table(vm.ones((4, 4), dtype=bool))
    with pytest.raises(AttributeError, match="between 0 and 100"):
        vm.measure.regionprops_table(labels, vm.ones((4, 4)), ["intensity_percentile_x"])
    with pytest.raises(AttributeError, match="1 or 2 arguments"):
        vm.measure.regionprops_table(labels, extra_properties=[lambda a, b, c: 0])
    with pytest.raises(AttributeError, match="needs an intensity_image"):
        vm.measure.regionprops_table(labels, extra_properties=[lambda a, b: 0])
    with pytest.warns(UserWarning, match="has the name of a property"):

        def area(mask):
            return 7

        vm.measure.regionprops_table(labels, extra_properties=[area])
    for spacing, error in (((1, 2, 3), ValueError), (np.nan, ValueError), ("a", TypeError)):
        with pytest.raises(error, match="spacing"):
            vm.measure.regionprops_table(labels, spacing=spacing)
    with pytest.raises(NotImplementedError, match="equal spacing"):
        vm.measure.regionprops_table(labels, properties=["perimeter"], spacing=(1, 2))
    with pytest.raises(NotImplementedError, match="2 axes"):
        vm.measure.regionprops_table(vm.ones((2, 2, 2), dtype=int), properties=("orientation",))
