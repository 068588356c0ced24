"""Fourier transforms against numpy.fft."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError

DTYPES = ["bool", "uint8", "int16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
REAL = DTYPES[:-2]
LANE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
ND = ["fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"]
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 100, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(-100, 100, shape)
    return (x > 50) if dtype == "bool" else x.astype(dtype)


def tolerance(dtype, source):
    # NumPy rounds the factor of the norm to the precision of the input.
    if source == "float16":
        return 2e-3
    return {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}.get(np.dtype(dtype).name, 1e-13)


def check(ours, theirs, source=None):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    scale = np.abs(theirs.astype("complex128")).max(initial=1e-300)
    assert np.abs(ours.astype("complex128") - theirs).max(initial=0) <= tolerance(theirs.dtype, source) * scale


def takes(name, dtype):
    return not (name in ("rfft", "ihfft", "rfft2", "rfftn") and dtype.startswith("complex"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LANE)
def test_lane_dtypes_and_norms(peer, name, dtype):
    x = values((5, 12, 3), dtype)
    if not takes(name, dtype):
        with pytest.raises(VoxmillError, match="real"):
            peer(name, x)
        return
    for norm in ("backward", "ortho", "forward"):
        for axis in (0, 1, -1):
            check(peer(name, x, axis=axis, norm=norm), getattr(np.fft, name)(x, axis=axis, norm=norm), dtype)


@QUICK
@given(
    st.sampled_from(LANE),
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.sampled_from(["float32", "float64", "complex64", "uint16"]),
    st.one_of(st.none(), st.integers(1, 70)),
    st.integers(0, 2),
)
def test_lane_lengths(peer, name, shape, dtype, n, axis):
    axis = axis % len(shape)
    if not takes(name, dtype) or (n is None and name in ("irfft", "hfft") and shape[axis] < 2):
        return
    x = values(shape, dtype)
    check(peer(name, x, n=n, axis=axis), getattr(np.fft, name)(x, n=n, axis=axis))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 97, 360, 1009, 4099])
def test_awkward_lengths(peer, n):
    for dtype in ("float32", "float64"):
        x = values((2, n, 3), dtype, n)
        check(peer("rfft", x, axis=1), np.fft.rfft(x, axis=1))
        check(peer("fft", x, axis=1), np.fft.fft(x, axis=1))
        check(peer("irfft", np.fft.rfft(x, axis=1), n=n, axis=1), np.fft.irfft(np.fft.rfft(x, axis=1), n=n, axis=1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ND)
def test_several_axes(peer, name, dtype):
    if not takes(name, dtype):
        return
    x = values((6, 5, 8), dtype)
    check(peer(name, x), getattr(np.fft, name)(x), dtype)
    check(peer(name, x, axes=[2, 0], norm="ortho"), getattr(np.fft, name)(x, axes=[2, 0], norm="ortho"), dtype)
    check(peer(name, x, s=[4, 9], axes=[0, 1]), getattr(np.fft, name)(x, s=[4, 9], axes=[0, 1]), dtype)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(peer, name):
    x = values((4, 5, 7), "float32")
    for axes in (None, 1, [0, 2]):
        try:
            ours = peer(name, x, axes=axes)
        except VoxmillError as e:
            if e.kind == "not-found":
                pytest.skip(f"needs an op that this build lacks: {e}")
            raise
        np.testing.assert_array_equal(ours, getattr(np.fft, name)(x, axes=axes))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 101])
def test_frequencies(peer, name, n):
    for d in (1.0, 0.25, 3.7):
        np.testing.assert_array_equal(peer(name, n=n, d=d), getattr(np.fft, name)(n, d))


@pytest.mark.parametrize("n", [0, -1])
def test_no_values(peer, n):
    with pytest.raises(VoxmillError, match="at least 1"):
        peer("fft", np.ones(4), n=n)
