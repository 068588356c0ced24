"""Brightness and thresholds against scikit-image on the whole image, for any chunks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import skimage.exposure
import skimage.filters

import voxmill as vm

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]


def image(shape, dtype, seed=0, low=0):
    """Give two groups of values, floats from 0 to 1."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(shape) < 0.6, rng.normal(0.3, 0.1, shape), rng.normal(0.7, 0.08, shape)).clip(0, 1)
    if dtype == "bool":
        return x > 0.5
    if np.dtype(dtype).kind == "f":
        return (x * (1 - low) + low).astype(dtype)
    return (x * min(np.iinfo(dtype).max, 3000)).astype(dtype)


def chunkings(shape):
    yield shape
    yield tuple((n + 1) // 2 for n in shape)
    yield tuple((1, 2, n - 4, 1) if n > 4 else (1,) * n for n in shape)


def each(mine, x, *more):
    """Give the result for all chunkings."""
    for k, chunks in enumerate(chunkings(x.shape)):
        lazy = mine(vm.from_array(x, chunks=chunks), *more)
        with vm.config.set(random_tiles=k * 31 + 7, threads=2):
            yield vm.compute(*lazy) if isinstance(lazy, tuple) else lazy.compute()


def check(mine, theirs, x, exact=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x)
    for found in each(mine, x):
        for a, b in zip(found if isinstance(found, tuple) else (found,), expected if isinstance(expected, tuple) else (expected,)):
            b = np.asarray(b)
            assert a.dtype == b.dtype and a.shape == b.shape
            if b.dtype.kind == "f" and not exact:
                limit = {2: 2e-3, 4: 1e-6, 8: 1e-12}[b.dtype.itemsize]
                np.testing.assert_allclose(a, b, rtol=limit, atol=limit)
            else:
                np.testing.assert_array_equal(a, b)


RANGES = [
    {},
    {"in_range": (0.2, 0.6)},
    {"in_range": "dtype", "out_range": (0, 255)},
    {"out_range": "uint12"},
    {"out_range": np.uint8},
    {"out_range": "float"},
    {"in_range": "uint8", "out_range": "image"},
    {"in_range": (3, 3)},
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("params", RANGES, ids=str)
def test_ranges(params, dtype):
    x = image((7, 9), dtype)
    check(lambda x: vm.exposure.rescale_intensity(x, **params), lambda x: skimage.exposure.rescale_intensity(x, **params), x)
    if np.dtype(dtype).kind == "f":
        x = image((7, 9), dtype, low=-0.7)
        check(lambda x: vm.exposure.rescale_intensity(x, **params), lambda x: skimage.exposure.rescale_intensity(x, **params), x)


def test_flat_images():
    for dtype in ("uint8", "float64"):
        x = np.full((5, 6), 3, dtype)
        check(vm.exposure.rescale_intensity, skimage.exposure.rescale_intensity, x)


CURVES = [
    ("adjust_gamma", {}),
    ("adjust_gamma", {"gamma": 0.5, "gain": 0.8}),
    ("adjust_gamma", {"gamma": 2.2}),
    ("adjust_log", {}),
    ("adjust_log", {"gain": 0.7, "inv": True}),
    ("adjust_sigmoid", {}),
    ("adjust_sigmoid", {"cutoff": 0.3, "gain": 5, "inv": True}),
]


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
@pytest.mark.parametrize("case", CURVES, ids=str)
def test_curves(case, dtype):
    name, params = case
    x = image((7, 9), dtype)
    mine, theirs = getattr(vm.exposure, name), getattr(skimage.exposure, name)
    expected = theirs(x, **params)
    for found in each(lambda x: mine(x, **params), x):
        assert found.dtype == expected.dtype
        # A result next to a whole number may be cut off to either side of it.
        limit = 1 if x.dtype.kind in "iu" else 1e-6 if dtype == "float32" else 1e-12
        assert np.abs(found.astype(float) - expected.astype(float)).max() <= limit
        assert x.dtype.kind == "f" or (found == expected).mean() > 0.95


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
def test_histograms(dtype):
    x = image((8, 9), dtype)
    for params in [{}, {"nbins": 17}, {"normalize": True}, {"source_range": "dtype"}]:
        if params.get("source_range") == "dtype" and dtype in ("uint32", "int32"):
            continue
        check(lambda x: vm.exposure.histogram(x, **params), lambda x: skimage.exposure.histogram(x, **params), x)
    check(vm.exposure.cumulative_distribution, skimage.exposure.cumulative_distribution, x)
    colours = image((8, 9, 3), dtype)
    check(lambda x: vm.exposure.histogram(x, 20, channel_axis=-1), lambda x: skimage.exposure.histogram(x, 20, channel_axis=-1), colours)
    if np.dtype(dtype).kind == "i":
        check(vm.exposure.histogram, skimage.exposure.histogram, x - x.dtype.type(50))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
def test_equalization(dtype):
    for shape in [(200,), (14, 15), (6, 7, 8)]:
        x = image(shape, dtype)
        check(vm.exposure.equalize_hist, skimage.exposure.equalize_hist, x)
        check(lambda x: vm.exposure.equalize_hist(x, 20), lambda x: skimage.exposure.equalize_hist(x, 20), x)
        mask = np.random.default_rng(1).random(shape) < 0.3
        check(
            lambda x: vm.exposure.equalize_hist(x, mask=vm.from_array(mask, chunks=5)),
            lambda x: skimage.exposure.equalize_hist(x, mask=mask),
            x,
        )


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64", "bool"])
@pytest.mark.parametrize("shape", [(40,), (33, 21), (14, 15, 17), (5, 6, 7, 6)], ids=str)
def test_local_equalization(shape, dtype):
    x = image(shape, dtype)
    for params in [{}, {"kernel_size": 6, "clip_limit": 0.05}, {"kernel_size": [4, 3, 5, 3][: len(shape)], "nbins": 40, "clip_limit": 0}]:
        check(lambda x: vm.exposure.equalize_adapthist(x, **params), lambda x: skimage.exposure.equalize_adapthist(x, **params), x)


def test_local_equalization_of_wide_numbers():
    x = image((20, 21), "uint32") * np.uint32(1 << 20)
    check(vm.exposure.equalize_adapthist, skimage.exposure.equalize_adapthist, x)
    x = np.random.default_rng(0).uniform(-1, 1, (20, 21))
    check(vm.exposure.equalize_adapthist, skimage.exposure.equalize_adapthist, x)
    # Blocks longer than the image.
    check(lambda x: vm.exposure.equalize_adapthist(x, 50), lambda x: skimage.exposure.equalize_adapthist(x, 50), x)


def test_contrast():
    bytes_ = [np.arange(12, dtype="uint8"), np.arange(250, dtype="uint8"), np.ones(5, bool)]
    for x in [np.linspace(0, 0.04, 100), np.linspace(0, 1, 100), *bytes_]:
        assert vm.exposure.is_low_contrast(vm.from_array(x, chunks=7)) == skimage.exposure.is_low_contrast(x)
        assert vm.exposure.is_low_contrast(x, 0.3, 20, 60) == skimage.exposure.is_low_contrast(x, 0.3, 20, 60)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_matched_histograms(dtype):
    x, other = image((12, 9, 3), dtype), image((10, 11, 3), dtype, seed=5)
    reference = other / 2 if dtype[0] == "f" else other // 2
    for params in [{}, {"channel_axis": 2}, {"channel_axis": -1}]:
        check(
            lambda x: vm.exposure.match_histograms(x, vm.from_array(reference, chunks=4), **params),
            lambda x: skimage.exposure.match_histograms(x, reference, **params),
            x,
        )


# Thresholds


def groups(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    middles = rng.choice([20, 50, 80, 110], shape, p=[0.3, 0.3, 0.25, 0.15])
    return (middles + rng.normal(0, rng.uniform(2, 7), shape)).clip(0, 127).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_several_classes(classes, dtype):
    for seed in range(8):
        x = groups((30, 31), dtype, seed)
        expected = skimage.filters.threshold_multiotsu(x, classes, nbins=64)
        for found in each(lambda x: vm.filters.threshold_multiotsu(x, classes, nbins=64), x):
            assert found.dtype == expected.dtype
            # scikit-image adds in float32, where two ways to cut may seem equally good.
            width = 1 if dtype[0] != "f" else np.ptp(x) / 64
            assert np.abs(found.astype(float) - expected).max() <= 1.5 * width, (found, expected)


def test_classes_of_few_values():
    x = np.array([[1, 1, 5], [9, 9, 5]], "uint8")
    np.testing.assert_array_equal(vm.filters.threshold_multiotsu(x).compute(), skimage.filters.threshold_multiotsu(x))
    with pytest.raises(ValueError, match="different values"):
        vm.filters.threshold_multiotsu(x, 4).compute()
    with pytest.raises(ValueError, match="at least 2"):
        vm.filters.threshold_multiotsu(x, 1)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
@pytest.mark.parametrize("name", ["otsu", "yen", "isodata", "triangle", "minimum", "li"])
def test_wide_numbers(name, dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.normal(30, 5, 500), rng.normal(90, 7, 300)]).astype(dtype)
        expected = getattr(skimage.filters, f"threshold_{name}")(x)
        found = getattr(vm.filters, f"threshold_{name}")(vm.from_array(x, chunks=77)).compute()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1 if name in ("otsu", "yen", "isodata") else 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_li_of_floats(dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.normal(3, 0.5, 500), rng.normal(8, 0.9, 300)]).astype(dtype)
        lazy = vm.from_array(x, chunks=77)
        np.testing.assert_allclose(vm.filters.threshold_li(lazy).compute(), skimage.filters.threshold_li(x.copy()), rtol=1e-5)
        params = {"tolerance": 0.01, "initial_guess": 4.0}
        expected = skimage.filters.threshold_li(x.copy(), **params)
        np.testing.assert_allclose(vm.filters.threshold_li(lazy, **params).compute(), expected, rtol=1e-5)
    x[3] = np.nan
    np.testing.assert_allclose(vm.filters.threshold_li(x).compute(), skimage.filters.threshold_li(x.copy()), rtol=1e-5)
    assert vm.filters.threshold_li(np.full(5, 2.5, dtype)).compute() == 2.5
    assert np.isnan(vm.filters.threshold_li(np.full(5, np.nan, dtype)).compute())
    with pytest.raises(ValueError, match="within the range"):
        vm.filters.threshold_li(x, initial_guess=1e9)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "bool"])
def test_local_thresholds(dtype):
    for shape in [(31,), (17, 19), (7, 9, 8)]:
        x = image(shape, dtype)
        size = [5, 3, 7][: len(shape)]
        for name in ("niblack", "sauvola"):
            mine, theirs = getattr(vm.filters, f"threshold_{name}"), getattr(skimage.filters, f"threshold_{name}")
            for params in [{"window_size": 5}, {"window_size": size, "k": 0.6}]:
                expected = theirs(x, **params)
                for found in each(lambda x: mine(x, **params), x):
                    assert found.dtype == expected.dtype
                    rough = dtype == "float32"
                    np.testing.assert_allclose(found, expected, rtol=1e-3 if rough else 1e-6, atol=2e-4 if rough else 1e-5)
        for params in [{}, {"method": "gaussian", "param": 2}, {"method": "mean", "offset": 3}, {"method": "median", "mode": "wrap"}]:
            check(lambda x: vm.filters.threshold_local(x, size, **params), lambda x: skimage.filters.threshold_local(x, size, **params), x)
    x = image((9, 8), dtype)
    params = {"method": "generic", "param": np.ptp}
    check(lambda x: vm.filters.threshold_local(x, 3, **params), lambda x: skimage.filters.threshold_local(x, 3, **params), x)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: vm.exposure.rescale_intensity(x, in_range="bell"), ValueError, "bell"),
        (lambda x: vm.exposure.rescale_intensity(x, in_range=(1, 2, 3)), ValueError, "pair"),
        (lambda x: vm.exposure.rescale_intensity(x.astype(complex)), ValueError, "complex"),
        (lambda x: vm.exposure.rescale_intensity(x[:0]), ValueError, "without elements"),
        (lambda x: vm.exposure.adjust_gamma(x, -1), ValueError, "non-negative"),
        (lambda x: vm.exposure.adjust_gamma(x - 2).compute(), ValueError, "value -1"),
        (lambda x: vm.exposure.adjust_log(x - 2).compute(), ValueError, "value -1"),
        (lambda x: vm.exposure.equalize_adapthist(x * 3).compute(), ValueError, "value 3"),
        (lambda x: vm.exposure.equalize_adapthist(x, (3, 3, 3)), ValueError, "kernel_size"),
        (lambda x: vm.exposure.equalize_adapthist(x, 0), ValueError, "kernel_size"),
        (lambda x: vm.exposure.equalize_hist(x, mask=vm.ones(3)), ValueError, "mask"),
        (lambda x: vm.exposure.equalize_hist(x[:0]), ValueError, "without elements"),
        (lambda x: vm.exposure.histogram(x, source_range="bell"), ValueError, "source_range"),
        (lambda x: vm.exposure.histogram(vm.asarray([0, 2**40])), ValueError, "bin for each value"),
        (lambda x: vm.filters.threshold_otsu(vm.asarray([0, 2**40])), ValueError, "bin for each value"),
        (lambda x: vm.exposure.match_histograms(x, x[0]), ValueError, "same number"),
        (lambda x: vm.filters.threshold_niblack(x, 4), ValueError, "odd"),
        (lambda x: vm.filters.threshold_sauvola(x, [3, 3, 3]), ValueError, "window_size"),
        (lambda x: vm.filters.threshold_local(x, 4), ValueError, "odd"),
        (lambda x: vm.filters.threshold_local(x, method="bell"), ValueError, "Invalid method"),
    ],
)
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(vm.ones((8, 9)))
