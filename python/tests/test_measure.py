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
from voxmill._regions import LIGHT, PROPERTIES

sys.path.insert(0, str(Path(__file__).parent))

from test_label import EXAMPLES, cut  # noqa: E402

FLAT = {"eccentricity", "orientation"}


@settings(max_examples=max(EXAMPLES // 10, 50), deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_regionprops_table(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 4))
    shape = tuple(int(n) for n in rng.integers(2, [0, 0, 30, 12][rank], rank))
    labels = rng.integers(0, rng.choice([2, 5, 40]), shape).astype(rng.choice(["uint8", "int32", "int64"]))
    light = (rng.random(shape) * 100).astype(rng.choice(["uint8", "float32", "float64"]))
    spacing = None if seed % 2 else tuple(rng.uniform(0.5, 3, rank).tolist())
    names = [name for name in (*PROPERTIES, *LIGHT) if rank == 2 or name not in FLAT]
    expected = skimage.measure.regionprops_table(labels, light, names, spacing=spacing or (1.0,) * rank)
    lazy = [vm.from_array(x, chunks=cut(rng, shape)) for x in (labels, light)]
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
        atol = 1e-6 if "axis_minor" in name or "eccentricity" in name else 1e-9
        np.testing.assert_allclose(found[name], values, rtol=1e-6 if light.dtype == np.float32 else 1e-8, atol=atol, err_msg=name)


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


def test_nothing_is_a_region():
    table = vm.measure.regionprops_table(vm.zeros((5, 6), dtype=int), vm.ones((5, 6)), ("label", "area", "centroid", "intensity_mean"))
    assert {name: values.shape for name, values in table.items()} == {
        "label": (0,), "area": (0,), "centroid-0": (0,), "centroid-1": (0,), "intensity_mean": (0,)
    }  # fmt: skip
    assert vm.ndimage.find_objects(vm.zeros((0, 4), dtype=int)) == []


def test_negative_labels_are_regions():
    labels = vm.asarray([-3, -3, 0, 7])
    table = vm.measure.regionprops_table(labels.reshape(1, 4), properties=("label", "area"))
    assert table["label"].tolist() == [-3, 7] and table["area"].tolist() == [2, 1]


def test_wrong_arguments():
    labels = vm.ones((4, 4), dtype=int)
    with pytest.raises(AttributeError, match="there is no property 'aera'"):
        vm.measure.regionprops_table(labels, properties=("aera",))
    with pytest.raises(AttributeError, match="needs an intensity_image"):
        vm.measure.regionprops_table(labels, properties=("intensity_mean",))
    with pytest.raises(TypeError, match="whole numbers"):
        vm.measure.regionprops_table(vm.ones((4, 4)))
    with pytest.raises(ValueError, match="must be equal"):
        vm.measure.regionprops_table(labels, vm.ones((4, 5)))
    with pytest.raises(NotImplementedError, match="2 axes"):
        vm.measure.regionprops_table(vm.ones((2, 2, 2), dtype=int), properties=("orientation",))
