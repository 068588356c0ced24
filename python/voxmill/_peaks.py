"""Peaks of an image, as points."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from voxmill import config
from voxmill._core import call
from voxmill._create import arange, asarray
from voxmill._measurements import find_objects
from voxmill._run import compute

__all__ = ["peak_local_max"]


def peak_local_max(
    image: Any,
    min_distance: int = 1,
    threshold_abs: float | None = None,
    threshold_rel: float | None = None,
    exclude_border: Any = True,
    num_peaks: float = np.inf,
    footprint: Any = None,
    labels: Any = None,
    num_peaks_per_label: float = np.inf,
    p_norm: float = np.inf,
) -> np.ndarray:
    """Find peaks as points, the highest first, as `skimage.feature.peak_local_max` does.

    Maxima are looked for in all chunks at once, with what lies beyond their borders; only the points are gathered. With `labels`, each
    region is looked at for itself, one after the other.

    Parameters
    ----------
    image : array_like
    min_distance : int
        Elements between peaks.
    threshold_abs, threshold_rel : float, optional
        Peaks are higher than this, and than this share of the highest value; the lowest value of the image by default.
    exclude_border : bool, int or tuple of int
        How near to the border no peaks are looked for; `min_distance` for true.
    num_peaks : int
        The most peaks to give.
    footprint : array_like, optional
        Where a peak is the highest, instead of a box of `min_distance` around it.
    labels : array_like of int, optional
        Regions, in each of which peaks are looked for.
    num_peaks_per_label : int
        The most peaks of a region.
    p_norm : float
        How distances are measured: the longest step along an axis by default, 2 for Euclidean ones.

    Returns
    -------
    numpy.ndarray
        A row of coordinates for each peak.

    Examples
    --------
    >>> vm.feature.peak_local_max(vm.asarray([0, 3, 0, 0, 5, 1, 0, 0]), exclude_border=False)
    array([[4],
           [1]])
    """
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"peak_local_max: real numbers are needed, not {x.dtype}")
    if min_distance < 1 and (footprint is None or np.size(footprint) == 1):
        warnings.warn("with min_distance < 1 all elements above the threshold are peaks", RuntimeWarning, stacklevel=2)
    width = _excluded(x.ndim, min_distance, exclude_border)
    low, high = compute(x.min(), x.max(), progress=False)
    threshold = low if threshold_abs is None else threshold_abs
    if threshold_rel is not None:
        threshold = max(threshold, threshold_rel * high)
    shape = (2 * int(min_distance) + 1,) * x.ndim
    footprint = np.ones(shape, dtype=bool) if footprint is None else np.asarray(footprint) != 0
    if labels is None:
        points, values = _points(x, _maxima(x, footprint, threshold) & _inside(x, width))
        return _spaced(points, values, num_peaks, min_distance, p_norm)
    labels = asarray(labels)
    if labels.shape != x.shape:
        raise ValueError(f"peak_local_max: the labels have shape {labels.shape}, the image {x.shape}; they must be equal")
    if labels.dtype.kind not in "iu":
        raise TypeError(f"peak_local_max: labels must be whole numbers, not {labels.dtype}")
    allowed = call("where", (_inside(x, width), labels, 0)).astype(labels.dtype)
    found = []
    for number, box in enumerate(find_objects(allowed), start=1):
        if box is None:
            continue
        part, own = compute(x[box], labels[box] == number, progress=False)
        mask = _maxima_of_region(np.where(own, part, _lowest(x.dtype)).astype(x.dtype), own, footprint, threshold)
        points = np.argwhere(mask)
        points = _spaced(points, part[mask], num_peaks_per_label, min_distance, p_norm)
        found.append(points + [s.start for s in box])
    if not found:
        return np.empty((0, x.ndim), dtype=int)
    points = np.concatenate(found)
    if len(points) > num_peaks:
        order = np.lexsort(points.T[::-1])
        points = points[order]
        points = _spaced(points, np.array([x[tuple(p)].compute(progress=False) for p in points]), num_peaks, min_distance, p_norm)
    return points


def _excluded(rank: int, min_distance: int, border: Any) -> tuple[int, ...]:
    if isinstance(border, (bool, np.bool_)):
        return (int(min_distance) if border else 0,) * rank
    if isinstance(border, (int, np.integer)):
        if border < 0:
            raise ValueError("`exclude_border` cannot be a negative value")
        return (int(border),) * rank
    if isinstance(border, tuple):
        if len(border) != rank:
            raise ValueError("`exclude_border` should have the same length as the dimensionality of the image.")
        if not all(isinstance(width, (int, np.integer)) for width in border):
            raise ValueError("`exclude_border`, when expressed as a tuple, must only contain ints.")
        if min(border) < 0:
            raise ValueError("`exclude_border` can not be a negative value")
        return tuple(int(width) for width in border)
    raise TypeError("`exclude_border` must be bool, int, or tuple with the same length as the dimensionality of the image.")


def _inside(x: Any, width: tuple[int, ...]) -> Any:
    """Give true where an element is far enough from the border."""
    inside = np.ones((1,) * x.ndim, dtype=bool)
    result = asarray(inside)
    for axis, (n, w) in enumerate(zip(x.shape, width)):
        if w and n:
            along = arange(n, chunks=(x.chunks[axis],))
            # A border that is wider than the image leaves nothing.
            near = (along >= min(w, n)) & (along < max(n - w, 0))
            result = result & near.reshape([n if k == axis else 1 for k in range(x.ndim)])
    return result


def _maxima(x: Any, footprint: np.ndarray, threshold: Any) -> Any:
    if footprint.size == 1 or x.size == 1:
        return x > threshold
    top = x == call("maximum_filter", (x,), {"footprint": footprint, "mode": "nearest"})
    # An image of one value has no peaks.
    return top & (x > threshold) & ~top.all()


def _maxima_of_region(x: np.ndarray, own: np.ndarray, footprint: np.ndarray, threshold: Any) -> np.ndarray:
    if footprint.size == 1 or x.size == 1:
        return x > threshold
    top = x == call("maximum_filter", (x,), {"footprint": footprint, "mode": "nearest"}).compute(progress=False)
    if top[own].all():
        # Elements of a region of one value are peaks where they stand alone.
        top = own ^ call("binary_opening", (own,)).compute(progress=False)
    return top & (x > threshold)


def _lowest(dtype: np.dtype) -> Any:
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _points(x: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
    """Give positions and values of what is true, gathered block by block."""
    points, values = [np.empty((0, x.ndim), dtype=np.int64)], [np.empty(0, dtype=x.dtype)]
    mask = mask & (x == x)
    for first in _slabs(x):
        part, here = compute(x[first], mask[first], progress=False)
        found = np.argwhere(here)
        values.append(part[here])
        found[:, 0] += first.start
        points.append(found)
    return np.concatenate(points), np.concatenate(values)


def _slabs(x: Any) -> list[slice]:
    """Give slabs along the first axis that take a small part of the memory limit."""
    row = max(math.prod(x.shape[1:]), 1) * (x.dtype.itemsize + 1)
    step = max(config.limits().memory_limit // (16 * row), 1)
    return [slice(begin, min(begin + step, x.shape[0])) for begin in range(0, x.shape[0], step)]


def _spaced(points: np.ndarray, values: np.ndarray, most: float, spacing: int, p_norm: float) -> np.ndarray:
    """Give the highest points, and none that is nearer to a higher one than `spacing`."""
    order = np.argsort(-values.astype(float) if values.dtype.kind in "bu" else -values, kind="stable")
    points = points[order]
    if spacing > 1:
        points = points[_apart(points, spacing, p_norm, most)]
    return points[: int(most)] if len(points) > most else points


def _apart(points: np.ndarray, spacing: float, p_norm: float, most: float) -> np.ndarray:
    """Say which points stay, if one after the other takes away those that are nearer than `spacing` behind it."""
    cells: dict[tuple[int, ...], list[int]] = {}
    kept: list[int] = []
    around = list(np.ndindex((3,) * points.shape[1]))
    for k, point in enumerate(points):
        cell = tuple(int(c) for c in point // spacing)
        near = [i for step in around for i in cells.get(tuple(c + s - 1 for c, s in zip(cell, step)), ())]
        if near:
            apart = np.linalg.norm(points[near] - point, ord=p_norm, axis=1)
            if apart.min() < spacing:
                continue
        kept.append(k)
        cells.setdefault(cell, []).append(k)
        if len(kept) >= most:
            break
    return np.array(kept, dtype=np.int64)
