"""Objects as scipy calls them, on the ops of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import axes_in, call, optional_dtype
from voxmill._create import asarray

__all__ = ["generate_binary_structure", "iterate_structure", "label"]


def label(input: Any, structure: Any = None, output: Any = None, *, wrap_axes: Any = None) -> tuple[Any, Any]:
    """Number connected objects; see `scipy.ndimage.label`.

    The numbers are those of scipy for any chunks: 1, 2, 3 ... in the order in which objects begin in the array.

    Parameters
    ----------
    input : array_like
        Everything but zero is an object.
    structure : array_like, optional
        Which neighbours belong together: 3 positions per axis, the same from both sides. Those along the axes by default.
    output : dtype, optional
        Element type of the numbers; int32 by default, int64 for arrays of 2**31 elements and more. More objects than it can number are
        an error when they are computed.
    wrap_axes : int or sequence of int, optional
        Axes whose ends are joined, as in dask-image: what touches across these borders of the array, or across their corners, is one
        object.

    Returns
    -------
    labels : Array
    num : Array
        The number of objects, without axes: ``int(num)`` computes it. ``vm.compute(labels, num)`` computes both at once.

    Examples
    --------
    >>> labels, num = vm.ndimage.label(vm.asarray([1, 1, 0, 1, 0, 1]))
    >>> labels.compute()
    array([1, 1, 0, 2, 0, 3], dtype=int32)
    >>> int(num)
    3
    >>> vm.ndimage.label(vm.asarray([1, 1, 0, 1, 0, 1]), wrap_axes=0)[0].compute()
    array([1, 1, 0, 2, 0, 1], dtype=int32)
    """
    x = asarray(input)
    if x.dtype.kind == "c":
        raise TypeError("label: complex numbers are not labelled; label their absolute values: vm.abs(x)")
    if structure is not None and not isinstance(structure, str):
        structure = np.asarray(structure).astype(bool)
    params = {"structure": structure, "wrap_axes": None if wrap_axes is None else list(axes_in(wrap_axes, x.ndim))}
    labels = call("label", (x,), {**params, "output": optional_dtype(output)})
    return labels, call("n_labels", (x,), params)


def generate_binary_structure(rank: int, connectivity: int) -> np.ndarray:
    """Give the neighbours that differ in at most some coordinates; see `scipy.ndimage.generate_binary_structure`.

    Parameters
    ----------
    rank : int
        Number of axes.
    connectivity : int
        In how many axes neighbours may differ: 1 for those along the axes, `rank` for all.

    Returns
    -------
    numpy.ndarray of bool

    Examples
    --------
    >>> vm.ndimage.generate_binary_structure(2, 1).astype(int)
    array([[0, 1, 0],
           [1, 1, 1],
           [0, 1, 0]])
    """
    if rank < 1:
        return np.array(True, dtype=bool)
    distance = np.abs(np.indices([3] * rank) - 1).sum(axis=0)
    return distance <= max(connectivity, 1)


def iterate_structure(structure: Any, iterations: int, origin: Any = None) -> Any:
    """Dilate a structure with itself; see `scipy.ndimage.iterate_structure`.

    Parameters
    ----------
    structure : array_like
        Which neighbours count.
    iterations : int
        How often the structure is applied in total.
    origin : int or sequence of int, optional
        Where the structure lies; it is given back multiplied.

    Returns
    -------
    numpy.ndarray of bool
        And the new origin as a list, if one is given.

    Examples
    --------
    >>> cross = vm.ndimage.generate_binary_structure(2, 1)
    >>> vm.ndimage.iterate_structure(cross, 2).astype(int)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]])
    """
    structure = np.asarray(structure)
    if iterations < 2:
        return structure.copy()
    times = iterations - 1
    shape = [n + times * (n - 1) for n in structure.shape]
    grown = np.zeros(shape, dtype=bool)
    grown[tuple(slice(times * (n // 2), times * (n // 2) + n) for n in structure.shape)] = structure != 0
    for _ in range(times):
        grown = _dilated(grown, structure != 0)
    if origin is None:
        return grown
    origins = [int(o) for o in np.broadcast_to(np.asarray(origin), (structure.ndim,))]
    return grown, [iterations * o for o in origins]


def _dilated(x: np.ndarray, structure: np.ndarray) -> np.ndarray:
    """Dilate a small array, with nothing beyond its border."""
    result = np.zeros_like(x)
    for place in np.argwhere(structure):
        shifts = [int(k) - n // 2 for k, n in zip(place, structure.shape)]
        to = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(shifts, x.shape))
        source = tuple(slice(max(-s, 0), n + min(-s, 0)) for s, n in zip(shifts, x.shape))
        result[to] |= x[source]
    return result
