"""Indexing with NumPy's rules."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from voxmill._chunks import even, normalize_chunks, work_lengths
from voxmill._core import ARRAY, call, wrap

BOX_BYTES = 16 << 20
"""Most bytes of a box that one block of picked elements reads."""

BITS = 1 << 28
"""Masks of at most so many elements are computed once and kept as bits; larger ones are counted first, and computed again later."""

FAR = 1 << 62
"""Further than any axis is long."""


def get(x: Any, index: Any) -> Any:
    """Give ``x[index]``."""
    entries = index if isinstance(index, tuple) else (index,)
    if all(_is_basic(entry) for entry in entries):
        return basic(x, entries)
    chosen = parsed(x, entries)
    x = basic(x, chosen.simple)
    if chosen.mask is not None:
        return moved(_pick_mask(x, chosen.mask, chosen.places[0]), chosen.places[0], 1, chosen.front)
    if not chosen.arrays:
        return x
    return _pick_arrays(x, chosen.arrays, chosen.places, chosen.front)


def basic(x: Any, entries: tuple) -> Any:
    """Index with integers, slices, None and Ellipsis only."""
    for entry in entries:
        if isinstance(entry, slice) and entry.step is not None and operator.index(entry.step) == 0:
            raise ValueError("slice step cannot be zero")
    try:
        return call("getitem", (x,), {"index": entries})
    except OverflowError:
        return call("getitem", (x,), {"index": tuple(_near(entry) for entry in entries)})
    except ValueError as error:
        raise IndexError(str(error).removeprefix("getitem: ")) from None


def _near(entry: Any) -> Any:
    """Give an entry with numbers that the engine can hold: what is further than any axis is long means the same."""
    if isinstance(entry, slice):
        ends = (None if end is None else max(min(operator.index(end), FAR), -FAR) for end in (entry.start, entry.stop, entry.step))
        return slice(*ends)
    if entry is not None and entry is not Ellipsis and abs(operator.index(entry)) > FAR:
        raise IndexError(f"index {entry} is out of bounds for every axis")
    return entry


def _is_basic(entry: Any) -> bool:
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return True
    return isinstance(entry, (int, np.integer)) and not isinstance(entry, bool)


# What an index means


@dataclass
class Parsed:
    """An index in two steps: a basic one, and then arrays or a mask for some axes of what that gives."""

    simple: tuple = ()
    places: list[int] = field(default_factory=list)
    """Axes, after the first step, that the arrays index; for a mask, its first axis."""
    arrays: list[np.ndarray] = field(default_factory=list)
    """Positions, not yet broadcast: all valid and counted from the front."""
    mask: Any = None
    """A mask that is the only array there is; NumPy's or lazy, with at least one axis."""
    front: int = 0
    """Where the axes of the arrays go in the result."""


def parsed(x: Any, entries: tuple) -> Parsed:
    """Sort out an index for `x`."""
    entries = _filled([canonical(entry) for entry in entries], x.ndim)
    simple: list[Any] = []
    found: list[tuple[int, int, Any]] = []
    """Of arrays and masks: the axis after the first step, the axis of `x`, the array."""
    axis = at = 0
    front, runs, in_run = 0, 0, False
    for entry in entries:
        is_array = isinstance(entry, (int, np.ndarray, ARRAY))
        if is_array and not in_run:
            runs += 1
            front = at if runs == 1 else 0
        in_run = is_array
        if isinstance(entry, int):
            simple.append(entry)
            axis += 1
        elif entry is None:
            simple.append(None)
            at += 1
        elif isinstance(entry, slice):
            simple.append(entry)
            at, axis = at + 1, axis + 1
        elif entry is Ellipsis:
            pass  # Stands for no axis here, but parts the arrays on its two sides.
        elif entry.ndim == 0:
            # A truth value keeps everything or nothing, under a new axis.
            simple.append(None)
            found.append((at, -1, np.zeros(int(entry), np.intp)))
            at += 1
        else:
            rank = entry.ndim if entry.dtype == bool else 1
            _check_mask(entry, x.shape, axis)
            found.append((at, axis, entry))
            simple += [slice(None)] * rank
            at, axis = at + rank, axis + rank
    if len(found) == 1 and found[0][2].dtype == bool:
        return Parsed(tuple(simple), [found[0][0]], mask=found[0][2], front=front)
    result = Parsed(tuple(simple), front=front)
    for place, k, entry in found:
        several = positions(entry) if entry.dtype == bool else (entry,)
        for j, one in enumerate(several):
            n = 1 if k < 0 else x.shape[k + j]
            result.places.append(place + j)
            result.arrays.append(_checked(one, n, k + j))
    return result


def canonical(entry: Any) -> Any:
    """Give what stands in an index as None, Ellipsis, a slice, an int, a NumPy array of integers or truth values, or a lazy mask."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
        return int(entry)
    if isinstance(entry, (str, bytes, float, np.floating)):
        raise IndexError(_wrong(entry))
    if isinstance(entry, ARRAY) and entry.dtype == bool and entry.ndim:
        return entry
    if isinstance(entry, ARRAY) and entry.dtype.kind not in "biu":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {entry.dtype}")
    values = np.asarray(entry)
    if values.size == 0 and values.dtype.kind == "f" and not isinstance(entry, np.ndarray):
        values = values.astype(np.intp)
    if values.dtype == object and values.ndim == 0:
        try:
            return operator.index(entry)
        except TypeError:
            raise IndexError(_wrong(entry)) from None
    if values.dtype.kind not in "biu":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {values.dtype}")
    return int(values) if values.ndim == 0 and values.dtype.kind != "b" else values


def _wrong(entry: Any) -> str:
    return (
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices, "
        f"not {entry!r}"
    )


def _filled(entries: list, rank: int) -> list:
    """Put whole axes in the place of the ellipsis."""
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(_axes_of(entry) for entry in entries)
    if used > rank:
        raise IndexError(f"too many indices for array: array is {rank}-dimensional, but {used} were indexed")
    at = next((k for k, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    whole = [slice(None)] * (rank - used)
    return entries[:at] + (whole or [Ellipsis] * (at < len(entries))) + entries[at + 1 :]


def _axes_of(entry: Any) -> int:
    if entry is None or entry is Ellipsis:
        return 0
    return entry.ndim if isinstance(entry, (np.ndarray, ARRAY)) and entry.dtype == bool else 1


def _check_mask(entry: Any, shape: tuple[int, ...], axis: int) -> None:
    if entry.dtype != bool:
        return
    for k, n in enumerate(entry.shape):
        if n != shape[axis + k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + k}; size of axis is {shape[axis + k]} "
                f"but size of corresponding boolean axis is {n}"
            )


def _checked(index: np.ndarray, n: int, axis: int) -> np.ndarray:
    """Give positions of an axis of length `n`, counted from the front, in an array of their own."""
    index = index.astype(np.intp)
    wrong = (index < -n) | (index >= n)
    if wrong.any():
        raise IndexError(f"index {index[wrong].flat[0]} is out of bounds for axis {axis} with size {n}")
    index[index < 0] += n
    return index


# Positions of true elements


def positions(mask: Any) -> tuple[np.ndarray, ...]:
    """Give the positions of the true elements of a mask, which is computed for it."""
    if not isinstance(mask, ARRAY):
        return np.nonzero(np.asarray(mask))
    flat = flat_positions(mask)
    return np.unravel_index(flat, mask.shape) if mask.ndim else np.nonzero(np.atleast_1d(mask.compute()))


def flat_positions(mask: Any) -> np.ndarray:
    """Give the positions of the true elements of a lazy mask in C order, reading it in pieces that fit memory."""
    flat = mask.reshape(-1)
    piece = 1 << 26
    found = []
    for start in range(0, flat.size, piece):
        found.append(np.flatnonzero(np.asarray(basic(flat, (slice(start, start + piece),)))) + start)
    return np.concatenate(found) if found else np.empty(0, np.intp)


# Elements by arrays of positions


def _pick_arrays(x: Any, arrays: list[np.ndarray], places: list[int], front: int) -> Any:
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        shapes = " ".join(str(a.shape) for a in arrays)
        raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}") from None
    if len(arrays) == 1:
        place = places[0]
        result = take_axis(x, arrays[0].reshape(-1), place)
        if len(shape) != 1:
            result = result.reshape(x.shape[:place] + shape + x.shape[place + 1 :])
        return moved(result, place, len(shape), front)
    if is_crossing(arrays):
        return _pick_crossing(x, arrays, places, shape, front)
    points = [a.reshape(-1) for a in np.broadcast_arrays(*arrays)]
    rest = [n for k, n in enumerate(x.shape) if k not in places]
    result = _pick(x, points, places, 0).reshape((*shape, *rest))
    return moved(result, 0, len(shape), front)


def is_crossing(arrays: Sequence[np.ndarray]) -> bool:
    """Say whether arrays vary along axes of their own, as those of `numpy.ix_` do: then axes can be picked from one by one."""
    axes = [k for a in arrays for k in varying(a)]
    return len(axes) == len(set(axes))


def varying(a: np.ndarray) -> list[int]:
    """Give the axes with more or less than one element, counted from the back as for broadcasting."""
    return [k - a.ndim for k, n in enumerate(a.shape) if n != 1]


def _pick_crossing(x: Any, arrays: list[np.ndarray], places: list[int], shape: tuple[int, ...], front: int) -> Any:
    rest = [k for k in range(x.ndim) if k not in places]
    for a, place in zip(arrays, places):
        x = take_axis(x, a.reshape(-1), place)
    x = x.transpose(*rest[:front], *places, *rest[front:])
    before, after = x.shape[:front], x.shape[front + len(places) :]
    axes = [k for a in arrays for k in varying(a)]
    x = x.reshape((*before, *(shape[k] for k in axes), *after))
    order = [front + axes.index(k) for k in sorted(axes)]
    x = x.transpose(*range(front), *order, *range(front + len(axes), x.ndim))
    return x.reshape((*before, *shape, *after))


def moved(x: Any, begin: int, count: int, front: int) -> Any:
    """Give the array with some neighbouring axes moved to another place among the others."""
    if begin == front or count == 0:
        return x
    mine = range(begin, begin + count)
    others = [k for k in range(x.ndim) if k not in mine]
    return x.transpose(*others[:front], *mine, *others[front:])


def take_axis(x: Any, index: np.ndarray, axis: int) -> Any:
    """Give the elements at positions (all valid) of an axis. Only what lies around these positions is read."""
    even_steps = as_slice(index)
    if even_steps is not None:
        return basic(x, (slice(None),) * axis + (even_steps,))
    return _pick(x, [index], [axis], axis)


def as_slice(index: np.ndarray) -> slice | None:
    """Give positions at even distances as a slice."""
    if len(index) == 0:
        return slice(0, 0)
    first, last = int(index[0]), int(index[-1])
    if len(index) == 1:
        return slice(first, first + 1)
    step = int(index[1]) - first
    if step == 0 or last != first + step * (len(index) - 1) or (np.diff(index) != step).any():
        return None
    end = last + (1 if step > 0 else -1)
    return slice(first, None if end < 0 else end, step)


def _pick(x: Any, points: list[np.ndarray], places: list[int], at: int) -> Any:
    """Give the elements at some points, each given by one position for some axes. They lie along axis `at` of the result.

    Source and points are cut into tiles: a block of the result holds points of one tile, and reads the box around these only. Where
    the order of the points jumps between tiles, they are picked tile by tile first, and put in order afterwards.
    """
    n = len(points[0])
    if n == 0:
        from voxmill._create import zeros

        rest = [m for k, m in enumerate(x.shape) if k not in places]
        return zeros((*rest[:at], 0, *rest[at:]), x.dtype)
    sides = work_lengths(x.chunks, x.shape, x.itemsize, BOX_BYTES)
    tiles = np.zeros(n, np.int64)
    for p, k in zip(points, places):
        tiles = tiles * -(-x.shape[k] // sides[k]) + p // sides[k]
    runs = 1 + np.count_nonzero(np.diff(tiles))
    if runs > 16 and runs > 2 * len(np.unique(tiles)):
        order = np.argsort(tiles, kind="stable")
        picked = _pick_runs(x, [p[order] for p in points], places, at, tiles[order], sides)
        back = np.empty_like(order)
        back[order] = np.arange(n)
        result = _in_order(picked, back, at)
    else:
        result = _pick_runs(x, points, places, at, tiles, sides)
    # Chunks of users are neither runs nor tiles.
    length = max(x.chunks[places[0]]) if len(places) == 1 else max(BOX_BYTES // x.itemsize, 1)
    rest = [axis for k, axis in enumerate(x.chunks) if k not in places]
    return wrap(result._expr.with_chunks((*rest[:at], even(n, max(length, 1)), *rest[at:])))


def _pick_runs(x: Any, points: list[np.ndarray], places: list[int], at: int, tiles: np.ndarray, sides: list[int]) -> Any:
    """Pick points in their order, with one block for each run of points in the same tile."""
    from voxmill._host import host

    n = len(tiles)
    rest = [k for k in range(x.ndim) if k not in places]
    most = max(BOX_BYTES // (x.itemsize * math.prod(sides[k] for k in rest)), 1)
    starts = _starts(tiles, most)
    lengths = np.diff(starts, append=n)
    near, bounds = [], []
    for p in points:
        low = np.minimum.reduceat(p, starts)
        high = np.maximum.reduceat(p, starts) + 1
        near.append(p - np.repeat(low, lengths))
        bounds.append(list(zip(low.tolist(), high.tolist())))
    chunks = [even(x.shape[k], sides[k]) for k in rest]
    chunks.insert(at, tuple(lengths.tolist()))
    reads = []
    for k in range(x.ndim):
        if k in places:
            reads.append((at, bounds[places.index(k)]))
        else:
            number = rest.index(k)
            number += number >= at
            reads.append((number, _bounds(chunks[number])))
    shape = tuple(sum(axis) for axis in chunks)
    return host(PickPoints(near, starts.tolist() + [n], places, at), "take", [x], [reads], shape, x.dtype, tuple(chunks))


def _starts(tiles: np.ndarray, most: int) -> np.ndarray:
    """Give where runs of equal numbers begin; those longer than `most` are cut."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(tiles)) + 1])
    lengths = np.diff(starts, append=len(tiles))
    pieces = -(-lengths // most)
    if (pieces == 1).all():
        return starts
    number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.repeat(starts, pieces) + number * most


class PickPoints:
    """Picks points from the boxes around them."""

    def __init__(self, points: list[np.ndarray], starts: list[int], places: list[int], at: int):
        self.points, self.starts, self.places, self.at = points, starts, places, at

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        number = block[self.at]
        mine = slice(self.starts[number], self.starts[number + 1])
        if len(self.places) == 1:
            return np.take(box, self.points[0][mine], axis=self.places[0])
        rows = np.moveaxis(box, self.places, range(len(self.places)))
        return np.moveaxis(rows[tuple(p[mine] for p in self.points)], 0, self.at)


def _in_order(x: Any, index: np.ndarray, axis: int) -> Any:
    """Give the elements at positions that are strewn over a whole axis: blocks have that axis whole, and little of the others."""
    from voxmill._host import host

    entries = tuple(n if k == axis else "auto" for k, n in enumerate(x.shape))
    others = normalize_chunks(entries, x.shape, dtype=x.dtype, limit=BOX_BYTES)
    row = math.prod(c[0] for k, c in enumerate(others) if k != axis) * x.itemsize
    length = max(4 * BOX_BYTES // max(row, 1), 1)
    chunks = tuple(even(len(index), length) if k == axis else c for k, c in enumerate(others))
    starts = np.cumsum([0, *chunks[axis]]).tolist()
    reads = [(None, [(0, x.shape[k])]) if k == axis else (k, _bounds(c)) for k, c in enumerate(chunks)]
    return host(PickPoints([index], starts, [axis], axis), "take", [x], [reads], x.shape, x.dtype, chunks)


def _bounds(lengths: Sequence[int]) -> list[tuple[int, int]]:
    ends = np.cumsum(lengths).tolist()
    return [(end - n, end) for n, end in zip(lengths, ends)]


def _fitted(value: Any, shape: tuple[int, ...]) -> Any:
    """Broadcast a value to what is assigned to, as NumPy does."""
    given = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value.reshape(value.shape[1:])
    if value.shape == shape:
        return value
    try:
        fits = np.broadcast_shapes(value.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {given} into shape {shape}")
    return call("broadcast_to", (value,), {"shape": shape})


# Elements by masks


def _pick_mask(x: Any, mask: Any, place: int) -> Any:
    """Give the elements where a mask over some axes is true, along one axis instead of these."""
    from voxmill._create import zeros
    from voxmill._host import host

    rank = mask.ndim
    sides = work_lengths(x.chunks, x.shape, x.itemsize, BOX_BYTES)
    rest = [k for k in range(x.ndim) if not place <= k < place + rank]
    most = max(BOX_BYTES // (4 * x.itemsize * math.prod(sides[k] for k in rest)), 1)
    boxes = rows_of(mask.shape, most, sides[place : place + rank])
    counts, bits = marked(mask, boxes)
    if bits is not None and counts.sum() * 64 <= mask.size:
        # Few and far between: points read less than boxes do.
        where = np.unravel_index(_true(boxes, bits), mask.shape)
        return moved(_pick(x, list(where), list(range(place, place + rank)), 0), 0, 1, place)
    used = np.flatnonzero(counts).tolist()
    shape = (*x.shape[:place], int(counts.sum()), *x.shape[place + rank :])
    if not used:
        return zeros(shape, x.dtype)
    chunks = [even(x.shape[k], sides[k]) for k in rest]
    chunks.insert(place, tuple(counts[used].tolist()))
    picked = [[boxes[b][k] for b in used] for k in range(rank)]
    reads = []
    for k in range(x.ndim):
        if place <= k < place + rank:
            reads.append((place, picked[k - place]))
        else:
            number = k if k < place else k - rank + 1
            reads.append((number, _bounds(chunks[number])))
    pick = PickTrue(place, None if bits is None else [bits[b] for b in used])
    inputs, all_reads = [x], [reads]
    if bits is None:
        inputs.append(mask)
        all_reads.append([(place, bounds) for bounds in picked])
    result = host(pick, "mask", inputs, all_reads, shape, x.dtype, tuple(chunks))
    length = max(x.chunksize[place] if rank == 1 else BOX_BYTES // x.itemsize, 1)
    declared = (*x.chunks[:place], even(shape[place], length), *x.chunks[place + rank :])
    return wrap(result._expr.with_chunks(declared))


def rows_of(shape: tuple[int, ...], most: int, sides: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    """Cut an array into boxes of at most `most` elements that follow each other in C order; their bounds per axis."""
    if 0 in shape:
        return []
    k = 0
    while k < len(shape) - 1 and math.prod(shape[k + 1 :]) > most:
        k += 1
    thick = max(most // math.prod(shape[k + 1 :]), 1)
    if thick > sides[k]:
        thick -= thick % sides[k]
    inner = tuple((0, n) for n in shape[k + 1 :])
    heads = product(*([(i, i + 1) for i in range(n)] for n in shape[:k]))
    cuts = _bounds(even(shape[k], thick))
    return [(*head, cut, *inner) for head in heads for cut in cuts]


def marked(mask: Any, boxes: list) -> tuple[np.ndarray, list[np.ndarray] | None]:
    """Count the true elements in each box of a mask, which is computed for it; small ones are given back as bits, too."""
    from voxmill._host import host

    if isinstance(mask, np.ndarray):
        parts = [mask[tuple(slice(*b) for b in box)] for box in boxes]
        return np.array([np.count_nonzero(part) for part in parts], np.intp), [np.packbits(part) for part in parts]
    if not boxes:
        return np.empty(0, np.intp), []
    reads = [(0, [box[k] for box in boxes]) for k in range(mask.ndim)]
    if mask.size > BITS:
        ones = ((1,) * len(boxes),)
        return np.asarray(host(count_true, "count", [mask], [reads], (len(boxes),), np.intp, ones)), None
    lengths = [-(-math.prod(b - a for a, b in box) // 8) for box in boxes]
    packed = np.asarray(host(pack, "mask", [mask], [reads], (sum(lengths),), np.uint8, (tuple(lengths),)))
    bits = np.split(packed, np.cumsum(lengths)[:-1])
    return np.array([int(np.bitwise_count(part).sum()) for part in bits], np.intp), bits


def _true(boxes: list, bits: list[np.ndarray]) -> np.ndarray:
    """Give the positions of true elements in C order, from the bits of boxes that follow each other."""
    found, start = [np.empty(0, np.intp)], 0
    for box, part in zip(boxes, bits):
        size = math.prod(b - a for a, b in box)
        found.append(np.flatnonzero(np.unpackbits(part, count=size)) + start)
        start += size
    return np.concatenate(found)


def count_true(block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
    """Count the true elements of a box."""
    return np.array([np.count_nonzero(box)], np.intp)


def pack(block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
    """Give the elements of a box as bits."""
    return np.packbits(box)


def unpacked(bits: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Give bits as a mask again."""
    return np.unpackbits(bits, count=math.prod(shape)).astype(bool).reshape(shape)


class PickTrue:
    """Picks the elements where a mask is true; the mask comes as bits, or as a second box."""

    def __init__(self, place: int, bits: list[np.ndarray] | None):
        self.place, self.bits = place, bits

    def __call__(self, block: tuple[int, ...], box: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        if mask is None:
            bits = self.bits[block[self.place]]
            rank = box.ndim - len(block) + 1
            mask = unpacked(bits, box.shape[self.place : self.place + rank])
        return box[(slice(None),) * self.place + (mask,)]


# Other ways to index


class Blocks:
    """The declared chunks of an array, to be indexed like an array of them."""

    def __init__(self, x: Any):
        self._x = x

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of blocks per axis."""
        return self._x.numblocks

    @property
    def size(self) -> int:
        """Number of blocks."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._x.ndim

    def __getitem__(self, index: Any) -> Any:
        entries = [canonical(entry) for entry in (index if isinstance(index, tuple) else (index,))]
        if any(entry is None for entry in entries):
            raise ValueError("blocks have no new axes: None is not allowed here")
        if sum(isinstance(entry, (np.ndarray, ARRAY)) for entry in entries) > 1:
            raise ValueError("blocks can be picked by a list on one axis only")
        x = self._x
        for axis, entry in enumerate(entry for entry in _filled(entries, self.ndim) if entry is not Ellipsis):
            x = self._on_axis(x, axis, entry)
        return x

    @staticmethod
    def _on_axis(x: Any, axis: int, entry: Any) -> Any:
        bounds = _bounds(x.chunks[axis])
        if not isinstance(entry, slice):
            entry = np.atleast_1d(np.asarray(entry))
            if entry.ndim > 1:
                raise IndexError("blocks are picked by lists of one axis")
            if entry.dtype == bool:
                _check_mask(entry, (len(bounds),), 0)
                entry = np.flatnonzero(entry)
            entry = _checked(entry, len(bounds), axis)
        picked = np.arange(len(bounds))[entry]
        if len(picked) == 0:
            return basic(x, (slice(None),) * axis + (slice(0, 0),))
        if len(picked) == len(bounds) and (np.diff(picked) == 1).all():
            return x
        if (np.diff(picked) == 1).all():
            span = slice(bounds[picked[0]][0], bounds[picked[-1]][1])
            x = basic(x, (slice(None),) * axis + (span,))
        else:
            x = take_axis(x, np.concatenate([np.arange(*bounds[b]) for b in picked]), axis)
        lengths = tuple(bounds[b][1] - bounds[b][0] for b in picked)
        return x.rechunk((*x.chunks[:axis], lengths, *x.chunks[axis + 1 :]))

    def ravel(self) -> list:
        """Give all blocks in a list."""
        return [self[index] for index in product(*map(range, self.shape))]


class Points:
    """Elements of an array one by one: arrays of positions are taken together, and their axes come first."""

    def __init__(self, x: Any):
        self._x = x

    def __getitem__(self, index: Any) -> Any:
        entries = index if isinstance(index, tuple) else (index,)
        if any(entry is None for entry in entries):
            raise IndexError("vindex does not take new axes")
        chosen = parsed(self._x, entries)
        x = basic(self._x, chosen.simple)
        if chosen.mask is not None:
            return moved(_pick_mask(x, chosen.mask, chosen.places[0]), chosen.places[0], 1, 0)
        return _pick_arrays(x, chosen.arrays, chosen.places, 0) if chosen.arrays else x


class Flat:
    """The elements of an array in C order, as NumPy's `flat`: a loop reads them in pieces."""

    def __init__(self, x: Any):
        self._x = x

    def __len__(self) -> int:
        return self._x.size

    def __iter__(self) -> Any:
        flat, piece = self._x.reshape(-1), 1 << 20
        for start in range(0, flat.size, piece):
            yield from np.asarray(basic(flat, (slice(start, start + piece),)))

    def __getitem__(self, index: Any) -> Any:
        return get(self._x.reshape(-1), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        flat = self._x.reshape(-1)
        flat[index] = value
        self._x._expr = flat.reshape(self._x.shape)._expr

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._x.reshape(-1).__array__(dtype, copy)
