"""Sums over the axes of users' own derivatives, as in `scipy.ndimage`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._core import axes_in, call, optional_dtype
from voxmill._create import asarray


def generic_laplace(
    input: Any,
    derivative2: Callable,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    extra_arguments: tuple = (),
    extra_keywords: Mapping | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Add second derivatives along the axes, as `scipy.ndimage.generic_laplace` does.

    Parameters
    ----------
    input : array_like
    derivative2 : callable
        Called once for each axis, as ``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)`` with a lazy
        array and a dtype as `output`; gives an array.
    output : dtype, optional
        Element type of the result; that of `input` by default.
    mode : str or sequence of str
        What lies outside, for all axes or for each.
    cval : float
        The value there, for ``mode="constant"``.
    extra_arguments, extra_keywords
        Passed on to `derivative2`.
    axes : int or tuple of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> def second(x, axis, output, mode, cval):
    ...     return vm.ndimage.correlate1d(x, [1, -2, 1], axis, output, mode, cval)
    >>> vm.ndimage.generic_laplace(vm.asarray([0.0, 1, 4, 9]), second).compute()
    array([ 1.,  2.,  2., -5.])
    """
    x, dtype, parts = _derived(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes)
    return _sum(parts, dtype) if parts else x.astype(dtype)


def generic_gradient_magnitude(
    input: Any,
    derivative: Callable,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    extra_arguments: tuple = (),
    extra_keywords: Mapping | None = None,
    *,
    axes: Any = None,
) -> Any:
    """Give the root of the sum of squares of derivatives along the axes; arguments as in `generic_laplace`.

    Examples
    --------
    >>> vm.ndimage.generic_gradient_magnitude(vm.asarray([[0.0, 3], [4, 7]]), vm.ndimage.prewitt, mode="nearest").compute()
    array([[15., 15.],
           [15., 15.]])
    """
    x, dtype, parts = _derived(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes)
    return call("sqrt", (_sum([part * part for part in parts], dtype),)).astype(dtype) if parts else x.astype(dtype)


def _derived(
    input: Any, derivative: Callable, output: Any, mode: Any, cval: float, args: tuple, kwargs: Mapping | None, axes: Any
) -> tuple[Any, np.dtype, list[Any]]:
    """Give the array, the dtype of the result, and the derivative along each axis."""
    x = asarray(input)
    if isinstance(output, np.ndarray):
        raise TypeError("a lazy result cannot be written into an array: give a dtype as output, or leave it out")
    optional_dtype(output)
    dtype = x.dtype if output is None else np.dtype(output)
    axes = axes_in(axes, x.ndim)
    modes = [mode] * len(axes) if isinstance(mode, str) or not isinstance(mode, Sequence) else list(mode)
    if len(modes) != len(axes):
        raise RuntimeError(f"mode has {len(modes)} entries for {len(axes)} axes")
    parts = [derivative(x, axis, dtype, m, cval, *args, **dict(kwargs or {})) for axis, m in zip(axes, modes)]
    return x, dtype, [asarray(part).astype(dtype) for part in parts]


def _sum(parts: list[Any], dtype: np.dtype) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total.astype(dtype)
