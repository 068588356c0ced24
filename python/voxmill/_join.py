"""Arrays joined, cut into parts, and with parts put between or left out."""

from __future__ import annotations

import math
import operator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from voxmill._host import host
from voxmill._core import ARRAY, axis_in
from voxmill._create import asarray, zeros
from voxmill._index import _bounds, basic, flat_positions, take_axis
from voxmill._parts import along, cut, fitted, resolve, true_positions, values_of
from voxmill._shape import _int_list, concatenate, moveaxis, ravel, reshape, tile


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Give the array without some positions of an axis.

    Parameters
    ----------
    arr : array_like
    obj : int, slice, array_like of int or bool
        What to leave out.
    axis : int, optional
        The flattened array is used by default.

    Examples
    --------
    >>> vm.delete(vm.arange(6), [1, 3]).compute()
    array([0, 2, 4, 5])
    """
    arr = asarray(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = axis_in(axis, arr.ndim)
    gone = _to_delete(obj, arr.shape[axis], axis)
    if len(gone) == 0:
        return arr
    if gone[-1] - gone[0] + 1 == len(gone):
        rest = [along(arr, axis, slice(0, int(gone[0]))), along(arr, axis, slice(int(gone[-1]) + 1, None))]
        return concatenate(rest, axis)
    return _without(arr, gone, axis)


def _to_delete(obj: Any, n: int, axis: int) -> np.ndarray:
    """Give the positions to leave out, in order."""
    if isinstance(obj, slice):
        return np.sort(np.arange(*obj.indices(n)))
    if not isinstance(obj, (ARRAY, np.ndarray)) and np.size(obj) == 0:
        return np.empty(0, np.intp)
    if np.ndim(obj) == 1 and asarray(obj).dtype == bool:
        if np.shape(obj) != (n,):
            raise ValueError(f"delete: the mask has shape {np.shape(obj)}, axis {axis} has length {n}")
        return true_positions(obj)
    index = values_of(obj)
    if index.dtype == bool:
        raise ValueError(f"delete: a mask must have one axis of length {n}, not shape {index.shape}")
    if index.dtype.kind not in "iu":
        raise IndexError(f"delete: positions must be integers, not {index.dtype}")
    return np.unique(resolve(index, n, "raise"))


def _without(arr: Any, gone: np.ndarray, axis: int) -> Any:
    """Leave out positions, which are in order. Blocks read from their first to their last element."""
    shape = arr.shape[:axis] + (arr.shape[axis] - len(gone),) + arr.shape[axis + 1 :]
    chunks = cut(shape)
    # Before an element that stays, as many are gone as have fewer elements before them that stay.
    staying_before = gone - np.arange(len(gone))
    bounds = []
    for begin, end in _bounds(chunks[axis]):
        first, last = (k + int(np.searchsorted(staying_before, k, "right")) for k in (begin, max(end - 1, begin)))
        bounds.append((first, last + 1) if end > begin else (0, 0))
    reads = [(k, _bounds(c)) for k, c in enumerate(chunks)]
    reads[axis] = (axis, bounds)
    kernel = partial(_drop, gone=gone, bounds=bounds, axis=axis)
    return host(kernel, "delete", [arr], [reads], shape, arr.dtype, chunks)


def _drop(block: tuple[int, ...], box: np.ndarray, gone: np.ndarray, bounds: list, axis: int) -> np.ndarray:
    begin, end = bounds[block[axis]]
    low, high = np.searchsorted(gone, (begin, end))
    return np.delete(box, gone[low:high] - begin, axis)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Give the array with values put before some positions of an axis.

    Parameters
    ----------
    arr : array_like
    obj : int, slice, array_like of int or bool
        Positions in `arr`.
    values : array_like
        Cast to the dtype of `arr`, and broadcast.
    axis : int, optional
        The flattened array is used by default.

    Examples
    --------
    >>> vm.insert(vm.arange(4), [1, 3], [10, 30]).compute()
    array([ 0, 10,  1,  2, 30,  3])
    """
    arr = asarray(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = axis_in(axis, arr.ndim)
    n = arr.shape[axis]
    index = _to_insert(obj, n)
    values = asarray(values).astype(arr.dtype)
    wrong = (index < -n) | (index > n)
    if wrong.any():
        raise IndexError(f"insert: position {index[wrong].flat[0]} is out of bounds for axis {axis} of length {n}")
    index = np.where(index < 0, index + n, index)
    if index.size == 1:
        return _inserted_once(arr, int(index.reshape(())), values, axis, single=index.ndim == 0)
    order = np.argsort(index, kind="stable")
    values = fitted(values, arr.shape[:axis] + (len(index),) + arr.shape[axis + 1 :], "insert")
    if (np.diff(order) != 1).any():
        values = take_axis(values, order, axis)
    return _woven(arr, values, index[order] + np.arange(len(index)), axis)


def _to_insert(obj: Any, n: int) -> np.ndarray:
    if isinstance(obj, slice):
        return np.arange(*obj.indices(n))
    if isinstance(obj, ARRAY) and obj.dtype == bool and obj.ndim == 1:
        return flat_positions(obj)
    index = values_of(obj)
    if index.ndim > 1:
        raise ValueError(f"insert: positions must have one axis, not {index.ndim}")
    if index.size == 0 and not isinstance(obj, (np.ndarray, ARRAY)):
        return index.astype(np.intp)
    if index.dtype == bool:
        if index.ndim != 1:
            raise ValueError("insert: a mask must have one axis")
        return np.flatnonzero(index)
    if index.dtype.kind not in "iu":
        raise IndexError(f"insert: positions must be integers, not {index.dtype}")
    return index.astype(np.intp)


def _inserted_once(arr: Any, index: int, values: Any, axis: int, *, single: bool) -> Any:
    """Put values before one position; as many as they have along the axis."""
    if values.ndim < arr.ndim:
        values = reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
    if single:
        # For a number, the first axis of values is the one that is inserted along.
        values = moveaxis(values, 0, axis)
    values = fitted(values, arr.shape[:axis] + (values.shape[axis],) + arr.shape[axis + 1 :], "insert")
    return concatenate([along(arr, axis, slice(0, index)), values, along(arr, axis, slice(index, None))], axis)


def _woven(arr: Any, values: Any, places: np.ndarray, axis: int) -> Any:
    """Put parts of `values` at places of the result, which are in order, and parts of `arr` everywhere else."""
    shape = arr.shape[:axis] + (arr.shape[axis] + len(places),) + arr.shape[axis + 1 :]
    chunks = cut(shape)
    mine = _bounds(chunks[axis])
    new = [tuple(int(k) for k in np.searchsorted(places, part)) for part in mine]
    old = [(begin - low, end - high) for (begin, end), (low, high) in zip(mine, new)]
    reads = [[(k, _bounds(c)) for k, c in enumerate(chunks)] for _ in range(2)]
    reads[0][axis], reads[1][axis] = (axis, old), (axis, new)
    kernel = partial(_weave, places=places, bounds=mine, new=new, axis=axis)
    return host(kernel, "insert", [arr, values], reads, shape, arr.dtype, chunks)


def _weave(
    block: tuple[int, ...], old: np.ndarray, values: np.ndarray, places: np.ndarray, bounds: list, new: list, axis: int
) -> np.ndarray:
    begin, end = bounds[block[axis]]
    low, high = new[block[axis]]
    is_old = np.ones(end - begin, bool)
    is_old[places[low:high] - begin] = False
    made = np.empty(old.shape[:axis] + (end - begin,) + old.shape[axis + 1 :], old.dtype)
    front = (slice(None),) * axis
    made[(*front, is_old)] = old
    made[(*front, ~is_old)] = values
    return made


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Give the array with values put behind its end, flattened if `axis` is None.

    Examples
    --------
    >>> vm.append(vm.arange(3), [7, 8]).compute()
    array([0, 1, 2, 7, 8])
    """
    if axis is None:
        return concatenate([ravel(arr), ravel(values)])
    return concatenate([arr, values], axis)


def resize(a: Any, new_shape: Any) -> Any:
    """Give an array of another size, with the elements of `a` repeated as often as needed.

    Examples
    --------
    >>> vm.resize(vm.arange(3), (2, 4)).compute()
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    a, shape = ravel(a), tuple(_int_list(new_shape))
    if any(n < 0 for n in shape):
        raise ValueError(f"resize: lengths must not be negative: {shape}")
    size = math.prod(shape)
    if a.size == 0 or size == 0:
        return zeros(shape, a.dtype)
    repeated = a if size <= a.size else tile(a, -(-size // a.size))
    return reshape(basic(repeated, (slice(0, size),)), shape)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list:
    """Cut an array into parts along an axis: a number of them, as even as possible, or at some positions.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.array_split(vm.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    x = asarray(ary)
    axis = axis_in(axis, x.ndim)
    n = x.shape[axis]
    if np.ndim(indices_or_sections):
        cuts = [0, *(operator.index(i) for i in values_of(indices_or_sections).tolist()), n]
    else:
        parts = int(indices_or_sections)
        if parts <= 0:
            raise ValueError(f"array_split: the number of parts must be at least 1, not {parts}")
        each, more = np.divmod(n, parts)
        cuts = [k * each + min(k, more) for k in range(parts + 1)]
    return [along(x, axis, slice(int(begin), int(end))) for begin, end in pairwise(cuts)]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list:
    """Cut an array into equal parts along an axis, or at some positions.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.split(vm.arange(6), [1, 4])]
    [[0], [1, 2, 3], [4, 5]]
    """
    x = asarray(ary)
    axis = axis_in(axis, x.ndim)
    if not np.ndim(indices_or_sections):
        parts = int(indices_or_sections)
        if parts <= 0 or x.shape[axis] % parts:
            raise ValueError(f"split: axis {axis} of length {x.shape[axis]} has no {parts} equal parts; use array_split")
    return array_split(x, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list:
    """Cut an array along its second axis, or the first where there is only one.

    Examples
    --------
    >>> [part.shape for part in vm.hsplit(vm.ones((2, 4)), [1])]
    [(2, 1), (2, 3)]
    """
    x = asarray(ary)
    if x.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> list:
    """Cut an array along its first axis.

    Examples
    --------
    >>> [part.shape for part in vm.vsplit(vm.ones((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    x = asarray(ary)
    if x.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list:
    """Cut an array along its third axis.

    Examples
    --------
    >>> [part.shape for part in vm.dsplit(vm.ones((2, 3, 4)), 2)]
    [(2, 3, 2), (2, 3, 2)]
    """
    x = asarray(ary)
    if x.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(x, indices_or_sections, 2)


def unstack(x: Any, /, *, axis: int = 0) -> tuple:
    """Give the parts of an axis as arrays of their own, without that axis.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.unstack(vm.arange(6).reshape(2, 3))]
    [[0, 1, 2], [3, 4, 5]]
    """
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("unstack: the array must have at least one axis")
    axis = axis_in(axis, x.ndim)
    return tuple(basic(x, (slice(None),) * axis + (k,)) for k in range(x.shape[axis]))


def block(arrays: Any, allow_unknown_chunksizes: bool = False) -> Any:
    """Join nested lists of arrays: the innermost along the last axis, the next along the one before, and so on.

    Examples
    --------
    >>> a, b = vm.ones((1, 2)), vm.zeros((1, 1))
    >>> vm.block([[a, b], [b, a]]).compute()
    array([[1., 1., 0.],
           [0., 1., 1.]])
    """
    depth = _depth_of(arrays, "arrays")
    rank = max(depth, max(_ranks_in(arrays)))
    return _joined_lists(arrays, depth, rank)


def _depth_of(item: Any, place: str) -> int:
    """Give how deep lists are nested, and see that it is the same everywhere."""
    if isinstance(item, tuple):
        raise TypeError(f"block: {place} is a tuple; blocks are arranged in lists")
    if not isinstance(item, list):
        return 0
    if not item:
        raise ValueError(f"block: {place} is an empty list")
    depths = [_depth_of(part, f"{place}[{k}]") for k, part in enumerate(item)]
    for k, depth in enumerate(depths):
        if depth != depths[0]:
            raise ValueError(f"block: lists are nested {depths[0]} deep in {place}[0], but {depth} deep in {place}[{k}]")
    return depths[0] + 1


def _ranks_in(item: Any) -> list[int]:
    return [rank for part in item for rank in _ranks_in(part)] if isinstance(item, list) else [np.ndim(item)]


def _joined_lists(item: Any, depth: int, rank: int) -> Any:
    if depth == 0:
        x = asarray(item)
        return x if x.ndim == rank else reshape(x, (1,) * (rank - x.ndim) + x.shape)
    return concatenate([_joined_lists(part, depth - 1, rank) for part in item], rank - depth)


__all__ = [
    "append", "array_split", "block", "delete", "dsplit", "hsplit", "insert", "resize", "split", "unstack", "vsplit",
]  # fmt: skip
