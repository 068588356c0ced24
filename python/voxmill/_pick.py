"""Elements by their positions and by conditions, and assignments to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from voxmill._along import elementwise
from voxmill._host import host
from voxmill._core import ARRAY, axes_in, axis_in, call
from voxmill._create import arange, asarray, zeros
from voxmill._index import _bounds, basic, get, take_axis
from voxmill._join import resize
from voxmill._parts import WEAK, along, as_column, axis_reads, changed, cut, either, fitted, indices_of, into, own_reads
from voxmill._parts import resolved, segments, zero
from voxmill._shape import broadcast_to, ravel, reshape


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """Give the elements at some positions of an axis.

    Lazy positions stay lazy: ``vm.take(table, labels)`` looks up a value for each element of an image that does not fit memory.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
    axis : int, optional
        The flattened array is used by default.
    out : Array, optional
        Becomes the result.
    mode : {"raise", "wrap", "clip"}
        What happens to positions outside the array.

    Examples
    --------
    >>> vm.take(vm.arange(5) * 10, [3, 0]).compute()
    array([30,  0])
    """
    a = asarray(a)
    if axis is None or a.ndim == 0:
        if axis not in (None, 0, -1):
            raise np.exceptions.AxisError(axis, a.ndim)
        a, axis = ravel(a), 0
    axis = axis_in(axis, a.ndim)
    index = indices_of(indices, "take", TypeError, truth=True)
    if 0 in a.shape[:axis] + a.shape[axis + 1 :]:
        # Nothing is taken. NumPy looks at the positions all the same, unless there is no row to take from.
        if 0 not in a.shape[:axis]:
            resolved(np.asarray(index), a.shape[axis], mode, "take")
        return into(zeros(a.shape[:axis] + index.shape + a.shape[axis + 1 :], a.dtype), out, "take")
    if isinstance(index, ARRAY):
        return into(_looked_up(a, index, axis, mode), out, "take")
    index = resolved(index, a.shape[axis], mode, "take")
    shape = a.shape[:axis] + index.shape + a.shape[axis + 1 :]
    return into(reshape(take_axis(a, index.reshape(-1), axis), shape), out, "take")


def _looked_up(a: Any, index: Any, axis: int, mode: str) -> Any:
    """Pick elements at lazy positions: blocks read their positions, and the axis in parts."""
    rest = a.shape[:axis] + a.shape[axis + 1 :]
    parts = segments(a.shape[axis], a.itemsize)
    checked = resolved(index, a.shape[axis], mode, "take")
    if len(parts) > 1:
        # Positions in other parts are no mistakes.
        index, mode = checked, "clip"
    # A block holds a box of `a` and its own elements: first the box must fit, then what is made of it.
    others = cut(rest, max(b - a for a, b in parts))
    mine = cut(index.shape, math.prod(max(c) for c in others))
    chunks = others[:axis] + mine + others[axis:]
    shape = a.shape[:axis] + index.shape + a.shape[axis + 1 :]
    reads_index = [(axis + k, _bounds(c)) for k, c in enumerate(mine)]
    wide = index.reshape(index.shape + (1,) * (len(rest) - axis))
    result = None
    for begin, end in parts:
        reads = [(k if k < axis else k - 1 + index.ndim, _bounds(others[k if k < axis else k - 1])) for k in range(a.ndim) if k != axis]
        reads.insert(axis, (None, [(0, end - begin)]))
        segment = along(a, axis, slice(begin, end))
        kernel = partial(_pick, begin=begin, axis=axis, mode=mode)
        made = host(kernel, "take", [segment, index], [reads, reads_index], shape, a.dtype, chunks)
        result = made if result is None else either(wide >= begin, made, result)
    return result


def _pick(block: tuple[int, ...], box: np.ndarray, index: np.ndarray, begin: int, axis: int, mode: str) -> np.ndarray:
    return np.take(box, index - begin if begin else index, axis=axis, mode=mode)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Give, for each row along an axis, the elements at that row's own positions: those of `argsort`, for example.

    Examples
    --------
    >>> x = vm.asarray([[3, 1, 2], [4, 6, 5]])
    >>> vm.take_along_axis(x, np.argmax(x, axis=1, keepdims=True), axis=1).compute()
    array([[3],
           [6]])
    """
    arr = asarray(arr)
    arr, index, axis = _rows_and_indices(arr, indices, axis, "take_along_axis")
    n, shape = arr.shape[axis], _rows_shape(arr, index, axis)
    if 0 in shape:
        return zeros(shape, arr.dtype)
    index = asarray(resolved(index, n, "raise", "take_along_axis"))
    parts = segments(n, arr.itemsize)
    others = cut([m for k, m in enumerate(shape) if k != axis], max(b - a for a, b in parts))
    mine = cut([shape[axis]], math.prod(max(c) for c in others))
    chunks = others[:axis] + mine + others[axis:]
    result = None
    for begin, end in parts:
        reads = own_reads(chunks, arr.shape)
        reads[axis] = (None, [(0, end - begin)])
        segment = along(arr, axis, slice(begin, end))
        kernel = partial(_pick_along, begin=begin, axis=axis)
        made = host(kernel, "take_along_axis", [segment, index], [reads, own_reads(chunks, index.shape)], shape, arr.dtype, chunks)
        result = made if result is None else either(index >= begin, made, result)
    return result


def _rows_and_indices(arr: Any, indices: Any, axis: int | None, name: str) -> tuple[Any, Any, int]:
    index = indices_of(indices, name, IndexError, truth=False)
    if axis is None:
        if index.ndim != 1:
            raise ValueError(f"{name}: with axis=None, indices must have one axis, not {index.ndim}")
        return ravel(arr), index, 0
    axis = axis_in(axis, arr.ndim)
    if index.ndim != arr.ndim:
        raise ValueError(f"{name}: indices have {index.ndim} axes, the array has {arr.ndim}; they must have the same number")
    return arr, index, axis


def _rows_shape(arr: Any, index: Any, axis: int) -> tuple[int, ...]:
    """Give the shape of what rows of positions name."""
    rows = arr.shape[:axis] + (1,) + arr.shape[axis + 1 :]
    try:
        return np.broadcast_shapes(rows, index.shape)
    except ValueError:
        raise IndexError(f"indices of shape {index.shape} do not go with an array of shape {arr.shape}, apart from axis {axis}") from None


def _pick_along(block: tuple[int, ...], box: np.ndarray, index: np.ndarray, begin: int, axis: int) -> np.ndarray:
    inside = np.clip(index - begin, 0, max(box.shape[axis] - 1, 0))
    return np.take_along_axis(box, inside, axis)


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Give, for each element of `a`, the element of the choice that it names.

    Parameters
    ----------
    a : array_like of int
        Numbers of choices.
    choices : sequence of array_like
        They are broadcast against `a`; of an array, the first axis counts.
    mode : {"raise", "wrap", "clip"}
        What happens to numbers that no choice has.

    Examples
    --------
    >>> vm.choose(vm.asarray([0, 1, 1]), [10, vm.asarray([1, 2, 3])]).compute()
    array([10,  2,  3])
    """
    index = indices_of(a, "choose", TypeError, truth=True)
    values = list(choices)
    if not values:
        raise ValueError("choose needs at least one choice")
    dtype = np.result_type(*(_weak(v) for v in values))
    values = [asarray(v).astype(dtype) for v in values]
    index = asarray(resolved(index, len(values), mode, "choose", ValueError, negative=False))
    shape = np.broadcast_shapes(index.shape, *(v.shape for v in values))
    result = broadcast_to(zero(dtype), shape)
    for number, value in enumerate(values):
        result = either(index == number, value, result)
    return into(result, out, "choose")


def _weak(value: Any) -> Any:
    """Give what decides about a common dtype: the dtype of arrays, and Python's numbers as they are."""
    return value if type(value) in WEAK else asarray(value).dtype


def select(condlist: Sequence, choicelist: Sequence, default: Any = 0) -> Any:
    """Give elements of the first choice whose condition holds, and `default` where none does.

    Examples
    --------
    >>> x = vm.arange(6)
    >>> vm.select([x < 2, x > 3], [x, x * 10], default=-1).compute()
    array([ 0,  1, -1, -1, 40, 50])
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: there are {len(condlist)} conditions and {len(choicelist)} choices; each choice needs one condition")
    if not condlist:
        raise ValueError("select needs at least one condition")
    conditions = [asarray(c) for c in condlist]
    for number, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"select: condition {number} is {condition.dtype}; conditions must be bool: compare, or use astype(bool)")
    dtype = np.result_type(*(_weak(v) for v in (*choicelist, default)))
    choices = [asarray(v).astype(dtype) for v in choicelist]
    fallback = asarray(default).astype(dtype)
    shape = np.broadcast_shapes(*(x.shape for x in (*conditions, *choices, fallback)))
    result = broadcast_to(fallback, shape)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = either(condition, choice, result)
    return result


def piecewise(x: Any, condlist: Any, funclist: Sequence, *args: Any, **kw: Any) -> Any:
    """Give values of the last function whose condition holds, in the dtype of `x`.

    Parameters
    ----------
    x : array_like
    condlist : list of array_like of bool
    funclist : list of callable or number
        One for each condition, and perhaps another for elements without any. Functions are called block by block with the elements that
        they are for, and must work element by element.
    *args, **kw
        Passed on to functions.

    Examples
    --------
    >>> x = vm.asarray([-2.0, 0.5, 3.0])
    >>> vm.piecewise(x, [x < 0, x > 1], [0, lambda v: v * 10, 1]).compute()
    array([ 0.,  1., 30.])
    """
    x = asarray(x)
    lazy = isinstance(condlist, ARRAY)
    if np.isscalar(condlist) or (lazy and condlist.ndim <= x.ndim) or (not lazy and _is_one_condition(condlist, x)):
        condlist = [condlist]
    conditions = [asarray(c).astype(bool) for c in condlist]
    if len(funclist) - len(conditions) not in (0, 1):
        n = len(conditions)
        raise ValueError(f"piecewise: with {n} conditions, {n} or {n + 1} functions are expected, not {len(funclist)}")
    for condition in conditions:
        if condition.ndim and condition.shape != x.shape:
            raise IndexError(f"piecewise: a condition has shape {condition.shape}, x has {x.shape}")
    kernel = partial(_pieces, functions=tuple(funclist), args=args, kw=kw)
    return elementwise(kernel, x, *conditions, dtype=x.dtype, name="piecewise")


def _is_one_condition(condlist: Any, x: Any) -> bool:
    return x.ndim != 0 and not isinstance(condlist[0], (list, np.ndarray, ARRAY))


def _pieces(x: np.ndarray, *conditions: np.ndarray, functions: tuple, args: tuple, kw: dict) -> np.ndarray:
    conditions = tuple(np.broadcast_to(c, x.shape) for c in conditions)
    return np.piecewise(x, list(conditions), functions, *args, **kw)


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Give the parts of an axis for which a condition is true. A lazy condition is computed now: it decides about the shape.

    Examples
    --------
    >>> vm.compress([True, False, True], vm.arange(6).reshape(3, 2), axis=0).compute()
    array([[0, 1],
           [4, 5]])
    """
    a = asarray(a)
    if np.ndim(condition) != 1:
        raise ValueError(f"compress: the condition must have one axis, not {np.ndim(condition)}")
    if axis is None:
        a, axis = ravel(a), 0
    return into(_where_true(a, condition, axis_in(axis, a.ndim), "compress"), out, "compress")


def _where_true(a: Any, condition: Any, axis: int, name: str) -> Any:
    """Give the parts of an axis where a condition, which may be shorter or longer than the axis, is true."""
    n, m = a.shape[axis], len(condition)
    mask = condition if isinstance(condition, ARRAY) else np.asarray(condition)
    mask = mask if mask.dtype == bool else mask != 0
    if m > n:
        if bool(mask[n:].any()):
            raise IndexError(f"{name}: the condition is true beyond the {n} elements of axis {axis}")
        mask = mask[:n]
    return get(along(a, axis, slice(0, m)) if m < n else a, (slice(None),) * axis + (mask,))


def extract(condition: Any, arr: Any) -> Any:
    """Give the elements for which a condition is true, in one axis. A lazy condition is computed now: it decides about the shape.

    Examples
    --------
    >>> x = vm.arange(6)
    >>> vm.extract(x % 2 == 0, x).compute()
    array([0, 2, 4])
    """
    condition = ravel(condition) if isinstance(condition, ARRAY) else np.ravel(condition)
    return _where_true(ravel(arr), condition, 0, "extract")


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Give the smallest box that holds all elements that are not zero. Computes where these are: they decide about the shape.

    Parameters
    ----------
    filt : array_like
    trim : {"fb", "f", "b"}
        Which sides to cut: front, back or both.
    axis : int or tuple of int, optional
        Axes to cut; all by default.

    Examples
    --------
    >>> vm.trim_zeros(vm.asarray([0, 0, 1, 0, 2, 0])).compute()
    array([1, 0, 2])
    """
    x = asarray(filt)
    if sorted(trim.lower()) not in (["b"], ["f"], ["b", "f"]):
        raise ValueError(f"trim_zeros: trim must be 'f', 'b' or 'fb', not {trim!r}")
    axes = axes_in(axis, x.ndim)
    if not axes:
        return x
    if x.size == 0:
        return basic(x, tuple(slice(0, 0) if k in axes else slice(None) for k in range(x.ndim)))
    from voxmill._run import compute

    used = x if x.dtype == bool else x != 0
    ends = []
    for k in axes:
        place = as_column(arange(x.shape[k]), k, x.ndim)
        ends += [either(used, place, x.shape[k]).min(), either(used, place, -1).max()]
    found = [int(value) for value in compute(*ends, progress=False)]
    box = [slice(None)] * x.ndim
    for k, first, last in zip(axes, found[::2], found[1::2]):
        if last < 0:
            box[k] = slice(0, 0)
        else:
            box[k] = slice(first if "f" in trim.lower() else 0, last + 1 if "b" in trim.lower() else None)
    return basic(x, tuple(box))


# Changes in place: the array becomes another expression, as with x[index] = value


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Set, in each row along an axis, the elements at that row's own positions. Changes `arr`; later values win.

    Examples
    --------
    >>> x = vm.asarray([[3, 1, 2], [4, 6, 5]])
    >>> vm.put_along_axis(x, np.array([[0], [1]]), 99, axis=1)
    >>> x.compute()
    array([[99,  1,  2],
           [ 4, 99,  5]])
    """
    rows, index, k = _rows_and_indices(changed(arr, "put_along_axis"), indices, axis, "put_along_axis")
    values = fitted(asarray(values).astype(arr.dtype), _rows_shape(rows, index, k), "put_along_axis")
    if values.size:
        index = asarray(resolved(index, rows.shape[k], "raise", "put_along_axis"))
        arr._expr = reshape(_put_rows(rows, index, values, k), arr.shape)._expr


def _put_rows(rows: Any, index: Any, values: Any, axis: int) -> Any:
    """Blocks read all positions and values of their rows, and use those that lie inside of them."""
    others = cut([n for k, n in enumerate(rows.shape) if k != axis], max(values.shape[axis], 1))
    mine = cut([rows.shape[axis]], math.prod(max(c) for c in others))
    chunks = others[:axis] + mine + others[axis:]

    def reads_of(x: Any) -> list:
        reads = []
        for k, n in enumerate(x.shape):
            # An axis of length 1 takes values of all rows.
            whole = k == axis or rows.shape[k] == 1
            reads.append((None, [(0, n)]) if whole else axis_reads(chunks[k], n, k))
        return reads

    kernel = partial(_put_inside, bounds=_bounds(mine[0]), axis=axis)
    reads = [[(k, _bounds(c)) for k, c in enumerate(chunks)], reads_of(index), reads_of(values)]
    return host(kernel, "put_along_axis", [rows, index, values], reads, rows.shape, rows.dtype, chunks)


def _put_inside(block: tuple[int, ...], box: np.ndarray, index: np.ndarray, values: np.ndarray, bounds: list, axis: int) -> np.ndarray:
    begin, end = bounds[block[axis]]
    index = np.broadcast_to(index, values.shape)
    mine = (index >= begin) & (index < end)
    where = list(np.nonzero(mine))
    where = [np.zeros_like(w) if box.shape[k] == 1 else w for k, w in enumerate(where)]
    where[axis] = index[mine] - begin
    box[tuple(where)] = values[mine]
    return box


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set elements at positions of the flattened array; values are repeated if there are too few. Changes `a`.

    Examples
    --------
    >>> x = vm.zeros(4, dtype=int)
    >>> vm.put(x, [0, 3], [7, 8])
    >>> x.compute()
    array([7, 0, 0, 8])
    """
    changed(a, "put")
    index = indices_of(ind, "put", TypeError, truth=True)
    index, values = ravel(asarray(resolved(index, a.size, mode, "put"))), ravel(asarray(v))
    if index.size and values.size:
        put_along_axis(a, index, resize(values, index.size), None)


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Set the elements where a mask is true to those of `values` at the same place, repeated if there are too few. Changes `a`.

    Examples
    --------
    >>> x = vm.arange(4)
    >>> vm.putmask(x, x > 1, x * 10)
    >>> x.compute()
    array([ 0,  1, 20, 30])
    """
    mask, values = asarray(mask), asarray(values)
    if mask.size != changed(a, "putmask").size:
        raise ValueError(f"putmask: the mask has shape {mask.shape}, the array has {a.shape}; they must have the same size")
    if values.size == 0:
        return
    if not np.can_cast(values.dtype, a.dtype, "same_kind"):
        raise TypeError(f"putmask: cannot cast values from {values.dtype} to {a.dtype}; use astype first")
    if values.shape != a.shape:
        values = resize(values, a.shape)
    a._expr = either(reshape(mask, a.shape).astype(bool), values.astype(a.dtype), a)._expr


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Set the elements where a mask is true to one value after the other, from the start again if there are too few. Changes `arr`.

    Examples
    --------
    >>> x = vm.arange(5)
    >>> vm.place(x, x > 1, [7, 8])
    >>> x.compute()
    array([0, 1, 7, 8, 7])
    """
    mask, values = ravel(asarray(mask)).astype(bool), ravel(asarray(vals))
    if mask.size != changed(arr, "place").size:
        raise ValueError(f"place: the mask has {mask.size} elements, the array has {arr.size}; they must have the same number")
    if values.size == 0:
        if bool(mask.any()):
            raise ValueError("place: there are no values to put where the mask is true")
        return
    number = (call("cumsum", (mask,), {"axis": 0, "dtype": None}) - 1) % values.size
    picked = _looked_up(values.astype(arr.dtype), number, 0, "raise")
    arr._expr = reshape(either(mask, picked, ravel(arr)), arr.shape)._expr


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Set all elements of `dst`, or those where a mask is true, to those of `src`. Changes `dst`.

    Examples
    --------
    >>> x = vm.zeros(3)
    >>> vm.copyto(x, vm.arange(3), where=[True, False, True])
    >>> x.compute()
    array([0., 0., 2.])
    """
    dtype = changed(dst, "copyto").dtype
    values = asarray(src)
    kind = np.result_type(dtype, src) if type(src) in WEAK else values.dtype
    if not np.can_cast(kind, dtype, casting):
        raise TypeError(f"copyto: cannot cast from {kind} to {dtype} according to the rule {casting!r}")
    values = fitted(values.astype(dtype), dst.shape, "copyto")
    if where is not True:
        values = either(fitted(asarray(where).astype(bool), dst.shape, "copyto"), values, dst)
    dst._expr = values._expr


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Set the main diagonal of an array. Changes `a`.

    Examples
    --------
    >>> x = vm.zeros((2, 3), dtype=int)
    >>> vm.fill_diagonal(x, 5)
    >>> x.compute()
    array([[5, 0, 0],
           [0, 5, 0]])
    """
    if changed(a, "fill_diagonal").ndim < 2:
        raise ValueError(f"fill_diagonal: the array must have at least two axes, not {a.ndim}")
    end = a.size
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = a.size if wrap else min(a.size, a.shape[1] ** 2)
    elif len(set(a.shape)) > 1:
        raise ValueError(f"fill_diagonal: all axes must have the same length, not {a.shape}")
    else:
        step = sum(a.shape[0] ** k for k in range(a.ndim))
    put(a, np.arange(0, end, step), val)


__all__ = [
    "choose", "compress", "copyto", "extract", "fill_diagonal", "piecewise", "place", "put", "put_along_axis", "putmask", "select",
    "take", "take_along_axis", "trim_zeros",
]  # fmt: skip
