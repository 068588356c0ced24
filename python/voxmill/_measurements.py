"""Measurements of labelled regions as scipy calls them: one pass for all regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._create import asarray, ones
from voxmill._crops import grouped_values, quantiles
from voxmill._generated import isnan
from voxmill._reduce import where
from voxmill._regions import Regions

__all__ = [
    "center_of_mass",
    "extrema",
    "find_objects",
    "histogram",
    "labeled_comprehension",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "value_indices",
    "variance",
]


def _labelled(input: Any, labels: Any, index: Any) -> tuple[Any, Any, Any]:
    """Give input, labels and the labels that are asked for: one region of everything where no labels are given, of all that is positive
    where no index is."""
    input = asarray(input)
    if input.dtype.kind not in "biuf":
        raise TypeError(f"measurements are known for real numbers, not for {input.dtype}")
    if labels is None:
        if index is not None:
            raise ValueError("index without labels says nothing; give both")
        return input, ones(input.shape, dtype="uint8", chunks=input.chunks), 1
    labels = asarray(labels)
    if labels.dtype.kind not in "biu":
        raise TypeError(f"labels must be whole numbers, not {labels.dtype}; cast them with astype")
    if labels.shape != input.shape:
        from voxmill._shape import broadcast_arrays

        input, labels = broadcast_arrays(input, labels)
    if index is None:
        return input, labels > 0, 1
    wanted = np.asarray(index)
    if wanted.dtype.kind not in "biu":
        if (wanted != np.trunc(wanted)).any():
            raise ValueError(f"index must be whole numbers, as labels are; got {index!r}")
        index = wanted.astype(np.int64) if wanted.ndim else int(wanted)
    if (wanted == 0).any():
        # Zero is no region for the engine, so it takes the place of a number that nobody has.
        labels = where(labels == 0, _ZERO, labels.astype("int64"))
        moved = np.where(np.asarray(index) == 0, _ZERO, index)
        index = moved if wanted.ndim else int(moved)
    return input, labels, index


_ZERO = np.iinfo(np.int64).min


def _measured(input: Any, labels: Any, index: Any) -> tuple[Regions, Any]:
    input, labels, index = _labelled(input, labels, index)
    return Regions(labels, input), index


def _given(regions: Regions, index: Any, values: np.ndarray, missing: Any) -> Any:
    """Give a number for each label in `index`, in its shape."""
    at, there = regions.rows(index)
    found = np.where(there, values[at], missing) if len(values) else np.full(at.shape, missing, dtype=values.dtype)
    found = found.astype(values.dtype).reshape(np.shape(index))
    return found[()] if np.ndim(index) == 0 else found


def _there(regions: Regions, index: Any, what: str) -> None:
    """Refuse a single region without elements, which has no smallest and no largest one."""
    if np.ndim(index) == 0 and not regions.rows(index)[1].all():
        raise ValueError(f"{what}: there is no element in the region")


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
    if np.ndim(index) == 0:
        return _single_sum(input, labels, index)
    regions, index = _measured(input, labels, index)
    return _given(regions, index, regions.sum, 0.0)


def _single_sum(input: Any, labels: Any, index: Any) -> Any:
    """Add up one region, in the type that NumPy adds in."""
    if labels is None and index is None:
        return asarray(input).sum().compute(progress=False)
    input, labels, index = _labelled(input, labels, index)
    return where(labels == index, input, np.zeros((), dtype=input.dtype)).sum().compute(progress=False)


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
    _there(regions, index, "minimum")
    return _given(regions, index, regions.min.astype(regions.light), 0)


def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the largest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.maximum([1, 2, 3, 4], [1, 1, 2, 2], index=[1, 2])
    array([2, 4])
    """
    regions, index = _measured(input, labels, index)
    _there(regions, index, "maximum")
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
    _there(regions, index, "minimum_position")
    return _positions(regions, index, regions.argmin)


def maximum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the position of the largest element of each region; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.maximum_position([[4, 2], [3, 1]])
    (0, 0)
    """
    regions, index = _measured(input, labels, index)
    _there(regions, index, "maximum_position")
    return _positions(regions, index, regions.argmax)


def extrema(input: Any, labels: Any = None, index: Any = None) -> tuple:
    """Give the smallest and largest element of each region and their positions; arguments as in `sum_labels`.

    Examples
    --------
    >>> vm.ndimage.extrema([[4, 2], [3, 1]])
    (np.int64(1), np.int64(4), (1, 1), (0, 0))
    """
    regions, index = _measured(input, labels, index)
    _there(regions, index, "extrema")
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


def median(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Give the median of each region; arguments as in `sum_labels`.

    For several labels, the box of each region is read as a whole, and must fit into half of the memory limit.

    Examples
    --------
    >>> vm.ndimage.median([1, 2, 3, 7, 8], [1, 1, 1, 2, 2], index=[1, 2])
    array([2. , 7.5])
    """
    input, labels, index = _labelled(input, labels, index)
    if np.ndim(index) == 0:
        from voxmill._reduce import nanmedian

        within = where(labels == index, input.astype("float64"), np.nan)
        gone = bool(((labels == index) & isnan(input)).any().compute(progress=False)) if input.dtype.kind == "f" else False
        return np.float64(np.nan) if gone or not input.size else np.float64(nanmedian(within).compute(progress=False))
    regions = Regions(labels)
    rows, there = regions.rows(index)
    values = quantiles(regions, labels, input, 0.5, np.unique(rows[there]))[:, 0]
    return _given(regions, index, values, np.nan)


def histogram(input: Any, min: float, max: float, bins: int, labels: Any = None, index: Any = None) -> Any:
    """Count the elements of each region in bins; see `scipy.ndimage.histogram`.

    For several labels, the box of each region is read as a whole, and must fit into half of the memory limit.

    Parameters
    ----------
    input : array_like
    min, max : float
        The first and the last edge of the bins.
    bins : int
        Number of bins.
    labels : array_like of int, optional
        The regions; everything is one region by default.
    index : int or sequence of int, optional
        The labels that are asked for; everything positive is one region by default.

    Returns
    -------
    numpy.ndarray
        Counts; an array of arrays for several labels, with None for those that are not there.

    Examples
    --------
    >>> vm.ndimage.histogram([0, 1, 5, 9], 0, 10, 2)
    array([2, 2])
    """
    edges = np.linspace(min, max, bins + 1)
    if np.ndim(index) == 0:
        from voxmill._stats import histogram as counted

        input, labels, index = _labelled(input, labels, index)
        if not input.size:
            return np.zeros(bins, dtype=np.int64)
        return np.asarray(counted(input, edges, weights=(labels == index).astype("int64"))[0]).astype(np.int64)
    return labeled_comprehension(input, labels, index, lambda values: np.histogram(values, edges)[0], object, None)


def labeled_comprehension(
    input: Any, labels: Any, index: Any, func: Any, out_dtype: Any, default: Any, pass_positions: bool = False
) -> Any:
    """Call a function with the elements of each region; see `scipy.ndimage.labeled_comprehension`.

    The box of each region is read as a whole, and must fit into half of the memory limit. Without `index`, all elements of the one region
    must fit into memory.

    Parameters
    ----------
    input : array_like
    labels : array_like of int or None
        The regions; everything is one region for None.
    index : int, sequence of int or None
        The labels that are asked for; everything positive is one region for None.
    func : function
        Is called with the elements of a region.
    out_dtype : dtype
        Of the result.
    default : number
        For labels that are not there.
    pass_positions : bool
        Call `func` with the flat positions of the elements, too.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> vm.ndimage.labeled_comprehension([1, 2, 3, 4], [1, 1, 2, 2], [1, 2], np.ptp, float, 0)
    array([1., 1.])
    """
    if labels is None or index is None:
        x = asarray(input)
        if labels is None and index is not None:
            raise ValueError("index without labels says nothing; give both")
        values = np.asarray(x.compute(progress=False))
        chosen = np.ones(values.shape, dtype=bool)
        if labels is not None:
            values, chosen = np.broadcast_arrays(values, np.asarray((asarray(labels) > 0).compute(progress=False)))
        positions = np.flatnonzero(chosen)
        return func(values[chosen], positions) if pass_positions else func(values[chosen])
    input, labels, index = _labelled(input, labels, index)
    regions = Regions(labels)
    rows, there = regions.rows(index)
    found = np.empty(rows.shape, dtype=out_dtype)
    found[:] = default
    wanted, places = np.unique(rows[there], return_inverse=True)
    results = np.empty(len(wanted), dtype=object)
    for chosen, begin, end, values, positions in grouped_values(regions, labels, input, wanted, positions=pass_positions):
        for row, a, b in zip(np.searchsorted(wanted, chosen).tolist(), begin.tolist(), end.tolist()):
            results[row] = func(values[a:b], positions[a:b]) if pass_positions else func(values[a:b])
    for k, place in zip(np.flatnonzero(there).tolist(), places.tolist()):
        found[k] = results[place]
    return found[0] if np.ndim(index) == 0 else found.reshape(np.shape(index))


def value_indices(arr: Any, *, ignore_value: int | None = None) -> dict[int, tuple[np.ndarray, ...]]:
    """Give the positions of each value; see `scipy.ndimage.value_indices`. All of them must fit into memory.

    Parameters
    ----------
    arr : array_like of int
    ignore_value : int, optional
        A value whose positions are not wanted.

    Returns
    -------
    dict
        For each value a tuple of arrays, one for each axis.

    Examples
    --------
    >>> vm.ndimage.value_indices([3, 5, 3])[3]
    (array([0, 2]),)
    """
    x = asarray(arr)
    if x.dtype.kind not in "iu":
        raise ValueError(f"value_indices: whole numbers are needed, not {x.dtype}")
    values = np.asarray(x.compute(progress=False))
    flat = values.ravel()
    order = np.argsort(flat, kind="stable")
    known, begin = np.unique(flat[order], return_index=True)
    pieces = np.split(order, begin[1:])
    found = {value: np.unravel_index(piece, values.shape) for value, piece in zip(known, pieces) if len(piece)}
    return {value: places for value, places in found.items() if ignore_value is None or value != ignore_value}


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
    if asarray(input).dtype.kind == "c":
        raise TypeError("find_objects: complex numbers are no labels")
    regions = Regions(input)
    last = max_label if max_label > 0 else int(regions.label.max(initial=0))
    boxes: list[tuple[slice, ...] | None] = [None] * max(last, 0)
    for label, low, high in zip(regions.label.tolist(), regions.low.tolist(), regions.high.tolist()):
        if 0 < label <= last:
            boxes[label - 1] = tuple(slice(begin, end, None) for begin, end in zip(low, high))
    return boxes
