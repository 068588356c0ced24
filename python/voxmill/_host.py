"""Blocks that Python functions make: the way between the engine and them."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from voxmill import _native
from voxmill._core import NAMES, dtype_name, dtype_of, wrap
from voxmill._create import plain
from voxmill._index import _bounds

Reads = list[tuple[int | None, list[tuple[int, int]]]]
"""For each axis of an input: the axis of the result whose block number counts (None if all blocks need the same), and the part that
each block needs."""


def host(
    function: Any, name: str, inputs: Sequence, reads: list[Reads], shape: Any, dtype: Any, chunks: Any, kept: dict | None = None
) -> Any:
    """Give the array whose blocks `function` makes from boxes of `inputs`.

    `function` is called with the number of a block and its boxes, NumPy arrays of its own, and gives the block. Blocks that are known
    already can be `kept` for their first use.
    """
    chunks = tuple(map(tuple, chunks))
    if any(0 in axis and any(axis) for axis in chunks):
        function, reads, chunks, kept = _without_empty(function, reads, chunks, kept or {})
    exprs = [x._expr for x in inputs]
    adapter = Adapter(function, chunks, np.dtype(dtype).newbyteorder("="), name)
    adapter.keep(kept or {})
    adapter.views = tuple((k, dtype_of(x.dtype)) for k, x in enumerate(exprs) if x.dtype in _OTHER_NAMES)
    expr = _native.host_call(adapter, name, exprs, reads, tuple(shape), dtype_name(dtype), chunks)
    _adapters[expr.key()] = adapter
    return wrap(expr)


def digest(adapter: Adapter) -> str:
    """Give a word for what an adapter's function does: the same when the same program runs again, another when it was changed."""
    import hashlib

    import cloudpickle

    state = adapter.__getstate__()
    return hashlib.sha256(cloudpickle.dumps((state["function"], adapter.chunks, str(adapter.dtype)))).hexdigest()


_OTHER_NAMES = ("bfloat16", "int64", "uint64")
"""Dtypes that NumPy does not take for what they are when it looks at memory: it has two names for integers of eight bytes."""

_adapters: weakref.WeakValueDictionary[int, Adapter] = weakref.WeakValueDictionary()
"""The adapters of arrays that are alive, by the keys of their expressions."""


@contextlib.contextmanager
def _keeping(exprs: list) -> Iterator[None]:
    """Keep what functions behind expressions make meanwhile: a block that was made to see what it is like is not made twice."""
    adapters, seen, stack = [], set(), list(exprs)
    while stack:
        expr = stack.pop()
        key = expr.key()
        if key not in seen:
            seen.add(key)
            stack.extend(expr.ins)
            if key in _adapters:
                adapters.append(_adapters[key])
    for adapter in adapters:
        adapter.keeping += 1
    try:
        yield
    finally:
        for adapter in adapters:
            adapter.keeping -= 1


def _without_empty(function: Any, reads: list[Reads], chunks: tuple, kept: dict) -> tuple:
    """Leave out blocks without elements: the engine does not count them, functions do."""
    full = [[number for number, n in enumerate(axis) if n] if any(axis) else [0] for axis in chunks]
    reads = [[(k, bounds if k is None else [bounds[number] for number in full[k]]) for k, bounds in axes] for axes in reads]
    kept = {tuple(own.index(number) for own, number in zip(full, block)): made for block, made in kept.items()}
    chunks = tuple(tuple(axis[number] for number in own) for axis, own in zip(chunks, full))
    return _Renumbered(function, full), reads, chunks, kept


class _Renumbered:
    """Calls a function with numbers of blocks that count empty blocks, too."""

    def __init__(self, function: Any, kept: list[list[int]]):
        self.function, self.kept = function, kept

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> Any:
        return self.function(tuple(own[number] for own, number in zip(self.kept, block)), *boxes)


class Adapter:
    """Between the engine and a function: memory as NumPy arrays, and a check of what the function gives."""

    KEPT_BYTES = 64 << 20
    """Most bytes of results that are kept while somebody wants to see a first block."""

    def __init__(self, function: Any, chunks: tuple, dtype: np.dtype, name: str):
        self.function, self.dtype, self.name, self.chunks = function, dtype, name, chunks
        self.plain = dtype if dtype.name in NAMES else None
        self.views: tuple[tuple[int, np.dtype], ...] = ()  # Inputs whose memory is to be looked at in a certain way.
        self.kept: dict[tuple[int, ...], np.ndarray] = {}
        self.keeping = 0

    def __call__(self, block: tuple[int, ...], boxes: tuple) -> np.ndarray:
        if self.kept or self.keeping:
            return self._once(block, boxes)
        return self._made(block, boxes)

    def _once(self, block: tuple[int, ...], boxes: tuple) -> np.ndarray:
        """Give a kept block away, or keep a new one for later."""
        made = self.kept.get(block) if self.keeping else self.kept.pop(block, None)
        if made is not None:
            return made
        made = self._made(block, boxes)
        if self.keeping and made.nbytes + sum(other.nbytes for other in list(self.kept.values())) <= self.KEPT_BYTES:
            self.kept[block] = made.copy()
        return made

    def keep(self, blocks: dict[tuple[int, ...], np.ndarray]) -> None:
        """Keep blocks for their first use."""
        for block, made in blocks.items():
            want = tuple(axis[i] for axis, i in zip(self.chunks, block))
            self.kept[block] = plain(self._checked(block, want, made))

    def _made(self, block: tuple[int, ...], boxes: tuple) -> np.ndarray:
        arrays = [np.asarray(box) for box in boxes]
        for k, dtype in self.views:
            arrays[k] = arrays[k].view(dtype)
        made = self.function(block, *arrays)
        want = tuple([axis[i] for axis, i in zip(self.chunks, block)])
        if type(made) is np.ndarray and made.shape == want and want and made.dtype is self.plain:
            return made  # As nearly all are: what follows costs more than the call of a small function.
        return plain(self._checked(block, want, made))

    def _checked(self, block: tuple[int, ...], want: tuple[int, ...], made: Any) -> np.ndarray:
        if made is None:
            raise TypeError(f"{self.name} gave None for block {block}; it must return an array of shape {want}")
        values = np.asarray(made)
        if values.shape != want:
            raise ValueError(
                f"{self.name} gave an array of shape {values.shape} for block {block}, which should be {want}; "
                "say so with chunks=, drop_axis= or new_axis= if the shape changes"
            )
        if values.dtype.newbyteorder("=") != self.dtype:
            raise TypeError(
                f"{self.name} gave {values.dtype} for block {block}, but {self.dtype} was announced; "
                f"pass dtype={values.dtype.name!r}, or cast inside the function"
            )
        return values

    def __getstate__(self) -> dict:
        import cloudpickle

        return {**self.__dict__, "function": cloudpickle.dumps(self.function), "kept": {}, "keeping": 0}

    def __setstate__(self, state: dict) -> None:
        import pickle

        self.__dict__.update(state)
        try:
            self.function = pickle.loads(state["function"])
        except Exception as error:
            error.add_note(
                f"while unpickling the function {state['name']!r} of a lazy array: the modules it uses must be importable here, too"
            )
            raise


def view_as(x: Any, dtype: np.dtype) -> Any:
    """Look at the bytes of an array as another element type."""
    old, new = x.dtype.itemsize, dtype.itemsize
    dtype_name(dtype)
    if old == new:
        factor = (1, 1)
    elif x.ndim and (old % new == 0 or x.shape[-1] * old % new == 0):
        factor = (old // new, 1) if old > new else (1, new // old)
    else:
        raise ValueError(f"the last axis of shape {x.shape} cannot be viewed as {dtype}: its bytes are no multiple of {new}")
    last = x.chunks[-1] if x.ndim else ()
    if any(n % factor[1] for n in last):
        x = x.rechunk({x.ndim - 1: -1})
        last = x.chunks[-1]
    chunks = (*x.chunks[:-1], tuple(n * factor[0] // factor[1] for n in last)) if x.ndim else ()
    shape = tuple(sum(axis) for axis in chunks)
    reads = [(k, _bounds(axis)) for k, axis in enumerate(x.chunks)]
    return host(View(dtype), "view", [x], [reads], shape, dtype, chunks)


class View:
    """Looks at bytes as another element type."""

    def __init__(self, dtype: np.dtype):
        self.dtype = dtype

    def __call__(self, block: tuple[int, ...], box: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(box).view(self.dtype) if box.ndim else box.reshape(1).view(self.dtype)[0:1].reshape(())
