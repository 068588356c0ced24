"""Filters of users' own functions over neighbourhoods and lines, as in `scipy.ndimage`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._along import _loop_chunks
from voxmill._calls import BOX, UserCall, name_of
from voxmill._host import host
from voxmill._overlap import _padded
from voxmill._core import axes_in, axis_in, dtype_name
from voxmill._create import asarray
from voxmill._index import _bounds

BOUNDARIES = {
    "reflect": "reflect", "grid-mirror": "reflect", "mirror": "mirror", "nearest": "nearest", "wrap": "periodic", "grid-wrap": "periodic",
    "constant": "constant", "grid-constant": "constant",
}  # fmt: skip
"""scipy's words for what lies outside, and those of `map_overlap`."""


def generic_filter(
    input: Any,
    function: Callable,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    extra_arguments: tuple = (),
    extra_keywords: Mapping | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Call a function for the neighbourhood of each element, as `scipy.ndimage.generic_filter` does.

    The function is called once for each element that is wanted, in blocks that several threads work on.

    Parameters
    ----------
    input : array_like
        Real numbers.
    function : callable
        Gets the elements under the footprint as a flat array of float64; gives a number.
    size : int or sequence of int, optional
        Lengths of the neighbourhood; `footprint` is needed if it is not given.
    footprint : array_like of bool, optional
        The elements of the neighbourhood.
    output : dtype, optional
        Element type of the result; that of `input` by default.
    mode : str
        What lies outside: ``"reflect"``, ``"mirror"``, ``"nearest"``, ``"wrap"``, or ``"constant"``, which is `cval`.
    origin : int or sequence of int
        Shifts the neighbourhood; positive numbers move it to lower indices.
    extra_arguments, extra_keywords
        Passed on to `function`.
    axes : int or tuple of int, optional
        Axes that `size`, `footprint` and `origin` are for; all by default.

    Examples
    --------
    >>> x = vm.asarray([4, 1, 5, 2, 3]).rechunk(2)
    >>> vm.ndimage.generic_filter(x, np.ptp, size=3, mode="nearest").compute()
    array([3, 4, 4, 3, 1])
    """
    x = _real(asarray(input), "generic_filter")
    footprint, origins = _footprint(size, footprint, origin, axes, x.ndim)
    dtype = _output_dtype(output, x.dtype, "generic_filter")
    edges = [_boundary(mode, cval, "generic_filter")] * x.ndim
    depth = [(n // 2 + o, n - n // 2 - 1 - o) for n, o in zip(footprint.shape, origins)]
    blocks = _loop_chunks(x, set())
    # The function gets float64, whatever the array holds, and so does the border: its value may be none that the array could hold.
    padded = _padded(x.astype(float), depth, edges)
    reads = [(k, [(begin, end + sum(depth[k])) for begin, end in _bounds(axis)]) for k, axis in enumerate(blocks)]
    run = _Neighbourhoods(function, footprint, dtype, tuple(extra_arguments), dict(extra_keywords or {}))
    name = name_of(function)
    return host(UserCall(run, [BOX], {}, name), name, [padded], [reads], x.shape, dtype, blocks)


class _Neighbourhoods:
    """Calls a function for the neighbourhood of each element of a block."""

    PIECE = 1 << 20
    """Elements of neighbourhoods that are laid out at a time."""

    def __init__(self, function: Callable, footprint: np.ndarray, dtype: np.dtype, args: tuple, kwargs: dict):
        self.function, self.footprint, self.dtype, self.args, self.kwargs = function, footprint, dtype, args, kwargs

    def __call__(self, box: np.ndarray) -> np.ndarray:
        from scipy import LowLevelCallable, ndimage

        shape = tuple(n - m + 1 for n, m in zip(box.shape, self.footprint.shape))
        if isinstance(self.function, LowLevelCallable):
            return self._compiled(box, shape)
        if box.ndim == 0:
            return np.asarray(self.function(box.reshape(1), *self.args, **self.kwargs)).astype(self.dtype)
        rows, function, args, kwargs = self._rows(box), self.function, self.args, self.kwargs
        # scipy makes the results what they are in its own way; it is given one element at a time.
        return ndimage.generic_filter(
            np.zeros(shape), lambda _: function(next(rows), *args, **kwargs), footprint=np.ones((1,) * box.ndim), output=self.dtype
        )

    def _rows(self, box: np.ndarray) -> Iterator[np.ndarray]:
        windows = np.lib.stride_tricks.sliding_window_view(box, self.footprint.shape)
        step = max(self.PIECE // max(windows[:1].size, 1), 1)
        for begin in range(0, len(windows), step):
            yield from windows[begin : begin + step][..., self.footprint].reshape(-1, int(self.footprint.sum()))

    def _compiled(self, box: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        from scipy import ndimage

        made = ndimage.generic_filter(
            box, self.function, footprint=self.footprint, output=self.dtype, extra_arguments=self.args, extra_keywords=self.kwargs
        )
        return made[tuple(slice(m // 2, m // 2 + n) for m, n in zip(self.footprint.shape, shape))]


def generic_filter1d(
    input: Any,
    function: Callable,
    filter_size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    extra_arguments: tuple = (),
    extra_keywords: Mapping | None = None,
) -> Any:
    """Call a function for each line along an axis, as `scipy.ndimage.generic_filter1d` does.

    Parameters
    ----------
    function : callable
        Called as ``function(line, result)`` with a line of float64 that is longer by ``filter_size - 1``, and an array to fill. Lines are
        whole, however the array is chunked.
    input, filter_size, axis, output, mode, cval, origin, extra_arguments, extra_keywords
        As in `generic_filter`.

    Examples
    --------
    >>> def difference(line, result):
    ...     result[:] = line[2:] - line[:-2]
    >>> vm.ndimage.generic_filter1d(vm.asarray([1.0, 4, 9, 16]), difference, 3).compute()
    array([ 3.,  8., 12.,  7.])
    """
    x = _real(asarray(input), "generic_filter1d")
    axis = axis_in(axis, x.ndim)
    if filter_size < 1:
        raise RuntimeError(f"invalid filter size: {filter_size}")
    if not 0 <= filter_size // 2 + origin < filter_size:
        raise ValueError(f"generic_filter1d: origin {origin} lies outside of a filter of size {filter_size}")
    dtype = _output_dtype(output, x.dtype, "generic_filter1d")
    _boundary(mode, cval, "generic_filter1d")
    blocks = _loop_chunks(x, {axis})
    keywords = dict(extra_keywords or {})
    run = _Lines(function, (filter_size, axis, dtype, mode, cval, origin, tuple(extra_arguments), keywords))
    reads = [(k, _bounds(lengths)) for k, lengths in enumerate(blocks)]
    name = name_of(function)
    return host(UserCall(run, [BOX], {}, name), name, [x], [reads], x.shape, dtype, blocks)


class _Lines:
    """Calls a function for each line of a block."""

    def __init__(self, function: Callable, args: tuple):
        self.function, self.args = function, args

    def __call__(self, box: np.ndarray) -> np.ndarray:
        from scipy import ndimage

        return ndimage.generic_filter1d(box, self.function, *self.args)


def _real(x: Any, name: str) -> Any:
    if x.dtype.kind == "c":
        raise TypeError(f"{name} takes real numbers, not {x.dtype}; filter x.real and x.imag")
    return x


def _output_dtype(output: Any, own: np.dtype, name: str) -> np.dtype:
    if isinstance(output, np.ndarray):
        raise TypeError(f"{name} cannot write into an array: give a dtype as output, or leave it out")
    dtype = own if output is None else np.dtype(output)
    dtype_name(dtype)
    if dtype.kind == "c":
        raise TypeError(f"{name} gives real numbers, not {dtype}")
    return dtype


def _boundary(mode: str, cval: float, name: str) -> Any:
    if not isinstance(mode, str):
        raise TypeError(f"{name} has one mode for all axes, not {mode!r}")
    if mode not in BOUNDARIES:
        raise RuntimeError(f"{name}: boundary mode {mode!r} is not supported; there are {', '.join(BOUNDARIES)}")
    boundary = BOUNDARIES[mode]
    return float(cval) if boundary == "constant" else boundary


def _footprint(size: Any, footprint: Any, origin: Any, axes: Any, rank: int) -> tuple[np.ndarray, list[int]]:
    """Give the footprint over all axes of the array, and its origins."""
    axes = axes_in(axes, rank)
    n = len(axes)
    if footprint is None:
        if size is None:
            raise RuntimeError("generic_filter needs a size or a footprint")
        footprint = np.ones(_each(size, n, "size"), bool)
    footprint = np.asarray(footprint, bool)
    if footprint.ndim != n:
        raise RuntimeError(f"generic_filter: the footprint has {footprint.ndim} axes, the array has {n} to filter")
    if footprint.size == 0 or not footprint.any():
        raise ValueError("generic_filter: the footprint is empty")
    # As scipy does: the axes of a footprint are those of the array in their order, whatever the order of `axes`. Origins go by `axes`,
    # but not if these are all axes.
    footprint = np.expand_dims(footprint, [axis for axis in range(rank) if axis not in axes])
    origins = [0] * rank
    for axis, o in zip(axes if n < rank else range(rank), _each(origin, n, "origin")):
        origins[axis] = o
    for length, o in zip(footprint.shape, origins):
        if not 0 <= length // 2 + o < length:
            raise ValueError(f"generic_filter: origin {o} lies outside of a footprint of length {length}")
    return footprint, origins


def _each(value: Any, n: int, name: str) -> list[int]:
    values = list(value) if isinstance(value, (Sequence, np.ndarray)) else [value] * n
    if len(values) != n:
        raise RuntimeError(f"generic_filter: {name} has {len(values)} entries for {n} axes")
    return [int(v) for v in values]
