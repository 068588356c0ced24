"""Objects against scipy.ndimage on the whole array: the same numbers, for any chunks, tiles and structures."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.ndimage as ndi
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import voxmill as vm
from voxmill._core import call

EXAMPLES = int(os.environ.get("VOXMILL_EXAMPLES", "200")) * 5


def cut(rng, shape):
    """Cut every axis at random."""
    lengths = []
    for n in shape:
        ends = sorted({n, *rng.integers(1, n + 1, rng.integers(0, 4))}) if n else [0]
        lengths.append(tuple(np.diff([0, *ends]).tolist()))
    return tuple(lengths)


def structures(rng, rank):
    """Give a structure: one of the usual ones, or any that looks the same from both sides."""
    if rng.random() < 0.7:
        return ndi.generate_binary_structure(rank, int(rng.integers(1, rank + 1)))
    half = rng.random((3,) * rank) < 0.4
    return half | half[(slice(None, None, -1),) * rank] | (np.abs(np.indices((3,) * rank) - 1).sum(axis=0) == 0)


@settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_numbers_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(1, [0, 60, 24, 12, 7][rank], rank))
    x = rng.random(shape) < rng.choice([0.2, 0.4, 0.6, 0.9])
    x = x.astype(rng.choice(["bool", "uint8", "int32", "float32"]))
    structure = structures(rng, rank)
    expected, n_expected = ndi.label(x, structure)
    # Small arrays are one block by themselves; here they are cut into any.
    params = {"structure": structure, "block": [int(rng.integers(1, n + 1)) for n in shape]}
    lazy = vm.from_array(x, chunks=cut(rng, shape))
    labels, num = call("label", (lazy,), params), call("n_labels", (lazy,), params)
    with vm.config.set(random_tiles=seed % 1000, threads=2):
        found, n_found = vm.compute(labels, num)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert n_found == n_expected


@pytest.mark.parametrize("connectivity", [1, 2, 3])
def test_objects_across_many_blocks(connectivity):
    """This one has eight blocks and more without being asked."""
    rng = np.random.default_rng(5)
    x = ndi.gaussian_filter(rng.standard_normal((300, 220, 260)), 2) > 0.03
    structure = ndi.generate_binary_structure(3, connectivity)
    expected, n_expected = ndi.label(x, structure)
    found, n_found = vm.compute(*vm.ndimage.label(vm.from_array(x, chunks=(100, 100, 70)), structure))
    np.testing.assert_array_equal(found, expected)
    assert n_found == n_expected


def test_a_part_of_the_labels():
    x = np.arange(10_000) % 7 != 0
    labels, num = vm.ndimage.label(vm.from_array(x, chunks=1000))
    np.testing.assert_array_equal(labels[5000:5050].compute(), ndi.label(x)[0][5000:5050])
    assert int(num) == ndi.label(x)[1]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (1, 1, 1)])
def test_small_arrays(shape):
    for value in (0, 1):
        x = np.full(shape, value, dtype=np.uint8)
        found, n_found = vm.compute(*vm.ndimage.label(vm.asarray(x)))
        if shape:
            expected, n_expected = ndi.label(x)
            np.testing.assert_array_equal(found, expected)
            assert n_found == n_expected
        assert found.shape == shape


def test_wrong_arguments():
    x = vm.ones((4, 4), dtype=bool)
    with pytest.raises(ValueError, match="3 positions on each of 2 axes"):
        vm.ndimage.label(x, np.ones((3, 3, 3)))
    with pytest.raises(ValueError, match="same from both sides"):
        vm.ndimage.label(x, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    with pytest.raises(TypeError, match="complex"):
        vm.ndimage.label(x.astype(complex))


def test_more_objects_than_numbers():
    x = np.arange(600) % 2
    labels, _ = vm.ndimage.label(vm.from_array(x, chunks=50), output="uint8")
    assert labels.dtype == "uint8"
    with pytest.raises(ValueError, match="300 objects, more than uint8 can number"):
        labels.compute()
    for dtype in ("int16", "uint16", "int64", "float32"):
        found = vm.ndimage.label(vm.from_array(x, chunks=50), output=dtype)[0].compute()
        assert found.dtype == dtype and found.max() == 300


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("connectivity", [1, 2])
def test_many_objects_on_few_lines(share, connectivity):
    rng = np.random.default_rng(int(share * 10) + connectivity)
    structure = ndi.generate_binary_structure(2, connectivity)
    for shape in ((4, 700), (9, 333), (1, 900)):
        x = rng.random(shape) < share
        block = [int(rng.integers(1, 4)), int(rng.integers(5, 90))]
        found = call("label", (vm.from_array(x, chunks=50),), {"structure": structure, "block": block}).compute()
        np.testing.assert_array_equal(found, ndi.label(x, structure)[0])
