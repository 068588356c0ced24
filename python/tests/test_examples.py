"""The workflows in `examples/`, whole, against scipy and scikit-image on the whole array."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import scipy.ndimage as ndi
import skimage.filters
import skimage.measure
import skimage.morphology

import voxmill as vm

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_foam(capsys, tmp_path):
    foam = example("foam")
    volume = foam.sample()
    dark = 1 - volume / 255
    inside = ndi.gaussian_filter(dark, (1, 2, 2)) > 0.5
    expected, n_expected = ndi.label(ndi.binary_erosion(inside, skimage.morphology.ball(4)))
    for chunks in (-1, (30, 60, 60), (7, 50, 41)):
        labels, n = vm.compute(*foam.bubbles(vm.from_array(volume, chunks=chunks)))
        np.testing.assert_array_equal(labels, expected)
        assert n == n_expected > 5
    vm.from_array(volume, chunks=40).to_zarr(tmp_path / "foam.zarr")
    foam.main(str(tmp_path / "foam.zarr"))
    assert capsys.readouterr().out.startswith(f"{n_expected} bubbles in (60, 120, 120)")


def test_fibres(capsys):
    fibres = example("fibres")
    volume = fibres.sample()
    tubes = skimage.filters.sato(volume.astype("float64"), sigmas=[1.5], black_ridges=False)
    strong = tubes > skimage.filters.threshold_otsu(tubes)
    solid = skimage.morphology.remove_small_objects(strong, max_size=30, connectivity=3)
    expected, n_expected = ndi.label(solid, np.ones((3, 3, 3)))
    for chunks in (-1, 25, (13, 60, 21)):
        labels, n = vm.compute(*fibres.fibres(vm.from_array(volume.astype("float64"), chunks=chunks)))
        np.testing.assert_array_equal(labels, expected)
        assert n == n_expected > 0
    fibres.main()
    assert "fibres in (60, 60, 60)" in capsys.readouterr().out
