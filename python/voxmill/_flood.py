"""What is connected to a point."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import arange, asarray
from voxmill._extrema import _structure

__all__ = ["flood", "flood_fill"]


def flood(image: Any, seed_point: Any, *, footprint: Any = None, connectivity: int | None = None, tolerance: float | None = None) -> Any:
    """Give true where elements like the one at a point are connected to it, as `skimage.morphology.flood` does.

    Lazy, and in bounded memory across all chunks.

    Parameters
    ----------
    image : array_like
    seed_point : int or tuple of int
        The point.
    footprint : array_like, optional
        Which neighbours count: 3 positions per axis, the same from both sides.
    connectivity : int, optional
        In how many axes neighbours may differ, if no footprint is given; all of them by default.
    tolerance : float, optional
        How far values may be from that of the point; they must be equal by default.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.flood(vm.asarray([1, 2, 2, 3, 2]), 1).compute().astype(int)
    array([0, 1, 1, 0, 0])
    """
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"flood: real numbers are needed, not {x.dtype}")
    at = _point(seed_point, x.shape)
    value = x[at]
    if tolerance is None:
        like = x == value
    else:
        # Whole numbers run over near the ends of their dtype; doubles do not.
        wide = x.astype("float64") if x.dtype.kind in "biu" else x
        like = abs(wide - wide[at]) <= abs(tolerance)
    mark = asarray(np.ones((1,) * x.ndim, dtype=bool))
    for axis, k in enumerate(at):
        along = arange(x.shape[axis], chunks=(x.chunks[axis],)) == k
        mark = mark & along.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return call("keep_marked", (like, mark), {"structure": _structure("flood", footprint, connectivity, x.ndim)})


def _point(point: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    at = tuple(map(operator.index, point)) if np.ndim(point) else (operator.index(point),)
    if len(at) != len(shape):
        raise ValueError(f"flood: the point {at} has {len(at)} coordinates, the image {len(shape)} axes")
    if not all(-n <= k < n for k, n in zip(at, shape)):
        raise IndexError(f"flood: the point {at} lies outside of an image of shape {shape}")
    return tuple(k % n for k, n in zip(at, shape))


def flood_fill(
    image: Any,
    seed_point: Any,
    new_value: Any,
    *,
    footprint: Any = None,
    connectivity: int | None = None,
    tolerance: float | None = None,
    in_place: bool = False,
) -> Any:
    """Give elements like the one at a point that are connected to it another value; arguments as in `flood`.

    Examples
    --------
    >>> vm.morphology.flood_fill(vm.asarray([1, 2, 2, 3, 2]), 1, 9).compute()
    array([1, 9, 9, 3, 2])
    """
    if in_place:
        raise TypeError("flood_fill: in_place= is not taken: results are new arrays")
    x = asarray(image)
    found = flood(x, seed_point, footprint=footprint, connectivity=connectivity, tolerance=tolerance)
    return call("where", (found, np.asarray(new_value).astype(x.dtype)[()], x)).astype(x.dtype)
