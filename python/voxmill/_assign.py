"""Assignment with NumPy's rules: every form gives a new expression, which reads what it replaces only where it must."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from voxmill._chunks import even, work_lengths
from voxmill._core import ARRAY, call, wrap
from voxmill._index import (
    BOX_BYTES,
    Parsed,
    _bounds,
    _fitted,
    as_slice,
    basic,
    is_crossing,
    marked,
    moved,
    parsed,
    rows_of,
    unpacked,
    varying,
)


def put(x: Any, index: Any, value: Any) -> Any:
    """Give `x` with ``x[index] = value``."""
    value = _value(value, x.dtype)
    chosen = parsed(x, index if isinstance(index, tuple) else (index,))
    if chosen.mask is not None:
        new = _put_mask(basic(x, chosen.simple), chosen, value)
    elif chosen.arrays:
        return _put_arrays(x, chosen, value)
    else:
        new = value
    return _put_simple(x, chosen.simple, new)


def _value(value: Any, dtype: np.dtype) -> Any:
    """Give a value as a lazy array of the right type. NumPy's arrays are copied: they may change before anything is computed."""
    from voxmill._create import asarray

    if isinstance(value, ARRAY):
        return value if value.dtype == dtype else value.astype(dtype)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return asarray(own(value)).astype(dtype, copy=False)
    # Plain numbers and lists of them must fit the type, as in NumPy.
    return asarray(np.array(value, dtype=dtype))


def own(value: Any) -> Any:
    """Give a NumPy array that nobody else can change; files stay where they are, other things what they are."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    base = value
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return value
        base = base.base
    return value.copy()


def into(out: Any, result: Any, name: str) -> Any:
    """Put a result into `out`, as NumPy's functions do: a lazy array becomes it, a NumPy array gets its elements now."""
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if out is None:
        return result
    if not isinstance(out, (ARRAY, np.ndarray)):
        raise TypeError(f"out of {name} must be an array, not {type(out).__name__}")
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast output of {name} from {result.dtype} to {out.dtype} with casting rule 'same_kind'; cast with astype first"
        )
    if out.shape != result.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the result of {name} with shape {result.shape}"
        )
    if isinstance(out, ARRAY):
        out._expr = result.astype(out.dtype, copy=False)._expr.with_chunks(out.chunks)
    else:
        from voxmill._store import store

        store(result, out)
    return out


def put_flat(x: Any, indices: Any, values: Any, mode: str) -> None:
    """Set elements at positions counted in C order, as `numpy.put` does."""
    where = np.asarray(indices).reshape(-1)
    if where.size and where.dtype.kind not in "biu":
        raise TypeError(f"put takes positions, not {where.dtype}")
    where = where.astype(np.intp)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    if mode != "raise" and x.size:
        where = where % x.size if mode == "wrap" else where.clip(0, x.size - 1)
    values = np.asarray(values).reshape(-1)
    if where.size and values.size:
        x.flat[where] = np.resize(values, where.size)


# Boxes, and crossings of rows


def _put_simple(x: Any, simple: tuple, value: Any) -> Any:
    """Assign to what integers, slices and new axes choose."""
    entries = [entry for entry in simple if entry is not None]
    ranges = [_range(entry, n, axis) for axis, (entry, n) in enumerate(zip(entries, x.shape))]
    kept = [r for r, entry in zip(ranges, entries) if isinstance(entry, slice)]
    lengths = iter(len(r) for r in kept)
    target = tuple(1 if entry is None else next(lengths) for entry in simple if entry is None or isinstance(entry, slice))
    value = _fitted(value, target).reshape(tuple(len(r) for r in ranges))
    backwards = [axis for axis, r in enumerate(ranges) if r.step < 0]
    if backwards:
        value = call("flip", (value,), {"axis": backwards})
    return put_grid(x, [r[::-1] if r.step < 0 else r for r in ranges], value)


def _range(entry: Any, n: int, axis: int) -> range:
    if isinstance(entry, slice):
        if entry.step is not None and operator.index(entry.step) == 0:
            raise ValueError("slice step cannot be zero")
        return range(*entry.indices(n))
    if not -n <= entry < n:
        raise IndexError(f"index {entry} is out of bounds for axis {axis} with size {n}")
    return range(entry % n, entry % n + 1)


def put_grid(x: Any, rows: Sequence[range | np.ndarray], value: Any) -> Any:
    """Assign to the crossings of rows, which are rising positions for each axis; `value` has one element for each crossing."""
    if value.size == 0:
        return x
    box = [(int(r[0]), int(r[-1]) + 1) for r in rows]
    if any(len(r) != end - begin for r, (begin, end) in zip(rows, box)):
        inner = basic(x, tuple(slice(*bounds) for bounds in box))
        value = _mixed(inner, [r - begin if isinstance(r, np.ndarray) else _shifted(r, begin) for r, (begin, _) in zip(rows, box)], value)
    return paste(x, box, value)


def _shifted(r: range, by: int) -> range:
    return range(r.start - by, r.stop - by, r.step)


def paste(x: Any, box: Sequence[tuple[int, int]], value: Any) -> Any:
    """Give `x` with a box replaced."""
    chunks = x.chunks
    # From the last axis to the first: what stands around the box joins it again.
    for k in reversed(range(x.ndim)):
        begin, end = box[k]
        if (begin, end) == (0, x.shape[k]):
            continue
        outer = tuple(slice(*bounds) for bounds in box[:k])
        parts = []
        if begin:
            parts.append(basic(x, (*outer, slice(0, begin))))
        parts.append(value)
        if end < x.shape[k]:
            parts.append(basic(x, (*outer, slice(end, None))))
        value = call("concatenate", tuple(parts), {"axis": k})
    return wrap(value._expr.with_chunks(chunks))


def _mixed(x: Any, rows: Sequence[range | np.ndarray], value: Any) -> Any:
    """Assign to the crossings of rows that leave out some of the box around them."""
    from voxmill._host import host

    sides = work_lengths(x.chunks, x.shape, x.itemsize, BOX_BYTES)
    chunks = tuple(even(n, side) for n, side in zip(x.shape, sides))
    bounds = [_bounds(axis) for axis in chunks]
    reads_x = list(enumerate(bounds))
    reads_v = [(k, [(_before(rows[k], a), _before(rows[k], b)) for a, b in axis]) for k, axis in enumerate(bounds)]
    call_ = PutRows(list(rows), bounds, [reads for _, reads in reads_v])
    return host(call_, "setitem", [x, value], [reads_x, reads_v], x.shape, x.dtype, chunks)


def _before(rows: range | np.ndarray, position: int) -> int:
    """Count the rows before a position."""
    if isinstance(rows, np.ndarray):
        return int(np.searchsorted(rows, position))
    return min(max(-((rows.start - position) // rows.step), 0), len(rows))


class PutRows:
    """Puts values at the crossings of rows."""

    def __init__(self, rows: list, bounds: list, reads: list):
        self.rows, self.bounds, self.reads = rows, bounds, reads

    def __call__(self, block: tuple[int, ...], box: np.ndarray, value: np.ndarray) -> np.ndarray:
        if value.size == 0:
            return box
        index = []
        for axis, number in enumerate(block):
            mine = self.rows[axis][slice(*self.reads[axis][number])]
            index.append(np.asarray(mine) - self.bounds[axis][number][0])
        box[np.ix_(*index)] = value
        return box


# Arrays of positions


def _put_arrays(x: Any, chosen: Parsed, value: Any) -> Any:
    try:
        shape = np.broadcast_shapes(*(a.shape for a in chosen.arrays))
    except ValueError:
        shapes = " ".join(str(a.shape) for a in chosen.arrays)
        raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}") from None
    inner = basic(x, chosen.simple)
    places, front = chosen.places, chosen.front
    rest = [k for k in range(inner.ndim) if k not in places]
    lengths = [inner.shape[k] for k in rest]
    value = _fitted(value, (*lengths[:front], *shape, *lengths[front:]))
    if value.size == 0:
        return x
    value = moved(value, front, len(shape), 0)
    if is_crossing(chosen.arrays):
        new = _put_crossing(inner, chosen.arrays, places, rest, shape, value)
    else:
        new = _put_points(inner, chosen.arrays, places, rest, value)
    return _put_simple(x, chosen.simple, new)


def _put_crossing(x: Any, arrays: list[np.ndarray], places: list[int], rest: list[int], shape: tuple[int, ...], value: Any) -> Any:
    """Assign to the crossings of arrays that vary along axes of their own. The axes of these come first in `value`."""
    axes = [k for a in arrays for k in varying(a)]
    kept = sorted(axes)
    value = value.reshape((*(shape[k] for k in kept), *value.shape[len(shape) :]))
    value = value.transpose(*(kept.index(k) for k in axes), *range(len(axes), value.ndim))
    value = value.reshape((*(a.size for a in arrays), *(x.shape[k] for k in rest)))
    value = value.transpose(*np.argsort([*places, *rest]).tolist())
    rows: list[Any] = [range(n) for n in x.shape]
    for a, place in zip(arrays, places):
        rows[place], value = _rising(a.reshape(-1), value, place)
    return put_grid(x, rows, value)


def _rising(index: np.ndarray, value: Any, axis: int) -> tuple[Any, Any]:
    """Give positions in rising order and each only once, and the values for them: the last one counts."""
    from voxmill._index import take_axis

    steps = as_slice(index)
    if steps is not None and (steps.step or 1) > 0:
        return range(steps.start, int(index[-1]) + 1, steps.step or 1), value
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    return ordered[last], take_axis(value, order[last], axis)


def _put_points(x: Any, arrays: list[np.ndarray], places: list[int], rest: list[int], value: Any) -> Any:
    """Assign to points. The axes of the points come first in `value`."""
    points = np.broadcast_arrays(*arrays)
    box = [(int(p.min()), int(p.max()) + 1) for p in points]
    around = [(0, n) for n in x.shape]
    for place, bounds in zip(places, box):
        around[place] = bounds
    inner = basic(x, tuple(slice(*bounds) for bounds in around)).transpose(*places, *rest)
    sides = [end - begin for begin, end in box]
    flat = np.ravel_multi_index([p.reshape(-1) - begin for p, (begin, _) in zip(points, box)], sides)
    lengths = inner.shape[len(places) :]
    rows, value = _rising(flat, value.reshape((len(flat), *lengths)), 0)
    new = put_grid(inner.reshape((math.prod(sides), *lengths)), [rows, *(range(n) for n in lengths)], value)
    new = new.reshape((*sides, *lengths)).transpose(*np.argsort([*places, *rest]).tolist())
    return paste(x, around, new)


# Masks


def _put_mask(x: Any, chosen: Parsed, value: Any) -> Any:
    """Assign where a mask over some axes is true."""
    from voxmill._create import asarray

    mask, place, front = chosen.mask, chosen.places[0], chosen.front
    rank = mask.ndim
    lengths = [n for k, n in enumerate(x.shape) if not place <= k < place + rank]
    behind = len(lengths) - front
    if value.ndim <= behind or (value.ndim <= len(lengths) + 1 and value.shape[-behind - 1] == 1):
        # The same for all elements that are true: their number does not matter.
        same = _fitted(value, (*lengths[:front], 1, *lengths[front:]))
        same = moved(same, front, 1, place)
        same = same.reshape((*same.shape[:place], *(1,) * rank, *same.shape[place + 1 :]))
        mask = mask if isinstance(mask, ARRAY) else asarray(mask.copy())
        return call("where", (mask.reshape((*mask.shape, *(1,) * (x.ndim - place - rank))), same, x))
    return _put_marked(x, mask, place, front, lengths, value)


def _put_marked(x: Any, mask: Any, place: int, front: int, lengths: list[int], value: Any) -> Any:
    """Assign one value after the other to the elements where a mask is true."""
    from voxmill._host import host

    rank, rest = mask.ndim, [k for k in range(x.ndim) if not place <= k < place + mask.ndim]
    order = [*range(place, place + rank), *rest]
    y = x.transpose(*order)
    sides = work_lengths(y.chunks, y.shape, y.itemsize, BOX_BYTES)
    most = max(BOX_BYTES // (y.itemsize * math.prod(sides[rank:])), 1)
    # Blocks follow each other in C order along one axis, so that each takes the next part of the values.
    joined = 1
    while joined < rank and math.prod(mask.shape[joined:]) > most:
        joined += 1
    y = y.reshape((math.prod(mask.shape[:joined]), *y.shape[joined:]))
    mask = mask.reshape((y.shape[0], *mask.shape[joined:]))
    boxes = rows_of((y.shape[0], math.prod(mask.shape[1:])), max(most, math.prod(mask.shape[1:])), (1, 1))
    cuts = [box[0] for box in boxes]
    counts, bits = marked(mask, [(cut, *((0, n) for n in mask.shape[1:])) for cut in cuts])
    target = (*lengths[:front], int(counts.sum()), *lengths[front:])
    value = moved(_fitted(value, target), front, 1, 0)
    if value.size == 0:
        return x
    chunks = (tuple(b - a for a, b in cuts), *((n,) for n in mask.shape[1:]), *map(even, lengths, sides[rank:]))
    reads_y = [(k, _bounds(axis)) for k, axis in enumerate(chunks)]
    reads_v = [(0, _bounds(counts.tolist())), *((k + mask.ndim, _bounds(c)) for k, c in enumerate(chunks[mask.ndim :]))]
    inputs, reads = [y, value], [reads_y, reads_v]
    if bits is None:
        inputs.append(mask)
        reads.append(reads_y[: mask.ndim])
    new = host(PutTrue(bits, mask.ndim), "setitem", inputs, reads, y.shape, y.dtype, chunks)
    return new.reshape(tuple(x.shape[k] for k in order)).transpose(*np.argsort(order).tolist())


class PutTrue:
    """Puts values where a mask is true; the mask comes as bits, or as a third box."""

    def __init__(self, bits: list[np.ndarray] | None, rank: int):
        self.bits, self.rank = bits, rank

    def __call__(self, block: tuple[int, ...], box: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        if mask is None:
            mask = unpacked(self.bits[block[0]], box.shape[: self.rank])
        box[mask] = value
        return box
