"""Arrays as sets: different elements, membership, intersections and the like."""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple

import numpy as np

from voxmill import config
from voxmill._host import host
from voxmill._chunks import even, normalize_chunks
from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._index import _bounds
from voxmill._search import searchsorted
from voxmill._shape import concatenate
from voxmill._work import BLOCK_BYTES, each_box, own_chunks, piece, same_blocks


class UniqueAllResult(NamedTuple):
    """What `unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` gives."""

    values: Any
    inverse_indices: Any


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Give the different elements of an array, in rising order.

    They are found at the call, since their number is the shape of the result: the array is read once, in pieces, and what differs must
    fit memory.

    Parameters
    ----------
    ar : array_like
    return_index : bool
        Whether to give the position, in the flattened array, where each element is first met.
    return_inverse : bool
        Whether to give, for each element of `ar`, its place among the results. This stays lazy.
    return_counts : bool
        Whether to give how often each element is there.
    axis : int, optional
        Compare the parts of the array along this axis instead of single elements.
    equal_nan : bool
        Whether all NaNs count as one element.
    sorted : bool
        Accepted for NumPy's sake: the result is always in order.

    Returns
    -------
    Array or tuple of Array
        The elements, then what was asked for, in the order of the parameters.

    Examples
    --------
    >>> values, counts = vm.unique(vm.array([3, 1, 3]), return_counts=True)
    >>> values.compute(), counts.compute()
    (array([1, 3]), array([1, 2]))
    """
    x = asarray(ar)
    if axis is not None:
        axis = axis_in(axis, x.ndim)
    if axis is None or x.ndim == 1:
        found = _different(x, return_index or (return_inverse and not equal_nan), return_counts, equal_nan)
        inverse = _inverse(x, found, equal_nan) if return_inverse else None
        values = found.values
    else:
        rows = call("moveaxis", (x,), {"source": [axis], "destination": [0]})
        flat = rows.reshape(rows.shape[0], math.prod(rows.shape[1:]))
        found = _different_rows(flat, return_index or return_inverse, return_counts)
        inverse = _inverse_rows(flat, found) if return_inverse else None
        values = np.moveaxis(found.values.reshape(len(found.values), *rows.shape[1:]), 0, axis)
    results = [(True, values), (return_index, found.index), (return_inverse, inverse), (return_counts, found.counts)]
    given = tuple(asarray(part) for wanted, part in results if wanted)
    return given if len(given) > 1 else given[0]


MERGE_COST = 6
"""How much memory merging takes, in units of what is merged."""


class _Found:
    """The different elements, or rows, of what was seen so far: merged now and then, so that little is held."""

    def __init__(self, axis: int | None, index: bool, counts: bool, equal_nan: bool):
        self.axis, self.equal_nan = axis, equal_nan
        self.with_index, self.with_counts = index, counts
        self.parts: list[tuple] = []
        self.pending = self.kept = 0
        self.lock = threading.Lock()
        self.limit = config.limits().memory_limit // 2

    def add(self, box: np.ndarray, positions: Any = None) -> None:
        """Add the elements of a box; `positions` gives where its elements lie in the whole, by their place in the box."""
        part = self._merged(box if self.axis == 0 else box.reshape(-1), positions, None)
        with self.lock:
            self.parts.append(part)
            self.pending += _bytes_of(part)
            if self.pending > max(self.kept, min(8 << 20, self.limit // (4 * MERGE_COST))):
                self._merge()

    def finish(self) -> _Found:
        """Merge what is left."""
        self._merge()
        self.values, self.index, self.counts = self.parts[0]
        return self

    def _merge(self) -> None:
        n_bytes = self.kept + self.pending
        if n_bytes * MERGE_COST > self.limit:
            raise MemoryError(
                f"unique: the elements that differ take {n_bytes >> 20} MiB so far, and merging them {MERGE_COST} times as much, "
                f"more than half of the memory limit, {self.limit >> 20} MiB; raise memory_limit, or ask for parts of the array"
            )
        values, index, counts = (None if part[0] is None else np.concatenate(part) for part in zip(*self.parts))
        if index is not None:
            # The first of equal elements is the one that counts, whichever box came first.
            order = np.argsort(index)
            values, index = values[order], index[order]
            counts = counts if counts is None else counts[order]
        self.parts = [self._merged(values, None if index is None else index.__getitem__, counts)]
        self.kept, self.pending = _bytes_of(self.parts[0]), 0

    def _merged(self, values: np.ndarray, positions: Any, counts: np.ndarray | None) -> tuple:
        if self.axis is None and not self.with_index:
            found, n = different_values(values, counts, self.equal_nan)
            return found, None, n if self.with_counts else None
        found, first, inverse, n = np.unique(values, True, True, True, axis=self.axis, equal_nan=self.equal_nan)
        if counts is not None:
            n = np.zeros(len(found), np.intp)
            np.add.at(n, inverse, counts)
        return found, positions(first) if self.with_index else None, n if self.with_counts else None


def _bytes_of(arrays: tuple) -> int:
    return sum(array.nbytes for array in arrays if array is not None)


def different_values(values: np.ndarray, counts: np.ndarray | None, equal_nan: bool) -> tuple[np.ndarray, np.ndarray]:
    """Give the different elements, in order, and how often each is there. NumPy has this, too, but much slower for many arrays."""
    if counts is None and values.dtype.kind in "biu" and values.itemsize <= 2:
        return _count_each(values)
    if counts is None:
        values = np.sort(values)
    else:
        order = np.argsort(values)
        values, counts = values[order], counts[order]
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    if values.dtype.kind == "f":
        _settle(values, new, equal_nan)
    starts = np.flatnonzero(new)
    if counts is None:
        return values[starts], np.diff(starts, append=len(values))
    return values[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def _count_each(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count elements of one or two bytes, one counter for each that there may be."""
    unsigned = np.dtype(f"u{values.itemsize}")
    # Negative elements come first: with their sign bit turned over, integers keep their order.
    turn = unsigned.type(1 << 8 * values.itemsize - 1 if values.dtype.kind == "i" else 0)
    bits, counts = values.view(unsigned), np.zeros(1 << 8 * values.itemsize, np.intp)
    for begin in range(0, len(bits), 1 << 18):
        counts += np.bincount(bits[begin : begin + (1 << 18)] ^ turn, minlength=len(counts))
    found = np.flatnonzero(counts)
    return (found.astype(unsigned) ^ turn).view(values.dtype), counts[found]


def _settle(values: np.ndarray, new: np.ndarray, equal_nan: bool) -> None:
    """Choose among floats that are equal but have other bits, so that the order in which they came does not show."""
    begin, end = np.searchsorted(values, 0, "left"), np.searchsorted(values, 0, "right")
    values[begin:end] = -0.0 if np.signbit(values[begin:end]).all() else 0.0
    first = len(values) - int(np.isnan(values).sum())
    if equal_nan and first < len(values):
        values[first], new[first], new[first + 1 :] = np.nan, True, False


class _Positions:
    """Places in a box as places in the flattened array."""

    def __init__(self, begin: tuple[int, ...], box: tuple[int, ...], shape: tuple[int, ...]):
        self.begin, self.box, self.shape = begin, box, shape

    def __call__(self, places: np.ndarray) -> np.ndarray:
        if not self.shape:
            return places
        inside = np.unravel_index(places, self.box)
        return np.ravel_multi_index(tuple(at + begin for at, begin in zip(inside, self.begin)), self.shape)


def _different(x: Any, index: bool, counts: bool, equal_nan: bool) -> _Found:
    """Find the different elements of an array in one run."""
    # Complex numbers with zeros and NaNs are equal in many ways: the first one is given, on any number of threads.
    found = _Found(None, index or x.dtype.kind == "c", counts, equal_nan)
    if x.size == 0 or x.ndim == 0:
        found.add(np.asarray(x), _Positions((), (), ()))
        return found.finish()
    chunks = normalize_chunks("auto", x.shape, limit=piece(BLOCK_BYTES, 1), dtype=x.dtype, previous_chunks=x.chunks)
    each_box(x, chunks, lambda begin, box: found.add(box, _Positions(begin, box.shape, x.shape)))
    return found.finish()


def _different_rows(x: Any, index: bool, counts: bool) -> _Found:
    """Find the different rows of a matrix in one run."""
    found = _Found(0, index or x.dtype.kind in "fc", counts, True)
    if x.size == 0:
        found.add(np.empty(x.shape, x.dtype), lambda rows: rows)
        return found.finish()
    lengths = even(x.shape[0], max(piece(BLOCK_BYTES, x.itemsize) // x.shape[1], 1))
    each_box(x, (lengths, (x.shape[1],)), lambda begin, box: found.add(box, lambda rows: rows + begin[0]))
    return found.finish()


def _inverse(x: Any, found: _Found, equal_nan: bool) -> Any:
    """Give the place of each element among the different ones, lazily."""
    if x.size == 0:
        return asarray(np.empty(x.shape, np.intp))
    places = searchsorted(found.values, x)
    if x.dtype.kind not in "fc" or not np.isnan(found.values[-1]):
        return places
    is_nan = call("isnan", (x,))
    first = len(found.values) - int(np.isnan(found.values).sum())
    if equal_nan:
        return call("where", (is_nan, asarray(np.intp(first)), places))
    # Each NaN is an element of its own: it is known by where it lies.
    flat = x.reshape(-1)
    order = np.argsort(found.index[first:])
    positions, numbers = found.index[first:][order], order + first
    chunks = own_chunks(flat.shape, 16)
    begins = [begin for begin, _ in _bounds(chunks[0])]
    own = host(_Numbers(positions, numbers, begins), "unique", [flat], [same_blocks(chunks)], flat.shape, np.intp, chunks)
    return call("where", (is_nan, own.reshape(x.shape), places))


class _Numbers:
    """Gives numbers to elements at known positions of a flattened array; 0 to all others."""

    def __init__(self, positions: np.ndarray, numbers: np.ndarray, begins: list[int]):
        self.positions, self.numbers, self.begins = positions, numbers, begins

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        begin = self.begins[block[0]]
        low, high = np.searchsorted(self.positions, (begin, begin + len(box)))
        result = np.zeros(len(box), np.intp)
        result[self.positions[low:high] - begin] = self.numbers[low:high]
        return result


def _inverse_rows(x: Any, found: _Found) -> Any:
    """Give the place of each row among the different ones, lazily."""
    if x.size == 0:
        return asarray(np.unique(np.empty(x.shape, x.dtype), return_inverse=True, axis=0)[1])
    lengths = even(x.shape[0], max(piece(BLOCK_BYTES, x.itemsize) // x.shape[1], 1))
    begins = [begin for begin, _ in _bounds(lengths)]
    reads = [[(0, _bounds(lengths)), (None, [(0, x.shape[1])])]]
    return host(_RowNumbers(found.values, found.index, begins), "unique", [x], reads, x.shape[:1], np.intp, (lengths,))


class _RowNumbers:
    """Looks rows up by their bytes; rows with a NaN, none of which is equal to another, by their number."""

    def __init__(self, rows: np.ndarray, index: np.ndarray, begins: list[int]):
        self.begins = begins
        alone = _has_nan(rows)
        self.by_bytes = {row.tobytes(): n for n, (row, nan) in enumerate(zip(_plain_zeros(rows), alone)) if not nan}
        self.by_number = {int(index[n]): int(n) for n in np.flatnonzero(alone)}

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        begin = self.begins[block[0]]
        rows = zip(_plain_zeros(box), _has_nan(box))
        found = [self.by_number[begin + k] if nan else self.by_bytes[row.tobytes()] for k, (row, nan) in enumerate(rows)]
        return np.array(found, np.intp)


def _has_nan(rows: np.ndarray) -> np.ndarray:
    return np.isnan(rows).any(axis=1) if rows.dtype.kind in "fc" else np.zeros(len(rows), bool)


def _plain_zeros(rows: np.ndarray) -> np.ndarray:
    """Give -0.0 as 0.0, which it is equal to, but not by its bytes."""
    return rows + np.zeros((), rows.dtype) if rows.dtype.kind in "fc" else rows


def unique_all(x: Any, /) -> UniqueAllResult:
    """Give the different elements, where each is first met, the place of all elements among them, and how often each is there.

    NaNs count as different. All but the places are found at the call; see `unique`.

    Examples
    --------
    >>> vm.unique_all(vm.array([3, 1, 3])).counts.compute()
    array([1, 2])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: Any, /) -> UniqueCountsResult:
    """Give the different elements, and how often each is there. NaNs count as different. Found at the call; see `unique`.

    Examples
    --------
    >>> vm.unique_counts(vm.array([3, 1, 3])).values.compute()
    array([1, 3])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Any, /) -> UniqueInverseResult:
    """Give the different elements, found at the call, and the place of all elements among them. NaNs count as different.

    Examples
    --------
    >>> vm.unique_inverse(vm.array([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: Any, /) -> Any:
    """Give the different elements, in rising order. NaNs count as different. Found at the call; see `unique`.

    Examples
    --------
    >>> vm.unique_values(vm.array([3, 1, 3])).compute()
    array([1, 3])
    """
    return unique(x, equal_nan=False)


# Membership


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None) -> Any:
    """Say which elements are among others.

    Parameters
    ----------
    element : array_like
    test_elements : array_like
        What to look for, of any shape. It may be lazy, and longer than memory.
    assume_unique : bool
        Accepted for NumPy's sake.
    invert : bool
        Whether to say which are not.
    kind : {None, "sort", "table"}
        How NumPy looks them up in each block.

    Examples
    --------
    >>> vm.isin(vm.array([1, 2, 3]), [2, 5]).compute()
    array([False,  True, False])
    """
    x, others = asarray(element), asarray(test_elements).reshape(-1)
    np.isin(np.zeros(1, x.dtype), np.zeros(1, others.dtype), kind=kind)  # Refuses a wrong kind here and now.
    pieces = even(others.size, piece(BLOCK_BYTES, others.itemsize))
    chunks = own_chunks(x.shape, max(x.itemsize, 8))
    reads = [same_blocks(chunks), [(x.ndim, _bounds(pieces))]]
    hits = host(_IsIn(kind), "isin", [x, others], reads, (*x.shape, len(pieces)), bool, (*chunks, (1,) * len(pieces)))
    result = call("any", (hits,), {"axis": x.ndim})
    return call("logical_not", (result,)) if invert else result


class _IsIn:
    """`numpy.isin` over a block."""

    def __init__(self, kind: Any):
        self.kind = kind

    def __call__(self, block: tuple[int, ...], box: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.isin(box, others, kind=self.kind)[..., None]


# Two sets


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Give the elements that both arrays have, in rising order. They are found at the call; see `unique`.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened if they have several axes.
    assume_unique : bool
        Whether neither array has an element twice.
    return_indices : bool
        Whether to give where the elements are first met in both, too.

    Examples
    --------
    >>> vm.intersect1d(vm.array([1, 3, 4]), [3, 4, 5]).compute()
    array([3, 4])
    """
    a, b = (_different(asarray(x), return_indices, False, not assume_unique) for x in (ar1, ar2))
    common, in_a, in_b = np.intersect1d(a.values, b.values, assume_unique=True, return_indices=True)
    if not return_indices:
        return asarray(common)
    return asarray(common), asarray(a.index[in_a]), asarray(b.index[in_b])


def union1d(ar1: Any, ar2: Any) -> Any:
    """Give the elements that at least one of two arrays has, in rising order. They are found at the call; see `unique`.

    Examples
    --------
    >>> vm.union1d(vm.array([1, 3]), [3, 4]).compute()
    array([1, 3, 4])
    """
    return unique(concatenate([ar1, ar2], axis=None))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Give the elements of one array that another does not have, in rising order. They are found at the call; see `unique`.

    With `assume_unique`, elements keep the order of the first array.

    Examples
    --------
    >>> vm.setdiff1d(vm.array([1, 3, 4]), [3]).compute()
    array([1, 4])
    """
    if assume_unique:
        flat = asarray(ar1).reshape(-1)
        return flat[isin(flat, ar2, invert=True)]
    a, b = (_different(asarray(x), False, False, True).values for x in (ar1, ar2))
    return asarray(np.setdiff1d(a, b, assume_unique=True))


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Give the elements that just one of two arrays has, in rising order. They are found at the call; see `unique`.

    Examples
    --------
    >>> vm.setxor1d(vm.array([1, 3]), [3, 4]).compute()
    array([1, 4])
    """
    a, b = (_different(asarray(x), False, False, not assume_unique).values for x in (ar1, ar2))
    return asarray(np.setxor1d(a, b, assume_unique=True))


__all__ = [
    "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse",
    "unique_values",
]  # fmt: skip
