"""Searching and sorting against NumPy."""

from __future__ import annotations

import numpy as np
from differential import ALL, REAL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {}

KEYS = (*ALL, "float16", "int8")
"""Elements that can be sorted."""


def few(dtypes=KEYS, **kwargs):
    """Draw an array of which many elements are equal, zeros of both signs among them."""
    return arrays(dtypes, low=-3, high=3, nan=True, **kwargs).map(lambda a: np.round(a) if a.dtype.kind in "fc" else a)


def one(dtypes=KEYS, **kwargs):
    """Draw one array."""
    return lambda draw: ((draw(few(dtypes, **kwargs)),), {})


def along(dtypes=KEYS, longest=7, ranks=(0, 1, 2, 3), none=True, extra=None):
    """Draw an array and an axis, which may be wrong."""

    def draw_along(draw):
        a = draw(few(dtypes, longest=longest, ranks=ranks))
        axis = draw(st.one_of(axes(a.ndim, several=False, none=none), st.integers(-4, 4)))
        return (a,), {"axis": axis} | (extra(draw) if extra else {})

    return draw_along


def kinds(draw):
    """Draw how to sort."""
    both = {"kind": "stable", "stable": True}
    return draw(st.sampled_from([{}, {"kind": "stable"}, {"kind": "quicksort"}, {"stable": True}, both, {"kind": "worst"}]))


def order(draw):
    """Draw the direction of sorting."""
    return {"descending": draw(st.booleans())}


def sorted_ways(a, axis=-1, descending=False):
    """Sort as the array API does."""
    found = np.sort(a, axis)
    return np.flip(found, axis) if descending else found


def argsorted_ways(a, axis=-1, kind=None, stable=None, descending=False):
    """Sort positions as the array API does."""
    if not descending:
        np.argsort(a, axis, kind=kind, stable=stable)
        return np.argsort(a, axis, kind="stable")
    return a.shape[axis] - 1 - np.flip(np.argsort(np.flip(a, axis), axis, kind="stable"), axis)


def search(draw):
    """Draw a sorted array and values to look up."""
    a = draw(few(ranks=(0, 1, 1, 1, 1, 2), longest=20))
    a = np.sort(a) if a.ndim else a
    params = {"side": draw(st.sampled_from(["left", "right"]))}
    if a.ndim == 1 and draw(st.booleans()):
        a = a[draw(st.permutations(range(len(a))))]
        params["sorter"] = np.argsort(a, kind="stable")
    return (a, draw(few())), params


def bins(draw):
    """Draw values and edges, most of them in order."""
    edges = draw(arrays(REAL, ranks=(1, 1, 1, 1, 0, 2), nan=draw(st.booleans())))
    if draw(st.integers(0, 5)):
        edges = np.sort(edges) if edges.ndim else edges
    if draw(st.booleans()) and edges.ndim == 1:
        edges = edges[::-1].copy()
    return (draw(arrays((*ALL, "float16"), nan=True)), edges), {"right": draw(st.booleans())}


def places(draw):
    """Draw positions to partition by."""
    return {"kth": draw(st.one_of(st.integers(-5, 4), st.lists(st.integers(-3, 2), min_size=1, max_size=3)))}


def partitioned(a, kth, axis=-1):
    """Partition, altogether."""
    np.partition(a, kth, axis)
    return np.sort(a, axis)


def argpartitioned(a, kth, axis=-1):
    """Partition positions, altogether."""
    np.argpartition(a, kth, axis)
    return np.argsort(a, axis, kind="stable")


def top(a, k, axis=-1):
    """Give the largest or smallest elements."""
    return np.take_along_axis(a, argtop(a, k, axis), axis)


def argtop(a, k, axis=-1):
    """Give the positions of the largest or smallest elements."""
    ordered = argsorted_ways(a, axis, descending=k > 0)
    return np.take(ordered, np.arange(min(abs(k), a.shape[axis])), axis)


def some(draw):
    """Draw a number of elements."""
    return {"k": draw(st.integers(-9, 9))}


def keys(draw):
    """Draw keys to sort by."""
    first = draw(few(ranks=(1, 2, 3)))
    more = [draw(few(shape=first.shape)) for _ in range(draw(st.integers(0, 2)))]
    found = [first, *more]
    if draw(st.integers(0, 9)) == 0:
        found.append(draw(few()))
    return (tuple(found),), {"axis": draw(st.integers(-4, 3))}


LONG = {"longest": 60, "ranks": (1,)}
"""Axes that are cut into many blocks."""

CASES = [
    Case("nonzero", one()),
    Case("Array.nonzero", one()),
    Case("flatnonzero", one()),
    Case("argwhere", one()),
    Case("argwhere", one(longest=30, ranks=(1, 2))),
    Case("searchsorted", search),
    Case("digitize", bins),
    Case("sort", along(extra=kinds)),
    Case("sort", along(**LONG)),
    Case("sort", along(ranks=(1, 2, 3), extra=order, none=False), sorted_ways),
    Case("argsort", along(extra=kinds), argsorted_ways),
    Case("argsort", along(**LONG), argsorted_ways),
    Case("argsort", along(ranks=(1, 2, 3), extra=order, none=False), argsorted_ways),
    Case("partition", along(extra=places), partitioned),
    Case("argpartition", along(extra=places), argpartitioned),
    Case("topk", along(extra=some, none=False), top),
    Case("topk", along(extra=some, none=False, **LONG), top),
    Case("argtopk", along(extra=some, none=False), argtop),
    Case("argtopk", along(extra=some, none=False, **LONG), argtop),
    Case("lexsort", keys),
]
