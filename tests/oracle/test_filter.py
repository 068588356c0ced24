"""Filters along axes against scipy.ndimage: integers to the last bit, floats to a stated tolerance."""

import math

import numpy as np
import pytest
import scipy.ndimage as ndi
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError
from scipy.ndimage import _filters

INTEGERS = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
DTYPES = INTEGERS + ["float32", "float64", "complex64", "complex128"]
MODES = ["reflect", "mirror", "nearest", "constant", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True, scope="module")
def plain_exp():
    """NumPy's exp differs in the last bit between instruction sets. Where an image is constant, that bit decides whether the
    truncated sum is 5 or 4; scipy is compared with the exp of the C library, as on machines without AVX-512."""
    kernel, exp = _filters._gaussian_kernel1d, np.exp

    def plain(sigma, order, radius):
        np.exp = lambda x: np.array([math.exp(v) for v in x])
        try:
            return kernel(sigma, order, radius)
        finally:
            np.exp = exp

    _filters._gaussian_kernel1d = plain
    yield
    _filters._gaussian_kernel1d = kernel


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) > 0.4
    if kind in "ui":
        # Blocks of one value: where sums are whole numbers but for rounding, truncation shows every wrong bit.
        info = np.iinfo(dtype)
        low, high = max(info.min, -(2**52)), min(info.max, 2**52)
        x = rng.integers(low // 2, high // 2, shape, dtype="int64")
        return np.where(rng.random(shape) > 0.5, x, rng.integers(0, 50)).astype(dtype)
    x = rng.uniform(-100, 1000, shape)
    return (x + 1j * rng.uniform(-10, 10, shape) if kind == "c" else x).astype(dtype)


def check(ours, theirs, scale=None):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if theirs.dtype.kind in "bui":
        np.testing.assert_array_equal(ours.astype("int64") if theirs.dtype.kind == "b" else ours, theirs)
        return
    tolerance = 1e-6 if theirs.dtype.name in ("float32", "complex64") else 1e-12
    scale = max(np.abs(theirs).max(initial=0), scale or 0)
    assert np.abs(ours - theirs).max(initial=0) <= tolerance * scale


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_and_dtype(peer, mode, dtype):
    x = values((13, 9, 11), dtype)
    for sigma in (0.7, 1.5, [2, 0, 1], 6):
        check(peer("gaussian_filter", x, sigma=sigma, mode=mode, cval=3.5), ndi.gaussian_filter(x, sigma, mode=mode, cval=3.5))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [1, 2, 3, [0, 1, 2], 5])
def test_derivatives(peer, order, dtype):
    if dtype == "uint64" and order != 1:
        # Negative results wrap to 2**64, where the last bit of a weight shows; scipy's own depends on the BLAS of the machine.
        pytest.skip("not defined to the last bit by scipy")
    x = values((10, 9, 12), dtype)
    if np.dtype(dtype).kind in "ui":
        x = (x.astype("float64") % 100).astype(dtype)
    check(peer("gaussian_filter", x, sigma=1.4, order=order), ndi.gaussian_filter(x, 1.4, order), np.abs(x).max() / 10)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_windows_longer_than_the_array(peer, mode, n):
    for dtype in ("uint8", "float32", "float64"):
        x = values((n, 2, n), dtype)
        check(peer("gaussian_filter", x, sigma=5, mode=mode, cval=9), ndi.gaussian_filter(x, 5, mode=mode, cval=9))


@QUICK
@given(
    st.lists(st.integers(1, 24), min_size=1, max_size=3),
    st.sampled_from(DTYPES),
    st.integers(3, 60).map(lambda n: n / 10),
    st.sampled_from(MODES),
    st.integers(0, 2**31),
)
def test_any_shape(peer, shape, dtype, sigma, mode, seed):
    x = values(shape, dtype, seed)
    check(peer("gaussian_filter", x, sigma=sigma, mode=mode), ndi.gaussian_filter(x, sigma, mode=mode))


@pytest.mark.parametrize("dtype", DTYPES)
def test_wide_arrays(peer, dtype):
    x = values((70, 300), dtype)
    check(peer("gaussian_filter", x, sigma=[2.5, 1.2]), ndi.gaussian_filter(x, [2.5, 1.2]))
    x = values((5, 5000), dtype)
    check(peer("gaussian_filter1d", x, sigma=20), ndi.gaussian_filter1d(x, 20))


@pytest.mark.parametrize("value", [1, 5, 100, 255])
def test_constant_integers(peer, value):
    for sigma in [n / 20 for n in range(6, 160, 5)]:
        x = np.full((4, 40), value, "uint8")
        check(peer("gaussian_filter", x, sigma=sigma), ndi.gaussian_filter(x, sigma))


@pytest.mark.parametrize("output", ["uint8", "int16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64", "complex128"])
def test_output_dtype(peer, dtype, output):
    x = values((9, 8), "uint8").astype(dtype)
    if np.dtype(output).kind != np.dtype(dtype).kind == "c" or np.dtype(dtype).kind != np.dtype(output).kind == "c":
        with pytest.raises(VoxmillError, match="both complex"):
            peer("gaussian_filter", x, sigma=1.1, output=output)
        return
    check(peer("gaussian_filter", x, sigma=1.1, output=output), ndi.gaussian_filter(x, 1.1, output=output))


def test_axes_radius_truncate(peer):
    x = values((7, 8, 9), "float64")
    check(peer("gaussian_filter", x, sigma=[1, 2], axes=[2, 0]), ndi.gaussian_filter(x, [1, 2], axes=(2, 0)))
    check(peer("gaussian_filter", x, sigma=2, radius=[1, 0, 5]), ndi.gaussian_filter(x, 2, radius=[1, 0, 5]))
    check(peer("gaussian_filter", x, sigma=2, truncate=1.3), ndi.gaussian_filter(x, 2, truncate=1.3))
    modes = ["wrap", "constant", "mirror"]
    check(peer("gaussian_filter", x, sigma=2, mode=modes), ndi.gaussian_filter(x, 2, mode=modes))
    check(peer("gaussian_filter", x, sigma=0), ndi.gaussian_filter(x, 0))


@pytest.mark.parametrize("name", ["correlate1d", "convolve1d"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("weights", [[1], [0.5, 0.25], [1, 2, 1], [-1, 0, 1], [1, -2, 4, 0.5], [0.1] * 15, [3, 1, 2, 0, 1]])
def test_weights(peer, name, mode, weights):
    n = len(weights)
    origins = range(-(n // 2), (n - 1) // 2 + 1)
    if name == "convolve1d":
        origins = [-origin - (n % 2 == 0) for origin in origins]
    for dtype in ("uint8", "int32", "float32", "float64", "complex64"):
        x = (values((4, 12), dtype).real % 50).astype(dtype) if dtype != "complex64" else values((4, 12), dtype)
        for origin in (min(origins), 0, max(origins)):
            for axis in (0, 1):
                ours = peer(name, x, weights=weights, axis=axis, mode=mode, origin=origin, cval=7)
                theirs = getattr(ndi, name)(x, weights, axis, mode=mode, origin=origin, cval=7)
                check(ours, theirs, np.abs(x).max())


def test_wrap_on_a_long_axis(peer):
    for dtype in ("uint8", "float32"):
        x = values((3, 400), dtype)
        check(peer("gaussian_filter", x, sigma=[0, 3], mode="wrap"), ndi.gaussian_filter(x, [0, 3], mode="wrap"))


def test_wrong_arguments(peer):
    x = np.ones((3, 4))
    for params, word in [
        ({"sigma": [1, 2, 3]}, "3 values for 2 axes"),
        ({"sigma": 1, "order": -1}, "negative"),
        ({"sigma": 1, "axes": [0, 0]}, "twice"),
        ({"sigma": 1, "mode": "mirrored"}, "mode|variant"),
        ({"sigma": 1e12}, "radius"),
    ]:
        with pytest.raises(VoxmillError, match=word):
            peer("gaussian_filter", x, **params)
    with pytest.raises(VoxmillError, match="origin"):
        peer("correlate1d", x, weights=[1, 2, 3], origin=2)
    with pytest.raises(VoxmillError, match="empty"):
        peer("correlate1d", x, weights=[])
