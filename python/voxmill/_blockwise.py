"""Functions over blocks by index letters, and reductions made of them."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._blocks import _announced, _called
from voxmill._calls import BOX, UserCall, _block_reads, _matched, common_chunks, name_of, takes
from voxmill._core import NAMES, axes_in, call, dtype_name, dtype_of
from voxmill._create import asarray
from voxmill._host import Reads, host
from voxmill._index import _bounds

# Blocks by index letters


def blockwise(
    func: Callable,
    out_ind: Any,
    *args: Any,
    name: str | None = None,
    token: Any = None,
    dtype: Any = None,
    adjust_chunks: Mapping | None = None,
    new_axes: Mapping | None = None,
    align_arrays: bool = True,
    concatenate: bool | None = None,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a function over blocks that belong together by the letters of their axes, as in ``blockwise(f, "ik", x, "ij", y, "jk")``.

    Parameters
    ----------
    func : callable
        Gets one block of each array. Along an index that the result has not, it gets all blocks: joined with `concatenate`, else as
        nested lists.
    out_ind : str or tuple
        The index of the result.
    *args
        Pairs of an array and its index; with None as index, anything that is passed on as it is.
    dtype, meta
        Element type; seen from the first block if not given.
    adjust_chunks : dict, optional
        For index letters: the length of resulting blocks, all lengths, or a function of the old length.
    new_axes : dict, optional
        Lengths of axes that only the result has.

    Examples
    --------
    >>> x = vm.ones((4, 6), chunks=(2, 3))
    >>> vm.blockwise(lambda b: b.sum(axis=1), "i", x, "ij", concatenate=True, dtype=float).compute()
    array([6., 6., 6., 6.])
    """
    if len(args) % 2:
        raise ValueError("blockwise takes pairs of an array and its index")
    name = name or token or name_of(func)
    pairs = [(asarray(x) if index is not None else x, index if index is None else tuple(index)) for x, index in zip(args[::2], args[1::2])]
    arrays = [x for x, index in pairs if index is not None]
    indices = [index for _, index in pairs if index is not None]
    for x, index in zip(arrays, indices):
        if x.ndim != len(index):
            raise ValueError(f"an array of {x.ndim} axes has the index {index!r} of {len(index)}")
    lengths, numbered = _matched(arrays, indices, not align_arrays)
    new_axes = dict(new_axes or {})
    out = tuple(out_ind)
    if len(set(out)) < len(out):
        raise ValueError(f"an index is in the result twice: {out_ind!r}")
    unknown = [i for i in out if i not in lengths and i not in new_axes]
    if unknown:
        raise ValueError(f"index {unknown[0]!r} of the result is in no array; give its length with new_axes=")
    place = {label: k for k, label in enumerate(out)}
    reads, unpack = [], []
    for x, index in zip(arrays, indices):
        axes: Reads = []
        splits = []
        for k, (label, n) in enumerate(zip(index, x.shape)):
            if label in place:
                axes.append(_block_reads(x, k, label, lengths, numbered, place[label]))
                splits.append(None)
            else:
                axes.append((None, [(0, n)]))
                own = x.chunks[k] if label in numbered or (n == 1 and sum(lengths[label]) != 1) else lengths[label]
                splits.append(None if concatenate else own)
        reads.append(axes)
        unpack.append(Nested(splits) if any(s is not None for s in splits) else None)
    natural = []
    for label in out:
        own = lengths.get(label)
        if own is None:
            given = new_axes[label]
            own = tuple(given) if isinstance(given, (tuple, list)) else (int(given),)
        natural.append(_adjusted((adjust_chunks or {}).get(label), own))
    user = UserCall(func, [BOX if index is not None else x for x, index in pairs], kwargs, name)
    user.unpack = unpack
    return _called(user, {}, arrays, reads, tuple(natural), _announced(dtype, meta), True)


def _adjusted(given: Any, own: tuple[int, ...]) -> tuple[int, ...]:
    if given is None:
        return own
    if callable(given):
        return tuple(int(given(n)) for n in own)
    if isinstance(given, numbers.Integral):
        return (int(given),) * len(own)
    if len(given) != len(own):
        raise ValueError(f"adjust_chunks {tuple(given)} are {len(given)} blocks, there are {len(own)}")
    return tuple(int(n) for n in given)


class Nested:
    """Cuts an array into nested lists of blocks along some axes."""

    def __init__(self, splits: list, of: Callable | None = None):
        self.splits, self.of = splits, of

    def __call__(self, box: np.ndarray, axis: int = 0) -> Any:
        while axis < len(self.splits) and self.splits[axis] is None:
            axis += 1
        if axis == len(self.splits):
            return box if self.of is None else self.of(box)
        parts = np.split(box, np.cumsum(self.splits[axis])[:-1], axis)
        return [self(part, axis + 1) for part in parts]


# Reductions


def reduction(
    x: Any,
    chunk: Callable,
    aggregate: Callable,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    split_every: Any = None,
    combine: Callable | None = None,
    name: str | None = None,
    out: Any = None,
    concatenate: bool = True,
    output_size: int = 1,
    meta: Any = None,
    weights: Any = None,
) -> Any:
    """Reduce axes with functions of your own: `chunk` for each block, `combine` for groups of its results, `aggregate` at the end.

    Parameters
    ----------
    chunk, combine, aggregate : callable
        Called as ``f(x, axis=axis, keepdims=keepdims)``; `combine` is `aggregate` if not given. With `concatenate` false, the last two
        get nested lists of blocks.
    axis : int or tuple of int, optional
        All axes by default.
    split_every : int, optional
        How many results are joined at a time; 4 for each axis by default.
    output_size : int
        Length that `chunk` and `aggregate` leave of reduced axes.

    Examples
    --------
    >>> x = vm.arange(10, chunks=3)
    >>> vm.reduction(x, np.sum, np.sum, dtype=int).compute()
    np.int64(45)
    """
    x = asarray(x)
    axes = axes_in(axis, x.ndim)
    dtype = _announced(dtype, meta)
    if dtype is None:
        raise ValueError("reduction needs dtype=: the element type of the result is not seen before the end")
    if out is not None:
        raise TypeError("reduction has no out=; assign its result instead")
    name = name or name_of(chunk)
    combine = combine or aggregate
    groups = _groups(split_every, axes)
    arrays, letters = [x], range(x.ndim)
    if weights is not None:
        weights = asarray(weights)
        try:
            arrays.append(call("broadcast_to", (weights,), {"shape": x.shape}))
        except ValueError:
            raise ValueError(f"weights of shape {weights.shape} cannot be broadcast to the array of shape {x.shape}") from None
    lengths = common_chunks(arrays, [letters] * len(arrays))
    reads = [[(k, _bounds(lengths[k])) for k in letters] for _ in arrays]
    parts = [(output_size,) * len(lengths[k]) if k in axes else lengths[k] for k in letters]
    user = _Reducer(chunk, axes, True, dtype, f"{name}-chunk", len(arrays))
    y = user.stage(arrays, reads, parts)
    while any(len(parts[k]) > n for k, n in groups.items()):
        y, parts = _joined(_Reducer(combine, axes, True, None, f"{name}-combine"), y, parts, groups, concatenate, output_size, None)
    last = _Reducer(aggregate, axes, keepdims, dtype, f"{name}-aggregate")
    return _joined(last, y, parts, dict.fromkeys(axes), concatenate, output_size, dtype)[0]


def _groups(split_every: Any, axes: tuple[int, ...]) -> dict[int, int]:
    """Give how many results are joined at a time, per axis."""
    if isinstance(split_every, Mapping):
        return {k: max(int(split_every.get(k, 2)), 2) for k in axes}
    if split_every is not None and not isinstance(split_every, numbers.Integral):
        raise ValueError(f"split_every must be a number or a dict of numbers, not {split_every!r}")
    return dict.fromkeys(axes, max(int((split_every or 4) ** (1 / max(len(axes), 1))), 2))


def _joined(
    user: _Reducer, y: Any, parts: list, groups: dict[int, int | None], concatenate: bool, size: int, dtype: Any
) -> tuple[Any, list]:
    """Join the results of neighbouring blocks."""
    made, chunks, reads = [], [], []
    place = itertools.count()
    user.lists = not concatenate
    user.parts = [None] * len(parts)
    for k, lengths in enumerate(parts):
        bounds = _bounds(lengths)
        if k not in groups:
            chunks.append(lengths)
            made.append(lengths)
            reads.append((next(place), bounds))
            continue
        step = groups[k] or len(lengths)
        together = [bounds[i : i + step] for i in range(0, len(bounds), step)]
        user.parts[k] = [[end - begin for begin, end in group] for group in together]
        hulls = [(group[0][0], group[-1][1]) for group in together]
        made.append((size,) * len(together))
        if user.keepdims:
            chunks.append(made[-1])
        reads.append((next(place) if user.keepdims else None, hulls))
    reads.append((None, [(0, SLOT)]))
    if dtype is None:
        return user.stage([y], [reads], made), made
    return host(user, user.name, [y], [reads], tuple(map(sum, chunks)), dtype, tuple(chunks)), made


SLOT = 17
"""Bytes of an element between the steps of a reduction, whose dtype only its functions know: 16 for the value, one for the dtype."""

_SLOT_DTYPES = (*NAMES, "bfloat16")


def _to_slots(values: np.ndarray) -> np.ndarray:
    slots = np.zeros((*values.shape, SLOT), np.uint8)
    size = values.dtype.itemsize
    slots[..., :size] = np.ascontiguousarray(values)[..., None].view(np.uint8)
    slots[..., -1] = _SLOT_DTYPES.index(dtype_name(values.dtype))
    return slots


def _from_slots(slots: np.ndarray) -> np.ndarray:
    dtype = dtype_of(_SLOT_DTYPES[slots[..., -1].flat[0]]) if slots.size else np.dtype(float)
    return np.ascontiguousarray(slots[..., : dtype.itemsize]).view(dtype)[..., 0]


class _Reducer(UserCall):
    """Calls a function of a reduction: for blocks, or for what others made of neighbouring blocks."""

    parts: list | None = None
    """For each axis that is reduced, and each group of blocks along it: the lengths of what is joined."""
    lists = False

    def __init__(self, function: Callable, axes: tuple[int, ...], keepdims: bool, dtype: Any, name: str, boxes: int = 1):
        kwargs: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
        if dtype is not None and takes(function, "dtype"):
            kwargs["dtype"] = dtype
        super().__init__(function, [BOX] * boxes, kwargs, name)
        self.axes, self.keepdims = axes, keepdims
        self.chunks: list | None = None

    def stage(self, arrays: Sequence, reads: list[Reads], chunks: list) -> Any:
        """Give the array of results, of whatever dtype, in slots."""
        self.chunks = chunks
        whole = (*chunks, (SLOT,))
        return host(self, self.name, arrays, reads, tuple(map(sum, whole)), np.uint8, whole)

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> Any:
        if self.parts is not None:
            boxes = (self._nested(block, boxes[0]),)
        made = self.raw(block[: None if self.chunks is None else -1], boxes)
        if self.chunks is None:
            return made
        want = tuple(axis[number] for axis, number in zip(self.chunks, block))
        if made is None:
            raise TypeError(f"{self.name} gave None for block {block[:-1]}; it must return an array of shape {want}")
        made = np.asarray(made)
        if made.shape != want:
            raise ValueError(
                f"{self.name} gave an array of shape {made.shape} for block {block[:-1]}, which should be {want}: "
                "it is called with keepdims=True, and output_size= says what is left of reduced axes"
            )
        return _to_slots(made.astype(made.dtype.newbyteorder("="), copy=False))

    def _nested(self, block: tuple[int, ...], slots: np.ndarray) -> Any:
        number = iter(block)
        cuts = []
        for groups in self.parts:
            if groups is None:
                next(number, None)
                cuts.append(None)
            else:
                cuts.append(groups[next(number) if self.keepdims else 0])
        pieces = Nested([*cuts, None], _from_slots)(slots)
        return pieces if self.lists else _concatenated(pieces, [k for k, cut in enumerate(cuts) if cut is not None])


def _concatenated(pieces: Any, axes: list[int]) -> np.ndarray:
    """Join nested lists of blocks."""
    if not axes:
        return pieces
    return np.concatenate([_concatenated(piece, axes[1:]) for piece in pieces], axis=axes[0])
