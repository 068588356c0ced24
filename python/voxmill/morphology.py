"""Shapes of objects, as in `skimage.morphology`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray

__all__ = ["ball", "cube", "diamond", "disk", "octahedron", "remove_small_holes", "remove_small_objects", "square"]


def remove_small_objects(ar: Any, min_size: int | None = None, connectivity: int = 1, *, max_size: int = 63, out: Any = None) -> Any:
    """Remove connected objects of at most `max_size` elements.

    Parameters
    ----------
    ar : array_like of bool
    min_size : int, optional
        The older way to say it: objects with fewer elements go.
    connectivity : int
        In how many axes neighbours may differ.
    max_size : int
        Objects with at most so many elements go.
    out
        Not taken here: assign the result.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.remove_small_objects(vm.asarray([1, 0, 1, 1, 0, 1, 1, 1], dtype=bool), max_size=2).compute().astype(int)
    array([0, 0, 0, 0, 0, 1, 1, 1])
    """
    ar = _truth(ar, "remove_small_objects", out)
    return call("remove_small_objects", (ar,), {"max_size": _most(min_size, max_size), "connectivity": connectivity})


def remove_small_holes(ar: Any, area_threshold: int | None = None, connectivity: int = 1, *, max_size: int = 63, out: Any = None) -> Any:
    """Fill connected holes of at most `max_size` elements; arguments as in `remove_small_objects`.

    Examples
    --------
    >>> vm.morphology.remove_small_holes(vm.asarray([1, 0, 1, 0, 0, 0, 1], dtype=bool), max_size=2).compute().astype(int)
    array([1, 1, 1, 0, 0, 0, 1])
    """
    ar = _truth(ar, "remove_small_holes", out)
    return ~call("remove_small_objects", (~ar,), {"max_size": _most(area_threshold, max_size), "connectivity": connectivity})


def _most(fewer_than: int | None, max_size: int) -> int:
    if fewer_than is None:
        size = int(max_size)
    else:
        warnings.warn("objects are removed up to max_size= elements by now; min_size=n means max_size=n - 1", FutureWarning, stacklevel=3)
        size = int(fewer_than) - 1
    if size < 0 and not (fewer_than == 0 and size == -1):
        raise ValueError(f"the size of objects that go must not be negative, got {size}")
    return max(size, 0)


def _truth(ar: Any, name: str, out: Any) -> Any:
    if out is not None:
        raise TypeError(f"{name}: out= is not taken: results are new arrays")
    ar = asarray(ar)
    if ar.dtype != bool:
        raise TypeError(f"{name}: truth values are needed, not {ar.dtype}; write for example x > 0")
    return ar


def ball(radius: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a ball: positions of three axes at most `radius` away from the middle.

    Examples
    --------
    >>> vm.morphology.ball(1).sum()
    np.uint64(7)
    """
    return _within(radius, 3, 2, dtype)


def disk(radius: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a disk: positions of two axes at most `radius` away from the middle.

    Examples
    --------
    >>> vm.morphology.disk(2)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]], dtype=uint8)
    """
    return _within(radius, 2, 2, dtype)


def octahedron(radius: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give an octahedron: positions of three axes at most `radius` steps away from the middle.

    Examples
    --------
    >>> vm.morphology.octahedron(1).sum()
    np.uint64(7)
    """
    return _within(radius, 3, 1, dtype)


def diamond(radius: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a diamond: positions of two axes at most `radius` steps away from the middle.

    Examples
    --------
    >>> vm.morphology.diamond(1)
    array([[0, 1, 0],
           [1, 1, 1],
           [0, 1, 0]], dtype=uint8)
    """
    return _within(radius, 2, 1, dtype)


def square(width: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a square of ones.

    Examples
    --------
    >>> vm.morphology.square(3).shape
    (3, 3)
    """
    return np.ones((width, width), dtype=dtype)


def cube(width: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a cube of ones.

    Examples
    --------
    >>> vm.morphology.cube(3).shape
    (3, 3, 3)
    """
    return np.ones((width, width, width), dtype=dtype)


def _within(radius: int, rank: int, power: int, dtype: Any) -> np.ndarray:
    distance = np.abs(np.indices([2 * radius + 1] * rank) - radius) ** power
    return (distance.sum(axis=0) <= radius**power).astype(dtype)
