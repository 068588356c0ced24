"""A segmenter of users' own, block by block, with objects joined across blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from voxmill._calls import name_of
from voxmill._create import asarray
from voxmill._host import host
from voxmill._index import _bounds
from voxmill._overlap import _depth, map_overlap
from voxmill._rounds import hold

Block = tuple[int, ...]


def segment_blocks(
    image: Any,
    function: Callable,
    *args: Any,
    depth: Any = 16,
    iou_threshold: float = 0.5,
    chunks: Any = None,
    dtype: Any = "int32",
    **kwargs: Any,
) -> Any:
    """Segment an image block by block with a function of your own, and join the objects of neighbouring blocks.

    Each block is given to the function together with `depth` elements of its neighbours on each side. Where the neighbourhoods of two
    blocks overlap, both have an opinion: two labels become one object if they share at least `iou_threshold` of what either of them
    covers there (intersection over union). The function is called once for each block, at the call; its labels are held in memory, or
    in the scratch folder if they are many.

    Parameters
    ----------
    image : array_like
    function : callable
        Called as ``function(block, *args, **kwargs)`` with a NumPy array; gives labels of the same shape, whole numbers with 0 for the
        background.
    depth : int, tuple or dict
        How many elements of its neighbours each block gets, for all axes or for each; about the size of an object.
    iou_threshold : float
        Between 0 and 1.
    chunks : int or tuple, optional
        Blocks to work on; the chunks of the image by default.
    dtype : dtype
        Element type of the labels.

    Returns
    -------
    Array
        Labels 1, 2, 3 ... in the order of blocks and of labels in them; the same for any number of threads.

    Examples
    --------
    >>> def bright(block):
    ...     return vm.ndimage.label(block > 0)[0].compute()
    >>> image = np.array([0, 1, 1, 1, 0, 0, 1, 1])
    >>> vm.segmentation.segment_blocks(image, bright, depth=2, chunks=4).compute()
    array([0, 1, 1, 1, 0, 0, 2, 2], dtype=int32)
    """
    x = asarray(image)
    if not callable(function):
        raise TypeError(f"segment_blocks: the segmenter is {type(function).__name__}, which cannot be called")
    if not 0 < iou_threshold <= 1:
        raise ValueError(f"segment_blocks: iou_threshold must be above 0 and at most 1, got {iou_threshold}")
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise TypeError(f"segment_blocks: labels are whole numbers, not {dtype}")
    if chunks is not None:
        x = x.rechunk(chunks)
    around = _depth(depth, x.ndim)
    if not x.ndim or 0 in x.shape:
        return x.astype(dtype)
    blocks = _Blocks(x.shape, x.chunks, around)
    segmenter, name = _Segmenter(function, args, kwargs), name_of(function)
    made = hold(map_overlap(segmenter, x, depth=tuple(around), boundary="none", trim=False, dtype="int64", chunks=blocks.wide, name=name))
    tables = _joined(made, blocks, float(iou_threshold), dtype)
    reads = [(k, blocks.places[k]) for k in range(x.ndim)]
    return host(_Numbered(tables, blocks, dtype), "segment_blocks", [made], [reads], x.shape, dtype, x.chunks)


class _Segmenter:
    """Calls the user's function and looks at what it gives."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict):
        self.function, self.args, self.kwargs = function, args, kwargs

    def __call__(self, block: np.ndarray) -> np.ndarray:
        labels = np.asarray(self.function(block, *self.args, **self.kwargs))
        if labels.shape != block.shape:
            raise ValueError(f"the segmenter gave labels of shape {labels.shape} for a block of shape {block.shape}; they must be equal")
        if labels.dtype.kind not in "biu":
            raise TypeError(f"the segmenter gave {labels.dtype}; labels are whole numbers")
        if labels.size and labels.min() < 0:
            raise ValueError(f"the segmenter gave the label {labels.min()}; labels must not be negative")
        return labels.astype(np.int64)


class _Blocks:
    """Where blocks lie: in the image, with their neighbourhood, and one behind the other in the array of all labels."""

    def __init__(self, shape: Sequence[int], chunks: Sequence[Sequence[int]], depth: Sequence[tuple[int, int]]):
        self.counts = tuple(len(axis) for axis in chunks)
        self.inner = [_bounds(axis) for axis in chunks]
        self.outer = [
            [(max(begin - low, 0), min(end + high, n)) for begin, end in bounds] for bounds, (low, high), n in zip(self.inner, depth, shape)
        ]
        self.wide = tuple(tuple(end - begin for begin, end in bounds) for bounds in self.outer)
        self.places = [_bounds(axis) for axis in self.wide]

    def pairs(self) -> Iterator[tuple[Block, Block]]:
        """Give all blocks whose neighbourhoods overlap, each pair once."""
        steps = [step for step in itertools.product((-1, 0, 1), repeat=len(self.counts)) if step > (0,) * len(self.counts)]
        for one in np.ndindex(self.counts):
            for step in steps:
                other = tuple(a + s for a, s in zip(one, step))
                if all(0 <= b < n for b, n in zip(other, self.counts)):
                    yield one, other

    def shared(self, one: Block, other: Block) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
        """Give the common part of two neighbourhoods, as parts of the array of all labels."""
        parts: tuple[list[slice], list[slice]] = ([], [])
        for axis, (a, b) in enumerate(zip(one, other)):
            (begin_a, end_a), (begin_b, end_b) = self.outer[axis][a], self.outer[axis][b]
            begin, end = max(begin_a, begin_b), min(end_a, end_b)
            if begin >= end:
                return None
            for part, number, origin in zip(parts, (a, b), (begin_a, begin_b)):
                place = self.places[axis][number][0]
                part.append(slice(place + begin - origin, place + end - origin))
        return tuple(parts[0]), tuple(parts[1])

    def own(self, block: Block) -> tuple[slice, ...]:
        """Give the part of a block's labels that lies in the block itself."""
        return tuple(
            slice(self.inner[k][i][0] - self.outer[k][i][0], self.inner[k][i][1] - self.outer[k][i][0]) for k, i in enumerate(block)
        )


def _joined(made: Any, blocks: _Blocks, threshold: float, dtype: np.dtype) -> dict[Block, tuple[np.ndarray, np.ndarray]]:
    """Give the final number of each label of each block."""
    labels: dict[Block, np.ndarray] = {}
    seen: dict[Block, np.ndarray] = {}
    for block in np.ndindex(blocks.counts):
        place = tuple(slice(*blocks.places[k][i]) for k, i in enumerate(block))
        values = made[place].compute(progress=False)
        labels[block] = _nonzero(values)
        seen[block] = _nonzero(values[blocks.own(block)])
    begins, total = {}, 0
    for block, own in labels.items():
        begins[block] = total
        total += len(own)
    parents = np.arange(total)
    for one, other in blocks.pairs():
        parts = blocks.shared(one, other)
        if parts is None or not len(labels[one]) or not len(labels[other]):
            continue
        a, b = (made[part].compute(progress=False) for part in parts)
        for x, y in _alike(a, b, threshold):
            _join(parents, begins[one] + int(np.searchsorted(labels[one], x)), begins[other] + int(np.searchsorted(labels[other], y)))
    return _numbers(labels, seen, begins, parents, dtype)


def _nonzero(values: np.ndarray) -> np.ndarray:
    found = np.unique(values)
    return found[found != 0]


def _alike(a: np.ndarray, b: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    """Give pairs of labels that share enough of what they cover."""
    names_a, at_a, sizes_a = np.unique(a, return_inverse=True, return_counts=True)
    names_b, at_b, sizes_b = np.unique(b, return_inverse=True, return_counts=True)
    both, common = np.unique(at_a.ravel() * len(names_b) + at_b.ravel(), return_counts=True)
    rows, columns = np.divmod(both, len(names_b))
    share = common / (sizes_a[rows] + sizes_b[columns] - common)
    good = (names_a[rows] != 0) & (names_b[columns] != 0) & (share >= threshold)
    return list(zip(names_a[rows[good]].tolist(), names_b[columns[good]].tolist()))


def _root(parents: np.ndarray, k: int) -> int:
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = int(parents[k])
    return k


def _join(parents: np.ndarray, a: int, b: int) -> None:
    a, b = _root(parents, a), _root(parents, b)
    parents[max(a, b)] = min(a, b)


def _numbers(
    labels: dict[Block, np.ndarray], seen: dict[Block, np.ndarray], begins: dict[Block, int], parents: np.ndarray, dtype: np.dtype
) -> dict[Block, tuple[np.ndarray, np.ndarray]]:
    numbers: dict[int, int] = {}
    tables = {}
    for block, own in seen.items():
        at = begins[block] + np.searchsorted(labels[block], own)
        tables[block] = own, np.array([numbers.setdefault(_root(parents, int(k)), len(numbers) + 1) for k in at], dtype=np.int64)
    if len(numbers) > np.iinfo(dtype).max:
        raise OverflowError(f"segment_blocks: {len(numbers)} objects are more than {dtype} can number; give a larger dtype")
    return tables


class _Numbered:
    """Gives a block its final numbers."""

    def __init__(self, tables: dict[Block, tuple[np.ndarray, np.ndarray]], blocks: _Blocks, dtype: np.dtype):
        self.tables, self.blocks, self.dtype = tables, blocks, dtype

    def __call__(self, block: Block, labels: np.ndarray) -> np.ndarray:
        old, new = self.tables[block]
        own = labels[self.blocks.own(block)]
        keys, values = np.concatenate([[0], old]), np.concatenate([[0], new])
        return values.astype(self.dtype)[np.searchsorted(keys, own)]
