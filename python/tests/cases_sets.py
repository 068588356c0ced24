"""Arrays as sets against NumPy."""

from __future__ import annotations

import numpy as np
from differential import ALL, Case, arrays, axes
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {}

ELEMENTS = (*ALL, "int8", "float16")


def few(draw, dtypes=ELEMENTS, **kwargs):
    """Draw an array of which many elements are equal, zeros of both signs and NaNs of all kinds among them."""
    a = draw(arrays(dtypes, low=-3, high=3, nan=True, **kwargs))
    if a.dtype.kind == "c" and a.size and draw(st.booleans()):
        a.imag[draw(st.integers(0, a.shape[0] - 1)) if a.ndim else ...] = np.nan
    return np.round(a) if a.dtype.kind in "fc" else a


def flat(draw):
    """Draw an array and what to return."""
    names = ("return_index", "return_inverse", "return_counts", "equal_nan")
    return (few(draw),), {name: draw(st.booleans()) for name in names}


def along(draw):
    """Draw an array, an axis, which may be wrong, and what to return."""
    a = few(draw, longest=4)
    names = ("return_index", "return_inverse", "return_counts")
    axis = draw(st.one_of(axes(a.ndim, several=False), st.integers(-4, 4)))
    return (a,), {"axis": axis} | {name: draw(st.booleans()) for name in names}


def stable_unique(ar, return_index=False, return_inverse=False, return_counts=False, **kwargs):
    """Give what NumPy gives where it sorts stably: else it may number NaNs in any order."""
    found = np.unique(ar, True, return_inverse, return_counts, **kwargs)
    found = found if return_index else (found[0], *found[2:])
    return found if len(found) > 1 else found[0]


def one(draw):
    """Draw one array."""
    return (few(draw),), {}


def two(draw):
    """Draw two arrays."""
    return (few(draw), few(draw)), {}


def members(draw):
    """Draw arrays and how to look elements up."""
    return (few(draw), few(draw)), {"invert": draw(st.booleans()), "kind": draw(st.sampled_from([None, "sort", "table", "other"]))}


def sets(draw, **params):
    """Draw arrays, without equal elements if that is said."""
    a, b = few(draw), few(draw)
    assume = draw(st.booleans())
    if assume:
        a, b = (np.random.default_rng(draw(st.integers(0, 99))).permutation(np.unique(x)) for x in (a, b))
    return (a, b), {"assume_unique": assume} | {name: draw(choice) for name, choice in params.items()}


CASES = [
    Case("unique", flat, stable_unique),
    Case("unique", along, stable_unique),
    Case("unique_all", one),
    Case("unique_counts", one),
    Case("unique_inverse", one, lambda x: stable_unique(x, return_inverse=True, equal_nan=False)),
    Case("unique_values", one, lambda x: np.sort(np.unique_values(x))),
    Case("isin", members),
    Case("intersect1d", lambda draw: sets(draw, return_indices=st.booleans())),
    Case("union1d", two),
    Case("setdiff1d", sets),
    Case("setxor1d", sets),
]
