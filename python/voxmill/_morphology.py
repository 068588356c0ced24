"""Morphology as scipy calls it, on the ops of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import axes_in, call
from voxmill._create import asarray, ones, zeros

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_opening",
    "binary_propagation",
    "distance_transform_edt",
]


def binary_erosion(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Give true where a structure fits into what is true; see `scipy.ndimage.binary_erosion`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like or str, optional
        Which neighbours count: an array of 0 and 1, or a name such as ``"ball(3)"``; those along the axes by default.
    iterations : int
        How often it is repeated.
    mask : array_like, optional
        Where it is false, elements stay as they are.
    output : dtype, optional
        Element type of the result; bool by default.
    border_value : int
        What lies beyond the border, 0 or 1.
    origin : int or sequence of int
        How far the structure is moved.
    brute_force
        Has no meaning here.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.binary_erosion(vm.asarray([1, 1, 1, 0, 1])).compute()
    array([False,  True, False, False, False])
    """
    return _repeated("binary_erosion", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_dilation(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Give true where a structure touches something true; parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_dilation(vm.asarray([0, 0, 1, 0, 0])).compute()
    array([False,  True,  True,  True, False])
    """
    return _repeated("binary_dilation", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_opening(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Erode, then dilate: removes what the structure does not fit into. Parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_opening(vm.asarray([1, 1, 1, 0, 1])).compute()
    array([ True,  True,  True, False, False])
    """
    eroded = _repeated("binary_erosion", input, structure, iterations, mask, None, border_value, origin, axes)
    return _repeated("binary_dilation", eroded, structure, iterations, mask, output, border_value, origin, axes)


def binary_closing(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Dilate, then erode: fills gaps that the structure does not fit into. Parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_closing(vm.asarray([0, 1, 0, 1, 0])).compute()
    array([False,  True,  True,  True, False])
    """
    dilated = _repeated("binary_dilation", input, structure, iterations, mask, None, border_value, origin, axes)
    return _repeated("binary_erosion", dilated, structure, iterations, mask, output, border_value, origin, axes)


def _repeated(
    name: str, input: Any, structure: Any, iterations: int, mask: Any, output: Any, border_value: int, origin: Any, axes: Any
) -> Any:
    if structure is not None and not isinstance(structure, str):
        structure = np.asarray(structure).astype(bool)
    params = {"structure": structure, "border_value": int(bool(border_value)), "origin": origin, "axes": axes}
    result = asarray(input)
    if iterations < 1:
        for step in _STEPS[name]:
            result = _until_stable(step, result, structure, mask, border_value, origin, axes)
    elif mask is None:
        result = call(name, (result,), {**params, "iterations": iterations})
    else:
        result = _masked(name, result.astype(bool), asarray(mask).astype(bool), iterations, params)
    return result if output is None else result.astype(output)


_STEPS = {
    "binary_erosion": ("binary_erosion",),
    "binary_dilation": ("binary_dilation",),
    "binary_opening": ("binary_erosion", "binary_dilation"),
    "binary_closing": ("binary_dilation", "binary_erosion"),
}


def _until_stable(name: str, x: Any, structure: Any, mask: Any, border_value: int, origin: Any, axes: Any) -> Any:
    """Repeat until nothing changes: what is connected to something true, or to something false."""
    if name == "binary_dilation":
        return binary_propagation(x, structure, mask, border_value=border_value, origin=origin, axes=axes)
    return ~binary_propagation(x == 0, structure, mask, border_value=not border_value, origin=origin, axes=axes)


def _masked(name: str, x: Any, mask: Any, iterations: int, params: dict) -> Any:
    """Repeat, with elements outside the mask set back each time."""
    if mask.shape != x.shape:
        raise ValueError(f"{name}: the mask has shape {mask.shape}, the input {x.shape}; they must be equal")
    for _ in range(iterations):
        x = call("where", (mask, call(name, (x,), {**params, "iterations": 1}), x))
    return x


def binary_propagation(
    input: Any,
    structure: Any = None,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Let what is true spread through a mask, until nothing changes; see `scipy.ndimage.binary_propagation`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like, optional
        Which neighbours it spreads to: 3 positions per axis, the same from both sides; those along the axes by default.
    mask : array_like, optional
        Where it may spread to; everywhere by default.
    output : dtype, optional
        Element type of the result; bool by default.
    border_value : int
        What lies beyond the border, 0 or 1.
    origin
        Must be 0.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> mask = vm.asarray([1, 1, 0, 1, 1, 1, 0])
    >>> vm.ndimage.binary_propagation([0, 0, 0, 0, 1, 0, 0], mask=mask).compute().astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    x = asarray(input) != 0
    if mask is None:
        allowed = ones(x.shape, dtype=bool, chunks=x.chunks)
    else:
        mask = asarray(mask) != 0
        if mask.shape != x.shape:
            raise ValueError(f"binary_propagation: the mask has shape {mask.shape}, the input {x.shape}; they must be equal")
        allowed = x | mask
    params = {"structure": _neighbours("binary_propagation", structure, x.ndim, origin, axes), "border": bool(border_value)}
    result = call("keep_marked", (allowed, x), params)
    return result if output is None else result.astype(output)


def binary_fill_holes(input: Any, structure: Any = None, output: Any = None, origin: Any = 0, *, axes: Any = None) -> Any:
    """Fill holes: what is false and not connected to the border; see `scipy.ndimage.binary_fill_holes`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like, optional
        Which neighbours of a hole belong to it: 3 positions per axis, the same from both sides; those along the axes by default.
    output : dtype, optional
        Element type of the result; bool by default.
    origin
        Must be 0.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.binary_fill_holes([[1, 1, 1], [1, 0, 1], [1, 1, 1]]).compute().astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [1, 1, 1]])
    """
    empty = asarray(input) == 0
    params = {"structure": _neighbours("binary_fill_holes", structure, empty.ndim, origin, axes), "border": True}
    result = ~call("keep_marked", (empty, zeros(empty.shape, dtype=bool, chunks=empty.chunks)), params)
    return result if output is None else result.astype(output)


def _neighbours(name: str, structure: Any, rank: int, origin: Any, axes: Any) -> np.ndarray:
    """Give a structure over all axes, for ops that go on until nothing changes."""
    if np.any(np.asarray(origin) != 0):
        raise ValueError(f"{name}: origin must be 0 where it goes on until nothing changes, got {origin}")
    used = axes_in(axes, rank)
    distance = np.abs(np.indices([3] * len(used)) - 1).sum(axis=0) if used else np.zeros(())
    own = distance <= 1 if structure is None else np.asarray(structure).astype(bool)
    if own.ndim != len(used):
        raise ValueError(f"{name}: structure has {own.ndim} axes, {len(used)} are needed")
    if own.shape == (3,) * own.ndim and not own[(1,) * own.ndim]:
        raise ValueError(f"{name}: the middle of structure must be true")
    if len(used) == rank:
        return own
    # Along other axes, nothing is connected.
    full = np.zeros([3] * rank, dtype=bool)
    full[tuple(slice(None) if k in used else 1 for k in range(rank))] = own
    return full


def distance_transform_edt(
    input: Any,
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Give the distance of each element to the nearest zero; see `scipy.ndimage.distance_transform_edt`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as foreground.
    sampling : float or sequence of float, optional
        Distance of neighbours, for all axes or for each; 1 by default.
    return_distances, return_indices, distances, indices
        As in scipy; positions of the nearest zeros are not given yet.

    Returns
    -------
    Array
        Distances in float64; infinite where there is no zero at all.

    Examples
    --------
    >>> vm.ndimage.distance_transform_edt(vm.asarray([0, 1, 1, 1, 0])).compute()
    array([0., 1., 2., 1., 0.])
    """
    if return_indices or indices is not None or not return_distances:
        raise NotImplementedError("distance_transform_edt gives distances only; positions (return_indices) are not supported yet")
    if distances is not None:
        raise TypeError("distance_transform_edt: distances= is not supported, since results are lazy; use what it returns")
    return call("distance_transform_edt", (asarray(input),), {"sampling": sampling})
