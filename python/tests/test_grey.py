"""Grey morphology, footprints, hit-or-miss and distances against scipy and scikit-image on the whole array."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage.morphology

import voxmill as vm

GREY = [
    "grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient", "morphological_laplace", "white_tophat",
    "black_tophat",
]  # fmt: skip
MODES = ["reflect", "mirror", "nearest", "constant", "wrap"]
SHAPES = [(23,), (11, 14), (7, 8, 9), (5, 6, 5, 7)]


def image(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    low = -60 if np.dtype(dtype).kind in "if" else 0
    return rng.uniform(low, 120, shape).astype(dtype) if dtype != "bool" else rng.random(shape) < 0.5


def chunkings(shape):
    """Give three ways to cut an array: as one piece, evenly, and unevenly with pieces smaller than any window."""
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) for n in shape)


def check(mine, theirs, x, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x, **params)
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = mine(vm.from_array(x, chunks=chunks), **params)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            found = lazy.compute()
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", GREY)
def test_windows(name, dtype, mode):
    x = image((11, 14), dtype)
    mine, theirs = getattr(vm.ndimage, name), getattr(ndi, name)
    check(mine, theirs, x, size=(3, 4), mode=mode, cval=3)
    check(mine, theirs, x, footprint=[[1, 0, 1, 1], [0, 1, 1, 0]], mode=mode, cval=3, origin=[-1, 1])
    check(mine, theirs, x, structure=np.random.default_rng(2).integers(0, 6, (3, 4)), mode=mode, cval=3)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", GREY)
def test_ranks(name, shape):
    x = image(shape, "int32")
    mine, theirs = getattr(vm.ndimage, name), getattr(ndi, name)
    structure = np.random.default_rng(3).normal(size=(3, 2, 3, 2)[: x.ndim]).round(1)
    check(mine, theirs, x, structure=structure, footprint=structure > -1, origin=[0, -1, 1, 0][: x.ndim])
    check(mine, theirs, x, size=3, axes=(0,))
    if x.ndim > 2:
        check(mine, theirs, x, size=(2, 3), axes=(0, 2))


@pytest.mark.parametrize("name", GREY[:4] + GREY[6:])
def test_truth_values(name):
    check(getattr(vm.ndimage, name), getattr(ndi, name), image((11, 14), "bool"), size=3)


def test_output():
    x = image((11, 14), "uint8")
    for name in GREY[:4]:
        check(getattr(vm.ndimage, name), getattr(ndi, name), x, size=3, output=np.float32)
        check(getattr(vm.ndimage, name), getattr(ndi, name), x, structure=np.eye(3), output=np.int16)


def test_bad_windows():
    x = vm.ones((4, 5))
    for name in GREY:
        with pytest.raises(ValueError, match="window"):
            getattr(vm.ndimage, name)(x)
    with pytest.raises(ValueError, match="empty"):
        vm.ndimage.grey_erosion(x, footprint=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="equal"):
        vm.ndimage.grey_erosion(x, footprint=np.ones((3, 3)), structure=np.ones((3, 4)))
    with pytest.raises(ValueError, match="axes"):
        vm.ndimage.grey_erosion(x, structure=np.ones(3))
    with pytest.raises(ValueError, match="origin"):
        vm.ndimage.grey_erosion(x, size=3, origin=2)
    with pytest.raises(TypeError, match="complex"):
        vm.ndimage.grey_dilation(x * 1j, size=3)
    with pytest.raises(TypeError):
        vm.ndimage.morphological_gradient(x > 0, size=3)
    assert vm.ndimage.grey_opening(vm.ones((0, 5)), size=3).compute().shape == (0, 5)


SKIMAGE = ["erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat"]


@pytest.mark.parametrize("mode", [*MODES, "max", "min", "ignore"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32"])
@pytest.mark.parametrize("name", SKIMAGE)
def test_as_scikit_image(name, dtype, mode):
    mine, theirs = getattr(vm.morphology, name), getattr(skimage.morphology, name)
    x = image((11, 14), dtype)
    check(mine, theirs, x, mode=mode, cval=1)
    check(mine, theirs, x, footprint=np.array([[1, 0, 1, 1], [0, 1, 1, 0]]), mode=mode, cval=1)
    check(mine, theirs, x, footprint=skimage.morphology.footprint_rectangle((5, 3), decomposition="separable"), mode=mode, cval=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_default_footprints(shape):
    x = image(shape, "uint16")
    for name in SKIMAGE:
        check(getattr(vm.morphology, name), getattr(skimage.morphology, name), x)


@pytest.mark.parametrize("mode", ["max", "min", "ignore"])
@pytest.mark.parametrize("name", ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"])
def test_binary_as_scikit_image(name, mode):
    mine, theirs = getattr(vm.morphology, name), getattr(skimage.morphology, name)
    x = image((11, 14), "bool")
    check(mine, theirs, x, mode=mode)
    check(mine, theirs, x, footprint=np.array([[1, 0, 1, 1], [0, 1, 1, 0]]), mode=mode)
    check(mine, theirs, x, footprint=skimage.morphology.diamond(3, decomposition="sequence"), mode=mode)


@pytest.mark.parametrize("shape, share", [((60,), 0.9), ((17, 23), 0.95), ((9, 11, 13), 0.99)])
def test_isotropic(shape, share):
    """With something left of every erosion: scipy has no distances where there is no background."""
    x = np.random.default_rng(4).random(shape) < share
    spacing = [0.5, 2.0, 1.0][: x.ndim]
    for name, truth in [("erosion", x), ("dilation", ~x), ("opening", x), ("closing", ~x)]:
        mine, theirs = getattr(vm.morphology, f"isotropic_{name}"), getattr(skimage.morphology, f"isotropic_{name}")
        for radius in (1, 2.3):
            check(mine, theirs, truth, radius=radius)
            check(mine, theirs, truth, radius=radius, spacing=spacing)


def test_refusals():
    x = vm.ones((4, 5))
    with pytest.raises(ValueError, match="mode"):
        vm.morphology.erosion(x, mode="bounce")
    with pytest.raises(ValueError, match="mode"):
        vm.morphology.binary_erosion(x, mode="reflect")
    with pytest.raises(TypeError, match="out="):
        vm.morphology.dilation(x, out=np.ones((4, 5)))
    with pytest.raises(ValueError):
        vm.morphology.dilation(x, footprint=[(np.ones((3, 3)), 1.5)])
    with pytest.raises(ValueError, match="empty"):
        vm.morphology.erosion(x, np.zeros((3, 3)))


def footprints():
    for radius in (0, 1, 2, 3, 4, 7):
        for strict in (True, False):
            yield "ball", (radius,), {"strict_radius": strict}
            yield "disk", (radius,), {"strict_radius": strict}
        yield "disk", (radius,), {"decomposition": "crosses"}
        for name in ("diamond", "octahedron"):
            yield name, (radius,), {}
            if radius:
                yield name, (radius,), {"decomposition": "sequence"}
    for m in range(6):
        for n in range(6):
            yield "ellipse", (m, n), {}
            yield "ellipse", (m, n), {"decomposition": "crosses"}
            if m or n:
                yield "octagon", (m, n), {}
                yield "octagon", (m, n), {"decomposition": "sequence"}
    for a in range(1, 8):
        yield "star", (a,), {}
    for shape in [(3,), (3, 5), (4, 5), (3, 5, 7)]:
        for decomposition in (None, "separable", "sequence"):
            yield "footprint_rectangle", (shape,), {"decomposition": decomposition}
    yield "square", (4,), {}
    yield "cube", (3,), {}
    yield "rectangle", (2, 5), {}


def test_footprints():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, args, params in footprints():
            expected = getattr(skimage.morphology, name)(*args, **params)
            found = getattr(vm.morphology, name)(*args, **params)
            if not isinstance(expected, tuple):
                expected, found = ((expected, 1),), ((found, 1),)
            assert len(found) == len(expected), (name, args, params)
            for (one, n), (other, m) in zip(found, expected):
                assert one.dtype == other.dtype and n == m
                np.testing.assert_array_equal(one, other, err_msg=f"{name} {args} {params}")
        parts = skimage.morphology.octagon(5, 4, decomposition="sequence")
        np.testing.assert_array_equal(
            vm.morphology.footprint_from_sequence(parts), skimage.morphology.footprint_from_sequence(parts)
        )
    for name in ("disk", "ball"):
        with pytest.raises(ValueError, match="decomposition"):
            getattr(vm.morphology, name)(3, decomposition="sequence")


@pytest.mark.parametrize("shape", SHAPES)
def test_hit_or_miss(shape):
    x = np.random.default_rng(5).random(shape) < 0.6
    rng = np.random.default_rng(6)
    check(vm.ndimage.binary_hit_or_miss, ndi.binary_hit_or_miss, x)
    for _ in range(3):
        one = rng.random((2, 3, 2, 3)[: x.ndim]) < 0.4
        other = (rng.random((3, 3, 2, 3)[: x.ndim]) < 0.3) & ~np.pad(one, [(0, 1 if k == 0 else 0) for k in range(x.ndim)])
        one.flat[0] = True
        check(vm.ndimage.binary_hit_or_miss, ndi.binary_hit_or_miss, x, structure1=one)
        if other.any():
            check(vm.ndimage.binary_hit_or_miss, ndi.binary_hit_or_miss, x, structure1=one, structure2=other, origin1=0, origin2=-1)
    check(vm.ndimage.binary_hit_or_miss, ndi.binary_hit_or_miss, image(shape, "float32").clip(0), structure1=np.ones([3] * x.ndim))
    if x.ndim > 1:
        check(vm.ndimage.binary_hit_or_miss, ndi.binary_hit_or_miss, x, structure1=[1, 0, 1], axes=(1,))
    with pytest.raises(ValueError, match="empty"):
        vm.ndimage.binary_hit_or_miss(x, np.zeros([3] * x.ndim), np.zeros([3] * x.ndim))


def test_structures():
    for structure in (ndi.generate_binary_structure(2, 1), np.array([[1, 1], [0, 1]]), np.ones((2, 3, 4))):
        for n in (1, 2, 4):
            np.testing.assert_array_equal(vm.ndimage.iterate_structure(structure, n), ndi.iterate_structure(structure, n))
    expected = ndi.iterate_structure(np.ones((3, 3)), 3, origin=[1, 0])
    found = vm.ndimage.iterate_structure(np.ones((3, 3)), 3, origin=[1, 0])
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == list(expected[1])


@pytest.mark.parametrize("shape, share", [((40,), 0.9), ((17, 23), 0.97), ((9, 11, 13), 0.99), ((4, 5, 6, 7), 0.9)])
def test_positions_and_steps(shape, share):
    """Of zeros that are equally near, scipy's choice is made."""
    for seed in range(3):
        x = np.random.default_rng(seed).random(shape) < share
        x.flat[seed] = False
        check(lambda v, **kw: vm.ndimage.distance_transform_edt(v, return_distances=False, return_indices=True, **kw),
              lambda v, **kw: ndi.distance_transform_edt(v, return_distances=False, return_indices=True, **kw), x)  # fmt: skip
        sampling = [2, 0.5, 1.5, 3][: x.ndim]
        found = vm.ndimage.distance_transform_edt(vm.from_array(x, chunks=5), sampling, return_indices=True)
        expected = ndi.distance_transform_edt(x, sampling, return_indices=True)
        for mine, theirs in zip(found, expected):
            np.testing.assert_array_equal(mine.compute(), theirs)
        for metric in ("taxicab", "chessboard", "cityblock", "manhattan"):
            check(vm.ndimage.distance_transform_cdt, ndi.distance_transform_cdt, x, metric=metric)
            check(vm.ndimage.distance_transform_bf, ndi.distance_transform_bf, x, metric=metric)


def test_no_background():
    x = vm.ones((4, 5))
    assert (vm.ndimage.distance_transform_cdt(x) == -1).all().compute()
    assert (vm.ndimage.distance_transform_edt(x, return_distances=False, return_indices=True) == -1).all().compute()
    with pytest.raises(RuntimeError):
        vm.ndimage.distance_transform_edt(x, return_distances=False)
    with pytest.raises(ValueError, match="metric"):
        vm.ndimage.distance_transform_cdt(x, "euclid")
    with pytest.raises(NotImplementedError):
        vm.ndimage.distance_transform_cdt(x, return_indices=True)
    with pytest.raises(ValueError, match="sampling"):
        vm.ndimage.distance_transform_edt(x, sampling=[1, 0], return_indices=True)
    with pytest.raises(TypeError):
        vm.ndimage.distance_transform_edt(x, indices=np.ones((2, 4, 5), "int32"))


@pytest.mark.parametrize("shape", [(30,), (12, 17), (6, 7, 8)])
def test_any_structure(shape):
    """Spreading by structures that are large, lopsided or moved."""
    rng = np.random.default_rng(7)
    for k in range(4):
        x, mask = rng.random(shape) < 0.03, rng.random(shape) < 0.7
        structure = rng.random((3, 5, 3)[: len(shape)]) < 0.6
        origin = [0, 1, -1][: len(shape)] if k % 2 else 0
        middle = tuple(n // 2 + (o if k % 2 else 0) for n, o in zip(structure.shape, [0, 1, -1]))
        structure[middle] = True
        border = k // 2
        for chunks in chunkings(shape):
            lazy = vm.from_array(x, chunks=chunks)
            expected = ndi.binary_propagation(x, structure, mask, border_value=border, origin=origin)
            found = vm.ndimage.binary_propagation(lazy, structure, mask, border_value=border, origin=origin).compute()
            np.testing.assert_array_equal(found, expected)
            walls = vm.from_array(~mask, chunks=chunks)
            expected = ndi.binary_fill_holes(~mask, structure, origin=origin)
            np.testing.assert_array_equal(vm.ndimage.binary_fill_holes(walls, structure, origin=origin).compute(), expected)
        expected = ndi.binary_erosion(mask, structure, iterations=0, origin=origin, border_value=border)
        np.testing.assert_array_equal(
            vm.ndimage.binary_erosion(mask, structure, iterations=0, origin=origin, border_value=border).compute(), expected
        )
    with pytest.raises(ValueError, match="middle"):
        vm.ndimage.binary_propagation(x, np.zeros((5,) * x.ndim))
