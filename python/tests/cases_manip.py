"""Functions that pick, join, cut, lay out and compare neighbours."""

from __future__ import annotations

import numpy as np
from differential import ALL, COMPLEX, FLOATS, NUMBERS, REAL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE = {
    name: "test_manip.py"
    for name in ("copyto", "fill_diagonal", "fromfunction", "isscalar", "piecewise", "place", "put", "put_along_axis", "putmask")
}

SAFE = 1e-6
TIGHT = 1e-12
SOME = ("bool", "uint8", "int32", "uint64", "float32", "float64", "complex64")
"""A few of each kind, for functions that only move elements."""


def drawn(function):
    """Make a case's function of one that gives arguments, and perhaps keyword arguments behind them in a dict."""

    def draw_arguments(draw):
        args = function(draw)
        args = args if isinstance(args, tuple) else (args,)
        return (args[:-1], args[-1]) if args and isinstance(args[-1], dict) else (args, {})

    return draw_arguments


def pick(draw, *values):
    """Draw one of some values."""
    return draw(st.sampled_from(values))


def integer(draw, low, high):
    return draw(st.integers(low, high))


def some(draw, dtypes=SOME, **kwargs):
    return draw(arrays(dtypes, **kwargs))


def positions(draw, n, shape, *, low=None, high=None, kinds=("int64", "int32", "uint8")):
    """Draw positions of an axis; sometimes one lies outside."""
    low, high = -n if low is None else low, n - 1 if high is None else high
    if draw(st.integers(0, 9)) == 0:
        high += 1
    dtype = np.dtype(pick(draw, *kinds))
    low = max(low, 0) if dtype.kind == "u" else low
    rng = np.random.default_rng(integer(draw, 0, 2**32 - 1))
    return rng.integers(low, max(high, low) + 1, shape).astype(dtype)


def small_shape(draw, ranks=(0, 1, 2), longest=4):
    return tuple(integer(draw, 0, longest) for _ in range(pick(draw, *ranks)))


def wrong_axis(draw, rank, *, none=False):
    """Draw an axis, sometimes one that is not there."""
    return draw(st.one_of(st.integers(-rank - 1, rank), *([st.none()] if none else [])))


def an_axis(draw, rank):
    """Draw an axis, counted from either end."""
    return integer(draw, -rank, rank - 1) if rank else 0


def broadcastable(draw, shape):
    """Draw an array that broadcasts to a shape, or almost."""
    lead = integer(draw, 0, len(shape))
    lengths = [1 if draw(st.integers(0, 2)) == 0 else n for n in shape[lead:]]
    if lengths and draw(st.integers(0, 14)) == 0:
        lengths[0] += 1
    return some(draw, shape=tuple(lengths))


def along_axis(draw, several=(1, 4), ranks=(1, 2, 3), same=False):
    """Draw arrays to join along an axis."""
    shape = list(small_shape(draw, ranks))
    axis = an_axis(draw, len(shape))
    result = []
    for _ in range(integer(draw, *several)):
        if not same and shape:
            shape[axis] = integer(draw, 0, 4)
        result.append(some(draw, shape=tuple(shape)))
    if draw(st.integers(0, 19)) == 0:
        result.append(some(draw, ranks=(1, 2)))
    return result, axis


def one(dtypes=REAL, **kwargs):
    """Draw one array."""
    return drawn(lambda draw: (draw(arrays(dtypes, **kwargs)),))


# Positions


@drawn
def taken(draw):
    x = some(draw)
    axis = draw(st.one_of(axes(x.ndim, several=False)))
    n = x.size if axis is None else x.shape[axis]
    index = positions(draw, n, small_shape(draw))
    kind = pick(draw, "array", "list", "number")
    if kind == "list":
        index = index.tolist()
    elif kind == "number":
        index = integer(draw, -n, max(n - 1, 0))
    # NumPy does not come back from wrapping around an axis without elements.
    return x, index, {"axis": axis, "mode": pick(draw, "raise", "raise", "wrap", "clip") if n else "raise"}


@drawn
def taken_along(draw):
    x = some(draw, ranks=(1, 2, 3))
    axis = an_axis(draw, x.ndim)
    if draw(st.integers(0, 4)) == 0:
        return x, positions(draw, x.size, (integer(draw, 0, 5),)), {"axis": None}
    shape = [1 if draw(st.integers(0, 4)) == 0 else n for n in x.shape]
    shape[axis] = integer(draw, 0, 5)
    return x, positions(draw, x.shape[axis], tuple(shape)), {"axis": axis}


@drawn
def chosen(draw):
    n = integer(draw, 1, 4)
    shape = small_shape(draw)
    index = positions(draw, n, shape, low=0)
    choices = [broadcastable(draw, shape) if draw(st.booleans()) else pick(draw, 3, 2.5) for _ in range(n)]
    return index, choices, {"mode": pick(draw, "raise", "raise", "wrap", "clip")}


@drawn
def selected(draw):
    shape = small_shape(draw)
    n = integer(draw, 1, 3)
    conditions = [draw(arrays("bool", shape=shape)) for _ in range(n)]
    choices = [some(draw, shape=shape) if draw(st.booleans()) else pick(draw, 3, 2.5) for _ in range(n)]
    if draw(st.integers(0, 14)) == 0:
        conditions[0] = conditions[0].astype(int)
    if draw(st.integers(0, 14)) == 0:
        choices.append(1)
    return conditions, choices, {"default": pick(draw, 0, 1.5, 2j)}


@drawn
def compressed(draw):
    x = some(draw)
    axis = draw(axes(x.ndim, several=False))
    n = x.size if axis is None else x.shape[axis]
    length = max(n + pick(draw, 0, 0, -1, 1), 0)
    condition = draw(arrays(("bool", "int32"), shape=(length,), low=-1, high=2))
    return condition if draw(st.booleans()) else condition.tolist(), x, {"axis": axis}


@drawn
def extracted(draw):
    x = some(draw)
    shape = x.shape if draw(st.booleans()) else (max(x.size - 1, 0),)
    return draw(arrays(("bool", "float64"), shape=shape)), x


@drawn
def trimmed(draw):
    x = draw(arrays(SOME, ranks=(0, 1, 2, 3), low=-0.9, high=1.2))
    return x, {"trim": pick(draw, "fb", "f", "b", "Fb"), "axis": draw(axes(x.ndim))}


@drawn
def deleted(draw):
    x = some(draw, ranks=(1, 2, 3))
    axis = draw(axes(x.ndim, several=False))
    n = x.size if axis is None else x.shape[axis]
    kind = pick(draw, "number", "slice", "list", "array", "mask")
    if kind == "number":
        what = integer(draw, -n - 1, n)
    elif kind == "slice":
        what = slice(draw(st.none() | st.integers(-n, n)), draw(st.none() | st.integers(-n, n)), pick(draw, None, 1, 2, -1, -3))
    elif kind == "mask":
        what = draw(arrays("bool", shape=(n + (draw(st.integers(0, 14)) == 0),)))
    else:
        what = positions(draw, n, (integer(draw, 0, 5),), kinds=("int64", "int32"))
        what = what.tolist() if kind == "list" else what
    return x, what, {"axis": axis}


@drawn
def inserted(draw):
    x = some(draw, ranks=(0, 1, 2, 3), longest=5)
    axis = draw(axes(x.ndim, several=False))
    n = x.size if axis is None else x.shape[axis]
    shape = (x.size,) if axis is None else x.shape
    kind = pick(draw, "number", "slice", "list", "array", "mask", "single")
    if kind == "number":
        where = integer(draw, -n - 1, n + 1)
        count = integer(draw, 1, 3)
    elif kind == "slice":
        where = slice(draw(st.none() | st.integers(-n, n)), None, pick(draw, None, 2, -1))
        count = len(range(*where.indices(n)))
    elif kind == "mask":
        where = draw(arrays("bool", shape=(n,)))
        count = int(where.sum())
    else:
        length = 1 if kind == "single" else integer(draw, 0, 5)
        rng = np.random.default_rng(integer(draw, 0, 2**32 - 1))
        where = rng.integers(-n, n + 1, length)
        where = where.tolist() if kind == "list" else where
        count = length
    values = pick(draw, 5, 2.5)
    if draw(st.booleans()):
        at = 0 if axis is None else axis % len(shape)
        whole = list(shape)
        whole[at] = count
        if kind == "number":
            whole = [count, *(m for k, m in enumerate(shape) if k != at)]
        values = draw(arrays(("int32", "float64"), shape=tuple(whole[integer(draw, 0, len(whole) - 1) :])))
    return x, where, values, {"axis": axis}


@drawn
def appended(draw):
    parts, axis = along_axis(draw, several=(2, 2))
    return parts[0], parts[1], {"axis": pick(draw, None, axis)}


@drawn
def resized(draw):
    x = some(draw)
    return x, pick(draw, integer(draw, 0, 9), small_shape(draw, (1, 2, 3)))


def split_by(axis=None, ranks=(1, 2, 3), equal=True):
    """Draw an array and where to cut it."""

    @drawn
    def draw_split(draw):
        x = some(draw, ranks=ranks)
        k = an_axis(draw, x.ndim) if axis is None else min(axis, x.ndim - 1)
        n = x.shape[k]
        if draw(st.booleans()):
            where = integer(draw, 1, 5) if not equal else pick(draw, *(d for d in range(1, max(n, 1) + 1) if n % d == 0), 4)
        else:
            where = draw(st.lists(st.integers(-n - 1, n + 2), max_size=3))
            where = np.array(where, int) if draw(st.booleans()) else where
        return (x, where, {"axis": k}) if axis is None else (x, where)

    return draw_split


@drawn
def unstacked(draw):
    x = some(draw)
    return x, {"axis": wrong_axis(draw, x.ndim)}


@drawn
def blocked(draw):
    rows, columns = integer(draw, 1, 3), integer(draw, 1, 3)
    heights, widths = ([integer(draw, 0, 3) for _ in range(n)] for n in (rows, columns))
    rank = integer(draw, 0, 1)
    grid = [[some(draw, shape=((2,) * rank) + (h, w)) for w in widths] for h in heights]
    kind = pick(draw, "grid", "grid", "row", "single", "numbers", "uneven")
    if kind == "row":
        return (grid[0],)
    if kind == "single":
        return (grid[0][0],)
    if kind == "numbers":
        return ([[1, 2.5], [some(draw, shape=(2,))]],)
    if kind == "uneven":
        return ([grid[0], grid[0][0]],)
    return (grid,)


# Diagonals, triangles, grids


@drawn
def triangle(draw):
    return integer(draw, 0, 6), {
        "M": draw(st.none() | st.integers(0, 6)), "k": integer(draw, -7, 7), "dtype": pick(draw, float, int, bool, np.uint8),
    }  # fmt: skip


@drawn
def triangular(draw):
    return some(draw), integer(draw, -5, 5)


@drawn
def triangle_indices(draw):
    return integer(draw, 0, 6), integer(draw, -7, 7), draw(st.none() | st.integers(0, 6))


@drawn
def triangle_indices_of(draw):
    return some(draw, ranks=(1, 2, 2, 2)), integer(draw, -7, 7)


@drawn
def diag_of(draw):
    return some(draw, ranks=(0, 1, 2, 3)), integer(draw, -4, 4)


@drawn
def diagonal_of(draw):
    x = some(draw, ranks=(1, 2, 3, 4), longest=5)
    return x, integer(draw, -4, 4), an_axis(draw, x.ndim), an_axis(draw, x.ndim)


@drawn
def vander_of(draw):
    x = draw(arrays(NUMBERS, ranks=(1, 1, 1, 2), low=-3, high=3))
    return x, {"N": draw(st.none() | st.integers(0, 5)), "increasing": draw(st.booleans())}


@drawn
def meshed(draw):
    parts = tuple(some(draw, ranks=(0, 1, 1, 2), longest=4) for _ in range(integer(draw, 0, 3)))
    return *parts, {"sparse": draw(st.booleans()), "indexing": pick(draw, "xy", "ij")}


@drawn
def indexed(draw):
    return small_shape(draw, (0, 1, 2, 3)), {"dtype": pick(draw, int, float, np.uint8), "sparse": draw(st.booleans())}


@drawn
def crossings(draw):
    return tuple(draw(arrays(("int64", "bool", "int32"), ranks=(1, 1, 1, 2), longest=4)) for _ in range(integer(draw, 1, 3)))


@drawn
def multi_index(draw):
    dims = tuple(integer(draw, 1, 5) for _ in range(integer(draw, 1, 3)))
    shape = small_shape(draw)
    parts = tuple(positions(draw, n, shape, low=0) for n in dims)
    return parts, dims, {"mode": pick(draw, "raise", "wrap", "clip"), "order": pick(draw, "C", "F")}


@drawn
def flat_index(draw):
    dims = tuple(integer(draw, 1, 5) for _ in range(integer(draw, 1, 3)))
    n = int(np.prod(dims))
    return positions(draw, n, small_shape(draw), low=0), dims, {"order": pick(draw, "C", "F")}


# Neighbours


@drawn
def differences(draw):
    x = draw(arrays(ALL, ranks=(0, 1, 2, 3)))
    axis = wrong_axis(draw, x.ndim)
    more = {}
    for name in ("prepend", "append"):
        kind = pick(draw, "none", "none", "number", "array")
        if kind == "number":
            more[name] = 3
        elif kind == "array" and x.ndim and -x.ndim <= axis < x.ndim:
            shape = list(x.shape)
            shape[axis] = 2
            more[name] = draw(arrays(ALL, shape=tuple(shape)))
    return x, {"n": integer(draw, 0, 3), "axis": axis, **more}


@drawn
def flat_differences(draw):
    x = draw(arrays(ALL))
    return x, {name: draw(st.none() | arrays(("int32", "float32", "uint8"), ranks=(0, 1))) for name in ("to_end", "to_begin")}


@drawn
def slopes(draw):
    x = draw(arrays((*REAL, *COMPLEX, "bool"), ranks=(1, 2, 3)))
    axis = draw(axes(x.ndim))
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    which = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kind = pick(draw, "none", "number", "each")
    given = []
    if kind == "number":
        given = [pick(draw, 2, 0.5, np.float32(3), np.float64(0.3))]
    elif kind == "each":
        for k in which:
            n = x.shape[k]
            steps = draw(arrays(("float64", "float32", "int32"), shape=(n,), low=1, high=5))
            lines = (np.cumsum(steps).astype(steps.dtype), np.arange(n), [float(i) ** 2 for i in range(n)]) if n > 1 else ()
            given.append(pick(draw, 2.0, *lines))
    return x, *given, {"axis": axis, "edge_order": pick(draw, 1, 2)}


@drawn
def windows(draw):
    x = some(draw, ranks=(1, 2, 3), longest=5)
    if draw(st.booleans()):
        return x, tuple(integer(draw, 1, 3) for _ in range(x.ndim))
    axis = [an_axis(draw, x.ndim) for _ in range(integer(draw, 1, 2))]
    window = [integer(draw, 0, 3) for _ in axis]
    return (x, window[0], axis[0]) if len(axis) == 1 else (x, tuple(window), tuple(axis))


@drawn
def angles(draw):
    x = draw(arrays((*FLOATS, "int32", "int64"), ranks=(1, 2), low=-20, high=20))
    more = {"period": pick(draw, 6, 7, 2.5)} if draw(st.booleans()) else {}
    if draw(st.integers(0, 3)) == 0:
        more["discont"] = 4
    return x, {"axis": an_axis(draw, x.ndim), **more}


@drawn
def integrated(draw):
    y = draw(arrays((*REAL, "bool"), ranks=(1, 2, 3)))
    axis = an_axis(draw, y.ndim)
    kind = pick(draw, "dx", "line", "all")
    if kind == "dx":
        return y, {"dx": pick(draw, 1.0, 2, 0.5), "axis": axis}
    shape = (y.shape[axis],) if kind == "line" else y.shape
    return y, {"x": draw(arrays(("float64", "int32"), shape=shape)), "axis": axis}


@drawn
def interpolated(draw):
    x = draw(arrays((*REAL, "bool"), low=-2, high=12))
    n = integer(draw, 0, 5)
    xp = np.sort(draw(arrays(("float64", "int32"), shape=(n,), low=0, high=10)))
    fp = draw(arrays(("float64", "int32", "complex128"), shape=(n + (draw(st.integers(0, 14)) == 0),)))
    more = {"left": -1.5, "right": 7} if draw(st.booleans()) else {}
    if draw(st.integers(0, 3)) == 0:
        more["period"] = pick(draw, 5.5, 0)
    return x, xp, fp, more


@drawn
def convolved(draw):
    a, v = (draw(arrays(("bool", "uint8", "int32", "float32", "float64", "complex128"), ranks=(1,), longest=9)) for _ in range(2))
    if draw(st.integers(0, 14)) == 0:
        v = v.reshape(-1, 1)
    return a, v, {"mode": pick(draw, "full", "same", "valid")}


@drawn
def crossed(draw):
    shape = small_shape(draw, (0, 1, 2))
    a, b = (draw(arrays(NUMBERS, shape=(*shape, pick(draw, 3, 3, 3, 2)))) for _ in range(2))
    # NumPy rounds products of complex numbers once, where the machine can, others twice: whole numbers leave nothing to round.
    a, b = (np.round(x) if "c" in (a.dtype.kind, b.dtype.kind) else x for x in (a, b))
    if draw(st.booleans()):
        return a, b
    k, m = an_axis(draw, a.ndim), an_axis(draw, b.ndim)
    return np.moveaxis(a, -1, k), np.moveaxis(b, -1, m), {"axisa": k, "axisb": m, "axisc": an_axis(draw, a.ndim)}


# Elements


@drawn
def special(draw):
    x = draw(arrays((*FLOATS, "int32", "bool", "complex64"), nan=True))
    if x.dtype.kind == "f" and x.size:
        x.flat[0] = pick(draw, np.inf, -np.inf, 0.0, -0.0)
    return (x,)


@drawn
def complex_or_not(draw):
    x = draw(arrays(ALL))
    return (x.real.astype(x.dtype) if x.dtype.kind == "c" and draw(st.booleans()) else x,)


@drawn
def two_numbers(draw):
    a = draw(arrays(REAL, low=-9, high=9))
    b = draw(arrays(REAL, shape=a.shape, low=1, high=9))
    return a, pick(draw, b, 3, 2.5)


@drawn
def types(draw):
    return tuple(draw(st.one_of(arrays(ALL, ranks=(0, 1)), st.sampled_from([1, 2.5, 1j, "float32", np.dtype("u1")]))) for _ in range(3))


@drawn
def shapes(draw):
    return tuple(small_shape(draw) for _ in range(3))


@drawn
def log_range(draw):
    more = {"num": integer(draw, 0, 9), "endpoint": draw(st.booleans()), "base": pick(draw, 10.0, 2)}
    return integer(draw, 0, 2), integer(draw, 2, 4), more


@drawn
def geometric_range(draw):
    return pick(draw, 1, 2.5, -3), pick(draw, 1000, 16.0), {"num": integer(draw, 0, 9), "endpoint": draw(st.booleans())}


@drawn
def polynomial(draw):
    return draw(arrays(NUMBERS, ranks=(1,), longest=4, low=-3, high=3)), draw(arrays(NUMBERS, low=-3, high=3))


@drawn
def packed(draw):
    x = draw(arrays(("bool", "uint8", "int32", "float32"), ranks=(0, 1, 2, 3), longest=19, low=-1, high=2))
    return x, {"axis": draw(axes(x.ndim, several=False)), "bitorder": pick(draw, "big", "little")}


@drawn
def unpacked(draw):
    # Of nothing, NumPy makes bits of whatever lies in memory.
    x = draw(arrays(("uint8", "uint8", "uint8", "int32"), low=0, high=255, least=1))
    return x, {
        "axis": draw(axes(x.ndim, several=False)), "count": draw(st.none() | st.integers(-9, 40)), "bitorder": pick(draw, "big", "little"),
    }  # fmt: skip


@drawn
def two_types(draw):
    return tuple(np.dtype(pick(draw, *ALL)) for _ in range(2))


NULLS = {"isnull": np.isnan, "notnull": lambda x: ~np.isnan(x)}


def length(*more):
    """Draw the length of a window."""
    return drawn(lambda draw: (integer(draw, 0, 12), *more))


CASES = [
    *(Case(name, one(SOME)) for name in ("require", "asfortranarray")),
    # Positions
    *(Case(name, taken) for name in ("take", "Array.take")),
    Case("take_along_axis", taken_along),
    *(Case(name, chosen) for name in ("choose",)),
    # NumPy refuses plain numbers beside arrays of a narrower type, which its own promotion allows.
    Case("select", selected, errors=False),
    Case("compress", compressed),
    Case("extract", extracted),
    Case("trim_zeros", trimmed),
    # Parts
    Case("delete", deleted),
    Case("insert", inserted),
    Case("append", appended),
    Case("resize", resized),
    Case("array_split", split_by(equal=False)),
    Case("split", split_by()),
    Case("hsplit", split_by(1)),
    Case("vsplit", split_by(0, (2, 3))),
    Case("dsplit", split_by(2, (3, 4))),
    Case("unstack", unstacked),
    Case("block", blocked),
    # Diagonals, triangles, grids
    Case("tri", triangle),
    *(Case(name, triangular) for name in ("tril", "triu")),
    *(Case(name, triangle_indices) for name in ("tril_indices", "triu_indices")),
    *(Case(name, triangle_indices_of) for name in ("tril_indices_from", "triu_indices_from")),
    Case("mask_indices", drawn(lambda draw: (integer(draw, 0, 6), pick(draw, np.triu, np.tril), integer(draw, -4, 4)))),
    Case("diag_indices", drawn(lambda draw: (integer(draw, 0, 5), integer(draw, 0, 3)))),
    Case("diag_indices_from", drawn(lambda draw: (some(draw, shape=(integer(draw, 2, 3),) * integer(draw, 1, 3)),))),
    *(Case(name, diag_of) for name in ("diag", "diagflat")),
    *(Case(name, diagonal_of) for name in ("diagonal", "Array.diagonal")),
    *(Case(name, diagonal_of, rtol=TIGHT) for name in ("trace", "Array.trace")),
    Case("vander", vander_of),
    Case("meshgrid", meshed),
    Case("indices", indexed),
    Case("ix_", crossings),
    Case("ravel_multi_index", multi_index),
    Case("unravel_index", flat_index),
    # Neighbours
    Case("diff", differences),
    Case("ediff1d", flat_differences),
    Case("gradient", slopes),
    Case("sliding_window_view", windows, reference=np.lib.stride_tricks.sliding_window_view),
    Case("lib.stride_tricks.sliding_window_view", windows),
    # The running sum is not taken in NumPy's order.
    Case("unwrap", angles, rtol=TIGHT),
    Case("trapezoid", integrated, rtol=TIGHT),
    Case("interp", interpolated),
    # NumPy sums products in an order that depends on where they lie in memory.
    *(Case(name, convolved, rtol=TIGHT) for name in ("convolve", "correlate")),
    Case("cross", crossed),
    # Elements
    *(Case(name, special) for name in ("isposinf", "isneginf")),
    *(Case(name, complex_or_not) for name in ("iscomplex", "isreal", "iscomplexobj", "isrealobj", "real_if_close")),
    Case("fix", one((*REAL, "bool"))),
    Case("i0", one((*FLOATS, "int32", "complex64"), low=-12, high=12)),
    Case("divmod", two_numbers),
    Case("modf", one((*FLOATS, "int32"))),
    Case("frexp", one((*FLOATS, "int32"))),
    Case("result_type", types),
    Case("promote_types", two_types),
    Case("issubdtype", drawn(lambda draw: (np.dtype(pick(draw, *ALL)), pick(draw, np.integer, np.floating, "f4")))),
    Case("min_scalar_type", drawn(lambda draw: (pick(draw, 3, -300, 2.5, 1e300, some(draw, ranks=1), np.float32(2)),))),
    *(Case(name, one((*FLOATS, "int32"), nan=True), reference=check) for name, check in NULLS.items()),
    # NumPy rounds products of complex numbers once, where the machine can.
    Case("polyval", polynomial, rtol=SAFE),
    Case("packbits", packed),
    Case("unpackbits", unpacked),
    Case("broadcast_shapes", shapes),
    Case("logspace", log_range),
    Case("geomspace", geometric_range),
    *(Case(name, length()) for name in ("bartlett", "blackman", "hamming", "hanning")),
    Case("kaiser", length(8.6)),
]

