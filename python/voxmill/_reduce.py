"""Reductions, histograms and quantiles as NumPy calls them, on the ops of the table."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from voxmill import _index
from voxmill._assign import into
from voxmill._core import ARRAY, axes_in, axis_in, call, optional_dtype
from voxmill._create import asarray, full


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """Limit all elements to a range; either end may be left open, or be an array.

    Parameters
    ----------
    a : array_like
    a_min, a_max : number or array_like, optional
        Ends of the range. Where the lower one is above the upper one, the upper one counts.
    min, max
        The same by their other names.

    Examples
    --------
    >>> vm.clip(vm.arange(5), 1, 3).compute()
    array([1, 1, 2, 3, 3])
    """
    a = asarray(a)
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip: give either a_min and a_max or min and max, not both")
    low, high = (_number_or_array(first if first is not None else second) for first, second in ((a_min, min), (a_max, max)))
    a = a.astype(np.result_type(a.dtype, *(getattr(end, "dtype", end) for end in (low, high) if end is not None)))
    if low is not None:
        a = call("maximum", (a, _bound(low, a)))
    if high is not None:
        a = call("minimum", (a, _bound(high, a)))
    return into(out, a, "clip")


def _number_or_array(end: Any) -> Any:
    """Give Python's own numbers as they are, since they adapt to the dtype they meet."""
    return end if end is None or type(end) in (bool, int, float, complex) else asarray(end)


def _bound(value: Any, a: Any) -> Any:
    """Give an integer that an integer type does not have as the next one that it has."""
    if type(value) is int and a.dtype.kind in "iu":
        info = np.iinfo(a.dtype)
        return info.min if value < info.min else info.max if value > info.max else value
    return value


def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Round to a number of decimals, halves to even.

    Examples
    --------
    >>> vm.round(vm.array([1.25, 2.5]), 1).compute()
    array([1.2, 2.5])
    """
    return into(out, call("round", (asarray(a),), {"decimals": operator.index(decimals)}), "round")


around = round


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Give elements of `x` where the condition is true, of `y` elsewhere; with the condition alone, its positions.

    Examples
    --------
    >>> vm.where(vm.arange(4) > 1, 1, 0).compute()
    array([0, 0, 1, 1])
    """
    if x is None and y is None:
        from voxmill import nonzero

        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    condition = asarray(condition)
    return call("where", (condition if condition.dtype == bool else condition != 0, x, y))


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Count the elements over axes that are not zero.

    Examples
    --------
    >>> vm.count_nonzero(vm.array([[0, 3], [4, 5]]), axis=0).compute()
    array([1, 2])
    """
    return call("count_nonzero", (asarray(a),), {"axis": _axes(axis), "keepdims": keepdims})


def _axes(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


def _scan(name: str, x: Any, axis: Any, dtype: Any, out: Any = None) -> Any:
    x = asarray(x)
    if axis is None or x.ndim == 0:
        axis = axis_in(axis or 0, 1)
        x = x.reshape(-1)
    return into(out, call(name, (x,), {"axis": axis_in(axis, x.ndim), "dtype": optional_dtype(dtype)}), name)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: Any = None) -> Any:
    """Sum of all elements up to each one, along an axis or in the flattened array.

    Examples
    --------
    >>> vm.cumsum(vm.array([1, 2, 3])).compute()
    array([1, 3, 6])
    """
    return _scan("cumsum", a, axis, dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: Any = None) -> Any:
    """Product of all elements up to each one, along an axis or in the flattened array.

    Examples
    --------
    >>> vm.cumprod(vm.array([1, 2, 3])).compute()
    array([1, 2, 6])
    """
    return _scan("cumprod", a, axis, dtype, out)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: Any = None) -> Any:
    """Sum of all elements up to each one, with NaN as zero.

    Examples
    --------
    >>> vm.nancumsum(vm.array([1.0, np.nan, 3.0])).compute()
    array([1., 1., 4.])
    """
    return _scan("nancumsum", a, axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: Any = None) -> Any:
    """Product of all elements up to each one, with NaN as one.

    Examples
    --------
    >>> vm.nancumprod(vm.array([2.0, np.nan, 3.0])).compute()
    array([2., 2., 6.])
    """
    return _scan("nancumprod", a, axis, dtype, out)


def _cumulative(name: str, x: Any, axis: int | None, dtype: Any, include_initial: bool, first: int) -> Any:
    from voxmill._shape import concatenate

    x = asarray(x)
    x = x if x.ndim else x.reshape(1)
    if axis is None and x.ndim > 1:
        raise ValueError("for an array of several axes, the axis must be given")
    axis = axis_in(axis or 0, x.ndim)
    result = _scan(name, x, axis, dtype)
    if not include_initial:
        return result
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return concatenate([full(shape, first, result.dtype), result], axis)


def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Sum of all elements up to each one; with a leading zero if asked.

    Examples
    --------
    >>> vm.cumulative_sum(vm.array([1, 2]), include_initial=True).compute()
    array([0, 1, 3])
    """
    return _cumulative("cumsum", x, axis, dtype, include_initial, 0)


def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Product of all elements up to each one; with a leading one if asked.

    Examples
    --------
    >>> vm.cumulative_prod(vm.array([2, 3]), include_initial=True).compute()
    array([1, 2, 6])
    """
    return _cumulative("cumprod", x, axis, dtype, include_initial, 1)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """Exact median over axes, whatever the size of the array.

    Examples
    --------
    >>> vm.median(vm.array([[1, 2], [7, 9]]), axis=0).compute()
    array([4. , 5.5])
    """
    a = asarray(a)
    if a.dtype.kind == "c":
        return into(out, _complex_median(a, axes_in(axis, a.ndim), keepdims), "median")
    return into(out, call("median", (a,), {"axis": _axes(axis), "keepdims": keepdims}), "median")


def _complex_median(a: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Give the middle in the order of real, then imaginary parts, NaN if there is one."""
    from voxmill._search import sort

    rows = lanes_last(a, axes)
    n = rows.shape[-1]
    ordered = sort(rows)
    middle = [_index.basic(ordered, (..., slice(k, k + 1))) for k in ({(n - 1) // 2, n // 2} if n else ())]
    mean = call("mean", (call("concatenate", tuple(middle), {"axis": rows.ndim - 1}) if n else rows,), {"axis": [-1]})
    if n:
        last = _index.basic(ordered, (..., -1))
        mean = call("where", (call("isnan", (last,)), last, mean))
    return mean.reshape(reduced_shape(a.shape, axes, keepdims))


def lanes_last(a: Any, axes: tuple[int, ...]) -> Any:
    """Give an array with some axes as one, the last."""
    rest = [k for k in range(a.ndim) if k not in axes]
    return a.transpose(*rest, *sorted(axes)).reshape(*(a.shape[k] for k in rest), math.prod(a.shape[k] for k in axes))


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """Give the shape that is left when axes are reduced."""
    return tuple(1 if k in axes else n for k, n in enumerate(shape) if keepdims or k not in axes)


def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """Exact median over axes, without NaNs.

    Examples
    --------
    >>> vm.nanmedian(vm.array([1.0, np.nan, 4.0])).compute()
    np.float64(2.5)
    """
    return into(out, call("nanmedian", (asarray(a),), {"axis": _axes(axis), "keepdims": keepdims}), "nanmedian")


def _quantile(name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any) -> Any:
    a = asarray(a)
    if isinstance(q, ARRAY):
        q = q.compute()
    # NumPy itself says which dtype comes out, and refuses what is wrong.
    like = {} if weights is None else {"weights": np.ones(1)}
    dtype = np.asarray(getattr(np, name)(np.ones(1, a.dtype), q, method=method, **like)).dtype
    axes = axes_in(axis, a.ndim)
    if "nan" in name and not a.size:
        return into(out, call("nanmean", (a,), {"axis": list(axes), "keepdims": keepdims}), name)
    if not math.prod(a.shape[k] for k in axes) and (np.size(q) or a.dtype.kind == "f"):
        raise IndexError(f"{name}: there are no elements along axis {axis}")
    if weights is not None:
        return into(out, _weighted_quantile(name, a, q, axes, keepdims, fitted_weights(name, weights, a, axis), dtype), name)
    part = np.asarray(q)
    if method == "linear" and part.dtype.kind in "biu" and "percentile" not in name:
        method = "lower"  # The smallest or the largest element: nothing to interpolate.
    part = np.asarray(np.true_divide(part, 100) if "percentile" in name else part, float)
    params = {"q": part.reshape(-1).tolist() if part.ndim else part.item(), "axis": list(axes), "method": method, "keepdims": keepdims}
    shape = part.shape + reduced_shape(a.shape, axes, keepdims)
    if not math.prod(shape):
        return into(out, full(shape, 0, dtype), name)
    return into(out, call("nanquantile" if "nan" in name else "quantile", (a,), params).reshape(shape).astype(dtype), name)


def fitted_weights(name: str, weights: Any, a: Any, axis: Any) -> Any:
    """Give weights in the shape of `a`: they come in this shape, or in that of the axes that are reduced."""
    w = asarray(weights)
    if w.shape == a.shape:
        return w
    if axis is None:
        raise TypeError(f"{name}: weights of shape {w.shape} differ from a of shape {a.shape}, so that the axis must be given")
    axes = axes_in(axis, a.ndim)
    if w.shape != tuple(a.shape[k] for k in axes):
        raise ValueError(f"{name}: weights of shape {w.shape} fit neither a of shape {a.shape} nor its axes {axes}")
    w = w.transpose(*(int(k) for k in np.argsort(axes))).reshape(tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))
    return call("broadcast_to", (w,), {"shape": a.shape})


def _weighted_quantile(name: str, a: Any, q: Any, axes: tuple[int, ...], keepdims: bool, weights: Any, dtype: np.dtype) -> Any:
    """Let NumPy find weighted quantiles, of rows that must fit memory."""
    from voxmill._host import host
    from voxmill._chunks import normalize_chunks
    from voxmill._work import same_blocks

    x, w = lanes_last(a, axes), lanes_last(weights, axes)
    shape, last = np.shape(q), x.ndim - 1
    chunks = normalize_chunks((*["auto"] * last, -1), x.shape, limit=1 << 23, dtype=np.complex128)
    reads = [(axis + len(shape), bounds) for axis, bounds in same_blocks(chunks[:-1])] + [(None, [(0, x.shape[-1])])]
    made = (*((n,) for n in shape), *chunks[:-1])
    result = host(_Quantile(name, q), name, [x, w], [reads, reads], shape + x.shape[:-1], dtype, made)
    return result.reshape(shape + reduced_shape(a.shape, axes, keepdims))


class _Quantile:
    """NumPy's weighted quantiles over a block."""

    def __init__(self, name: str, q: Any):
        self.name, self.q = name, q

    def __call__(self, block: tuple[int, ...], box: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.asarray(getattr(np, self.name)(box, self.q, axis=-1, method="inverted_cdf", weights=weights))


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Exact quantiles over axes, whatever the size of the array.

    Parameters
    ----------
    a : array_like
    q : float or array_like of float
        Between 0 and 1.
    axis : int or tuple of int, optional
        All axes by default.
    method : str
        How a quantile between two elements is found: any of NumPy's methods.
    keepdims : bool
        Leave reduced axes in place with length 1.
    weights : array_like, optional
        With ``method="inverted_cdf"`` only; the axes must fit memory then.

    Examples
    --------
    >>> vm.quantile(vm.arange(101), [0.1, 0.5]).compute()
    array([10., 50.])
    """
    return _quantile("quantile", a, q, axis, out, method, keepdims, weights)


def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
    internal_method: Any = None,
) -> Any:
    """Exact percentiles over axes, whatever the size of the array; see `quantile`.

    Examples
    --------
    >>> vm.percentile(vm.arange(101), 25).compute()
    np.float64(25.0)
    """
    return _quantile("percentile", a, q, axis, out, method, keepdims, weights)


def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Exact quantiles over axes, without NaNs; see `quantile`.

    Examples
    --------
    >>> vm.nanquantile(vm.array([1.0, np.nan, 4.0]), 0.5).compute()
    np.float64(2.5)
    """
    return _quantile("nanquantile", a, q, axis, out, method, keepdims, weights)


def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Exact percentiles over axes, without NaNs; see `quantile`.

    Examples
    --------
    >>> vm.nanpercentile(vm.array([1.0, np.nan, 4.0]), 50).compute()
    np.float64(2.5)
    """
    return _quantile("nanpercentile", a, q, axis, out, method, keepdims, weights)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Multiply arrays and sum over the given axes.

    Examples
    --------
    >>> vm.tensordot(vm.ones((2, 3)), vm.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    a, b = asarray(a), asarray(b)
    if not isinstance(axes, (tuple, list, np.ndarray)):
        n = operator.index(axes)
        axes = [list(range(a.ndim - n, a.ndim)), list(range(n))]
    else:
        axes = [[int(k) for k in np.atleast_1d(side)] for side in axes]
    return call("tensordot", (a, b), {"axes": axes})


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Multiply over the last axis of `a` and the second to last of `b`.

    Examples
    --------
    >>> vm.dot(vm.array([1, 2]), [3, 4]).compute()
    np.int64(11)
    """
    return into(out, call("dot", (asarray(a), asarray(b))), "dot")


def vdot(a: Any, b: Any) -> Any:
    """Sum the products of all elements, the first array conjugated.

    Examples
    --------
    >>> vm.vdot(vm.array([1j, 2]), [1j, 1]).compute()
    np.complex128(3+0j)
    """
    return call("vdot", (asarray(a).reshape(-1), asarray(b).reshape(-1)))


def inner(a: Any, b: Any) -> Any:
    """Multiply over the last axes of both arrays.

    Examples
    --------
    >>> vm.inner(vm.array([[1, 2], [0, 1]]), [3, 4]).compute()
    array([11,  4])
    """
    return call("inner", (asarray(a), asarray(b)))


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Give all products of an element of `a` and an element of `b`.

    Examples
    --------
    >>> vm.outer(vm.array([1, 2]), [3, 4]).compute()
    array([[3, 4],
           [6, 8]])
    """
    return into(out, call("outer", (asarray(a), asarray(b))), "outer")


def moment(
    a: Any,
    order: int,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    ddof: int = 0,
    split_every: Any = None,
    out: Any = None,
) -> Any:
    """Central moment over axes, as Dask has it.

    Parameters
    ----------
    a : array_like
    order : int
        The power of distances from the mean; 2 gives the variance.
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Element type of the result.
    keepdims : bool
        Leave reduced axes in place with length 1.
    ddof : int
        What is subtracted from the number of elements.

    Examples
    --------
    >>> vm.moment(vm.array([1.0, 2.0, 3.0, 6.0]), 3).compute()
    np.float64(4.5)
    """
    a = asarray(a)
    if not isinstance(order, (int, np.integer)) or order < 0:
        raise ValueError(f"moment: order must be a whole number of at least 0, not {order!r}")
    axes = list(axes_in(axis, a.ndim))
    shape = reduced_shape(a.shape, tuple(axes), keepdims)
    if order < 2:
        return into(out, full(shape, 1 - order, float if dtype is None else dtype), "moment")
    dtype = call("var", (a,)).dtype if dtype is None else np.dtype(dtype)
    x = a if a.dtype.kind in "fc" else a.astype(float)
    distance = x - call("mean", (x,), {"axis": axes, "keepdims": True})
    total = call("sum", (distance**order,), {"axis": axes, "keepdims": keepdims})
    n = math.prod(a.shape[k] for k in axes)
    return into(out, (total / (n - ddof)).astype(dtype), "moment")


def nanargmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False, split_every: Any = None) -> Any:
    """Give the position of the first smallest element, NaN left out; -1 where all are NaN.

    Examples
    --------
    >>> vm.nanargmin(vm.asarray([np.nan, 3.0, 1.0])).compute()
    np.int64(2)
    """
    return _position("nanargmin", a, axis, keepdims, out)


def nanargmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False, split_every: Any = None) -> Any:
    """Give the position of the first largest element, NaN left out; -1 where all are NaN.

    Examples
    --------
    >>> vm.nanargmax(vm.asarray([np.nan, 3.0, 1.0])).compute()
    np.int64(1)
    """
    return _position("nanargmax", a, axis, keepdims, out)


def _position(name: str, a: Any, axis: int | None, keepdims: bool, out: Any) -> Any:
    a = asarray(a)
    if a.size == 0 if axis is None else a.shape[axis_in(axis, a.ndim)] == 0:
        raise ValueError(f"{name}: attempt to get the position in an empty sequence")
    return into(out, call(name, (a,), {"axis": axis, "keepdims": keepdims}), name)


__all__ = [
    "around", "clip", "count_nonzero", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "dot", "inner",
    "median", "moment", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmedian", "nanpercentile", "nanquantile", "outer", "percentile",
    "quantile", "round", "tensordot", "vdot", "where",
]  # fmt: skip
