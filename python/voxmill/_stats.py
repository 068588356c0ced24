"""Histograms, averages, covariances and comparisons of whole arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from voxmill._bins import Equal, bin_edges, checked_range, lazy_edges, number_of_bins, rising, widened, widths
from voxmill._along import elementwise
from voxmill._host import host
from voxmill._chunks import even
from voxmill._core import ARRAY, axes_in, call, optional_dtype
from voxmill._create import asarray, eye, full
from voxmill._index import _bounds, basic
from voxmill._reduce import fitted_weights
from voxmill._run import compute
from voxmill._shape import atleast_2d, concatenate, squeeze, stack
from voxmill._work import BLOCK_BYTES, piece

# Histograms


def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> tuple[Any, Any]:
    """Count the elements in each of some bins.

    A bin holds its lower edge, but not its upper one; the last bin holds both.

    Parameters
    ----------
    a : array_like
    bins : int, sequence or str
        Number of equal bins; the edges of all bins, rising; or the name of one of NumPy's estimators of a good number: ``"auto"``,
        ``"fd"``, ``"doane"``, ``"scott"``, ``"stone"``, ``"rice"``, ``"sturges"``, ``"sqrt"``. These look at the array at the call.
    range : (float, float), optional
        Ends of equal bins; the smallest and the largest element by default, which takes a pass over the array.
    density : bool, optional
        Divide by the number of counted elements and the width of each bin.
    weights : array_like, optional
        What each element counts, in the shape of `a`.

    Returns
    -------
    hist, bin_edges : Array

    Examples
    --------
    >>> counts, edges = vm.histogram(vm.arange(10), bins=[0, 2, 9])
    >>> counts.compute(), edges.compute()
    (array([2, 8]), array([0, 2, 9]))
    """
    x, w = _to_count("histogram", a, weights)
    edges, n = bin_edges("histogram", x, bins, range, w is not None)
    counts = _counted(x, edges, n) if w is None else _weighted(x, w, edges, n)
    edges = asarray(edges)
    if density:
        counts = counts / widths(edges) / call("sum", (counts,))
    return counts, edges


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Give the edges of the bins of `histogram`.

    Examples
    --------
    >>> vm.histogram_bin_edges(vm.arange(9), 4).compute()
    array([0., 2., 4., 6., 8.])
    """
    x, w = _to_count("histogram_bin_edges", a, weights)
    return asarray(bin_edges("histogram_bin_edges", x, bins, range, w is not None)[0])


def _to_count(name: str, a: Any, weights: Any) -> tuple[Any, Any]:
    x = asarray(a)
    if x.dtype == bool:
        x = x.astype(np.uint8)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: {x.dtype} has no order; count x.real, x.imag or abs(x)")
    if weights is None:
        return x, None
    w = asarray(weights)
    if w.shape != x.shape:
        raise ValueError(f"{name}: weights should have the shape of a, {x.shape}, not {w.shape}")
    return x, w


def _counted(x: Any, edges: Any, n: int | None) -> Any:
    """Count elements with the engine's own op."""
    if isinstance(edges, np.ndarray):
        if len(edges) < 2:
            return asarray(np.zeros(0, np.intp))
        if n is None or edges.dtype != (x.dtype if x.dtype.kind == "f" else float):
            return call("histogram", (x,), {"bins": edges.tolist()})
        return call("histogram", (x,), {"bins": n, "range": [float(edges[0]), float(edges[-1])]})
    counts = call("histogram", (x,), {"bins": n})
    # The edges are asked for, since it is their maker that refuses what is not finite.
    whole = [(None, [(0, n)])], [(None, [(0, n + 1)])]
    return host(_First(), "histogram", [counts, edges], list(whole), (n,), counts.dtype, ((n,),))


class _First:
    """Gives the first of two arrays."""

    def __call__(self, block: tuple[int, ...], counts: np.ndarray, edges: np.ndarray) -> np.ndarray:
        return counts


def _weighted(x: Any, weights: Any, edges: Any, n: int | None) -> Any:
    """Sum weights per bin: for each piece of the array, then over the pieces."""
    edges = asarray(edges)
    n_bins = edges.size - 1
    if n_bins < 1:
        return asarray(np.zeros(0, weights.dtype))
    flat = [x.reshape(-1), weights.reshape(-1)]
    pieces = even(x.size, max(piece(BLOCK_BYTES // 2, 8), n_bins))
    reads = [[(0, _bounds(pieces))], [(0, _bounds(pieces))], [(None, [(0, edges.size)])]]
    shape, chunks = (len(pieces), n_bins), ((1,) * len(pieces), (n_bins,))
    parts = host(_Weigh(n), "histogram", [*flat, edges], reads, shape, weights.dtype, chunks)
    if weights.dtype == bool:
        return call("any", (parts,), {"axis": 0})
    return call("sum", (parts,), {"axis": 0, "dtype": optional_dtype(weights.dtype)})


class _Weigh:
    """`numpy.histogram` with weights over a piece."""

    def __init__(self, n: int | None):
        self.n = n

    def __call__(self, block: tuple[int, ...], values: np.ndarray, weights: np.ndarray, edges: np.ndarray) -> np.ndarray:
        if self.n is None:
            return np.histogram(values, edges, weights=weights)[0][None]
        return np.histogram(values, self.n, (edges[0], edges[-1]), weights=weights)[0][None]


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> tuple[Any, list]:
    """Count points in the cells of a grid.

    Parameters
    ----------
    sample : array_like
        A matrix with a point in each row, or a sequence of arrays with one coordinate each.
    bins : int or sequence
        For all axes, or for each one: a number of equal bins, or the edges of all bins, rising.
    range : sequence, optional
        For each axis the ends of equal bins, or None for the smallest and the largest coordinate.
    density : bool, optional
        Divide by the number of counted points and the size of each cell.
    weights : array_like, optional
        What each point counts.

    Returns
    -------
    hist : Array
        float64, an axis for each coordinate.
    edges : list of Array

    Examples
    --------
    >>> counts, edges = vm.histogramdd([vm.array([0, 1, 1]), vm.array([0, 2, 2])], bins=2)
    >>> counts.compute()
    array([[1., 0.],
           [0., 2.]])
    """
    columns = _columns(sample)
    edges = [asarray(e) for e in _cell_edges(columns, bins, range)]
    w = None if weights is None else asarray(weights)
    if w is not None and w.shape != columns[0].shape:
        raise ValueError(f"histogramdd: weights should have the shape {columns[0].shape}, one for each point, not {w.shape}")
    if w is not None and not np.can_cast(w.dtype, float, "safe"):
        raise TypeError(f"histogramdd: weights of {w.dtype} cannot be summed as float64")
    hist = _cells(columns, w, edges)
    if density:
        total = call("sum", (hist,))
        for axis, e in enumerate(edges):
            hist = hist / widths(e).reshape(tuple(-1 if k == axis else 1 for k, _ in enumerate(edges)))
        hist = hist / total
    return hist, edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    """Count points of a plane in the cells of a grid; see `histogramdd`.

    Parameters
    ----------
    x, y : array_like
        Coordinates of the points.
    bins : int, sequence, or pair of these
        A number of equal bins, or the edges of all bins, for both axes or for each one.
    range, density, weights
        As in `histogramdd`.

    Returns
    -------
    hist, xedges, yedges : Array

    Examples
    --------
    >>> vm.histogram2d(vm.array([0, 1, 1]), vm.array([0, 2, 2]), bins=2)[0].compute()
    array([[1., 0.],
           [0., 2.]])
    """
    x, y = asarray(x), asarray(y)
    if len(x) != len(y):
        raise ValueError(f"histogram2d: x and y must have the same length, not {len(x)} and {len(y)}")
    if isinstance(bins, ARRAY):
        bins = bins.compute()
    if (isinstance(bins, (list, tuple)) or np.ndim(bins)) and len(bins) not in (1, 2):
        bins = [np.asarray(bins)] * 2
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]


def _columns(sample: Any) -> list:
    """Give one array for each coordinate, all of one dtype."""
    if not hasattr(sample, "shape"):
        parts = [asarray(part) for part in sample]
        dtype = np.result_type(*(part.dtype for part in parts)) if parts else float
        if not parts or any(part.ndim == 0 for part in parts):
            sample = stack(parts) if parts else np.empty(0)
        elif any(part.ndim != 1 for part in parts) or len({part.shape for part in parts}) > 1:
            raise ValueError(f"histogramdd: coordinates must be arrays of one axis and one length, not {[p.shape for p in parts]}")
        else:
            return [_ordered(part.astype(dtype)) for part in parts]
    points = asarray(sample)
    if points.ndim != 2:
        points = atleast_2d(points).T
    if points.ndim != 2:
        raise ValueError(f"histogramdd: sample must be a matrix of points, not an array of {points.ndim} axes")
    return [_ordered(basic(points, (slice(None), k))) for k in range(points.shape[1])]


def _ordered(x: Any) -> Any:
    if x.dtype.kind == "c":
        raise TypeError(f"histogramdd: {x.dtype} has no order; count real parts, imaginary parts or absolute values")
    return x


def _cell_edges(columns: list, bins: Any, range: Any) -> list:
    """Give the edges along each axis, as NumPy arrays where they are known."""
    n_axes = len(columns)
    bins = bins.compute() if isinstance(bins, ARRAY) else bins
    if not isinstance(bins, Sequence) and not np.ndim(bins):
        bins = [bins] * n_axes
    if len(bins) != n_axes:
        raise ValueError(f"histogramdd: bins are given for {len(bins)} axes, the points have {n_axes}")
    if range is not None and len(range) != n_axes:
        raise ValueError(f"histogramdd: range must have an entry for each of {n_axes} axes, not {len(range)}")
    edges = []
    for axis, (x, given) in enumerate(zip(columns, bins)):
        name, given = f"histogramdd, axis {axis}", np.asarray(given)
        if given.ndim == 1:
            edges.append(rising(name, given))
            continue
        if given.ndim:
            raise ValueError(f"{name}: bins must be a number or a list of edges, not an array of {given.ndim} axes")
        n = number_of_bins(name, given)
        ends = checked_range(name, None if range is None else range[axis])
        if ends is None and x.size:
            edges.append(lazy_edges(Equal(name, n, None), x))
        else:
            edges.append(np.linspace(*widened(*(ends or (0, 1))), n + 1))
    return edges


def _cells(columns: list, weights: Any, edges: list) -> Any:
    """Count points per cell: for each piece of them, then over the pieces."""
    shape = tuple(e.size - 1 for e in edges)
    n_cells = int(np.prod([n + 2 for n in shape]))
    pieces = even(columns[0].size, max(piece(BLOCK_BYTES // 2, 8 * (len(columns) + 1)), n_cells))
    inputs = columns if weights is None else [*columns, weights]
    reads = [[(0, _bounds(pieces))] for _ in inputs] + [[(None, [(0, e.size)])] for e in edges]
    chunks = ((1,) * len(pieces), *((n,) for n in shape))
    count = _Cells(len(columns), weights is not None)
    parts = host(count, "histogramdd", [*inputs, *edges], reads, (len(pieces), *shape), np.float64, chunks)
    return call("sum", (parts,), {"axis": 0})


class _Cells:
    """`numpy.histogramdd` over a piece."""

    def __init__(self, n_axes: int, weighted: bool):
        self.n_axes, self.weighted = n_axes, weighted

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> np.ndarray:
        points = np.stack(boxes[: self.n_axes], axis=1)
        weights = boxes[self.n_axes] if self.weighted else None
        return np.histogramdd(points, list(boxes[-self.n_axes :]), weights=weights)[0][None]


def bincount(x: Any, weights: Any = None, minlength: int = 0, split_every: Any = None) -> Any:
    """Count how often each whole number from 0 occurs, or sum the weights of each.

    The largest number, and so the length of the result, is found at the call.

    Parameters
    ----------
    x : array_like of int
        One axis, nothing negative.
    weights : array_like, optional
        What each element counts; the result is float64 then.
    minlength : int
        Least length of the result.

    Examples
    --------
    >>> vm.bincount(vm.array([0, 1, 1, 3])).compute()
    array([1, 2, 0, 1])
    """
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError(f"bincount: x must have one axis, not {x.ndim}; flatten it first")
    if x.dtype.kind not in "biu":
        raise TypeError(f"bincount: x must hold whole numbers, not {x.dtype}; cast it with x.astype(int)")
    if minlength is None:
        raise TypeError("bincount: minlength must be 0 or more, not None")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError(f"bincount: minlength must not be negative, but it is {minlength}")
    if not x.size:
        return asarray(np.zeros(minlength, np.intp))  # As NumPy: whatever the weights are.
    w = None if weights is None else _weights_to_count(x, weights)
    x = x.astype(np.uint8) if x.dtype == bool else x
    low, high = compute(call("min", (x,)), call("max", (x,)))
    if low < 0:
        raise ValueError(f"bincount: x must have no negative elements, but one is {low}")
    n = max(int(high) + 1, minlength)
    if w is None:
        return call("bincount", (x,), {"minlength": n})
    pieces = even(x.size, max(piece(BLOCK_BYTES // 2, 16), n))
    reads = [[(0, _bounds(pieces))]] * 2
    parts = host(_Bincount(n), "bincount", [x, w], reads, (len(pieces), n), np.float64, ((1,) * len(pieces), (n,)))
    return call("sum", (parts,), {"axis": 0})


def _weights_to_count(x: Any, weights: Any) -> Any:
    w = asarray(weights)
    if not np.can_cast(w.dtype, float, "safe"):
        raise TypeError(f"bincount: weights of {w.dtype} cannot be summed as float64")
    if w.ndim != 1:
        raise ValueError(f"bincount: weights must have one axis, not {w.ndim}")
    if w.size != x.size:
        raise ValueError(f"bincount: there are {w.size} weights for {x.size} elements")
    return w


class _Bincount:
    """`numpy.bincount` with weights over a piece."""

    def __init__(self, n: int):
        self.n = n

    def __call__(self, block: tuple[int, ...], values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.bincount(values.astype(np.intp, copy=False), weights, self.n)[None]


# Averages and covariances


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Average over axes, weighted or not.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    weights : array_like, optional
        What each element counts: in the shape of `a`, or in that of the given axes.
    returned : bool
        Whether to give the sum of weights, too.
    keepdims : bool
        Leave reduced axes in place with length 1.

    Examples
    --------
    >>> vm.average(vm.array([1.0, 3.0]), weights=[3, 1]).compute()
    np.float64(1.5)
    """
    a = asarray(a)
    axes = list(axes_in(axis, a.ndim))
    params = {"axis": axes, "keepdims": bool(keepdims)}
    if weights is None:
        mean = call("mean", (a,), params)
        n = a.size / mean.size if mean.size else np.nan
        return (mean, full(mean.shape, n, mean.dtype)) if returned else mean
    w = fitted_weights("average", weights, a, axis)
    dtype = np.result_type(a.dtype, w.dtype, *([np.float64] if a.dtype.kind in "biu" else []))
    total = call("sum", (w,), {**params, "dtype": optional_dtype(dtype)})
    total = elementwise(_not_zero, total, dtype=dtype, name="average")
    mean = call("sum", (a.astype(dtype) * w.astype(dtype),), params) / total
    if not returned:
        return mean
    return mean, call("broadcast_to", (total,), {"shape": mean.shape})


def _not_zero(total: np.ndarray) -> np.ndarray:
    if (total == 0).any():
        raise ZeroDivisionError("average: weights sum to zero, so that nothing can be divided by their sum")
    return total


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """Give the covariances of variables, one in each row.

    Parameters
    ----------
    m : array_like
        Variables in rows, observations in columns; a single variable if there is one axis only.
    y : array_like, optional
        More variables.
    rowvar : bool
        False for variables in columns.
    bias : bool
        Whether to divide by the number of observations instead of one less.
    ddof : int, optional
        What is subtracted from the number of observations; it replaces `bias`.
    fweights, aweights : array_like, optional
        How often each observation was made, and how much it counts.
    dtype : dtype, optional
        Element type of the work and the result; at least float64 by default.

    Examples
    --------
    >>> vm.cov(vm.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof must be an integer, not {ddof!r}")
    x = _variables(m, y, rowvar, dtype)
    if x.shape[0] == 0:
        return asarray(np.empty((0, 0)))
    ddof = int(not bias) if ddof is None else int(ddof)
    w = _observation_weights(x.shape[1], fweights, aweights)
    if w is None:
        mean = call("mean", (x,), {"axis": [1], "keepdims": True})
        factor = asarray(np.float64(max(x.shape[1] - ddof, 0)))
    else:
        mean, total = average(x, 1, w, True, keepdims=True)
        factor = _freedom(basic(total, (0, 0)), ddof, w, aweights)
    centred = x - mean
    other = call("conj", (centred if w is None else centred * w,)).T
    result = call("matmul", (centred, other)) * (1 / factor).astype(_real(x.dtype))
    return squeeze(result)


def _real(dtype: np.dtype) -> np.dtype:
    return np.empty(0, dtype).real.dtype


def _variables(m: Any, y: Any, rowvar: bool, dtype: Any) -> Any:
    """Give all variables as rows of one matrix."""
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError(f"cov: m must have one or two axes, not {m.ndim}")
    more = [] if y is None else [asarray(y)]
    if any(part.ndim > 2 for part in more):
        raise ValueError(f"cov: y must have one or two axes, not {more[0].ndim}")
    dtype = np.result_type(m.dtype, *(part.dtype for part in more), np.float64) if dtype is None else np.dtype(dtype)
    x = atleast_2d(m.astype(dtype))
    x = x.T if not rowvar and m.ndim != 1 else x
    if not more or x.shape[0] == 0:
        return x
    other = atleast_2d(more[0].astype(dtype))
    return concatenate([x, other.T if not rowvar and other.shape[0] != 1 else other], 0)


def _observation_weights(n: int, fweights: Any, aweights: Any) -> Any:
    weights = None
    for name, given, check in (("fweights", fweights, _whole_numbers), ("aweights", aweights, _not_negative)):
        if given is None:
            continue
        w = asarray(given).astype(float)
        if w.ndim > 1:
            raise RuntimeError(f"cov: {name} must have one axis, not {w.ndim}")
        if w.shape != (n,):
            raise RuntimeError(f"cov: {name} have shape {w.shape}, but there are {n} observations")
        if isinstance(given, ARRAY):
            w = elementwise(check, w, dtype=float, name="cov")
        else:
            check(np.asarray(given, float))
        weights = w if weights is None else weights * w
    return weights


def _whole_numbers(weights: np.ndarray) -> np.ndarray:
    if (weights != np.around(weights)).any():
        raise TypeError("cov: fweights must be whole numbers")
    if (weights < 0).any():
        raise ValueError("cov: fweights cannot be negative")
    return weights


def _not_negative(weights: np.ndarray) -> np.ndarray:
    if (weights < 0).any():
        raise ValueError("cov: aweights cannot be negative")
    return weights


def _freedom(total: Any, ddof: int, w: Any, aweights: Any) -> Any:
    """Give what sums of products are divided by; 0 where nothing is left."""
    if ddof:
        lost = ddof if aweights is None else ddof * call("sum", (w * asarray(aweights),)) / total
        total = total - lost
    total = call("real", (total,)).astype(float)
    return call("where", (total > 0, total, 0.0))


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Give the correlation coefficients of variables, one in each row; see `cov`.

    Examples
    --------
    >>> vm.corrcoef(vm.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    # The diagonal, as a column: the others are zeros, which leave it as it is.
    square = call("where", (eye(c.shape[0], dtype=bool), call("real", (c,)), 0.0))
    spread = call("sqrt", (call("sum", (square,), {"axis": [1], "keepdims": True}),))
    c = c / spread / spread.T
    if c.dtype.kind != "c":
        return call("clip", (c,), {"min": -1, "max": 1})
    real, imag = (call("clip", (call(part, (c,)),), {"min": -1, "max": 1}) for part in ("real", "imag"))
    return (real + 1j * imag).astype(c.dtype)


# Whole arrays compared


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Say whether all elements of two arrays are equal within a tolerance; see `isclose`.

    Examples
    --------
    >>> bool(vm.allclose(vm.ones(3), 1 + 1e-9))
    True
    """
    from voxmill import isclose

    return call("all", (isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan),))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Say whether two arrays have the same shape and elements.

    Examples
    --------
    >>> bool(vm.array_equal(vm.arange(3), [0, 1, 2]))
    True
    """
    try:
        a, b = asarray(a1), asarray(a2)
    except (TypeError, ValueError):
        return asarray(np.False_)
    if a.shape != b.shape:
        return asarray(np.False_)
    same = a == b
    if equal_nan and a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = call("logical_or", (same, call("logical_and", (call("isnan", (a,)), call("isnan", (b,))))))
    return call("all", (same,))


def array_equiv(a1: Any, a2: Any) -> Any:
    """Say whether two arrays have the same elements after broadcasting.

    Examples
    --------
    >>> bool(vm.array_equiv(vm.ones((2, 3)), [1, 1, 1]))
    True
    """
    try:
        a, b = asarray(a1), asarray(a2)
        np.broadcast_shapes(a.shape, b.shape)
    except (TypeError, ValueError):
        return asarray(np.False_)
    return call("all", (a == b,))


__all__ = [
    "allclose", "array_equal", "array_equiv", "average", "bincount", "corrcoef", "cov", "histogram", "histogram2d",
    "histogram_bin_edges", "histogramdd",
]  # fmt: skip
