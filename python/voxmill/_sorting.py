"""Sorting axes that are longer than a block, and finding their largest elements."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from voxmill._host import host
from voxmill._chunks import even, normalize_chunks
from voxmill._core import call
from voxmill._index import _bounds
from voxmill._work import BLOCK_BYTES, piece, same_blocks

# Axes that are longer than a block
#
# Leighton's columnsort: s blocks of r elements, r at least 2 (s - 1)^2, are in order after four passes that each sort blocks alone.
# Between the passes elements move in ways that do not depend on their values, so that it is a plan like any other: blocks are dealt
# out over all blocks, dealt back, and at last sorted across the seams, from the middle of a block to the middle of the next one.


def column_shape(n: int, target: int) -> tuple[int, int]:
    """Give how many blocks of which length sort an axis of `n`, with blocks of about `target` or as much longer as it takes."""
    s = max(min(-(-n // target), int((n / 2) ** (1 / 3)) + 2), 2)
    while s > 2 and 2 * (s - 1) ** 2 > -(-n // s):
        s -= 1
    unit = math.lcm(2, s)
    r = max(-(-n // s), 2 * (s - 1) ** 2)
    return s, -(-r // unit) * unit


class Values:
    """Elements that are sorted by themselves."""

    tail: tuple[int, ...] = ()

    def __init__(self, dtype: np.dtype):
        self.dtype = self.held = self.made = dtype

    def first(self, box: np.ndarray, begin: int) -> np.ndarray:
        """Give elements of the array in the form that is sorted."""
        return box

    def padding(self, n: int, begin: int) -> np.ndarray:
        """Give `n` elements that sort behind all others."""
        return np.full(n, _largest(self.dtype), self.dtype)

    def ordered(self, items: np.ndarray) -> np.ndarray:
        """Sort."""
        items.sort(axis=0)
        return items

    def last(self, items: np.ndarray) -> np.ndarray:
        """Give what the result holds."""
        return items


class Records:
    """Elements that take their positions along: rows of bytes, since arrays hold one kind of number only."""

    held, made = np.dtype(np.uint8), np.dtype(np.intp)

    def __init__(self, dtype: np.dtype):
        self.dtype = dtype
        self.record = np.dtype([("value", dtype), ("position", np.intp)])
        self.tail = (self.record.itemsize,)
        self.positions = 0
        """How many positions there are."""

    def first(self, box: np.ndarray, begin: int) -> np.ndarray:
        """Give elements of the array in the form that is sorted."""
        return self.packed(box, np.arange(begin, begin + box.shape[-1]))

    def padding(self, n: int, begin: int) -> np.ndarray:
        """Give `n` elements that sort behind all others."""
        return self.first(np.full(n, _largest(self.dtype), self.dtype), begin)

    def packed(self, values: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """Give values and positions as rows of bytes."""
        records = np.empty(values.shape, self.record)
        records["value"], records["position"] = values, positions
        return self.rows(records)

    def rows(self, records: np.ndarray) -> np.ndarray:
        """Give records as rows of bytes."""
        return records[..., None].view(np.uint8)

    def records(self, rows: np.ndarray) -> np.ndarray:
        """Give rows of bytes as records."""
        return np.ascontiguousarray(rows).view(self.record)[..., 0]

    def ordered(self, items: np.ndarray) -> np.ndarray:
        """Sort by value, and by position where values are equal."""
        records = self.records(items)
        values = np.ascontiguousarray(records["value"])
        order = np.argsort(values)
        values = values[order]
        equal = _is_tie(values[1:], values[:-1])
        if equal.any():
            # The number of the run of equal values and the position, in one integer.
            keys = np.concatenate([[0], np.cumsum(~equal)]) * self.positions
            keys += records["position"][order]
            order = order[np.argsort(keys)]
        return self.rows(records[order])

    def last(self, items: np.ndarray) -> np.ndarray:
        """Give what the result holds: positions."""
        return self.records(items)["position"]


def _is_tie(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """True where neither value sorts before the other."""
    if a.dtype.kind == "c":
        return _is_tie(a.real, b.real) & _is_tie(a.imag, b.imag)
    return (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a == b


def _largest(dtype: np.dtype) -> Any:
    """Give the value that sorts last."""
    if dtype.kind == "c":
        return complex(np.nan, np.nan)
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return True if dtype.kind == "b" else np.nan


def sort_long(x: Any, axis: int, form: Any) -> Any:
    """Sort an axis in blocks."""
    moved = call("moveaxis", (x,), {"source": [axis], "destination": [x.ndim - 1]}) if axis != x.ndim - 1 else x
    result = _columnsort(moved.reshape(-1, x.shape[axis]), form).reshape(moved.shape)
    return call("moveaxis", (result,), {"source": [x.ndim - 1], "destination": [axis]}) if axis != x.ndim - 1 else result


def _columnsort(x: Any, form: Any) -> Any:
    """Sort the rows of a matrix."""
    lanes, n = x.shape
    # Sorting records takes keys and orders beside them.
    item = 4 * form.record.itemsize if form.tail else form.dtype.itemsize
    s, r = column_shape(n, piece(BLOCK_BYTES, item))
    form.positions = s * r
    one, ones = (1,) * lanes, (1,) * s
    lane, each, tail = (0, _bounds(one)), _bounds(ones), [(None, [(0, w)]) for w in form.tail]
    lengths = tuple((w,) for w in form.tail)
    dealt, dealt_chunks = (lanes, s, s, r // s, *form.tail), (one, ones, (s,), (r // s,), *lengths)
    begins = [(min(k * r, n), min((k + 1) * r, n)) for k in range(s)]
    y = host(_Runs(form, s, r), "sort-runs", [x], [[lane, (1, begins)]], dealt, form.held, dealt_chunks)
    # A block takes its share of all blocks.
    share = [lane, (None, [(0, s)]), (1, each), (None, [(0, r // s)]), *tail]
    y = host(_Columns(form, (1, 1, s, r // s)), "sort-columns", [y], [share], dealt, form.held, dealt_chunks)
    flat, flat_chunks = (lanes, s * r, *form.tail), (one, (r,) * s, *lengths)
    y = host(_Columns(form, (1, r)), "sort-columns", [y], [share], flat, form.held, flat_chunks)
    ends = [r // 2, *range(r // 2 + r, s * r, r), s * r]
    seams = [(begin, end) for begin, end in itertools.pairwise([0, *ends]) if begin < n]
    chunks = tuple(min(end, n) - begin for begin, end in seams)
    return host(_Seams(form, chunks), "sort-seams", [y], [[lane, (1, seams), *tail]], (lanes, n), form.made, (one, chunks))


class _Runs:
    """First pass: sorts a block, and deals it out over all blocks."""

    def __init__(self, form: Any, s: int, r: int):
        self.form, self.s, self.r = form, s, r

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        begin = block[1] * self.r
        items = self.form.first(box[0], begin)
        if len(items) < self.r:
            items = np.concatenate([items, self.form.padding(self.r - len(items), begin + len(items))])
        items = self.form.ordered(items)
        return items.reshape(-1, self.s, *self.form.tail).swapaxes(0, 1)[None, None]


class _Columns:
    """Second and third pass: sorts what a block got from all others."""

    def __init__(self, form: Any, shape: tuple[int, ...]):
        self.form, self.shape = form, shape

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        return self.form.ordered(box.reshape(-1, *self.form.tail)).reshape(*self.shape, *self.form.tail)


class _Seams:
    """Last pass: sorts from the middle of a block to the middle of the next one."""

    def __init__(self, form: Any, lengths: tuple[int, ...]):
        self.form, self.lengths = form, lengths

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        return self.form.last(self.form.ordered(box[0])[: self.lengths[block[1]]])[None]


# The largest elements


def merged_top(x: Any, pick: Top, length: int) -> Any:
    """Pick from pieces of the last axis, then from what was picked, until one piece is left."""
    form, last = pick.form, x.ndim - 1
    lead = normalize_chunks((*["auto"] * last, min(length, x.shape[-1])), x.shape, limit=length, dtype=np.uint8)[:-1]
    tail = [(None, [(0, w)]) for w in form.tail]
    widths = tuple((w,) for w in form.tail)
    pieces = even(x.shape[-1], length)
    y, start = x, True
    while True:
        bounds = _bounds(pieces)
        kept = tuple(min(n, pick.k) for n in pieces)
        done = len(pieces) == 1
        step = _TopStep(pick, [begin for begin, _ in bounds] if start else None, done)
        shape, chunks = (*x.shape[:-1], sum(kept)), (*lead, kept)
        reads = [*same_blocks(lead), (last, bounds), *([] if start else tail)]
        if done:
            return host(step, "topk", [y], [reads], shape, form.made, chunks)
        y = host(step, "topk-part", [y], [reads], (*shape, *form.tail), form.held, (*chunks, *widths))
        group = max(length // pick.k, 2)
        pieces = tuple(sum(kept[i : i + group]) for i in range(0, len(kept), group))
        start = False


class _TopStep:
    """Picks from a block: from elements at the start, and from what was picked later on."""

    def __init__(self, pick: Top, begins: list[int] | None, done: bool):
        self.pick, self.begins, self.done = pick, begins, done

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        form = self.pick.form
        if self.begins is not None:
            box = form.first(box, self.begins[block[box.ndim - 1]])
        picked = self.pick(box)
        return form.last(picked) if self.done else picked


class Top:
    """The first elements in falling, or rising, order; of equal ones those with the smallest positions."""

    def __init__(self, form: Any, k: int, falling: bool):
        self.form, self.k, self.falling = form, k, falling

    def __call__(self, items: np.ndarray) -> np.ndarray:
        return self.of_values(items) if self.form.tail == () else self.of_records(items)

    def of_values(self, items: np.ndarray) -> np.ndarray:
        n, k = items.shape[-1], min(self.k, items.shape[-1])
        if self.falling:
            return np.sort(np.partition(items, n - k, axis=-1)[..., n - k :], axis=-1)[..., ::-1]
        return np.sort(np.partition(items, k - 1, axis=-1)[..., :k], axis=-1)

    def of_records(self, rows: np.ndarray) -> np.ndarray:
        records = self.form.records(rows)
        values, positions = records["value"], records["position"]
        flat_values, flat_positions = (part.reshape(-1, part.shape[-1]) for part in (values, positions))
        k = min(self.k, values.shape[-1])
        picked = [self.of_lane(v, p, k) for v, p in zip(flat_values, flat_positions)]
        values, positions = (np.stack(part).reshape(*values.shape[:-1], k) for part in zip(*picked))
        return self.form.packed(values, positions)

    def of_lane(self, values: np.ndarray, positions: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Pick from one row. Only what may be among the first is sorted; comparisons that NaN fails keep it in."""
        n = len(values)
        if n > 8 * k:
            bound = np.partition(values, n - k if self.falling else k - 1)[n - k if self.falling else k - 1]
            with np.errstate(invalid="ignore"):
                candidates = ~(values < bound) if self.falling else ~(values > bound)
            values, positions = values[candidates], positions[candidates]
        order = np.lexsort((-positions, values))[::-1] if self.falling else np.lexsort((positions, values))
        return values[order[:k]], positions[order[:k]]
