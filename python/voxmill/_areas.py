"""Openings and closings by area."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray, ones, zeros

__all__ = ["area_closing", "area_opening"]


def area_opening(image: Any, area_threshold: float = 64, connectivity: int = 1, parent: Any = None, tree_traverser: Any = None) -> Any:
    """Take away bright regions that are smaller than some area, as `skimage.morphology.area_opening` does.

    A region keeps its level if it has at least `area_threshold` elements, and sinks until it has otherwise. How far depends on the whole
    image, so that it is one task that needs it in memory, with about 30 bytes per element; an image that does not fit the memory limit
    is refused when it is computed. For truth values, `remove_small_objects` does the same in tiles. An image with fewer elements than that
    becomes 0 altogether (or, of a closing, the inverse of 0), as in scikit-image.

    Parameters
    ----------
    image : array_like
    area_threshold : float
        Elements that a region needs.
    connectivity : int
        In how many axes neighbours may differ.
    parent, tree_traverser
        Not taken here.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.morphology.area_opening(vm.asarray([1, 5, 1, 4, 4, 4, 1]), 2).compute()
    array([1, 1, 1, 4, 4, 4, 1])
    """
    return _opened("area_opening", asarray(image), area_threshold, connectivity, parent, tree_traverser)


def area_closing(image: Any, area_threshold: float = 64, connectivity: int = 1, parent: Any = None, tree_traverser: Any = None) -> Any:
    """Take away dark regions that are smaller than some area; arguments as in `area_opening`.

    Examples
    --------
    >>> vm.morphology.area_closing(vm.asarray([5, 1, 5, 2, 2, 2, 5]), 2).compute()
    array([5, 5, 5, 2, 2, 2, 5])
    """
    x = asarray(image)
    _refuse("area_closing", x)
    if x.dtype.kind == "f" and 0 < x.size < area_threshold:
        return ones(x.shape, dtype=x.dtype, chunks=x.chunks)
    turned = ~x if x.dtype.kind in "biu" else -x
    made = _opened("area_closing", turned, area_threshold, connectivity, parent, tree_traverser)
    return ~made if x.dtype.kind in "biu" else -made


def _refuse(name: str, x: Any) -> None:
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name}: real numbers are needed, not {x.dtype}")


def _opened(name: str, x: Any, area: float, connectivity: int, parent: Any, tree: Any) -> Any:
    _refuse(name, x)
    if parent is not None or tree is not None:
        raise TypeError(f"{name}: trees are not taken; give the image alone")
    if not x.ndim or 0 in x.shape:
        return x
    if x.dtype == bool:
        return _opened(name, x.astype("uint8"), area, connectivity, None, None).astype(bool)
    if x.size < area:
        return zeros(x.shape, dtype=x.dtype, chunks=x.chunks)
    structure = np.abs(np.indices([3] * x.ndim) - 1).sum(axis=0) <= max(int(connectivity), 1)
    return call("area_block", (x,), {"structure": structure, "area": float(area), "shape": list(x.shape)})
