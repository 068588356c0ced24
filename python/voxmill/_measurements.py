"""Measurements of labelled regions as scipy calls them: one pass for all regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._create import asarray
from voxmill._regions import Regions

__all__ = [
    "center_of_mass",
    "extrema",
    "find_objects",
    "maximum",
    "maximum_position",
    "mean",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
]


def _measured(input: Any, labels: Any, index: Any) -> tuple[Regions, Any]:
    """Give the regions and the labels that are asked for: one region of everything where no labels are given, of all that is positive
    where no index is."""
    input = asarray(input)
    if labels is None:
        if index is not None:
            raise ValueError("index without labels says nothing; give both")
        labels, index = (input == input) | True, 1
    else:
        labels = asarray(labels)
        if labels.dtype.kind == "f":
            raise TypeError(f"labels must be whole numbers, not {labels.dtype}; cast them with astype")
        from voxmill._shape import broadcast_to

        if labels.shape != input.shape:
            labels = broadcast_to(labels, input.shape)
        if index is None:
            labels, index = labels > 0, 1
    return Regions(labels, input), index


def _given(regions: Regions, index: Any, values: np.ndarray, missing: Any) -> Any:
    """Give a number for each label in `index`, in its shape."""
    at, there = regions.rows(index)
    found = np.where(there, values[at], missing) if len(values) else np.full(at.shape, missing)
    found = found.reshape(np.shape(index))
    return found[()] if np.ndim(index) == 0 else found


def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Add up the elements of each region; see `scipy.ndimage.sum_labels`.

    Parameters
    ----------
    input : array_like
    labels : array_like of int, optional
        The regions; everything is one region by default.
    index : int or sequence of int, optional
        The labels that are asked for; everything positive is one region by default.

    Returns
    -------
    float, or numpy.ndarray for several labels

    Examples
    --------
    >>> vm.ndimage.sum_labels([1, 2, 3, 4], [1, 1, 2, 2], index=[1, 2])
    array([3., 7.])
    """
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.sum, 0.0)


sum = sum_labels


def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the mean of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.mean([1, 2, 3, 4], [1, 1, 2, 2], index=[1, 2])
    array([1.5, 3.5])
    """
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.sum / regions.n, np.nan)


def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the variance of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.variance([1, 2, 3, 5], [1, 1, 2, 2], index=[1, 2])
    array([0.25, 1.  ])
    """
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.squares / regions.n, np.nan)


def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the standard deviation of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.standard_deviation([1, 2, 3, 5], [1, 1, 2, 2], index=[1, 2])
    array([0.5, 1. ])
    """
    return np.sqrt(variance(input, labels, index))


def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the smallest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.minimum([1, 2, 3, 4], [1, 1, 2, 2], index=[1, 2])
    array([1, 3])
    """
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.min.astype(regions.light), 0)


def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the largest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.maximum([1, 2, 3, 4], [1, 1, 2, 2], index=[1, 2])
    array([2, 4])
    """
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.max.astype(regions.light), 0)


def _positions(regions: Regions, index: Any, flat: np.ndarray) -> Any:
    at, there = regions.rows(index)
    if not len(flat):
        flat, at = np.zeros(1, dtype=np.int64), np.zeros_like(at)
    found = np.where(there, flat[at], 0)
    places = [tuple(int(k) for k in np.unravel_index(position, regions.shape)) for position in found]
    return places[0] if np.ndim(index) == 0 else places


def minimum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the position of the smallest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.minimum_position([[4, 2], [3, 1]])
    (1, 1)
    """
    regions, index = _measured(input, labels, index)
    return _positions(regions, index, regions.argmin)


def maximum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the position of the largest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.maximum_position([[4, 2], [3, 1]])
    (0, 0)
    """
    regions, index = _measured(input, labels, index)
    return _positions(regions, index, regions.argmax)


def extrema(input: Any, labels: Any = None, index: Any = None) -> tuple:
    """Give the smallest and largest element of each region and their positions; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.extrema([[4, 2], [3, 1]])
    (np.int64(1), np.int64(4), (1, 1), (0, 0))
    """
    regions, index = _measured(input, labels, index)
    ends = [_given(regions, index, values.astype(regions.light), 0) for values in (regions.min, regions.max)]
    return (*ends, _positions(regions, index, regions.argmin), _positions(regions, index, regions.argmax))


def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the center of mass of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.center_of_mass([[0, 1], [0, 1]])
    (np.float64(0.5), np.float64(1.0))
    """
    regions, index = _measured(input, labels, index)
    with np.errstate(invalid="ignore", divide="ignore"):
        centers = regions.weighted / regions.sum[:, None]
    at, there = regions.rows(index)
    none = np.full(regions.rank, np.nan)
    found = [tuple(centers[k] if is_there else none) for k, is_there in zip(at, there)]
    return found[0] if np.ndim(index) == 0 else found


def find_objects(input: Any, max_label: int = 0) -> list[tuple[slice, ...] | None]:
    """Give the box of each label, from 1 on; see `scipy.ndimage.find_objects`.

    Parameters
    ----------
    input : array_like of int
    max_label : int
        The last label that is looked for; the largest one by default.

    Returns
    -------
    list of tuples of slices
        None for a number that is no label.

    Examples
    --------
    >>> vm.ndimage.find_objects([[1, 1, 0], [0, 0, 3]])
    [(slice(0, 1, None), slice(0, 2, None)), None, (slice(1, 2, None), slice(2, 3, None))]
    """
    regions = Regions(input)
    last = max_label if max_label > 0 else int(regions.label.max(initial=0))
    boxes: list[tuple[slice, ...] | None] = [None] * max(last, 0)
    for label, low, high in zip(regions.label.tolist(), regions.low.tolist(), regions.high.tolist()):
        if 0 < label <= last:
            boxes[label - 1] = tuple(slice(begin, end, None) for begin, end in zip(low, high))
    return boxes
