"""Compares functions with NumPy on random shapes, chunks, dtypes and arguments.

A case says how to draw the arguments of one function, with NumPy arrays in them. The test calls NumPy with them, and the package with
the same arrays cut into random chunks, and expects the same dtype, shape and values; or, where NumPy refuses, an exception of the same
kind. Files called `cases_*.py` hold the cases, in a list called `CASES`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import voxmill as vm

EXAMPLES = int(os.environ.get("VOXMILL_EXAMPLES", "200"))
"""Examples per function; 10 000 for a thorough run."""

FLOATS = ("float32", "float64")
INTEGERS = ("uint8", "uint16", "int16", "int32", "int64", "uint64")
COMPLEX = ("complex64", "complex128")
REAL = (*INTEGERS, *FLOATS)
NUMBERS = (*REAL, *COMPLEX)
ALL = ("bool", *NUMBERS)


@dataclass
class Case:
    """How one function is compared."""

    name: str
    """As in the package: ``"sum"``, ``"linalg.norm"``, ``"Array.sum"`` for a method."""
    draw: Callable[[Callable], tuple[tuple, dict]]
    """Gets Hypothesis' `draw`; gives arguments and keyword arguments."""
    reference: Callable | None = None
    """What to compare with, if it is not NumPy's function of that name."""
    rtol: float = 0.0
    """Tolerance for floats, in units of the dtype's own precision if below 1e-3 would be too strict; 0 for equal bits."""
    dtype: bool = True
    """Whether the dtype must be equal."""
    errors: bool = True
    """Whether arguments that NumPy refuses must be refused, too."""


def arrays(dtypes: Any = REAL, ranks: Any = (0, 1, 2, 3), longest: int = 7, *, shape: Any = None, low: float = -50, high: float = 50, nan: bool = False, least: int = 0) -> st.SearchStrategy:
    """Draw NumPy arrays with values between `low` and `high` that are not too wild for exact comparisons."""
    dtypes = (dtypes,) if isinstance(dtypes, str) else dtypes
    ranks = (ranks,) if isinstance(ranks, int) else ranks

    @st.composite
    def build(draw: Callable) -> np.ndarray:
        dtype = np.dtype(draw(st.sampled_from(dtypes)))
        size = shape
        if size is None:
            size = tuple(draw(st.integers(least, longest)) for _ in range(draw(st.sampled_from(ranks))))
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        values = rng.uniform(low, high, size)
        if dtype.kind == "c":
            values = values + 1j * rng.uniform(low, high, size)
        if dtype.kind == "b":
            values = rng.random(size) < 0.5
        if dtype.kind in "iu":
            values = np.trunc(np.clip(values, 0 if dtype.kind == "u" else None, None))
        values = np.asarray(values).astype(dtype)
        if nan and dtype.kind in "fc" and values.size and draw(st.booleans()):
            values[rng.random(size) < 0.2] = np.nan
        return values

    return build()


def axes(rank: int, *, several: bool = True, none: bool = True) -> st.SearchStrategy:
    """Draw an axis, some axes, or None."""
    choices: list[st.SearchStrategy] = [st.none()] if none else []
    if rank:
        choices.append(st.integers(-rank, rank - 1))
        if several:
            choices.append(st.sets(st.integers(0, rank - 1), min_size=1).map(lambda s: tuple(sorted(s))))
    return st.one_of(choices) if choices else st.just(None)


def chunked(draw: Callable, value: Any) -> Any:
    """Give NumPy arrays inside a value as arrays of the package, cut at random."""
    if isinstance(value, np.ndarray):
        chunks = tuple(cuts(draw, n) for n in value.shape)
        return vm.from_array(value, chunks=chunks) if value.ndim else vm.asarray(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(chunked(draw, v) for v in value)
    if isinstance(value, dict):
        return {k: chunked(draw, v) for k, v in value.items()}
    return value


def cuts(draw: Callable, n: int) -> tuple[int, ...]:
    """Draw the lengths of chunks that add up to `n`."""
    if n == 0:
        return (0,)
    places = sorted(draw(st.sets(st.integers(1, n - 1), max_size=min(n - 1, 4)))) if n > 1 else []
    return tuple(b - a for a, b in zip([0, *places], [*places, n]))


def find(name: str) -> Callable:
    """Give a function of the package by its name."""
    place: Any = vm
    for part in name.split("."):
        place = getattr(place, part)
    return place


def reference_of(case: Case) -> Callable:
    """Give what a case is compared with."""
    if case.reference is not None:
        return case.reference
    if case.name.startswith("Array."):
        method = case.name.removeprefix("Array.")
        return lambda x, *args, **kwargs: getattr(x, method)(*args, **kwargs)
    place: Any = np
    for part in case.name.split("."):
        place = getattr(place, part)
    return place


def computed(value: Any) -> Any:
    """Give results as NumPy arrays."""
    if isinstance(value, vm.Array):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return [computed(v) for v in value]
    return value


def compare(case: Case, draw: Callable) -> None:
    """Run one example."""
    args, kwargs = case.draw(draw)
    mine = chunked(draw, args), chunked(draw, kwargs)
    expected = error = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = reference_of(case)(*args, **kwargs)
        except (ValueError, TypeError, IndexError, np.linalg.LinAlgError) as raised:
            error = raised
        with vm.config.set(random_tiles=draw(st.integers(0, 1000)), threads=2):
            if error is not None:
                refuse(case, mine, error)
                return
            found = computed(find(case.name)(*mine[0], **mine[1]))
    same(case, found, expected)


def refuse(case: Case, mine: tuple, error: Exception) -> None:
    """Expect an exception of the same kind."""
    if not case.errors:
        return
    try:
        computed(find(case.name)(*mine[0], **mine[1]))
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError) as found:
        kinds = (type(error), *type(error).__mro__[1:-3])
        assert isinstance(found, kinds) or isinstance(error, type(found)), f"{type(found).__name__}: {found}, NumPy: {error!r}"
        return
    raise AssertionError(f"{case.name} accepts what NumPy refuses: {error!r}")


def same(case: Case, found: Any, expected: Any) -> None:
    """Expect equal results."""
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for f, e in zip(found, expected):
            same(case, f, e)
        return
    if isinstance(expected, dict):
        assert found == expected
        return
    if not isinstance(expected, (np.ndarray, np.generic)):
        expected = np.asarray(expected)
        found = np.asarray(found)
        if expected.dtype.kind in "OU":
            assert found == expected
            return
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"shape {found.shape} instead of {expected.shape}"
    if case.dtype:
        assert found.dtype == expected.dtype, f"dtype {found.dtype} instead of {expected.dtype}"
    if case.rtol and expected.dtype.kind in "fc":
        fine = np.finfo(expected.dtype)
        rtol = max(case.rtol, 8 * float(fine.eps))
        finite = np.abs(expected[np.isfinite(expected)])
        atol = rtol * (float(finite.max()) if finite.size else 0.0)
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(found, expected)
