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


def test_em_stack(capsys, tmp_path):
    em = example("em_stack")
    stack = em.sample(12, 40)
    half = 20
    cut = []
    for image in stack:
        row, column = (int(c) for c in ndi.center_of_mass(image))
        row, column = np.clip((row, column), half // 2, 40 - half // 2)
        cut.append(image[row - 10 : row + 10, column - 10 : column + 10])
    expected = np.abs(np.fft.fft(np.array(cut), axis=0) ** 2).astype("float32")
    for chunks in ((4, 40, 40), (5, 13, 17)):
        centred = vm.registration.recentre(vm.from_array(stack, chunks=chunks), (half, half))
        np.testing.assert_allclose(em.power_spectrum(centred, 7).compute(), expected, rtol=1e-5, atol=1e-2)
    em.main(picture=str(tmp_path / "em.png"))
    assert "48 slices of 160 x 160" in capsys.readouterr().out
    assert (tmp_path / "em.png").stat().st_size > 1000


def test_slices(capsys, tmp_path):
    slices = example("slices")
    stack = slices.sample((6, 40, 50), 5)
    smooth = ndi.gaussian_filter(stack, (0, 2, 2))
    expected = smooth > skimage.filters.threshold_otsu(smooth)
    for chunks in ((1, 40, 50), (4, 13, 17)):
        found = slices.cells(slices.smoothed(vm.from_array(stack, chunks=chunks)))
        np.testing.assert_array_equal(found.compute(), expected)
        outline = slices.edges(slices.smoothed(vm.from_array(stack, chunks=chunks))[3])
        np.testing.assert_array_equal(outline.compute(), skimage.feature.canny(smooth[3].astype("float64"), sigma=1))
    slices.main(picture=str(tmp_path / "slices.png"))
    assert "threshold" in capsys.readouterr().out
    assert (tmp_path / "slices.png").stat().st_size > 1000


def test_genotypes(capsys, tmp_path):
    genotypes = example("genotypes")
    calls, _ = genotypes.sample(5, 300)
    known = np.where(calls < 0, np.nan, calls)
    difference = known[:, None] - known[None]
    for chunks in ((15, 300), (4, 70)):
        lazy = vm.from_array(calls, chunks=chunks)
        np.testing.assert_allclose(genotypes.distances(lazy).compute(), np.sqrt(np.nansum(difference**2, axis=2)), rtol=1e-12)
        np.testing.assert_array_equal(genotypes.distances(lazy, "cityblock").compute(), np.nansum(np.abs(difference), axis=2))
    genotypes.main(picture=str(tmp_path / "distances.png"))
    assert "60 samples, 5000 variants" in capsys.readouterr().out
    assert (tmp_path / "distances.png").stat().st_size > 1000
