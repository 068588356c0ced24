"""Reductions against NumPy: exact for integers, booleans and indices, to a stated tolerance for floats; dtypes always exact."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "float16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (1,), (7,), (5, 9), (3, 4, 5), (2, 1, 3, 4), (0, 3), (4, 0)]
PLAIN = ["sum", "prod", "mean", "var", "std", "min", "max", "ptp", "any", "all", "count_nonzero"]
NAN = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax"]
ARG = ["argmin", "argmax"]
NANARG = ["nanargmin", "nanargmax"]

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def values(shape, dtype, seed=0, special=False):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.6
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = max(info.min, -(2**40)), min(info.max, 2**40)
        return rng.integers(low, high, shape, dtype=np.int64, endpoint=True).astype(dtype)
    x = rng.normal(0, 3, shape)
    if dtype.kind == "c":
        x = x + 1j * rng.normal(0, 3, shape)
    x = np.asarray(x, dtype)
    if special and x.size:
        flat = x.reshape(-1)
        for value in (np.nan, np.inf, -np.inf, -0.0):
            flat[rng.integers(0, x.size, max(1, x.size // 7))] = value
    return x


def axes_of(rank):
    yield None
    yield from range(rank)
    yield from range(-rank, 0)
    yield from (list(pair) for pair in itertools.combinations(range(rank), 2))


def tolerance(dtype):
    return {"e": 4e-3, "f": 3e-6, "d": 1e-12, "F": 3e-6, "D": 1e-12}.get(np.dtype(dtype).char, 0)


def check(ours, theirs, what, scale=1.0, worst=None):
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype, f"{what}: {ours.dtype} is not {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{what}: {ours.shape} is not {theirs.shape}"
    tol = max(tolerance(theirs.dtype), tolerance(worst or theirs.dtype)) * scale
    if tol == 0:
        np.testing.assert_array_equal(ours, theirs, err_msg=what)
    else:
        size = np.abs(theirs[np.isfinite(theirs)]).max(initial=0)
        np.testing.assert_allclose(ours, theirs, rtol=tol, atol=tol * max(size, 1e-30), err_msg=what)


def theirs(name, x, **params):
    if isinstance(params.get("axis"), list):
        params["axis"] = tuple(params["axis"])
    return getattr(np, name)(x, **params)


def compare(peer, name, x, scale=1.0, worst=None, **params):
    what = f"{name} of {x.dtype} {x.shape} {params}"
    try:
        want = theirs(name, x, **params)
    except (ValueError, TypeError) as error:
        with pytest.raises(VoxmillError):
            peer(name, x, **params)
            pytest.fail(f"{what}: NumPy says {error}")
        return
    check(peer(name, x, **params), want, what, scale, worst)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PLAIN + NAN)
def test_axes_shapes_and_dtypes(peer, name, dtype):
    for seed, shape in enumerate(SHAPES):
        x = values(shape, dtype, seed)
        if "prod" in name and np.dtype(dtype).kind in "fc":
            x = x / 3
            x = x.astype(dtype)
        for axis in axes_of(len(shape)):
            for keepdims in (False, True):
                compare(peer, name, x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("dtype", DTYPES[9:])
@pytest.mark.parametrize("name", PLAIN + NAN)
def test_nan_and_infinity(peer, name, dtype):
    for seed in range(4):
        x = values((4, 33), dtype, seed, special=True)
        if np.dtype(dtype).kind == "c" and name in ("min", "max", "ptp", "nanmin", "nanmax", "prod", "nanprod"):
            continue  # which of several NaN parts wins is not defined
        if np.dtype(dtype).kind == "c":
            x[np.isinf(x)] = 2
        for axis in (None, 0, 1):
            compare(peer, name, x, axis=axis, scale=4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_ddof(peer, name, dtype):
    for ddof in (0, 1, 1.5, 3):
        for axis in (None, 0, 1, [0, 1]):
            compare(peer, name, values((3, 6), dtype, 3), axis=axis, ddof=ddof)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "nansum"])
def test_asked_dtype(peer, name, dtype):
    real = np.dtype(dtype).kind != "c"
    for wish in ["bool", "int8", "int32", "uint16", "int64", "uint64", "float32", "float64", "complex128"]:
        if not real and wish != "complex128":
            continue
        if name == "mean" and (wish == "bool" or (np.dtype(dtype).kind == "f" and np.dtype(wish).kind in "iu")):
            continue  # NumPy rounds on the way here
        if np.dtype(dtype).kind in "iu" and np.dtype(wish).kind in "iu" and name == "mean":
            continue
        x = np.abs(values((4, 5), dtype, 5)) if np.dtype(dtype).kind == "f" else values((4, 5), dtype, 5)
        if name == "prod" and np.dtype(wish).kind in "fc":
            x = (x != 0).astype(dtype)
        for axis in (None, 0, 1):
            compare(peer, name, x, axis=axis, dtype=np.dtype(wish), scale=4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ARG + NANARG)
def test_indices(peer, name, dtype):
    for seed, shape in enumerate(SHAPES + [(3, 5000), (300, 20)]):
        x = values(shape, dtype, seed)
        if x.dtype.kind in "iu":
            x = x % 5
        for axis in [None, *range(-len(shape), len(shape))]:
            for keepdims in (False, True):
                compare(peer, name, x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("dtype", DTYPES[9:12])
@pytest.mark.parametrize("name", ARG + NANARG)
def test_indices_with_nan(peer, name, dtype):
    for seed in range(6):
        x = values((9, 70), dtype, seed, special=True)
        for axis in (None, 0, 1):
            compare(peer, name, x, axis=axis)
    zeros = np.array([0.0, -0.0, 0.0, -0.0], dtype)
    compare(peer, name, zeros)
    compare(peer, name, zeros[1:])


def test_an_index_where_all_is_nan(peer):
    x = np.array([[np.nan, np.nan], [1, np.nan]])
    assert peer("nanargmin", x, axis=1).tolist() == [-1, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_sums_are_as_good_as_the_type_allows(peer, dtype):
    rng = np.random.default_rng(1)
    x = (rng.random(1_000_003) * np.exp2(rng.integers(-20, 20, 1_000_003))).astype(dtype)
    exact = math.fsum(x.astype(float))
    ulp = np.spacing(np.dtype(dtype).type(exact))
    assert abs(float(peer("sum", x)) - exact) <= ulp
    assert abs(float(peer("mean", x)) - exact / x.size) <= np.spacing(np.dtype(dtype).type(exact / x.size))
    columns = x[: 1000 * 1000].reshape(1000, 1000)
    got = peer("sum", columns, axis=0)
    for k in range(0, 1000, 97):
        assert abs(float(got[k]) - math.fsum(columns[:, k].astype(float))) <= 4 * np.spacing(got[k])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32", "float64"])
@pytest.mark.parametrize("offset", [0, 1e6])
def test_large_variances_do_not_cancel(peer, dtype, offset):
    rng = np.random.default_rng(2)
    x = rng.normal(100, 20, 1_000_000)
    if offset and np.dtype(dtype).kind == "f":
        x = x + offset
    x = x.astype(dtype)
    exact = np.var(x.astype(np.longdouble))
    assert abs(float(peer("var", x, dtype="float64")) - exact) <= 1e-12 * exact
    for axis in (0, 1):
        y = x.reshape(1000, 1000)
        want = np.var(y.astype(np.longdouble), axis=axis)
        np.testing.assert_allclose(peer("var", y, axis=axis, dtype="float64"), want.astype(float), rtol=1e-12)


def test_large_integers(peer):
    x = values((1200, 1100), "uint16", 9)
    for name in ("sum", "min", "max", "argmax", "argmin", "count_nonzero", "ptp"):
        for axis in (None, 0, 1):
            compare(peer, name, x, axis=axis)
    y = values((1200, 1100), "uint8", 9)
    for name in ("sum", "mean", "var", "std"):
        for axis in (None, 0, 1):
            compare(peer, name, y, axis=axis)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_reduction(peer, data):
    name = data.draw(st.sampled_from(PLAIN + NAN))
    dtype = data.draw(st.sampled_from(DTYPES[:12]))
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=0, max_size=4)))
    if math.prod(shape) > 50_000:
        return
    axes = data.draw(st.none() | st.lists(st.integers(0, max(len(shape) - 1, 0)), unique=True, max_size=len(shape)))
    x = values(shape, dtype, data.draw(st.integers(0, 100)), special=data.draw(st.booleans()))
    if "prod" in name and x.dtype.kind == "f":
        x = np.sign(x)
    compare(peer, name, x, scale=8, axis=axes, keepdims=data.draw(st.booleans()))


METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
REAL = [d for d in DTYPES if "complex" not in d and d != "bool"]


def fine(dtype):
    """The dtype that decides how well floats agree; none for integers, whose quantiles are exact in float64."""
    return dtype if np.dtype(dtype).kind == "f" else None


def tame(shape, dtype, seed, special=False):
    """Values whose differences fit their dtype: NumPy lets them wrap around in quantiles."""
    x = values(shape, dtype, seed, special)
    return x % 50 if x.dtype.kind in "iu" else x


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("method", METHODS)
def test_quantile_methods(peer, dtype, method):
    for seed, n in enumerate((1, 2, 5, 10, 31)):
        x = tame((n,), dtype, seed)
        for q in (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.77, 1.0, [0.2], [0.0, 0.4, 1.0]):
            # NumPy subtracts neighbours in the dtype of the elements before it interpolates.
            compare(peer, "quantile", x, worst=fine(dtype), q=q, method=method)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_quantile_axes(peer, name, dtype):
    whole = 100 if "percent" in name else 1
    for shape in [(), (7,), (4, 9), (3, 4, 5)]:
        for special in (False, True):
            x = tame(shape, dtype, len(shape), special)
            x = np.where(np.isinf(x), 1, x).astype(dtype) if special else x
            for axis in axes_of(len(shape)):
                for q in (0.3 * whole, [0.0, 0.5 * whole]):
                    compare(peer, name, x, worst=fine(dtype), q=q, axis=axis, keepdims=True)
                    compare(peer, name, x, worst=fine(dtype), q=q, axis=axis)


@pytest.mark.parametrize("dtype", REAL + ["bool"])
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians(peer, name, dtype):
    for shape in [(), (1,), (6,), (4, 9), (3, 4, 5), (50, 61)]:
        for special in (False, True):
            x = tame(shape, dtype, len(shape), special)
            for axis in axes_of(len(shape)):
                compare(peer, name, x, axis=axis, keepdims=len(shape) == 2)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32", "float64"])
def test_large_medians_and_percentiles(peer, dtype):
    x = tame((1000, 1100), dtype, 3)
    compare(peer, "median", x)
    compare(peer, "percentile", x, worst=fine(dtype), q=[1, 50, 99.8])
    compare(peer, "percentile", x, q=99.8, axis=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_cumulative(peer, name, dtype):
    for seed, shape in enumerate([(), (1,), (9,), (4, 5), (3, 4, 5), (0, 3)]):
        x = values(shape, dtype, seed, special=name.startswith("nan") and "complex" not in dtype)
        if x.dtype.kind == "f":
            x = np.where(np.isinf(x), 1, x).astype(dtype)
        if "prod" in name and dtype == "float16":
            x = np.sign(x)  # NumPy rounds every step to 11 bits
        for axis in [None, *range(-len(shape), len(shape))]:
            compare(peer, name, x, axis=axis, scale=30)
    for wish in ("int16", "float32", "float64"):
        if np.dtype(dtype).kind in "iu":
            compare(peer, name, values((4, 5), dtype, 1) % 7, axis=1, dtype=np.dtype(wish), scale=4)


def test_large_cumulative_sums(peer):
    x = values((1_000_000,), "float32", 5)
    got, exact = peer("cumsum", x), np.cumsum(x.astype(np.longdouble))
    np.testing.assert_allclose(got, exact.astype(np.float32), rtol=1e-6, atol=1e-4)
    compare(peer, "cumsum", values((1000, 700), "int16", 6), axis=0)
    compare(peer, "cumsum", values((1000, 700), "uint8", 6))


def compare_histogram(peer, x, **params):
    counts, edges = np.histogram(x, **params)
    check(peer("histogram", x, **params), counts, f"histogram of {x.dtype} {params}")
    params.pop("density", None)
    ours = peer("histogram_bin_edges", x, **params)
    assert ours.dtype == edges.dtype
    np.testing.assert_array_equal(ours, edges)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int32", "int64", "float16", "float32", "float64"])
def test_histograms(peer, dtype):
    for seed, shape in enumerate([(1,), (40,), (30, 50), (0,)]):
        x = tame(shape, dtype, seed)
        for bins in (1, 3, 10, 64):
            compare_histogram(peer, x, bins=bins)
            compare_histogram(peer, x, bins=bins, range=(1, 30))
        if x.size:
            compare_histogram(peer, x, bins=5, density=True)
        compare_histogram(peer, x, bins=[0, 1, 5, 5, 20])
        compare_histogram(peer, x, bins=[-1.5, 0.25, 3, 40])
    compare_histogram(peer, np.full(9, 3, dtype), bins=4)


def test_histograms_of_values_on_edges(peer):
    for n in (3, 7, 10, 49, 100):
        edges = np.linspace(0.1, 0.7, n + 1)
        x = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
        compare_histogram(peer, x, bins=n)
        compare_histogram(peer, x.astype("float32"), bins=n)
    x = np.array([np.nan, 1, 2, np.inf])
    np.testing.assert_array_equal(peer("histogram", x, range=(0, 2), bins=2), np.histogram(x, range=(0, 2), bins=2)[0])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int32", "int64", "uint64"])
def test_bincount(peer, dtype):
    x = (values((1000,), dtype, 1) % 60).astype(dtype)
    np.testing.assert_array_equal(peer("bincount", x, minlength=64), np.bincount(x.astype("int64"), minlength=64))
    with pytest.raises(VoxmillError, match="larger minlength"):
        peer("bincount", x, minlength=10)
    if np.dtype(dtype).kind == "i":
        with pytest.raises(VoxmillError, match="at least 0"):
            peer("bincount", -x, minlength=64)


def test_mistakes_are_named(peer):
    x = np.zeros((2, 3))
    for name, params, word in [("sum", {"axis": 2}, "out of range"), ("sum", {"axis": [0, 0]}, "twice"),
                               ("max", {"ddof": 1}, "no parameter"), ("argmax", {"axis": [0, 1]}, "one axis")]:
        with pytest.raises(VoxmillError, match=word):
            peer(name, x, **params)
    with pytest.raises(VoxmillError, match="zero-size array to reduction operation min which has no identity"):
        peer("min", np.zeros((0, 3)))
