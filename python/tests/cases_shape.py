"""Functions that change shapes."""

from __future__ import annotations

import numpy as np
from cases_manip import SOME, TIGHT, along_axis, an_axis, broadcastable, drawn, integer, one, pick, small_shape, some, wrong_axis
from differential import Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE = {"rechunk": "test_manip.py"}


@drawn
def reshaped(draw):
    x = some(draw)
    n = x.size
    lengths = []
    for _ in range(integer(draw, 0, 3)):
        divisors = [d for d in range(1, n + 1) if n % d == 0] or [0, 1]
        lengths.append(pick(draw, *divisors))
        n = n // lengths[-1] if lengths[-1] else n
    lengths.append(n)
    if draw(st.booleans()):
        lengths[integer(draw, 0, len(lengths) - 1)] = -1
    if draw(st.integers(0, 9)) == 0:
        lengths[0] = 5
    shape = lengths[0] if len(lengths) == 1 and draw(st.booleans()) else tuple(lengths)
    return x, shape, {"order": pick(draw, "C", "F")}


@drawn
def transposed(draw):
    x = some(draw, ranks=(0, 1, 2, 3, 4), longest=4)
    if draw(st.booleans()):
        return (x,)
    order = draw(st.permutations(range(x.ndim)))
    return x, tuple(k - x.ndim if draw(st.booleans()) else k for k in order)


@drawn
def squeezed(draw):
    shape = tuple(pick(draw, 1, 1, 3, 0) for _ in range(integer(draw, 0, 4)))
    x = some(draw, shape=shape)
    return x, {"axis": draw(axes(x.ndim))}


@drawn
def swapped(draw):
    x = some(draw, ranks=(1, 2, 3))
    return x, an_axis(draw, x.ndim), wrong_axis(draw, x.ndim)


@drawn
def sized(draw):
    x = some(draw)
    return x, draw(axes(x.ndim, several=False))


@drawn
def expanded(draw):
    x = some(draw)
    if draw(st.booleans()):
        return x, wrong_axis(draw, x.ndim + 1)
    return x, tuple(draw(st.sets(st.integers(0, x.ndim + 1), min_size=2, max_size=2)))


@drawn
def broadcast(draw):
    shape = small_shape(draw, (0, 1, 2, 3))
    return broadcastable(draw, shape), shape


@drawn
def broadcast_several(draw):
    shape = small_shape(draw, (0, 1, 2, 3))
    return tuple(broadcastable(draw, shape) for _ in range(integer(draw, 1, 3)))


@drawn
def moved(draw):
    x = some(draw, ranks=(1, 2, 3, 4), longest=4)
    n = integer(draw, 1, x.ndim)
    source, target = (tuple(draw(st.permutations(range(-x.ndim, 0)))[:n]) for _ in range(2))
    return (x, source[0], target[0]) if n == 1 else (x, source, list(target))


@drawn
def rolled_axis(draw):
    x = some(draw, ranks=(1, 2, 3))
    return x, an_axis(draw, x.ndim), integer(draw, -x.ndim, x.ndim)


@drawn
def flipped(draw):
    x = some(draw)
    return x, {"axis": draw(axes(x.ndim))}


@drawn
def rolled(draw):
    x = some(draw)
    axis = draw(axes(x.ndim))
    shift = integer(draw, -20, 20)
    if isinstance(axis, tuple) and draw(st.booleans()):
        shift = tuple(integer(draw, -9, 9) for _ in axis)
    elif axis is not None and not isinstance(axis, tuple) and draw(st.integers(0, 3)) == 0:
        shift = (shift, 2)
    return x, shift, {"axis": axis}


@drawn
def turned(draw):
    x = some(draw, ranks=(2, 3))
    pair = draw(st.permutations(range(-x.ndim, 0)))[:2]
    return x, integer(draw, -5, 5), tuple(pair)


@drawn
def joined(draw):
    parts, axis = along_axis(draw)
    if draw(st.integers(0, 4)) == 0:
        return parts, {"axis": None}
    if draw(st.integers(0, 4)) == 0:
        return parts, {"axis": axis, "dtype": "complex128"}
    return parts, {"axis": axis}


@drawn
def stacked(draw):
    parts, _ = along_axis(draw, ranks=(0, 1, 2), same=True)
    return parts, {"axis": an_axis(draw, parts[0].ndim + 1)}


def joined_as(axis, ranks):
    """Draw arrays for one of the functions that join along a fixed axis."""

    @drawn
    def draw_parts(draw):
        shape = list(small_shape(draw, ranks))
        parts = []
        for _ in range(integer(draw, 1, 3)):
            if len(shape) > axis:
                shape[axis] = integer(draw, 0, 4)
            parts.append(some(draw, shape=tuple(shape)))
        return (parts,)

    return draw_parts


@drawn
def several(draw):
    return tuple(some(draw) for _ in range(integer(draw, 1, 3)))


@drawn
def tiled(draw):
    x = some(draw, longest=4)
    reps = draw(st.one_of(st.integers(0, 3), st.lists(st.integers(0, 3), min_size=0, max_size=4)))
    return x, reps if isinstance(reps, int) else tuple(reps)


@drawn
def repeated(draw):
    x = some(draw)
    axis = draw(axes(x.ndim, several=False))
    n = x.size if axis is None else x.shape[axis]
    kind = pick(draw, "number", "one", "each", "wrong")
    if kind == "number":
        return x, integer(draw, -1, 4), {"axis": axis}
    length = {"one": 1, "each": n, "wrong": n + 2}[kind]
    counts = np.array([integer(draw, 0, 3) for _ in range(length)], pick(draw, "int64", "uint8", "float64", "bool"))
    return x, counts, {"axis": axis}


PAD_MODES = (
    "constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap",
)  # fmt: skip


@drawn
def padded(draw):
    mode = pick(draw, *PAD_MODES)
    x = draw(arrays(("float64", "int32", "uint8"), ranks=(0, 1, 2, 3), longest=5, least=0 if mode == "constant" else 1))
    kind = pick(draw, "number", "pair", "each", "dict")
    if kind == "number":
        width = integer(draw, 0, 6)
    elif kind == "pair":
        width = (integer(draw, 0, 6), integer(draw, 0, 6))
    else:
        width = tuple((integer(draw, 0, 6), integer(draw, 0, 6)) for _ in range(x.ndim))
        if kind == "dict":
            width = {axis - x.ndim: pair for axis, pair in enumerate(width) if axis != 1}
    more = {}
    if mode == "constant" and draw(st.booleans()):
        more["constant_values"] = pick(draw, 3, (1, 2))
    if mode == "linear_ramp" and draw(st.booleans()):
        more["end_values"] = pick(draw, 3, (1, 2))
    if mode in ("maximum", "mean", "median", "minimum") and draw(st.booleans()):
        more["stat_length"] = pick(draw, 2, (1, 3), None)
    if mode in ("reflect", "symmetric") and draw(st.booleans()):
        more["reflect_type"] = pick(draw, "even", "odd")
    return x, width, {"mode": mode, **more}


def coarsened(reduction, x, axes, trim_excess=False):
    """What `coarsen` gives, in NumPy."""
    box = tuple(slice(0, n // axes.get(k, 1) * axes.get(k, 1)) for k, n in enumerate(x.shape))
    if not trim_excess and x[box].shape != x.shape:
        raise ValueError("lengths do not divide")
    x = x[box]
    shape = [m for k, n in enumerate(x.shape) for m in (n // axes.get(k, 1), axes.get(k, 1))]
    return reduction(x.reshape(shape), axis=tuple(range(1, 2 * x.ndim, 2)))


@drawn
def coarse(draw):
    x = draw(arrays(("int32", "float64"), ranks=(1, 2, 3), least=4))
    steps = {k: integer(draw, 1, 3) for k in range(x.ndim) if draw(st.booleans())}
    return pick(draw, np.sum, np.mean, np.min, np.max), x, steps, pick(draw, True, False), {}


@drawn
def cast(draw):
    return some(draw, low=0), np.dtype(pick(draw, "float32", "int64", "uint8", "complex128"))


CASES = [
    Case("reshape", reshaped),
    Case("Array.reshape", reshaped),
    Case("ravel", drawn(lambda draw: (some(draw), {"order": pick(draw, "C", "F")}))),
    Case("Array.ravel", drawn(lambda draw: (some(draw), {"order": pick(draw, "C", "F")}))),
    *(Case(name, transposed) for name in ("transpose", "permute_dims", "Array.transpose")),
    Case("matrix_transpose", one(SOME)),
    *(Case(name, squeezed) for name in ("squeeze", "Array.squeeze")),
    Case("swapaxes", swapped),
    Case("expand_dims", expanded),
    Case("broadcast_to", broadcast),
    Case("broadcast_arrays", broadcast_several),
    Case("moveaxis", moved),
    Case("rollaxis", rolled_axis),
    Case("flip", flipped),
    *(Case(name, one(SOME)) for name in ("fliplr", "flipud")),
    Case("roll", rolled),
    Case("rot90", turned),
    *(Case(name, joined) for name in ("concatenate", "concat")),
    Case("stack", stacked),
    Case("vstack", joined_as(0, (0, 2, 3))),
    Case("hstack", joined_as(1, (0, 2, 3))),
    Case("dstack", joined_as(2, (0, 1, 2, 3))),
    Case("column_stack", joined_as(1, (1, 2))),
    *(Case(name, several) for name in ("atleast_1d", "atleast_2d", "atleast_3d")),
    Case("tile", tiled),
    *(Case(name, repeated) for name in ("repeat", "Array.repeat")),
    # Means and ramps of floats are computed in another order than NumPy's.
    Case("pad", padded, rtol=TIGHT),
    Case("coarsen", coarse, reference=coarsened, rtol=TIGHT),
    *(Case(name, cast) for name in ("astype", "Array.astype")),
    *(Case(name, one(SOME)) for name in ("copy", "Array.copy", "ndim", "shape")),
    Case("size", sized),
]
