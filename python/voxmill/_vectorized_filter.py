"""Filters of users' own functions over many neighbourhoods at once, as in `scipy.ndimage`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from voxmill._along import _loop_chunks
from voxmill._calls import BOX, UserCall, name_of
from voxmill._core import axis_in
from voxmill._create import asarray
from voxmill._host import host
from voxmill._index import _bounds
from voxmill._overlap import _padded

# scipy's words for what lies outside, and those of `map_overlap`. That "grid-mirror" is not "reflect" here is scipy's choice.
_BOUNDARIES = {
    "reflect": "reflect", "grid-mirror": "mirror", "mirror": "mirror", "nearest": "nearest", "wrap": "periodic", "grid-wrap": "periodic",
    "constant": "constant", "grid-constant": "constant", "valid": "none",
}  # fmt: skip


def vectorized_filter(
    input: Any,
    function: Callable,
    *,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = None,
    origin: Any = None,
    axes: Any = None,
    batch_memory: int = 2**30,
) -> Any:
    """Call a function for many neighbourhoods at once, as `scipy.ndimage.vectorized_filter` does.

    Parameters
    ----------
    input : array_like
    function : callable
        Called as ``function(windows, axis=...)``: the elements of each neighbourhood lie along the last axes, which `axis` names, and are
        to be reduced.
    size : int or sequence of int, optional
        Lengths of the neighbourhood.
    footprint : array_like of bool, optional
        The elements of the neighbourhood; given instead of `size`.
    output : dtype, optional
        Element type of the result; what the function gives by default.
    mode : str
        What lies outside: ``"reflect"``, ``"mirror"``, ``"nearest"``, ``"wrap"``, ``"constant"``, or ``"valid"``, which makes the result
        shorter.
    cval : number, optional
        The value outside for ``mode="constant"``; 0 by default.
    origin : int or sequence of int, optional
        Shifts the neighbourhood; positive numbers move it to lower indices.
    axes : int or tuple of int, optional
        Axes that `size`, `footprint` and `origin` are for; all by default.
    batch_memory : int
        The most bytes of neighbourhoods that the function gets at a time.

    Returns
    -------
    Array

    Examples
    --------
    >>> x = vm.asarray([4, 1, 5, 2, 3]).rechunk(2)
    >>> vm.ndimage.vectorized_filter(x, np.ptp, size=3, mode="nearest").compute()
    array([3, 4, 4, 3, 1])
    """
    x = asarray(input)
    _check(function, size, footprint, mode, cval, batch_memory)
    if isinstance(output, np.ndarray):
        raise TypeError("vectorized_filter cannot write into an array: give a dtype as output, or leave it out")
    places = tuple(range(x.ndim)) if axes is None else tuple(axis_in(a, x.ndim) for a in (axes if np.iterable(axes) else (axes,)))
    footprint = None if footprint is None else np.asarray(footprint, bool)
    sizes = _each(size, len(places), "size") if footprint is None else list(footprint.shape)
    origins = [0] * len(places) if origin is None else _each(origin, len(places), "origin")
    if len(sizes) != len(places) or len(origins) != len(places) or min(sizes, default=1) < 1:
        raise ValueError("vectorized_filter: size (of positive integers), footprint and origin must have an entry for each of `axes`")
    if mode == "valid" and any(origins):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    run = _Windows(function, tuple(places), tuple(sizes), footprint, batch_memory)
    dtype = run(np.zeros([sizes[places.index(k)] if k in places else 1 for k in range(x.ndim)], x.dtype)).dtype
    run.dtype = dtype = dtype if output is None else np.dtype(output)
    depth = [(0, 0)] * x.ndim
    for axis, n, shift in zip(places, sizes, origins):
        if not 0 <= n // 2 + shift < n:
            raise ValueError(f"vectorized_filter: origin {shift} lies outside of a window of {n}")
        depth[axis] = (n // 2 + shift, (n - 1) // 2 - shift)
    edge = np.asarray(0 if cval is None else cval).astype(x.dtype)[()] if "constant" in mode else _BOUNDARIES[mode]
    padded = _padded(x, depth, [edge] * x.ndim)
    shape = tuple(n - sum(d) for n, d in zip(x.shape, depth)) if mode == "valid" else x.shape
    if min(shape, default=1) < 1:
        raise ValueError(f"vectorized_filter: windows of {tuple(sizes)} do not fit an array of {x.shape}")
    blocks = _loop_chunks(x, set()) if mode != "valid" else tuple((n,) for n in shape)
    reads = [(k, [(begin, end + sum(depth[k])) for begin, end in _bounds(axis)]) for k, axis in enumerate(blocks)]
    name = name_of(function)
    return host(UserCall(run, [BOX], {}, name), name, [padded], [reads], shape, dtype, blocks)


def _check(function: Any, size: Any, footprint: Any, mode: str, cval: Any, batch_memory: Any) -> None:
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    if (size is None) == (footprint is None):
        raise ValueError("Either `size` or `footprint` must be provided, not both.")
    if mode not in _BOUNDARIES:
        raise ValueError(f"`mode` must be one of {sorted(_BOUNDARIES)}.")
    if cval is not None and "constant" not in mode:
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    if not batch_memory > 0:
        raise ValueError("`batch_memory` must be positive number.")


def _each(value: Any, n: int, name: str) -> list[int]:
    values = list(value) if np.iterable(value) else [value] * n
    if any(not isinstance(v, (int, np.integer)) for v in values):
        raise ValueError(f"All elements of `{name}` must be integers.")
    return [int(v) for v in values]


class _Windows:
    """Calls a function for the neighbourhoods of a block."""

    def __init__(self, function: Callable, places: tuple[int, ...], sizes: tuple[int, ...], footprint: np.ndarray | None, batch: int):
        self.function, self.places, self.sizes, self.footprint, self.batch = function, places, sizes, footprint, batch
        self.dtype: np.dtype | None = None

    def __call__(self, box: np.ndarray) -> np.ndarray:
        last = tuple(range(-len(self.places), 0))
        moved = np.moveaxis(box, self.places, last)
        windows = np.lib.stride_tricks.sliding_window_view(moved, self.sizes, last)
        row = max(int(np.prod(windows.shape[1:])) * windows.itemsize, 1)
        step = max(int(self.batch // row), 1)
        parts = [np.asarray(self._reduced(windows[k : k + step], last)) for k in range(0, len(windows), step)]
        found = np.moveaxis(np.concatenate(parts), last, self.places)
        return found if self.dtype is None else found.astype(self.dtype, copy=False)

    def _reduced(self, windows: np.ndarray, last: tuple[int, ...]) -> np.ndarray:
        if self.footprint is not None:
            return self.function(windows[..., self.footprint], axis=-1)
        return self.function(windows, axis=last)
