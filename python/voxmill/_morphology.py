"""Morphology as scipy calls it, on the ops of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_opening", "distance_transform_edt"]


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
    if mask is None:
        result = call(name, (result,), {**params, "iterations": iterations})
    else:
        result = _masked(name, result.astype(bool), asarray(mask).astype(bool), iterations, params)
    return result if output is None else result.astype(output)


def _masked(name: str, x: Any, mask: Any, iterations: int, params: dict) -> Any:
    """Repeat, with elements outside the mask set back each time."""
    if mask.shape != x.shape:
        raise ValueError(f"{name}: the mask has shape {mask.shape}, the input {x.shape}; they must be equal")
    if iterations < 1:
        raise ValueError(f"{name}: iterations {iterations} asks to go on until nothing changes, which is not done here; give the number of times")
    for _ in range(iterations):
        x = call("where", (mask, call(name, (x,), {**params, "iterations": 1}), x))
    return x


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
