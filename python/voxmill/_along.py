"""Functions along axes, element by element, and sources made of functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._blocks import _called, _see_first
from voxmill._calls import BOX, UserCall, _axis_reads, name_of
from voxmill._chunks import AUTO_BYTES, normalize_chunks
from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._host import Reads, host
from voxmill._index import _bounds

# Functions along axes


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, dtype: Any = None, shape: Any = None, **kwargs: Any) -> Any:
    """Call a function for each row along an axis.

    Parameters
    ----------
    func1d : callable
        Gets a row as a NumPy array; gives a number or an array, of the same shape for all rows.
    dtype, shape : optional
        Element type and shape of what it gives; seen from the first block if not given.

    Examples
    --------
    >>> vm.apply_along_axis(np.ptp, 1, vm.arange(6).reshape(2, 3)).compute()
    array([2, 2])
    """
    x = asarray(arr)
    axis = axis_in(axis, x.ndim)
    name = name_of(func1d)
    blocks = _loop_chunks(x, {axis})
    user = UserCall(_Along(func1d, axis, args, kwargs), [BOX], {}, name)
    others = [c for k, c in enumerate(blocks) if k != axis]

    def reads_for(rank: int) -> Reads:
        place = itertools.chain(range(axis), range(axis + rank, rank + x.ndim - 1))
        return [(None, [(0, x.shape[k])]) if k == axis else (next(place), _bounds(c)) for k, c in enumerate(blocks)]

    kept = None
    if shape is None or dtype is None:
        # What a row becomes is seen from the first block, as if it gave one number for each row.
        made, kept = _see_first(user, [x], [reads_for(0)], tuple(others))
        seen = made.shape[axis : axis + made.ndim - len(others)]
        shape, dtype = seen if shape is None else shape, made.dtype if dtype is None else dtype
        kept = {(*block[:axis], *(0,) * len(seen), *block[axis:]): block_made for block, block_made in kept.items()}
    inner = tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    chunks = (*others[:axis], *((n,) for n in inner), *others[axis:])
    return host(user, name, [x], [reads_for(len(inner))], tuple(map(sum, chunks)), dtype, chunks, kept)


def _loop_chunks(x: Any, whole: set[int]) -> tuple[tuple[int, ...], ...]:
    """Give blocks that have some axes whole: the declared ones, if these are not too large then, or smaller ones."""
    wanted = tuple((n,) if k in whole else c for k, (n, c) in enumerate(zip(x.shape, x.chunks)))
    if math.prod(max(c) for c in wanted) * x.itemsize <= AUTO_BYTES:
        return wanted
    open_axes = tuple(c if k in whole else "auto" for k, c in enumerate(wanted))
    return normalize_chunks(open_axes, x.shape, dtype=x.dtype, previous_chunks=x.chunks)


class _Along:
    """`numpy.apply_along_axis` over a block."""

    def __init__(self, function: Callable, axis: int, args: tuple, kwargs: dict):
        self.function, self.axis, self.args, self.kwargs = function, axis, args, kwargs

    def __call__(self, box: np.ndarray) -> np.ndarray:
        return np.apply_along_axis(self.function, self.axis, box, *self.args, **self.kwargs)


def apply_over_axes(func: Callable, a: Any, axes: Any) -> Any:
    """Call a reduction for one axis after the other, keeping them with length 1."""
    x = asarray(a)
    for axis in np.atleast_1d(axes):
        y = func(x, int(axis))
        x = y if y.ndim == x.ndim else call("expand_dims", (y,), {"axis": int(axis)})
    return x


def map_whole(
    function: Callable,
    x: Any,
    axes: Sequence[int],
    dtype: Any,
    lengths: Mapping[int, int] | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Call a function for blocks that have some axes whole; `lengths` says which of these change their length, and how.

    For functions of NumPy that work along axes: the result does not depend on chunks.
    """
    axes = tuple(axis_in(axis, x.ndim) for axis in axes)
    wanted = tuple(-1 if k in axes else "auto" for k in range(x.ndim))
    chunks = normalize_chunks(wanted, x.shape, dtype=np.complex128, limit=1 << 23)
    reads: Reads = [(k, [(0, x.shape[k])] if k in axes else _bounds(chunks[k])) for k in range(x.ndim)]
    made = tuple(((lengths or {}).get(k, x.shape[k]),) if k in axes else chunks[k] for k in range(x.ndim))
    user = UserCall(function, [BOX], kwargs, name or name_of(function))
    return host(user, user.name, [x], [reads], tuple(sum(c) for c in made), dtype, made)


def elementwise(function: Callable, *args: Any, dtype: Any, name: str | None = None, **kwargs: Any) -> Any:
    """Call a function of NumPy that works element by element, over blocks of any shape."""
    arrays = [asarray(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    chunks = normalize_chunks("auto", shape, dtype=np.complex128, limit=1 << 23)
    reads = []
    for x in arrays:
        lead = len(shape) - x.ndim
        reads.append([_axis_reads(chunks[lead + k], n, lead + k) for k, n in enumerate(x.shape)])
    user = UserCall(function, [BOX] * len(arrays), kwargs, name or name_of(function))
    return host(user, user.name, arrays, reads, shape, dtype, chunks)


# Sources


def make_blocks(function: Callable, shape: tuple, dtype: Any, chunks: tuple, kwargs: dict) -> Any:
    """Give an array whose blocks a function makes from their boxes."""
    name = name_of(function)
    maker = Maker(function, [_bounds(c) for c in chunks], kwargs, name)
    return _called(maker, {}, [], [], chunks, None if dtype is None else np.dtype(dtype), True)


class Maker(UserCall):
    """Calls a function with the box of a block."""

    def __init__(self, function: Callable, bounds: list, kwargs: dict, name: str):
        super().__init__(function, [], kwargs, name)
        self.bounds = bounds

    def raw(self, block: tuple[int, ...], boxes: Sequence[np.ndarray]) -> Any:
        box = tuple(slice(*axis[number]) for axis, number in zip(self.bounds, block))
        args, kwargs = self._arguments(block, boxes)
        try:
            return self.function(box, *args, **kwargs)
        except Exception as error:
            error.add_note(f"in block {block} of {self.name}")
            raise


class Items:
    """Calls a function for one item of a list."""

    def __init__(self, function: Callable, items: list, args: tuple, kwargs: dict):
        self.function, self.items, self.args, self.kwargs = function, items, args, kwargs
        self.__name__ = name_of(function)
        self._seen: dict[int, np.ndarray] = {}

    def first(self) -> np.ndarray:
        """Make the first item, and keep it until it is asked for."""
        self._seen[0] = made = self._make(0)
        return made

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_seen": {}}

    def _make(self, n: int) -> np.ndarray:
        try:
            return np.asarray(self.function(self.items[n], *self.args, **self.kwargs))
        except Exception as error:
            error.add_note(f"for item {n}: {self.items[n]!r}")
            raise

    def __call__(self, box: tuple[slice, ...]) -> np.ndarray:
        n = box[0].start
        made = self._seen.pop(n, None)
        if made is None:
            made = self._make(n)
        want = tuple(part.stop for part in box[1:])
        if made.shape != want:
            raise ValueError(f"item {n} ({self.items[n]!r}) has shape {made.shape}, the first one has {want}")
        return made[None]
