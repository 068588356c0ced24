"""Bins of histograms: where their edges are, and how many there should be."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from voxmill._host import host
from voxmill._core import ARRAY, call
from voxmill._index import basic
from voxmill._run import compute, compute_exprs


def widths(edges: Any) -> Any:
    """Give the width of each bin."""
    return (basic(edges, (slice(1, None),)) - basic(edges, (slice(0, -1),))).astype(float)


def bin_edges(name: str, x: Any, bins: Any, range: Any, weighted: bool) -> tuple[Any, int | None]:
    """Give the edges, as a NumPy array where they are known, and the number of bins if these are equal."""
    if isinstance(bins, str):
        if bins not in ESTIMATORS:
            raise ValueError(f"{name}: {bins!r} is no estimator of bins; there are {', '.join(ESTIMATORS)}")
        if weighted:
            raise TypeError(f"{name}: bins={bins!r} cannot be estimated for weighted elements; give a number or edges")
        ends = checked_range(name, range) or _seen_range(name, x)
        n = estimated_bins(x, bins, widened(*ends), range is not None)
        return _equal_edges(*ends, n, x.dtype), n
    bins = np.asarray(bins)
    if bins.ndim == 1:
        return rising(name, bins), None
    if bins.ndim:
        raise ValueError(f"{name}: bins must be a number, a name, or a list of edges, not an array of {bins.ndim} axes")
    n = number_of_bins(name, bins)
    ends = checked_range(name, range)
    if ends is None and x.size:
        return lazy_edges(Equal(name, n, x.dtype), x), n
    return _equal_edges(*(ends or (0, 1)), n, x.dtype), n


def number_of_bins(name: str, bins: np.ndarray) -> int:
    """Check a number of bins."""
    if bins.dtype.kind not in "iu":
        raise TypeError(f"{name}: bins must be an integer, a name or edges, not {bins.item()!r}")
    if bins < 1:
        raise ValueError(f"{name}: bins must be positive, not {bins.item()}")
    return operator.index(bins.item())


def rising(name: str, edges: np.ndarray) -> np.ndarray:
    """Check edges."""
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        raise ValueError(f"{name}: edges of bins must not be NaN")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError(f"{name}: edges of bins must rise")
    return edges


def checked_range(name: str, range: Any) -> tuple[Any, Any] | None:
    """Check a range that was given."""
    if range is None:
        return None
    low, high = (end.compute() if isinstance(end, ARRAY) else end for end in range)
    if low > high:
        raise ValueError(f"{name}: the range must rise, but it goes from {low} to {high}")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"{name}: the range from {low} to {high} is not finite")
    return low, high


def _seen_range(name: str, x: Any) -> tuple[Any, Any]:
    """Give the smallest and the largest element."""
    if not x.size:
        return 0, 1
    return _finite(name, *compute(call("min", (x,)), call("max", (x,))))


def _finite(name: str, low: Any, high: Any) -> tuple[Any, Any]:
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"{name}: the elements go from {low} to {high}, which is not finite; give range=")
    return low, high


def widened(low: Any, high: Any) -> tuple[Any, Any]:
    """Give a range without width one of 1."""
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _equal_edges(low: Any, high: Any, n: int, dtype: np.dtype) -> np.ndarray:
    """Give the edges of equal bins, with NumPy's dtype."""
    low, high = widened(low, high)
    made = np.result_type(low, high, dtype)
    edges = np.linspace(low, high, n + 1, dtype=np.result_type(made, float) if made.kind in "iu" else made)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"too many bins for the range from {low} to {high}: {n} of them have no width; take fewer")
    return edges


class Equal:
    """Makes the edges of equal bins from the smallest and the largest element."""

    def __init__(self, name: str, n: int, dtype: np.dtype | None):
        self.name, self.n, self.dtype = name, n, dtype

    def __call__(self, block: tuple[int, ...], low: np.ndarray, high: np.ndarray) -> np.ndarray:
        ends = _finite(self.name, low.reshape(-1)[0], high.reshape(-1)[0])
        if self.dtype is None:
            return np.linspace(*widened(*ends), self.n + 1)
        return _equal_edges(*ends, self.n, self.dtype)


def lazy_edges(make: Equal, x: Any) -> Any:
    """Give edges between the smallest and the largest element, which are not known yet."""
    one, n = np.ones(1, x.dtype), make.n + 1
    dtype = Equal(make.name, 1, make.dtype)((0,), one, one).dtype
    return host(make, make.name, [call("min", (x,)), call("max", (x,))], [[], []], (n,), dtype, ((n,),))


# Estimators

ESTIMATORS = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")
"""Names of ways to choose a number of bins."""


def estimated_bins(x: Any, name: str, ends: tuple[Any, Any], cut: bool) -> int:
    """Choose a number of equal bins between `ends`; what lies outside does not count if the range is `cut`."""
    integers = x.dtype.kind in "iu"
    if cut:
        # What is outside becomes NaN, so that nothing has to be gathered.
        inside = call("logical_and", (x >= ends[0], x <= ends[1]))
        x = call("where", (inside, x.astype(np.result_type(x.dtype, np.float16 if x.dtype.kind == "f" else float)), np.nan))
    seen = _Seen(x, "nan" if cut else "", ends)
    if not seen.size:
        return 1
    width = seen.width(name)
    if not width:
        return 1
    if integers and width < 1:
        width = 1
    return int(np.ceil(_difference(*ends) / width))


def _difference(low: Any, high: Any) -> Any:
    if isinstance(low, np.integer) and isinstance(high, np.integer):
        return int(high) - int(low)
    return high - low


class _Seen:
    """Statistics of an array for the estimators of bin widths, each computed when it is needed."""

    def __init__(self, x: Any, nan: str, ends: tuple[Any, Any]):
        self.x, self.nan, self.ends = x, nan, ends
        self.size = int(compute(call("sum", (call("isfinite", (x,)),)))[0]) if nan else x.size
        if self.size:
            self.spread = float(_difference(*compute(self.lazy("min"), self.lazy("max"))))

    def lazy(self, name: str, x: Any = None, **params: Any) -> Any:
        """Give a statistic that leaves out what is outside the range."""
        return call(self.nan + name, (self.x if x is None else x,), params)

    def width(self, name: str) -> Any:
        """Give the width of bins by an estimator."""
        return getattr(self, f"_{name}")()

    def _sqrt(self) -> float:
        return self.spread / np.sqrt(self.size)

    def _sturges(self) -> float:
        return self.spread / (np.log2(self.size) + 1.0)

    def _rice(self) -> float:
        return self.spread / (2.0 * self.size ** (1.0 / 3))

    def _scott(self) -> float:
        return (24.0 * np.pi**0.5 / self.size) ** (1.0 / 3.0) * self.lazy("std").compute()

    def _fd(self) -> float:
        high, low = self.lazy("percentile", q=[75.0, 25.0]).compute()
        return 2.0 * (high - low) * self.size ** (-1.0 / 3.0)

    def _auto(self) -> float:
        return min(max(self._fd(), self._sqrt() / 2), self._sturges())

    def _doane(self) -> float:
        mean, sigma = compute(self.lazy("mean"), self.lazy("std"))
        if self.size < 3 or sigma <= 0:
            return 0.0
        error = np.sqrt(6.0 * (self.size - 2) / ((self.size + 1.0) * (self.size + 3)))
        skew = self.lazy("mean", ((self.x - mean) / sigma) ** 3).compute()
        return self.spread / (1.0 + np.log2(self.size) + np.log2(1.0 + np.absolute(skew) / error))

    def _stone(self) -> float:
        if self.size <= 1 or self.spread == 0:
            return 0.0
        most, best, group = max(100, int(np.sqrt(self.size))), (np.inf, 1), 50
        for first in range(1, most + 1, group):
            numbers = range(first, min(first + group, most + 1))
            ends = [float(end) for end in self.ends]
            lazy = [call("histogram", (self.x,), {"bins": n, "range": ends}) for n in numbers]
            for n, counts in zip(numbers, compute_exprs([part._expr for part in lazy])):
                share = counts / self.size
                best = min(best, ((2 - (self.size + 1) * share.dot(share)) * n / self.spread, n))
        return self.spread / best[1]
