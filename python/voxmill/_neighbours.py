"""What neighbours along an axis have to do with each other: differences, slopes, windows, convolutions."""

from __future__ import annotations

import math
import types
from functools import partial
from typing import Any

import numpy as np

from voxmill._along import elementwise
from voxmill._host import host
from voxmill._chunks import normalize_chunks
from voxmill._core import axes_in, axis_in, call
from voxmill._create import asarray
from voxmill._index import _bounds, basic
from voxmill._parts import BLOCK, WEAK, along, as_column, cut, either, values_of, zero
from voxmill._shape import _int_list, atleast_1d, broadcast_to, concatenate, moveaxis, ravel, stack

_ABSENT: Any = np._NoValue
"""Stands for an argument that was not given, where None means something."""


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _ABSENT, append: Any = _ABSENT) -> Any:
    """Give the differences of neighbours along an axis, `n` times over.

    Parameters
    ----------
    a : array_like
    n : int
    axis : int
    prepend, append : array_like, optional
        What to put before and behind the axis first.

    Examples
    --------
    >>> vm.diff(vm.asarray([1, 4, 9, 16])).compute()
    array([3, 5, 7])
    """
    if n < 0:
        raise ValueError(f"diff: the order must not be negative: {n}")
    a = asarray(a)
    if n == 0:
        return a
    if a.ndim == 0:
        raise ValueError("diff: the array must have at least one axis")
    axis = axis_in(axis, a.ndim)
    row = a.shape[:axis] + (1,) + a.shape[axis + 1 :]
    parts = [a]
    for value, place in ((prepend, 0), (append, 2)):
        if value is not _ABSENT and value is not None:
            value = asarray(value)
            parts.insert(place, broadcast_to(value, row) if value.ndim == 0 else value)
    a = concatenate(parts, axis) if len(parts) > 1 else a
    compare = "not_equal" if a.dtype == bool else "subtract"
    for _ in range(n):
        a = call(compare, (along(a, axis, slice(1, None)), along(a, axis, slice(None, -1))))
    return a


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Give the differences of neighbours in the flattened array, with values put before and behind them.

    Examples
    --------
    >>> vm.ediff1d(vm.asarray([1, 4, 9]), to_end=[0]).compute()
    array([3, 5, 0])
    """
    x = ravel(ary)
    if x.dtype == bool:
        raise TypeError("ediff1d is not defined for bool; use diff, or astype(int) first")
    parts = [diff(x)]
    for name, value, place in (("to_begin", to_begin, 0), ("to_end", to_end, 2)):
        if value is None:
            continue
        value = asarray(value)
        if not np.can_cast(value.dtype, x.dtype, "same_kind"):
            raise TypeError(f"ediff1d: {name} is {value.dtype}, which cannot be cast to {x.dtype}; use astype first")
        parts.insert(place, ravel(value).astype(x.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Give the derivative along axes, by differences of neighbours.

    Parameters
    ----------
    f : array_like
    *varargs : number or array_like
        Distance of neighbours: one number for all axes; or, for each axis, a number or the coordinates of its elements.
    axis : int or tuple of int, optional
        All axes by default.
    edge_order : {1, 2}
        Order of accuracy at both ends of an axis.

    Returns
    -------
    Array or tuple of Array
        One for each axis.

    Examples
    --------
    >>> vm.gradient(vm.asarray([1.0, 2.0, 4.0, 7.0])).compute()
    array([1. , 1.5, 2.5, 3. ])
    """
    f = asarray(f)
    axes = axes_in(axis, f.ndim)
    steps = _steps(f, axes, varargs)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, not {edge_order!r}")
    for k in axes:
        if f.shape[k] < edge_order + 1:
            raise ValueError(f"gradient: axis {k} has length {f.shape[k]}; at least edge_order + 1 = {edge_order + 1} elements are needed")
    if f.dtype == bool and axes and not (edge_order == 2 and all(np.ndim(step) for step in steps)):
        # Truth values cannot be subtracted; only uneven distances do without.
        raise TypeError("gradient is not defined for bool; use astype(float) first")
    truth = f.dtype == bool
    if truth:
        # The work is done in the type of the distances, the result is double.
        f = f.astype(np.result_type(np.float32, *(np.asarray(step).dtype for step in steps)) if steps else np.float64)
    elif f.dtype.kind in "iu":
        f = f.astype(np.float64)
    results = tuple(_slope(f, k, step, edge_order) for k, step in zip(axes, steps))
    if truth:
        results = tuple(slope.astype(np.float64) for slope in results)
    return results[0] if len(results) == 1 else results


def _steps(f: Any, axes: tuple[int, ...], given: tuple) -> list:
    """Give the distance of neighbours along each axis: a number, or an array of distances."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and np.ndim(given[0]) == 0:
        given = given * len(axes)
    if len(given) != len(axes):
        raise TypeError(f"gradient: {len(given)} distances were given for {len(axes)} axes; give one for each, or a number for all")
    steps = []
    for k, value in zip(axes, given):
        if type(value) in WEAK:
            steps.append(value)
            continue
        places = values_of(value)
        if places.ndim == 0:
            steps.append(places[()])
            continue
        if places.shape != (f.shape[k],):
            raise ValueError(f"gradient: coordinates of shape {places.shape} were given for axis {k} of length {f.shape[k]}")
        distances = np.diff(places.astype(np.float64) if places.dtype.kind in "iu" else places)
        even = len(distances) and (distances == distances[0]).all()
        steps.append(distances[0] if even else distances)
    return steps


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    def at(begin: int, end: int) -> Any:
        """Give elements counted from both ends; `end` counts down to 0."""
        return along(f, axis, slice(begin, end + n if end <= 0 else end))

    n = f.shape[axis]
    if np.ndim(step) == 0:
        inner = (at(2, 0) - at(0, -2)) / (2.0 * step)
        weights = [(-1.5 / step, 2.0 / step, -0.5 / step), (0.5 / step, -2.0 / step, 1.5 / step)] if edge_order == 2 else []
        ends = (step, step)
    else:
        before, after = step[:-1], step[1:]
        both = before + after
        parts = (-after / (before * both), (after - before) / (before * after), before / (after * both))
        left, here, right = (as_column(part, axis, f.ndim) for part in parts)
        inner = left * at(0, -2) + here * at(1, -1) + right * at(2, 0)
        weights = [_first_weights(*step[:2]), tuple(-w for w in reversed(_first_weights(*step[-1:-3:-1])))] if edge_order == 2 else []
        ends = (step[0], step[-1])
    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / ends[0], (at(n - 1, 0) - at(n - 2, -1)) / ends[1]
    else:
        first, last = (
            w[0] * at(k, k + 1) + w[1] * at(k + 1, k + 2) + w[2] * at(k + 2, k + 3) for w, k in zip(weights, (0, n - 3))
        )
    return concatenate([x.astype(f.dtype) for x in (first, inner, last)], axis)


def _first_weights(near: Any, far: Any) -> tuple:
    """Weights of the first three elements for the slope at the first one, if they lie `near` and `far` apart."""
    return -(2.0 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False, automatic_rechunk: bool = True
) -> Any:
    """Give all windows of a shape: one for each place where it fits, in new axes at the end.

    Parameters
    ----------
    x : array_like
    window_shape : int or tuple of int
        Lengths of the window.
    axis : int or tuple of int, optional
        The axis of each length; all axes by default.
    subok, writeable, automatic_rechunk
        Accepted for the sake of NumPy and Dask; the result is an array of its own.

    Examples
    --------
    >>> vm.sliding_window_view(vm.arange(5), 3).compute()
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x, window = asarray(x), tuple(_int_list(tuple(window_shape) if np.iterable(window_shape) else window_shape))
    if any(n < 0 for n in window):
        raise ValueError(f"sliding_window_view: lengths must not be negative: {window}")
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis_in(k, x.ndim) for k in (axis if np.iterable(axis) else (axis,)))
    if len(window) != len(axes):
        raise ValueError(f"sliding_window_view: the window has {len(window)} lengths for {len(axes)} axes")
    places = list(x.shape)
    for k, n in zip(axes, window):
        if places[k] < n:
            raise ValueError(f"sliding_window_view: a window of {window} is larger than the array of shape {x.shape}")
        places[k] -= n - 1
    return _windows(x, window, axes, tuple(places))


def _windows(x: Any, window: tuple[int, ...], axes: tuple[int, ...], places: tuple[int, ...]) -> Any:
    if math.prod(window) * x.itemsize > BLOCK:
        return _large_windows(x, window, axes, places)
    positions = cut(places, max(math.prod(window), 1))
    chunks = positions + tuple((n,) for n in window)
    more = [sum(n - 1 for k, n in zip(axes, window) if k == axis) for axis in range(x.ndim)]
    reads = [(k, [(begin, max(end + more[k], begin)) for begin, end in _bounds(lengths)]) for k, lengths in enumerate(positions)]
    kernel = partial(_windows_of, window=window, axes=axes)
    return host(kernel, "sliding_window_view", [x], [reads], places + window, x.dtype, chunks)


def _windows_of(block: tuple[int, ...], box: np.ndarray, window: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(box, window, axes)


def _large_windows(x: Any, window: tuple[int, ...], axes: tuple[int, ...], places: tuple[int, ...]) -> Any:
    """Join halves of windows that are too large for a block: those of the elements that the halves reach."""
    longest = int(np.argmax(window))
    n, axis = window[longest], axes[longest]
    parts = []
    for begin, end in ((0, n // 2), (n // 2, n)):
        reached = along(x, axis, slice(begin, x.shape[axis] - (n - end)))
        parts.append(_windows(reached, window[:longest] + (end - begin,) + window[longest + 1 :], axes, places))
    return concatenate(parts, x.ndim + longest)


lib = types.SimpleNamespace(stride_tricks=types.SimpleNamespace(sliding_window_view=sliding_window_view))


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """Give angles without jumps: multiples of the period are added where neighbours differ by more than half of it.

    Parameters
    ----------
    p : array_like
    discont : number, optional
        Jumps below this are left alone; half the period by default.
    axis : int
    period : number

    Examples
    --------
    >>> vm.unwrap(vm.asarray([0, 170, 350, 160]), period=360).compute()
    array([  0, 170, 350, 520])
    """
    p = asarray(p)
    step = diff(p, axis=axis)
    axis = axis_in(axis, p.ndim)
    discont = period / 2 if discont is None else discont
    dtype = np.result_type(step.dtype, period)
    half = period // 2 if dtype.kind in "iu" else period / 2
    short = call("remainder", (step - -half, period)) + -half
    if dtype.kind not in "iu" or period % 2 == 0:
        # Half a period can be taken either way; it keeps its direction.
        short = either((short == -half) & (step > 0), half, short)
    correction = short - step
    correction = either(call("absolute", (step,)) < discont, zero(correction.dtype), correction)
    moved = along(p, axis, slice(1, None)) + call("cumsum", (correction,), {"axis": axis, "dtype": None})
    return concatenate([along(p, axis, slice(0, 1)).astype(dtype), moved.astype(dtype)], axis)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integrate along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
    x : array_like, optional
        Coordinates: along the axis, or of all elements.
    dx : number
        Distance of neighbours, if `x` is not given.
    axis : int

    Examples
    --------
    >>> vm.trapezoid(vm.asarray([1.0, 2.0, 3.0])).compute()
    np.float64(4.0)
    """
    y = asarray(y)
    axis = axis_in(axis, y.ndim)
    width = dx
    if x is not None:
        x = asarray(x)
        width = as_column(diff(x), axis, y.ndim) if x.ndim == 1 else diff(x, axis=axis)
    pairs = along(y, axis, slice(1, None)) + along(y, axis, slice(None, -1))
    return (width * pairs / 2.0).sum(axis=axis)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Interpolate linearly between points.

    Parameters
    ----------
    x : array_like
        Where to interpolate.
    xp, fp : array_like
        Coordinates and values of the points; lazy ones are computed.
    left, right : number, optional
        Values outside the points; those of the first and the last point by default.
    period : number, optional
        Period of `xp`.

    Examples
    --------
    >>> vm.interp(vm.asarray([0.5, 1.5]), [0, 1, 2], [0, 10, 40]).compute()
    array([ 5., 25.])
    """
    kernel = partial(_interpolate, xp=values_of(xp), fp=values_of(fp), left=left, right=right, period=period)
    dtype = kernel(np.zeros(0)).dtype  # Refuses wrong points now.
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("interp: x must be real")
    return elementwise(kernel, x, dtype=dtype, name="interp")


def _interpolate(x: np.ndarray, xp: np.ndarray, fp: np.ndarray, left: Any, right: Any, period: Any) -> np.ndarray:
    return np.asarray(np.interp(x, xp, fp, left, right, period))


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Convolve two one-dimensional arrays. The shorter one must fit memory.

    Parameters
    ----------
    a, v : array_like
    mode : {"full", "same", "valid"}
        All places where the arrays overlap; as many as the longer one has elements; or those of complete overlap.

    Examples
    --------
    >>> vm.convolve(vm.asarray([1, 2, 3]), [0, 1, 0.5]).compute()
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    a, v = _one_axis(a, "a", "convolve"), _one_axis(v, "v", "convolve")
    if len(v) > len(a):
        a, v = v, a
    return _overlaps(a, v, mode, False, "convolve")


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Correlate two one-dimensional arrays, the second conjugated. The shorter one must fit memory.

    Parameters
    ----------
    a, v : array_like
    mode : {"valid", "same", "full"}
        As in `convolve`.

    Examples
    --------
    >>> vm.correlate(vm.asarray([1, 2, 3]), [0, 1, 0.5]).compute()
    array([3.5])
    """
    a, v = _one_axis(a, "a", "correlate"), _one_axis(v, "v", "correlate")
    v = call("flip", (v if v.dtype.kind != "c" else call("conj", (v,)),), {"axis": [0]})
    if len(v) > len(a):
        return _overlaps(v, a, mode, True, "correlate")
    return _overlaps(a, v, mode, False, "correlate")


def _one_axis(x: Any, argument: str, name: str) -> Any:
    x = atleast_1d(asarray(x))
    if x.ndim != 1:
        raise ValueError(f"{name}: {argument} must have one axis, not {x.ndim}")
    if len(x) == 0:
        raise ValueError(f"{name}: {argument} cannot be empty")
    return x


def _overlaps(a: Any, v: Any, mode: str, exchanged: bool, name: str) -> Any:
    """Convolve with a shorter array: blocks read what overlaps them, and all of `v`."""
    n, m = len(a), len(v)
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{name}: mode must be 'full', 'same' or 'valid', not {mode!r}")
    # Of an even number of elements at the ends, one more is left out on the side where the shorter array begins.
    skipped = {"full": 0, "valid": m - 1, "same": m // 2 if exchanged else (m - 1) // 2}[mode]
    length = {"full": n + m - 1, "valid": n - m + 1, "same": n}[mode]
    chunks = normalize_chunks((max(BLOCK // 16, m),), (length,))
    mine = [(begin + skipped, end + skipped) for begin, end in _bounds(chunks[0])]
    bounds = [(max(begin - m + 1, 0), min(end, n)) for begin, end in mine]
    cuts = [(begin - low, end - low) for (begin, end), (low, _) in zip(mine, bounds)]
    dtype = np.promote_types(a.dtype, v.dtype)
    reads = [[(0, bounds)], [(None, [(0, m)])]]
    return host(partial(_convolved, cuts=cuts), name, [a.astype(dtype), v.astype(dtype)], reads, (length,), dtype, chunks)


def _convolved(block: tuple[int, ...], a: np.ndarray, v: np.ndarray, cuts: list) -> np.ndarray:
    begin, end = cuts[block[0]]
    return np.convolve(a, v)[begin:end]


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Give the cross product of vectors of length 3 (or 2: then the third element is 0).

    Examples
    --------
    >>> vm.cross(vm.asarray([1, 0, 0]), [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        raise ValueError("cross: both arrays must have at least one axis")
    dtype = np.promote_types(a.dtype, b.dtype)
    a, b = (moveaxis(x.astype(dtype), axis_in(k, x.ndim), -1) for x, k in ((a, axisa), (b, axisb)))
    if not {a.shape[-1], b.shape[-1]} <= {2, 3}:
        raise ValueError(f"cross: vectors must have length 3 (or 2), not {a.shape[-1]} and {b.shape[-1]}")
    p, q = ([basic(x, (Ellipsis, k)) for k in range(x.shape[-1])] for x in (a, b))
    last = p[0] * q[1] - p[1] * q[0]
    if len(p) == len(q) == 2:
        return last
    if len(p) == 2:
        parts = [p[1] * q[2], -(p[0] * q[2]), last]
    elif len(q) == 2:
        parts = [-(p[2] * q[1]), p[2] * q[0], last]
    else:
        parts = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], last]
    return stack(parts, axis_in(axisc, last.ndim + 1))


__all__ = [
    "convolve", "correlate", "cross", "diff", "ediff1d", "gradient", "interp", "lib", "sliding_window_view", "trapezoid", "unwrap",
]  # fmt: skip
