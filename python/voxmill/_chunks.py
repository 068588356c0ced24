"""What may be said about chunks, as Dask understands it, and what it means."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Number
from typing import Any

import numpy as np

AUTO_BYTES = 64 << 20
"""Most bytes of a chunk that is chosen by "auto"."""

MOST_CHUNKS = 1 << 20
"""Most chunks of an axis that are chosen by "auto": their lengths are listed, so an axis of petabytes gets longer ones."""

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgtp", start=1):
    _UNITS |= {_letter: 1000**_power, f"{_letter}b": 1000**_power, f"{_letter}i": 1024**_power, f"{_letter}ib": 1024**_power}


def parse_bytes(text: str) -> int:
    """Give the number of bytes of a text such as "64 MiB"."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)?\s*([a-zA-Z]*)\s*", text)
    try:
        if match is not None and (match[1] or match[2]):
            return int(float(match[1] or 1) * _UNITS[match[2].lower()])
    except (KeyError, ValueError):
        pass
    raise ValueError(f"cannot read {text!r} as a size; write it as '64 MiB' or '100MB'")


def normalize_chunks(
    chunks: Any,
    shape: Sequence[int] | None = None,
    limit: int | str | None = None,
    dtype: Any = None,
    previous_chunks: Any = None,
) -> tuple[tuple[int, ...], ...]:
    """Give the lengths of all chunks, per axis, for whatever Dask accepts as chunks.

    `chunks` may be a number for all axes, one entry per axis (a number, a tuple of lengths, ``-1`` or `None` for the whole axis,
    ``"auto"``, a size such as ``"64 MiB"``), or a dict from axes to such entries.

    >>> normalize_chunks((2, -1), shape=(5, 4))
    ((2, 2, 1), (4,))
    """
    if shape is None:
        if isinstance(chunks, Sequence) and not isinstance(chunks, str) and all(_is_lengths(c) for c in chunks):
            shape = tuple(sum(c) for c in chunks)
        else:
            raise ValueError("the shape is needed unless all chunks are given by their lengths")
    shape = tuple(int(n) for n in shape)
    if not shape:
        return ()
    entries = _per_axis(chunks, len(shape), previous_chunks)
    known = [None if _is_open(entry) else _lengths(entry, n, axis) for axis, (entry, n) in enumerate(zip(entries, shape))]
    if any(axis is None for axis in known):
        budget = _budget(entries, limit)
        itemsize = np.dtype(dtype).itemsize if dtype is not None else 8
        known = _fill_auto(known, shape, budget, itemsize, previous_chunks)
    return tuple(known)


def _per_axis(chunks: Any, rank: int, previous: Any) -> list[Any]:
    if isinstance(chunks, Mapping):
        entries: list[Any] = list(previous) if previous is not None else [-1] * rank
        for axis, entry in chunks.items():
            try:
                entries[operator.index(axis)] = entry
            except IndexError:
                raise ValueError(f"chunks for axis {axis}, but the array has {rank} axes") from None
        return entries
    if isinstance(chunks, np.ndarray):
        chunks = chunks.tolist()
    if chunks is None or isinstance(chunks, (Number, str)):
        return [chunks] * rank
    try:
        entries = list(chunks)
    except TypeError:
        raise TypeError(f"chunks must be a number, a tuple, a dict, 'auto' or a size such as '64 MiB', not {chunks!r}") from None
    if rank == 1 and len(entries) != 1 and all(isinstance(c, Integral) for c in entries):
        return [tuple(entries)]
    if not entries:
        return [-1] * rank
    if len(entries) != rank:
        raise ValueError(f"chunks {chunks!r} have {len(entries)} axes, the array has {rank}")
    return entries


def _is_open(entry: Any) -> bool:
    return isinstance(entry, str)


def _is_lengths(entry: Any) -> bool:
    return isinstance(entry, (tuple, list, np.ndarray))


def _lengths(entry: Any, n: int, axis: int) -> tuple[int, ...]:
    if _is_lengths(entry):
        lengths = tuple(_length(c, axis) for c in entry)
        if any(c < 0 for c in lengths) or sum(lengths) != n:
            raise ValueError(f"chunks {lengths} of axis {axis} add up to {sum(lengths)}, the axis has length {n}")
        return lengths
    if entry is None or (isinstance(entry, Number) and entry == -1):
        return (n,)
    length = _length(entry, axis)
    if length <= 0 and not (length == 0 and n == 0):
        raise ValueError(f"chunks must be at least 1 long, not {length} (axis {axis}); -1 stands for the whole axis")
    return even(n, length)


def _length(entry: Any, axis: int) -> int:
    if isinstance(entry, (float, np.floating)):
        if math.isnan(entry):
            raise ValueError(f"chunks of axis {axis} are NaN; here the lengths of all chunks are known, so give them as numbers")
        entry = int(entry) if float(entry).is_integer() else entry
    try:
        return operator.index(entry)
    except TypeError:
        raise TypeError(f"chunks of axis {axis} must be numbers, 'auto' or a size, not {entry!r}") from None


def even(n: int, length: int) -> tuple[int, ...]:
    """Cut `n` into pieces of `length` and a shorter last one."""
    if n == 0:
        return (0,)
    whole, rest = divmod(n, length)
    return (length,) * whole + ((rest,) if rest else ())


def work_lengths(chunks: Sequence[Sequence[int]], shape: Sequence[int], itemsize: int, most: int, enough: int = 1 << 20) -> list[int]:
    """Give the sides of blocks to work on: chunks, or several that make up `enough` bytes, or a part of one that has more than `most`.

    >>> work_lengths(((64,) * 10, (64,) * 10), (640, 640), 2, 1 << 20, enough=64 << 10)
    [128, 256]
    """
    sides = [max(max(axis, default=1), 1) for axis in chunks]
    while math.prod(sides) * itemsize > most and max(sides) > 1:
        k = sides.index(max(sides))
        sides[k] = (sides[k] + 1) // 2
    # Later axes first: their elements lie next to each other in most files.
    growing = [k for k in reversed(range(len(sides))) if sides[k] < shape[k]]
    while growing:
        for k in list(growing):
            longer = min(sides[k] * 2, shape[k])
            if math.prod(sides) // sides[k] * longer * itemsize > min(enough, most):
                growing.remove(k)
                continue
            sides[k] = longer
            if longer == shape[k]:
                growing.remove(k)
    return sides


def _budget(entries: list[Any], limit: int | str | None) -> int:
    if limit is not None and not isinstance(limit, (str, Number)):
        raise TypeError(f"limit must be a number of bytes or a size such as '64 MiB', not {limit!r}")
    sizes = [parse_bytes(entry) for entry in entries if isinstance(entry, str) and entry != "auto"]
    if limit is not None:
        sizes.append(parse_bytes(limit) if isinstance(limit, str) else int(limit))
    return max(min(sizes, default=AUTO_BYTES), 1)


def _fill_auto(
    known: list[tuple[int, ...] | None], shape: tuple[int, ...], budget: int, itemsize: int, previous: Any
) -> list[tuple[int, ...]]:
    """Choose the open axes: sides as equal as the budget allows, or several of the previous chunks."""
    fixed = itemsize * math.prod(max(axis, default=1) or 1 for axis in known if axis is not None)
    open_axes = [k for k, axis in enumerate(known) if axis is None]
    if previous is not None:
        sides = work_lengths([previous[k] for k in open_axes], [shape[k] for k in open_axes], fixed, budget, budget)
        chosen = dict(zip(open_axes, sides))
        return [even(shape[k], max(min(chosen[k], shape[k]), 1)) if axis is None else axis for k, axis in enumerate(known)]
    elements = max(budget // max(fixed, 1), 1)
    lengths: dict[int, int] = {}
    # Short axes are taken whole, and leave more to the others.
    for done, k in enumerate(sorted(open_axes, key=lambda k: shape[k])):
        side = max(int(elements ** (1 / (len(open_axes) - done))), 1)
        lengths[k] = max(min(shape[k], side), -(-shape[k] // MOST_CHUNKS), 1)
        elements = max(elements // lengths[k], 1)
    return [even(shape[k], lengths[k]) if axis is None else axis for k, axis in enumerate(known)]
