"""Functions that change shapes: as NumPy calls them, on the ops of the table."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from voxmill._core import ARRAY, axes_in, axis_in, call, wrap
from voxmill._create import asarray


def _int_list(values: Any) -> list[int]:
    return [operator.index(v) for v in (values if isinstance(values, (tuple, list, np.ndarray)) else (values,))]


def reshape(x: Any, shape: Any, order: str = "C", merge_chunks: bool = True, limit: Any = None, copy: bool | None = None) -> Any:
    """Give the same elements under another shape.

    Parameters
    ----------
    x : array_like
    shape : int or tuple of int
        One length may be -1: it follows from the others.
    order : {"C", "F"}
        The order in which elements are taken and placed.
    merge_chunks, limit, copy
        Accepted for the sake of Dask and the array API.

    Examples
    --------
    >>> vm.arange(6).reshape(2, -1).compute()
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    x = asarray(x)
    lengths = _int_list(shape)
    if order == "F":
        return reshape(x.T, lengths[::-1]).T
    if order not in ("C", "A"):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    if lengths.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if -1 in lengths:
        known = math.prod(n for n in lengths if n != -1)
        if known == 0 or x.size % known:
            raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(lengths)}")
        lengths[lengths.index(-1)] = x.size // known
    if math.prod(lengths) != x.size or any(n < 0 for n in lengths):
        raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(lengths)}")
    return call("reshape", (x,), {"shape": lengths})


def ravel(a: Any, order: str = "C") -> Any:
    """Give all elements in one axis.

    Examples
    --------
    >>> vm.ravel([[1, 2], [3, 4]]).compute()
    array([1, 2, 3, 4])
    """
    return reshape(a, -1, order)


def transpose(a: Any, axes: Any = None) -> Any:
    """Give the array with its axes in another order, reversed by default.

    Examples
    --------
    >>> vm.transpose(vm.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    a = asarray(a)
    if axes is not None and len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    return call("transpose", (a,), {"axes": None if axes is None else list(axes_in(list(axes), a.ndim))})


permute_dims = transpose


def matrix_transpose(x: Any, /) -> Any:
    """Give the array with its last two axes exchanged.

    Examples
    --------
    >>> vm.matrix_transpose(vm.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    return asarray(x).mT


def squeeze(a: Any, axis: Any = None) -> Any:
    """Give the array without axes of length 1.

    Examples
    --------
    >>> vm.squeeze(vm.ones((1, 3, 1))).shape
    (3,)
    """
    a = asarray(a)
    if axis is not None:
        axis = list(axes_in(axis, a.ndim))
        for k in axis:
            if a.shape[k] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return call("squeeze", (a,), {"axis": axis})


def expand_dims(a: Any, axis: Any) -> Any:
    """Give the array with new axes of length 1.

    Examples
    --------
    >>> vm.expand_dims(vm.ones((2, 3)), 1).shape
    (2, 1, 3)
    """
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return call("expand_dims", (a,), {"axis": list(axes_in(list(axes), a.ndim + len(axes)))})


def broadcast_to(array: Any, shape: Any, chunks: Any = None, meta: Any = None, *, subok: bool = False) -> Any:
    """Give the array repeated along axes of length 1 and new leading axes.

    Examples
    --------
    >>> vm.broadcast_to([1, 2], (2, 2)).compute()
    array([[1, 2],
           [1, 2]])
    """
    result = call("broadcast_to", (asarray(array),), {"shape": _int_list(shape)})
    return result if chunks is None else result.rechunk(chunks)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple:
    """Give arrays repeated to one common shape.

    Examples
    --------
    >>> [x.shape for x in vm.broadcast_arrays([1, 2], [[3], [4], [5]])]
    [(3, 2), (3, 2)]
    """
    arrays = [asarray(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    return tuple(x if x.shape == shape else broadcast_to(x, shape) for x in arrays)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Give the array with some axes moved to other places.

    Examples
    --------
    >>> vm.moveaxis(vm.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = asarray(a)
    source, destination = (_int_list(v) for v in (source, destination))
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    pair = [list(axes_in(v, a.ndim)) for v in (source, destination)]
    return call("moveaxis", (a,), {"source": pair[0], "destination": pair[1]})


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """Roll an axis backwards, until it lies in a given place.

    Examples
    --------
    >>> vm.rollaxis(vm.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = asarray(a)
    axis, start = axis_in(axis, a.ndim), start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if start > axis else start)


def flip(m: Any, axis: Any = None) -> Any:
    """Give the array with its elements in reverse order along some axes, all by default.

    Examples
    --------
    >>> vm.flip([1, 2, 3]).compute()
    array([3, 2, 1])
    """
    m = asarray(m)
    return call("flip", (m,), {"axis": list(axes_in(list(axis) if isinstance(axis, tuple) else axis, m.ndim))})


def fliplr(m: Any) -> Any:
    """Reverse the second axis.

    Examples
    --------
    >>> vm.fliplr([[1, 2], [3, 4]]).compute()
    array([[2, 1],
           [4, 3]])
    """
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def flipud(m: Any) -> Any:
    """Reverse the first axis.

    Examples
    --------
    >>> vm.flipud([[1, 2], [3, 4]]).compute()
    array([[3, 4],
           [1, 2]])
    """
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Shift elements along axes; what leaves at one end comes back at the other.

    Examples
    --------
    >>> vm.roll([1, 2, 3, 4], 1).compute()
    array([4, 1, 2, 3])
    """
    a = asarray(a)
    shifts = _int_list(shift)
    if axis is None:
        flat = call("roll", (ravel(a),), {"shift": sum(shifts), "axis": 0})
        return reshape(flat, a.shape)
    axes = [axis_in(k, a.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(axes) > 1 and len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) > 1 and len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences of one length")
    return call("roll", (a,), {"shift": shifts, "axis": axes})


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turn the array by 90 degrees in the plane of two axes.

    Examples
    --------
    >>> vm.rot90([[1, 2], [3, 4]]).compute()
    array([[2, 4],
           [1, 3]])
    """
    m = asarray(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    pair = [axis_in(a, m.ndim) for a in axes]
    if pair[0] == pair[1]:
        raise ValueError("Axes must be different.")
    return call("rot90", (m,), {"k": int(k), "axes": pair})


def concatenate(
    seq: Sequence,
    axis: int | None = 0,
    allow_unknown_chunksizes: bool = False,
    *,
    out: Any = None,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Join arrays along an axis; flattened if `axis` is None.

    Examples
    --------
    >>> vm.concatenate([vm.zeros(2), vm.ones(2)]).compute()
    array([0., 0., 1., 1.])
    """
    arrays = _several(seq, "concatenate")
    if axis is None:
        arrays, axis = [ravel(x) for x in arrays], 0
    if any(x.ndim == 0 for x in arrays):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if len({x.ndim for x in arrays}) > 1:
        raise ValueError(f"all arrays must have the same number of axes, not {[x.ndim for x in arrays]}")
    if dtype is not None:
        arrays = [x.astype(dtype, casting=casting) for x in arrays]
    return _into(call("concatenate", tuple(arrays), {"axis": axis_in(axis, arrays[0].ndim)}), out)


def _into(result: Any, out: Any) -> Any:
    """Give a result, or put it into `out`."""
    from voxmill._parts import into

    return into(result, out, result.name)


concat = concatenate


def _several(seq: Any, name: str) -> list:
    if isinstance(seq, ARRAY):
        seq = list(seq)
    if not isinstance(seq, (list, tuple)):
        seq = list(seq)
    arrays = [asarray(x) for x in seq]
    if not arrays:
        raise ValueError(f"need at least one array to {name}")
    return arrays


def stack(
    seq: Sequence,
    axis: int = 0,
    allow_unknown_chunksizes: bool = False,
    *,
    out: Any = None,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Join arrays of one shape along a new axis.

    Examples
    --------
    >>> vm.stack([[1, 2], [3, 4]], axis=1).compute()
    array([[1, 3],
           [2, 4]])
    """
    arrays = _several(seq, "stack")
    if len({x.shape for x in arrays}) > 1:
        raise ValueError("all input arrays must have the same shape")
    if dtype is not None:
        arrays = [x.astype(dtype, casting=casting) for x in arrays]
    return _into(call("stack", tuple(arrays), {"axis": axis_in(axis, arrays[0].ndim + 1)}), out)


def vstack(tup: Sequence, allow_unknown_chunksizes: bool = False, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Join arrays along the first axis, after making them at least two-dimensional.

    Examples
    --------
    >>> vm.vstack([[1, 2], [3, 4]]).compute()
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(x) for x in _several(tup, "vstack")], 0, dtype=dtype, casting=casting)


def hstack(tup: Sequence, allow_unknown_chunksizes: bool = False, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Join arrays along the second axis, or the first where there is only one.

    Examples
    --------
    >>> vm.hstack([[1, 2], [3]]).compute()
    array([1, 2, 3])
    """
    arrays = [atleast_1d(x) for x in _several(tup, "hstack")]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup: Sequence, allow_unknown_chunksizes: bool = False) -> Any:
    """Join arrays along the third axis, after making them at least three-dimensional.

    Examples
    --------
    >>> vm.dstack([[1, 2], [3, 4]]).shape
    (1, 2, 2)
    """
    return concatenate([atleast_3d(x) for x in _several(tup, "dstack")], 2)


def column_stack(tup: Sequence) -> Any:
    """Join one-dimensional arrays as columns of a matrix.

    Examples
    --------
    >>> vm.column_stack([[1, 2], [3, 4]]).compute()
    array([[1, 3],
           [2, 4]])
    """
    arrays = _several(tup, "column_stack")
    return concatenate([atleast_2d(x).T if x.ndim < 2 else x for x in arrays], 1)


def _each(function: Callable, arrays: tuple) -> Any:
    results = tuple(function(asarray(x)) for x in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arrays: Any) -> Any:
    """Give arrays with at least one axis.

    Examples
    --------
    >>> vm.atleast_1d(3).shape
    (1,)
    """
    return _each(lambda x: x if x.ndim else reshape(x, 1), arrays)


def atleast_2d(*arrays: Any) -> Any:
    """Give arrays with at least two axes.

    Examples
    --------
    >>> vm.atleast_2d([1, 2]).shape
    (1, 2)
    """
    return _each(lambda x: x if x.ndim > 1 else reshape(x, (1, x.size)), arrays)


def atleast_3d(*arrays: Any) -> Any:
    """Give arrays with at least three axes.

    Examples
    --------
    >>> vm.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """

    def three(x: Any) -> Any:
        if x.ndim > 2:
            return x
        shape = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}[x.ndim]
        return reshape(x, shape)

    return _each(three, arrays)


def tile(A: Any, reps: Any) -> Any:
    """Repeat the array as a whole along axes.

    Examples
    --------
    >>> vm.tile([1, 2], (2, 2)).compute()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    return call("tile", (asarray(A),), {"reps": _int_list(reps)})


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element along an axis; `repeats` is a number, or one for each position.

    Examples
    --------
    >>> vm.repeat([7, 8], [1, 3]).compute()
    array([7, 8, 8, 8])
    """
    from voxmill._index import take_axis

    a = asarray(a)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_in(axis, a.ndim)
    counts = np.asarray(repeats)
    if not np.can_cast(counts.dtype, np.intp, "safe"):
        raise TypeError(f"repeats must be integers, not {counts.dtype}")
    if counts.size == 1:
        n = int(counts.reshape(()))
        if n < 0 and a.shape[axis]:
            raise ValueError("repeats may not contain negative values.")
        return call("repeat", (a,), {"repeats": max(n, 0), "axis": axis})
    if counts.ndim != 1 or len(counts) != a.shape[axis]:
        raise ValueError(f"repeats has {counts.size} entries for an axis of length {a.shape[axis]}")
    return take_axis(a, np.repeat(np.arange(len(counts)), counts), axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Add elements at the ends of axes; see `numpy.pad`, all of whose modes are there.

    Examples
    --------
    >>> vm.pad(vm.arange(3), 2, mode="reflect").compute()
    array([2, 1, 0, 1, 2, 1, 0])
    """
    x = asarray(array)
    widths = np.asarray(pad_width if not isinstance(pad_width, dict) else _pad_dict(pad_width, x.ndim))
    if widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = np.broadcast_to(widths, (x.ndim, 2))
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    if callable(mode):
        return _pad_by(mode, x, widths, kwargs)
    params = {name: _plain(value) for name, value in kwargs.items()}
    if mode == "empty":
        mode = "edge" if 0 not in x.shape else "constant"
    return call("pad", (x,), {"pad_width": widths.tolist(), "mode": mode, **params})


def _pad_by(function: Callable, x: Any, widths: np.ndarray, kwargs: dict) -> Any:
    """Add zeros, which a function then changes in each line of one axis after the other."""
    from voxmill._along import map_whole

    x = call("pad", (x,), {"pad_width": widths.tolist(), "mode": "constant"})
    for axis, pair in enumerate(widths):
        kernel = partial(_changed_lines, function=function, pair=tuple(pair.tolist()), axis=axis, kwargs=kwargs)
        x = map_whole(kernel, x, [axis], x.dtype, name="pad") if x.size else x
    return x


def _changed_lines(box: np.ndarray, function: Callable, pair: tuple[int, int], axis: int, kwargs: dict) -> np.ndarray:
    box = np.array(box)
    lines = np.moveaxis(box, axis, -1)
    for place in np.ndindex(lines.shape[:-1]):
        function(lines[place], pair, axis, kwargs)
    return box


def _pad_dict(widths: dict, rank: int) -> list:
    result = [[0, 0]] * rank
    for axis, width in widths.items():
        result[axis_in(axis, rank)] = list(np.broadcast_to(width, 2))
    return result


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def rechunk(
    x: Any, chunks: Any = "auto", threshold: Any = None, block_size_limit: Any = None, balance: bool = False, method: Any = None
) -> Any:
    """Declare other chunks; see `Array.rechunk`.

    Examples
    --------
    >>> vm.rechunk(vm.ones((4, 6)), (2, 3)).chunks
    ((2, 2), (3, 3))
    """
    return asarray(x).rechunk(chunks, threshold, block_size_limit, balance, method)


def coarsen(reduction: Any, x: Any, axes: dict, trim_excess: bool = False, **kwargs: Any) -> Any:
    """Give one value for each block of elements: sums, means or others at a lower resolution.

    Examples
    --------
    >>> vm.coarsen(np.mean, vm.arange(6), {0: 2}).compute()
    array([0.5, 2.5, 4.5])
    """
    x = asarray(x)
    steps = {axis_in(axis, x.ndim): int(n) for axis, n in axes.items()}
    name = reduction if isinstance(reduction, str) else getattr(reduction, "__name__", "")
    name = {"amin": "min", "amax": "max", "average": "mean"}.get(name, name)
    for axis, n in steps.items():
        if x.shape[axis] % n and not trim_excess:
            raise ValueError(f"axis {axis} of length {x.shape[axis]} does not divide into pieces of {n}; pass trim_excess=True")
    if not kwargs and name in ("sum", "mean", "min", "max", "any", "all", "prod", "std", "var", "median"):
        try:
            return call("coarsen", (x,), {"reduction": name, "axes": {str(k): n for k, n in steps.items()}, "trim_excess": trim_excess})
        except ValueError:
            pass
    return _coarsened(reduction, x, tuple(steps.get(k, 1) for k in range(x.ndim)), name or "coarsen", kwargs)


def _coarsened(reduction: Callable, x: Any, steps: tuple[int, ...], name: str, kwargs: dict) -> Any:
    """Reduce blocks of elements with any function."""
    from voxmill._blocks import map_blocks
    from voxmill._chunks import even
    from voxmill._index import basic

    x = basic(x, tuple(slice(0, n - n % step) for n, step in zip(x.shape, steps)))
    pieces = [even(n // step, max(max(own) // step, 1)) for n, step, own in zip(x.shape, steps, x.chunks)]
    kernel = partial(_coarse_block, reduction=reduction, steps=steps, kwargs=kwargs)
    if x.size == 0:
        from voxmill._create import zeros

        return zeros([n // step for n, step in zip(x.shape, steps)], kernel(np.empty(x.shape, x.dtype)).dtype)
    x = x.rechunk(tuple(tuple(n * step for n in lengths) for lengths, step in zip(pieces, steps)))
    return map_blocks(kernel, x, chunks=tuple(pieces), name=name)


def _coarse_block(box: np.ndarray, reduction: Callable, steps: tuple[int, ...], kwargs: dict) -> np.ndarray:
    shape = [m for n, step in zip(box.shape, steps) for m in (n // step, step)]
    return np.asarray(reduction(box.reshape(shape), axis=tuple(range(1, 2 * box.ndim, 2)), **kwargs))


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Cast to another element type.

    Examples
    --------
    >>> vm.astype(vm.asarray([1.7, -1.7]), int).compute()
    array([ 1, -1])
    """
    return asarray(x).astype(dtype)


def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """Give the array as an object of its own.

    Examples
    --------
    >>> x = vm.zeros(2)
    >>> y = vm.copy(x)
    >>> y[0] = 1
    >>> x.compute()
    array([0., 0.])
    """
    return wrap(asarray(a)._expr)


def ndim(a: Any) -> int:
    """Give the number of axes.

    Examples
    --------
    >>> vm.ndim([[1, 2]])
    2
    """
    return asarray(a).ndim


def shape(a: Any) -> tuple[int, ...]:
    """Give the length of each axis.

    Examples
    --------
    >>> vm.shape([[1, 2]])
    (1, 2)
    """
    return asarray(a).shape


def size(a: Any, axis: Any = None) -> int:
    """Give the number of elements, or the length of an axis.

    Examples
    --------
    >>> vm.size([[1, 2]])
    2
    """
    a = asarray(a)
    return a.size if axis is None else math.prod(a.shape[k] for k in axes_in(axis, a.ndim))

__all__ = [
    "astype", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "coarsen", "column_stack",
    "concat", "concatenate", "copy", "dstack", "expand_dims", "flip", "fliplr", "flipud", "hstack", "matrix_transpose",
    "moveaxis", "ndim", "pad", "permute_dims", "ravel", "rechunk", "repeat", "reshape", "roll", "rollaxis", "rot90",
    "shape", "size", "squeeze", "stack", "tile", "transpose", "vstack",
]  # fmt: skip
