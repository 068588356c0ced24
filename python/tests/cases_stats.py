"""Reductions, histograms, averages and comparisons against NumPy."""

from __future__ import annotations

import numpy as np
from differential import ALL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REAL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {}

SAFE = 1e-6
TIGHT = 1e-12

METHODS = (
    "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "no such method",
)  # fmt: skip


# Rounding, clipping, accumulating


def bound(draw, a):
    """Draw an end of a range: open, a number, NumPy's number, or an array."""
    kind = draw(st.sampled_from(["none", "integer", "float", "scalar", "row", "same"]))
    if kind == "none":
        return None
    if kind == "integer":
        return draw(st.integers(0, 100))
    if kind == "float":
        return draw(st.floats(-30, 30))
    if kind == "scalar":
        return np.dtype(draw(st.sampled_from(REAL))).type(draw(st.integers(0, 9)))
    return draw(arrays(REAL, shape=a.shape[1:] if kind == "row" else a.shape))


def clipped(draw):
    """Draw an array and a range, by either names."""
    a = draw(arrays(ALL))
    ends = bound(draw, a), bound(draw, a)
    if a.dtype == bool and all(end is None for end in ends):
        a = a.astype(int)  # NumPy refuses, though there is nothing to do.
    if draw(st.booleans()):
        return (a, *ends), {}
    names = draw(st.sampled_from([("a_min", "a_max"), ("min", "max")]))
    return (a,), dict(zip(names, ends))


def clipped_wide(draw):
    """Draw an array and a range that may be wider than the dtype."""
    return (draw(arrays(INTEGERS)), draw(st.integers(-300, 100)), draw(st.integers(0, 300))), {}


def rounded(draw):
    """Draw an array and a number of decimals."""
    return (draw(arrays((*ALL, "float16"))),), {"decimals": draw(st.integers(-2, 3))}


def chosen(draw):
    """Draw a condition and what to choose from."""
    a = draw(arrays(ALL))
    b = draw(arrays(ALL, shape=draw(st.sampled_from([a.shape, a.shape[1:], ()]))))
    return (draw(arrays(ALL, shape=draw(st.sampled_from([a.shape, ()])), low=-1, high=1)), a, b), {}


def scanned(dtypes=ALL, least=0, **kwargs):
    """Draw an array, an axis, which may be wrong, and a dtype."""

    def draw_scanned(draw):
        a = draw(arrays(dtypes, **kwargs))
        axis = draw(st.one_of(axes(a.ndim, several=False), st.integers(-4, 4)))
        dtype = draw(st.sampled_from([None, None, "float64", "complex128"]))
        return (a,), {"axis": axis, "dtype": dtype}

    return draw_scanned


def with_initial(draw):
    """Draw an array, an axis, and whether there is a first element."""
    (a,), params = scanned(low=-2, high=2)(draw)
    return (a,), params | {"include_initial": draw(st.booleans())}


# Quantiles


def some_quantiles(draw, whole):
    """Draw quantiles in the forms that NumPy tells apart."""
    one = st.floats(0, whole)
    return draw(
        st.one_of(
            one,
            st.sampled_from([0, 1, whole, -1, float("nan"), [], np.float64(0.3), np.int64(1)]),
            st.lists(one, min_size=1, max_size=3),
            st.lists(st.sampled_from([0, 1]), min_size=1, max_size=3),
            st.lists(one, min_size=4, max_size=4).map(lambda q: np.array(q).reshape(2, 2)),
        )
    )


def quantiles(whole, skip=False):
    """Draw an array, quantiles, axes and a method, apart from what NumPy itself stumbles over."""

    def draw_quantiles(draw):
        a = draw(arrays((*FLOATS, "int32", "uint8", "float16", "bool", "complex64"), nan=True))
        axis = draw(axes(a.ndim, several=a.size > 0))
        if a.dtype == bool and not a.size:
            a = a.astype(int)  # There are two reasons to refuse: which one NumPy names does not matter.
        params = {"axis": axis, "keepdims": draw(st.booleans())}
        if draw(st.booleans()):
            # Of nothing, NumPy does not look at the method.
            params["method"] = draw(st.sampled_from(METHODS if a.size else METHODS[:-1]))
        q = some_quantiles(draw, whole)
        if skip and np.ndim(q) > 1:
            q = q.reshape(-1)  # NumPy mixes axes up.
        if a.dtype.kind == "f" and type(q) not in (int, float):
            # NumPy subtracts in half precision before it interpolates in double precision; here all of it is done in the latter.
            # Where it skips NaNs, the dtype depends on whether the first row has anything else.
            a = a.astype("float64" if skip else "float32")
        return (a, q), params

    return draw_quantiles


def weighted_quantiles(whole, skip=False):
    """Draw an array, quantiles and weights; those that skip NaNs take weights of the array's own shape only, in NumPy."""

    def draw_quantiles(draw):
        a = draw(arrays((*FLOATS, "int32"), nan=True, least=1, ranks=(1, 2, 3)))
        axis = draw(axes(a.ndim))
        shape = a.shape
        if axis is not None and draw(st.booleans()) and not skip:
            shape = tuple(a.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))
        params = {"axis": axis, "keepdims": draw(st.booleans()), "method": draw(st.sampled_from(["inverted_cdf"] * 5 + ["linear"]))}
        q = draw(st.one_of(st.floats(0, whole), st.lists(st.floats(0, whole), min_size=1, max_size=3)))
        return (a, q), params | {"weights": draw(arrays(("float64", "int32", "float32"), shape=shape, low=1, high=9))}

    return draw_quantiles


def complex_middle(draw):
    """Draw complex numbers and axes."""
    a = draw(arrays(COMPLEX, nan=True, least=1))
    return (a,), {"axis": draw(axes(a.ndim)), "keepdims": draw(st.booleans())}


# Histograms


def some_range(draw):
    """Draw ends of a range: open, or wrong now and then."""
    if draw(st.booleans()):
        return None
    wrong = [(9, 1), (0.0, float("inf"))]
    return draw(st.sampled_from([(-5, 20), (-7.5, 2.25), (3, 3), (np.float64(0), np.float64(9)), (0, 100), *wrong]))


def some_bins(draw):
    """Draw a number of bins, or edges; a few are wrong."""
    return draw(
        st.one_of(
            st.integers(1, 12),
            st.sampled_from([0, -1, 2.5, [], [1], [3, 1], [[0, 1]], "no such name"]),
            st.lists(st.integers(-30, 30), min_size=2, max_size=6).map(sorted),
            st.lists(st.floats(-30, 30), min_size=2, max_size=6).map(sorted),
            st.lists(st.integers(-30, 30), min_size=2, max_size=6).map(lambda edges: np.sort(np.array(edges, "f4"))),
        )
    )


def counted(weights=False, density=True):
    """Draw an array, bins and a range."""

    def draw_counted(draw):
        a = draw(arrays((*REAL, "bool", "float16"), nan=draw(st.integers(0, 9)) == 0))
        params = {"bins": some_bins(draw), "range": some_range(draw)}
        if density:
            params["density"] = draw(st.booleans())
        if weights:
            params["weights"] = draw(arrays(("float64", "float32", "int32", "complex128", "uint8"), low=0, high=9, shape=a.shape))
        return (a,), params

    return draw_counted


def estimated(draw):
    """Draw an array and the name of an estimator."""
    a = draw(arrays(("int16", "uint8", "float64", "float32"), longest=20))
    name = draw(st.sampled_from(["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]))
    return (a,), {"bins": name, "range": draw(st.sampled_from([None, None, (-5, 20), (-7.5, 2.25), (3, 3)]))}


def plane(draw):
    """Draw points of a plane and bins."""
    n = draw(st.integers(0, 20))
    x, y = (draw(arrays((*FLOATS, "int32"), shape=(n,))) for _ in range(2))
    edges = st.lists(st.integers(-30, 30), min_size=3, max_size=5).map(sorted)
    bins = draw(st.one_of(st.integers(1, 5), edges, st.tuples(edges, edges), st.tuples(st.integers(1, 4), edges)))
    params = {"bins": bins, "range": draw(st.sampled_from([None, None, [(-5, 20), (0, 3.5)], [(3, 1), (0, 1)]]))}
    if draw(st.booleans()):
        params["weights"] = draw(arrays((*FLOATS, "int32"), shape=(n,)))
    return (x, y), params | {"density": draw(st.booleans())}


def points(draw):
    """Draw points, in a matrix or as coordinates, and bins."""
    n, n_axes = draw(st.integers(0, 20)), draw(st.integers(1, 3))
    if draw(st.booleans()):
        sample = draw(arrays((*FLOATS, "int32"), shape=(n, n_axes)))
    else:
        sample = [draw(arrays((*FLOATS, "int32"), shape=(n,))) for _ in range(n_axes)]
    edges = st.lists(st.integers(-30, 30), min_size=2, max_size=5).map(sorted)
    bins = draw(st.one_of(st.integers(0, 4), st.lists(st.one_of(st.integers(1, 4), edges), min_size=n_axes, max_size=n_axes)))
    spans = [None, [(-5, 20)] * n_axes, [None] * n_axes, [(0, 1)] * (n_axes + 1)]
    params = {"bins": bins, "range": draw(st.sampled_from(spans)), "density": draw(st.booleans())}
    if draw(st.booleans()):
        params["weights"] = draw(arrays((*FLOATS, "int32"), shape=(n,)))
    return (sample,), params


def occurrences(draw):
    """Draw whole numbers, mostly, and weights."""
    dtypes = draw(st.sampled_from([("uint8", "uint16", "int32", "int64", "uint64", "bool")] * 4 + [("float64",)]))
    a = draw(arrays(dtypes, ranks=(1, 1, 1, 1, 0, 2), longest=30, low=draw(st.sampled_from([0, 0, 0, -3])), high=15))
    params = {"minlength": draw(st.integers(-1, 20))}
    if draw(st.booleans()):
        kinds = (*FLOATS, "int32", *(["complex64"] if (a >= 0).all() else []))
        params["weights"] = draw(arrays(kinds, shape=draw(st.sampled_from([a.shape, a.shape, (3,)]))))
    return (a,), params


# Averages, covariances


def averaged(draw):
    """Draw an array, axes and positive weights."""
    a = draw(arrays(ALL, least=1))
    axis = draw(axes(a.ndim))
    params = {"axis": axis, "returned": draw(st.booleans()), "keepdims": draw(st.booleans())}
    if draw(st.booleans()):
        shape = a.shape
        if axis is not None and draw(st.booleans()):
            shape = tuple(a.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))
        if draw(st.integers(0, 9)) == 0:
            shape = (draw(st.integers(1, 7)),)
        params["weights"] = draw(arrays(("float64", "int32", "uint8", "float32", "complex128"), low=1, high=9, shape=shape))
    return (a,), params


def observed(weights):
    """Draw variables, and weights of observations."""

    def draw_observed(draw):
        m = draw(arrays((*NUMBERS, "bool"), ranks=(1, 2, 2, 2, 0, 3), longest=6, low=-9, high=9))
        params = {"rowvar": draw(st.booleans())}
        if draw(st.booleans()):
            params["dtype"] = draw(st.sampled_from(["float64", "float32", "complex128"])) if m.dtype.kind != "c" else "complex128"
        n = (m.size if m.ndim < 2 else m.shape[-1 if params["rowvar"] else 0]) if m.ndim < 3 else 0
        if m.ndim in (1, 2) and draw(st.booleans()):
            shape = (n,) if draw(st.booleans()) or m.ndim == 1 else ((2, n) if params["rowvar"] else (n, 2))
            params["y"] = draw(arrays(REAL, shape=shape, low=-9, high=9))
        if not weights:
            return (m,), params
        # Without degrees of freedom, what rounding left of imaginary parts is divided by zero: infinite of either sign, or NaN.
        complex_ = m.dtype.kind == "c" or params.get("dtype") == "complex128"
        params |= {"bias": draw(st.booleans()), "ddof": draw(st.sampled_from([None, 0, 1] if complex_ else [None, 0, 1, 2, 1.5]))}
        if n and draw(st.booleans()):
            params["fweights"] = draw(arrays(("int64", "uint8"), shape=(n,), low=1, high=4))
        if n and draw(st.booleans()):
            params["aweights"] = draw(arrays(("float64", "int64"), shape=(n,), low=1, high=4))
        return (m,), params

    return draw_observed


def moments(draw):
    """Draw an array, an order and axes."""
    a = draw(arrays((*FLOATS, "int32", "uint8"), low=-3, high=3, ranks=(1, 2, 3), least=1))
    order = draw(st.integers(-1, 4))
    if order == 3 and a.dtype == "float32":
        a = a.astype("float64")  # Cubes of both signs cancel, and leave little but rounding errors of single precision.
    return (a,), {"order": order, "axis": draw(axes(a.ndim)), "keepdims": draw(st.booleans()), "ddof": draw(st.integers(0, 1))}


def dask_moment(a, order, axis=None, keepdims=False, ddof=0):
    """Give what Dask gives."""
    if order < 0:
        raise ValueError(order)
    axis = tuple(range(a.ndim)) if axis is None else axis
    kept = np.sum(a, axis=axis, keepdims=keepdims)
    if order < 2:
        return np.full(kept.shape, 1.0 - order)
    n = a.size // max(kept.size, 1)
    power = (a - a.mean(axis=axis, keepdims=True)) ** order
    return (power.sum(axis=axis, keepdims=keepdims) / np.array(n - ddof, power.dtype)).astype(np.var(a).dtype)


# Comparisons


def alike(**more):
    """Draw arrays that are often equal."""

    def draw_alike(draw):
        a = draw(arrays(ALL, nan=True, longest=3))
        kind = draw(st.sampled_from(["same", "same", "row", "close", "other"]))
        b = {"same": lambda: a.copy(), "row": lambda: a[:1].copy() if a.ndim else a, "close": lambda: a + a.dtype.type(0) * 1e-9}
        found = b[kind]() if kind in b else draw(arrays(ALL, longest=3))
        return (a, found), {name: draw(choice) for name, choice in more.items()}

    return draw_alike


CASES = [
    Case("clip", clipped),
    Case("clip", clipped_wide),
    *(Case(name, rounded, rtol=TIGHT) for name in ("round", "around")),
    Case("where", chosen),
    *(Case(name, scanned(low=-2, high=2), rtol=TIGHT) for name in ("cumsum", "cumprod")),
    *(Case(name, scanned((*FLOATS, *INTEGERS, "bool"), low=-2, high=2, nan=True), rtol=TIGHT) for name in ("nancumsum", "nancumprod")),
    *(Case(name, with_initial, rtol=TIGHT) for name in ("cumulative_sum", "cumulative_prod")),
    Case("quantile", quantiles(1), rtol=SAFE),
    Case("percentile", quantiles(100), rtol=SAFE),
    Case("nanquantile", quantiles(1, skip=True), rtol=SAFE),
    Case("nanpercentile", quantiles(100, skip=True), rtol=SAFE),
    Case("quantile", weighted_quantiles(1), rtol=SAFE),
    Case("nanpercentile", weighted_quantiles(100, skip=True), rtol=SAFE),
    Case("median", complex_middle, rtol=SAFE),
    Case("moment", moments, dask_moment, rtol=SAFE),
    Case("histogram", counted(), rtol=TIGHT),
    Case("histogram", counted(weights=True), rtol=SAFE),
    Case("histogram", estimated),
    Case("histogram_bin_edges", counted(density=False), rtol=TIGHT),
    Case("histogram_bin_edges", estimated, rtol=TIGHT),
    Case("histogram2d", plane, rtol=TIGHT),
    Case("histogramdd", points, rtol=TIGHT),
    Case("bincount", occurrences, rtol=TIGHT),
    Case("average", averaged, rtol=SAFE),
    Case("cov", observed(True), rtol=SAFE),
    Case("corrcoef", observed(False), rtol=SAFE),
    Case("allclose", alike(equal_nan=st.booleans())),
    Case("array_equal", alike(equal_nan=st.booleans())),
    Case("array_equiv", alike()),
]
