"""Objects as scipy calls them, on the ops of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call, dtype_name
from voxmill._create import asarray

__all__ = ["generate_binary_structure", "label"]


def label(input: Any, structure: Any = None, output: Any = None) -> tuple[Any, Any]:
    """Number connected objects; see `scipy.ndimage.label`.

    The numbers are those of scipy for any chunks: 1, 2, 3 ... in the order in which objects begin in the array.

    Parameters
    ----------
    input : array_like
        Everything but zero is an object.
    structure : array_like, optional
        Which neighbours belong together: 3 positions per axis, the same from both sides. Those along the axes by default.
    output : dtype, optional
        Element type of the numbers; int32 by default, int64 for arrays of 2**31 elements and more. Where there are more objects than it
        can number, computing fails.

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
    """
    x = asarray(input)
    if x.dtype.kind == "c":
        raise TypeError("label: complex numbers are not labelled; label their absolute values: vm.abs(x)")
    if structure is not None and not isinstance(structure, str):
        structure = np.asarray(structure).astype(bool)
    params = {"structure": structure}
    whole = output is not None and np.dtype(output).kind in "iu"
    labels = call("label", (x,), {**params, "output": dtype_name(output)} if whole else params)
    if output is not None and not whole:
        labels = labels.astype(output)
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
