"""Searching and sorting: where elements are, in which order, and which are the largest."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from voxmill._along import elementwise, map_whole
from voxmill._host import host
from voxmill._chunks import even, normalize_chunks
from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._index import _bounds, basic
from voxmill._run import compute_exprs
from voxmill._sorting import Records, Top, Values, merged_top, sort_long
from voxmill._work import BLOCK_BYTES, own_chunks, piece, same_blocks

LANE_BYTES = 32 << 20
"""Rows of up to this many bytes are sorted at once; longer ones in blocks."""

KEPT_BYTES = 16 << 20
"""Positions of up to this many bytes are kept in memory; more are found again when they are asked for."""


# Positions


def nonzero(a: Any) -> tuple[Any, ...]:
    """Give the positions of elements that are not zero, an array for each axis.

    They are counted at the call: their number is the shape of the result.

    Examples
    --------
    >>> x = vm.array([[3, 0], [0, 5]])
    >>> [axis.compute().tolist() for axis in vm.nonzero(x)]
    [[0, 1], [0, 1]]
    """
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("nonzero does not take arrays without axes; use vm.atleast_1d(a).nonzero() if that is meant")
    where = argwhere(a)
    return tuple(basic(where, (slice(None), axis)) for axis in range(a.ndim))


def flatnonzero(a: Any) -> Any:
    """Give the positions in the flattened array of elements that are not zero. They are counted at the call.

    Examples
    --------
    >>> vm.flatnonzero(vm.array([0, 2, 0, 4])).compute()
    array([1, 3])
    """
    return nonzero(asarray(a).reshape(-1))[0]


def argwhere(a: Any) -> Any:
    """Give the positions of elements that are not zero, one in each row. They are counted at the call.

    Examples
    --------
    >>> vm.argwhere(vm.array([[3, 0], [0, 5]])).compute()
    array([[0, 0],
           [1, 1]])
    """
    a = asarray(a)
    flat = a.reshape(-1)
    length = piece(BLOCK_BYTES, 16)
    counts = _block_counts(flat, length)
    total = int(counts.sum())
    if total == 0 or a.ndim == 0:
        return asarray(np.empty((total, a.ndim), np.intp))
    used = np.flatnonzero(counts)
    bounds = [(int(k) * length, min((int(k) + 1) * length, flat.size)) for k in used]
    chunks = (tuple(counts[used].tolist()), (a.ndim,))
    found = host(_Where(a.shape, [begin for begin, _ in bounds]), "argwhere", [flat], [[(0, bounds)]], (total, a.ndim), np.intp, chunks)
    return found.persist() if total * a.ndim * 8 <= KEPT_BYTES else found


def _block_counts(flat: Any, length: int) -> np.ndarray:
    """Count the elements that are not zero in each piece of a flat array, in one run."""
    whole = flat.size // length
    rows = basic(flat, (slice(0, whole * length),)).reshape(whole, length)
    rest = basic(flat, (slice(whole * length, None),))
    counts = [call("count_nonzero", (x,), {"axis": axis, "keepdims": False}) for x, axis in ((rows, 1), (rest, 0))]
    return np.concatenate([np.atleast_1d(c) for c in compute_exprs([c._expr for c in counts])])


class _Where:
    """Finds the positions in a piece of a flattened array."""

    def __init__(self, shape: tuple[int, ...], begins: list[int]):
        self.shape, self.begins = shape, begins

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        flat = np.flatnonzero(box) + self.begins[block[0]]
        return np.stack(np.unravel_index(flat, self.shape), axis=1)


# Places in sorted arrays


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Give the positions in a sorted array before which values would go.

    Parameters
    ----------
    a : array_like
        One axis, rising. It may be lazy, and longer than memory.
    v : array_like
        The values.
    side : {"left", "right"}
        Before or after elements that are equal.
    sorter : array_like of int, optional
        Positions that sort `a`.

    Examples
    --------
    >>> vm.searchsorted(vm.array([1, 2, 2, 5]), vm.array([2, 6])).compute()
    array([1, 4])
    """
    a, v = asarray(a), asarray(v)
    if a.ndim != 1:
        raise ValueError(f"searchsorted: a must have one axis, not {a.ndim}; flatten it first")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    if sorter is not None:
        a = a[_checked_sorter(sorter, a.size)]
    pieces = even(a.size, piece(BLOCK_BYTES, a.itemsize))
    chunks = own_chunks(v.shape, max(v.itemsize, 8))
    reads = [same_blocks(chunks), [(v.ndim, _bounds(pieces))]]
    # Each piece of the sorted array says how many of its elements come first; together they are the position.
    counts = host(_Search(side), "searchsorted", [v, a], reads, (*v.shape, len(pieces)), np.intp, (*chunks, (1,) * len(pieces)))
    return call("sum", (counts,), {"axis": v.ndim, "dtype": "int64"})


def _checked_sorter(sorter: Any, n: int) -> np.ndarray:
    order = np.asarray(sorter)
    if order.dtype.kind not in "iu":
        raise TypeError(f"searchsorted: sorter must hold integers, not {order.dtype}")
    if order.shape != (n,):
        raise ValueError(f"searchsorted: sorter has shape {order.shape}, but a has {n} elements")
    return order


class _Search:
    """Counts the elements of a sorted piece that come before values."""

    def __init__(self, side: Any):
        self.side = side

    def __call__(self, block: tuple[int, ...], values: np.ndarray, piece: np.ndarray) -> np.ndarray:
        return np.asarray(np.searchsorted(piece, values, self.side))[..., None]


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Give the number of the bin that each element lies in.

    Parameters
    ----------
    x : array_like
    bins : array_like
        Edges, rising or falling. A lazy array is computed at the call.
    right : bool
        Whether bins hold their right edge instead of the left one.

    Examples
    --------
    >>> vm.digitize(vm.array([0.5, 1.0, 9.0]), [1, 5]).compute()
    array([0, 1, 2])
    """
    x, edges = asarray(x), np.asarray(bins)
    np.digitize(np.empty(0, x.dtype), edges, right)  # Refuses wrong bins here and now.
    return elementwise(np.digitize, x, dtype=np.intp, name="digitize", bins=edges, right=bool(right))


# Sorting


def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Any:
    """Sort along an axis. NaN comes last.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        The last one by default; None sorts the flattened array. It may be longer than memory.
    kind, stable
        Accepted for NumPy's sake: sorting is always stable.
    order
        Must be None.
    descending : bool
        Whether the largest elements come first.

    Examples
    --------
    >>> vm.sort(vm.array([[3, 1, 2]])).compute()
    array([[1, 2, 3]])
    """
    x, axis = _to_sort("sort", a, axis, kind, order, stable)
    if not x.size:
        return x
    if x.shape[axis] <= piece(LANE_BYTES, x.itemsize):
        result = map_whole(np.sort, x, (axis,), x.dtype, name="sort", axis=axis)
    else:
        result = sort_long(x, axis, Values(x.dtype))
    return call("flip", (result,), {"axis": [axis]}) if descending else result


def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Any:
    """Give the positions that sort an axis; those of equal elements stay in their order. NaN comes last.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        The last one by default; None sorts the flattened array. It may be longer than memory.
    kind, stable
        Accepted for NumPy's sake: sorting is always stable.
    order
        Must be None.
    descending : bool
        Whether the largest elements come first.

    Examples
    --------
    >>> vm.argsort(vm.array([3, 1, 2])).compute()
    array([1, 2, 0])
    """
    x, axis = _to_sort("argsort", a, axis, kind, order, stable)
    if not x.size:
        return asarray(np.empty(x.shape, np.intp))
    if descending:
        # Equal elements keep their order if both the array and its positions are reversed.
        backwards = call("flip", (argsort(call("flip", (x,), {"axis": [axis]}), axis),), {"axis": [axis]})
        return (x.shape[axis] - 1) - backwards
    if x.shape[axis] <= piece(LANE_BYTES, x.itemsize + 8):
        return map_whole(np.argsort, x, (axis,), np.intp, name="argsort", axis=axis, kind="stable")
    return sort_long(x, axis, Records(x.dtype))


def _to_sort(name: str, a: Any, axis: Any, kind: Any, order: Any, stable: Any) -> tuple[Any, int]:
    """Check arguments as NumPy does; give the array and the number of its axis."""
    x = asarray(a)
    if order is not None:
        raise ValueError(f"{name}: order={order!r} names fields, and arrays have none")
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: give either kind or stable, not both")
    if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
        raise ValueError(f"{name}: kind must be 'quicksort', 'heapsort', 'mergesort' or 'stable', not {kind!r}")
    if axis is None:
        return x.reshape(-1), 0
    if x.ndim == 0 and name.startswith("arg"):
        x = x.reshape(1)  # NumPy gives the positions, but not the elements, of a number.
    return x, axis_in(axis, x.ndim)


def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Any:
    """Give an axis with the elements at some positions as in the sorted axis, smaller ones before and larger ones behind.

    The axis is sorted altogether, which is one of the orders that `numpy.partition` may give.

    Examples
    --------
    >>> vm.partition(vm.array([3, 1, 2]), 1).compute()
    array([1, 2, 3])
    """
    x, axis = _to_partition("partition", a, kth, axis, kind, order)
    return sort(x, axis)


def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Any:
    """Give the positions that partition an axis; see `partition`.

    Examples
    --------
    >>> vm.argpartition(vm.array([3, 1, 2]), 1).compute()
    array([1, 2, 0])
    """
    x, axis = _to_partition("argpartition", a, kth, axis, kind, order)
    return argsort(x, axis)


def _to_partition(name: str, a: Any, kth: Any, axis: Any, kind: Any, order: Any) -> tuple[Any, int]:
    if kind != "introselect":
        raise ValueError(f"{name}: kind must be 'introselect', not {kind!r}")
    x, axis = _to_sort(name, a, axis, None, order, None)
    places = np.asarray(kth)
    if places.dtype.kind == "b":
        raise ValueError(f"{name}: kth must hold integers, not truth values")
    if places.dtype.kind not in "iu":
        raise TypeError(f"{name}: kth must hold integers, not {places.dtype}")
    if places.ndim > 1:
        raise ValueError(f"{name}: kth must be a number or a list of numbers, not an array of shape {places.shape}")
    n = x.shape[axis]
    outside = places[(places < -n) | (places >= n)].reshape(-1)
    if outside.size and x.size:
        raise ValueError(f"{name}: kth={outside[0]} is out of bounds of an axis of length {n}")
    return x, axis


def lexsort(keys: Any, axis: int = -1) -> Any:
    """Give the positions that sort by several keys, the last of which counts first. The axis must fit memory.

    Examples
    --------
    >>> vm.lexsort([vm.array([1, 0, 2]), vm.array([5, 5, 4])]).compute()
    array([2, 1, 0])
    """
    arrays = [asarray(key) for key in keys]
    if not arrays:
        raise TypeError("lexsort needs at least one key")
    if len({x.shape for x in arrays}) > 1:
        raise ValueError(f"lexsort: all keys must have one shape, not {sorted({x.shape for x in arrays})}")
    shape, rank = arrays[0].shape, arrays[0].ndim
    if rank == 0 and axis in (0, -1):
        return asarray(np.intp(0))
    axis = axis_in(axis, rank)
    itemsize = sum(x.itemsize for x in arrays) + 8
    entries = tuple(-1 if k == axis else "auto" for k in range(rank))
    chunks = normalize_chunks(entries, shape, limit=piece(BLOCK_BYTES, 1), dtype=np.dtype((np.void, itemsize)))
    return host(_Lexsort(axis), "lexsort", arrays, [same_blocks(chunks)] * len(arrays), shape, np.intp, chunks)


class _Lexsort:
    """`numpy.lexsort` over a block."""

    def __init__(self, axis: int):
        self.axis = axis

    def __call__(self, block: tuple[int, ...], *keys: np.ndarray) -> np.ndarray:
        return np.lexsort(keys, axis=self.axis)


# The largest elements


def topk(a: Any, k: int, axis: int = -1, split_every: Any = None) -> Any:
    """Give the `k` largest elements of an axis, the largest first; the smallest for a negative `k`, the smallest first.

    NaN counts as the largest. The axis may be longer than memory.

    Examples
    --------
    >>> vm.topk(vm.array([5, 1, 3, 6]), 2).compute()
    array([6, 5])
    >>> vm.topk(vm.array([5, 1, 3, 6]), -2).compute()
    array([1, 3])
    """
    return _top(a, k, axis, Values)


def argtopk(a: Any, k: int, axis: int = -1, split_every: Any = None) -> Any:
    """Give the positions of the `k` largest elements of an axis, or of the smallest for a negative `k`; see `topk`.

    Of equal elements the first comes first.

    Examples
    --------
    >>> vm.argtopk(vm.array([5, 1, 3, 6]), 2).compute()
    array([3, 0])
    """
    return _top(a, k, axis, Records)


def _top(a: Any, k: int, axis: int, kind: type) -> Any:
    x, k = asarray(a), operator.index(k)
    axis = axis_in(axis, x.ndim)
    form = kind(x.dtype)
    item = max(form.held.itemsize * math.prod(form.tail), x.itemsize)
    length = piece(BLOCK_BYTES, item)
    n = x.shape[axis]
    count = min(abs(k), n)
    if not x.size or not count:
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        return asarray(np.empty(shape, form.made))
    if n > length and 2 * count > length:
        whole = (argsort if kind is Records else sort)(x, axis, descending=k > 0)
        return basic(whole, (*[slice(None)] * axis, slice(0, count)))
    moved = call("moveaxis", (x,), {"source": [axis], "destination": [x.ndim - 1]})
    result = merged_top(moved, Top(form, count, k > 0), length)
    return call("moveaxis", (result,), {"source": [x.ndim - 1], "destination": [axis]})


__all__ = [
    "argpartition", "argsort", "argtopk", "argwhere", "digitize", "flatnonzero", "lexsort", "nonzero", "partition",
    "searchsorted", "sort", "topk",
]  # fmt: skip
