"""Work that NumPy does in pieces: how long they are, and how an array is seen piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voxmill import _native, config
from voxmill._host import Reads
from voxmill._chunks import normalize_chunks
from voxmill._core import dtype_name
from voxmill._index import _bounds
from voxmill._run import limited

BLOCK_BYTES = 16 << 20
"""Bytes of a block of what does not fit at once."""


def piece(n_bytes: int, itemsize: int) -> int:
    """Give the number of elements of a block. Tests cut the work into small pieces, with `random_tiles`."""
    seed = config.get("random_tiles")
    if seed is not None:
        return 2 + int(seed) % 11
    return max(min(n_bytes, config.limits().memory_limit // 32) // itemsize, 1 << 10)


def own_chunks(shape: Sequence[int], itemsize: int) -> tuple[tuple[int, ...], ...]:
    """Give blocks for a function of NumPy, whatever the declared chunks are."""
    return normalize_chunks("auto", shape, limit=piece(BLOCK_BYTES // 2, itemsize), dtype=np.uint8)


def same_blocks(chunks: Sequence[tuple[int, ...]]) -> Reads:
    """Give what blocks need of an input that has their own chunks."""
    return [(k, _bounds(lengths)) for k, lengths in enumerate(chunks)]


class Boxes:
    """Something to write to that hands each box of an array to a function."""

    def __init__(self, function: Callable[[tuple[int, ...], np.ndarray], None]):
        self.function = function

    def write(self, index: tuple[slice, ...], memory: Any) -> None:
        self.function(tuple(part.start for part in index), np.asarray(memory))


def each_box(x: Any, chunks: Any, function: Callable[[tuple[int, ...], np.ndarray], None]) -> None:
    """Compute an array once, box by box, and hand each box and where it begins to a function.

    Boxes are made of whole `chunks`. Several threads may call the function at the same time. What it keeps may take half of the memory
    limit; the other half is for the computation.
    """
    boxes = Boxes(function)
    target = _native.host_store(boxes, boxes.write, boxes.write, x.shape, dtype_name(x.dtype), chunks, "boxes")
    limits, finish = limited(None, {"memory_limit": config.limits().memory_limit // 2})
    try:
        _native.write_into([x._expr], [target], [[0] * x.ndim], limits)
    finally:
        finish()
