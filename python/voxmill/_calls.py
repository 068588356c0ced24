"""Calls of users' functions: their arguments, what they are told, and which blocks belong together."""

from __future__ import annotations

import inspect
import itertools
import threading
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._core import ARRAY
from voxmill._host import Reads
from voxmill._index import _bounds

# Calling users' functions


def takes(function: Callable, name: str) -> bool:
    """Say whether a function has a parameter of this name."""
    return name in _parameters(function)


def _parameters(function: Callable) -> Iterable[str]:
    if type(function) is types.FunctionType and not hasattr(function, "__wrapped__"):
        code = function.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if type(function) is np.ufunc or type(function).__module__.startswith("voxmill."):
        return ()
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()


def name_of(function: Any) -> str:
    """Give what people call a function."""
    if hasattr(function, "func"):
        return name_of(function.func)
    return getattr(function, "__name__", type(function).__name__)


class _Box:
    """Stands for a box among the arguments of a function."""

    def __reduce__(self) -> str:
        return "BOX"


BOX = _Box()


class _Whole:
    """Stands for an array that a function gets whole, by its number among these."""

    def __init__(self, number: int):
        self.number = number


class _Later:
    """Stands for a delayed value, which is computed when the first block asks for it."""

    def __init__(self, value: Any):
        self.value, self.lock, self.made = value, threading.Lock(), ()

    def get(self) -> Any:
        with self.lock:
            if not self.made:
                self.made = (self.value.compute(progress=False),)
            return self.made[0]

    def __reduce__(self) -> tuple:
        return _Later, (self.value,)


class UserCall:
    """A user's function with its arguments. An exception in it gets a note that says for which block.

    Arrays among the arguments, other than those whose boxes are passed, are gathered in `whole`: the function gets them computed.
    """

    def __init__(self, function: Callable, args: Sequence, kwargs: Mapping, name: str):
        self.function, self.name = function, name
        self.whole: list = []
        self.filled = False
        self.args = [arg if arg is BOX else self._lazy(arg) for arg in args]
        self.kwargs = {key: self._lazy(value) for key, value in kwargs.items()}
        self.trim: list | None = None
        self.unpack: list | None = None
        self.info: BlockInfo | None = None
        names = _parameters(function)
        self.wants_id = "block_id" in names and "block_id" not in kwargs
        self.wants_info = "block_info" in names and "block_info" not in kwargs
        self.boxes_only = not self.filled and not self.wants_id and not self.wants_info and all(arg is BOX for arg in self.args)

    def _lazy(self, value: Any) -> Any:
        """Put placeholders where arrays and delayed values are."""
        kind = type(value)
        if isinstance(value, ARRAY):
            self.filled = True
            self.whole.append(value)
            return _Whole(len(self.whole) - 1)
        if hasattr(kind, "__voxmill_delayed__"):
            self.filled = True
            return _Later(value)
        if kind in (list, tuple):
            return kind([self._lazy(part) for part in value])
        return {key: self._lazy(part) for key, part in value.items()} if kind is dict else value

    def inputs(self, arrays: Sequence, reads: list[Reads]) -> tuple[list, list[Reads]]:
        """Give the arrays whose boxes the function gets, and those that it gets whole."""
        return [*arrays, *self.whole], [*reads, *[[(None, [(0, n)]) for n in x.shape] for x in self.whole]]

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> Any:
        made = self.raw(block, boxes)
        return made if self.trim is None else self.trimmed(block, made)

    def raw(self, block: tuple[int, ...], boxes: Sequence[np.ndarray]) -> Any:
        """Call the function, without cutting anything off its result."""
        if self.boxes_only and self.unpack is None:
            args, kwargs = boxes, self.kwargs
        else:
            args, kwargs = self._arguments(block, boxes)
        try:
            return self.function(*args, **kwargs)
        except Exception as error:
            error.add_note(f"in block {block} of {self.name}")
            raise

    def _arguments(self, block: tuple[int, ...], boxes: Sequence[np.ndarray]) -> tuple[list, dict]:
        n = len(boxes) - len(self.whole)
        parts, whole = boxes[:n], [box[()] if box.ndim == 0 else box for box in boxes[n:]]
        if self.unpack is not None:
            parts = [unpack(box) if unpack else box for unpack, box in zip(self.unpack, parts)]
        rest = iter(parts)
        args = [next(rest) if arg is BOX else arg for arg in self.args]
        kwargs = dict(self.kwargs)
        if self.filled:
            args = [_filled(arg, whole) for arg in args]
            kwargs = {key: _filled(value, whole) for key, value in kwargs.items()}
        if self.wants_id:
            kwargs["block_id"] = block
        if self.wants_info:
            kwargs["block_info"] = self.info.of(block) if self.info is not None else None
        return args, kwargs

    def trimmed(self, block: tuple[int, ...], made: Any) -> Any:
        """Cut the neighbourhood off a result."""
        if self.trim is None or made is None:
            return made
        made = np.asarray(made)
        if made.ndim != len(self.trim):
            return made
        return made[tuple(slice(low, n - high) for (low, high), n in zip((t[b] for t, b in zip(self.trim, block)), made.shape))]

    def __getstate__(self) -> dict:
        # Arrays that are passed whole are inputs of the op, and travel as such.
        return {**self.__dict__, "whole": [None] * len(self.whole)}


def _filled(value: Any, whole: list) -> Any:
    """Put arrays and delayed values in their places."""
    kind = type(value)
    if kind is _Whole:
        return whole[value.number]
    if kind is _Later:
        return value.get()
    if kind in (list, tuple):
        return kind([_filled(part, whole) for part in value])
    return {key: _filled(part, whole) for key, part in value.items()} if kind is dict else value


class BlockInfo:
    """What `block_info` says about a block: where it lies in each array, and in the result (under None)."""

    def __init__(self, inputs: dict[int, tuple[tuple, Reads]], chunks: tuple, dtype: Any):
        self.inputs = inputs
        self.declare(chunks, dtype)

    def declare(self, chunks: tuple, dtype: Any) -> None:
        """Say what the result is."""
        self.chunks, self.dtype = chunks, dtype
        self.bounds = [_bounds(axis) for axis in chunks]

    def of(self, block: tuple[int, ...]) -> dict:
        """Give the dict for one block."""
        info: dict[Any, Any] = {}
        for position, (shape, reads) in self.inputs.items():
            number = tuple(0 if axis is None else block[axis] for axis, _ in reads)
            info[position] = {
                "shape": shape,
                "num-chunks": tuple(1 if axis is None else len(bounds) for axis, bounds in reads),
                "array-location": [bounds[n] for n, (_, bounds) in zip(number, reads)],
                "chunk-location": number,
            }
        info[None] = {
            "shape": tuple(axis[-1][1] for axis in self.bounds),
            "num-chunks": tuple(len(axis) for axis in self.chunks),
            "array-location": [axis[n] for axis, n in zip(self.bounds, block)],
            "chunk-location": block,
            "chunk-shape": tuple(axis[n] for axis, n in zip(self.chunks, block)),
            "dtype": self.dtype,
        }
        return info


def common_chunks(arrays: Sequence, indices: Sequence[Sequence]) -> dict[Any, tuple[int, ...]]:
    """Give chunks that no array's own chunks cut, for each index. Axes of length 1 are broadcast."""
    return _matched(arrays, indices, False)[0]


def _matched(arrays: Sequence, indices: Sequence[Sequence], by_number: bool | None) -> tuple[dict[Any, tuple[int, ...]], set]:
    """Give the blocks that go together, for each index, and the indices whose blocks are matched by their numbers.

    Blocks are matched by their places: where chunks differ, they are cut. With `by_number`, blocks of the same number go together,
    whatever their lengths; with None only where the lengths of arrays differ.
    """
    found: dict[Any, list[tuple[int, ...]]] = {}
    for x, index in zip(arrays, indices):
        for label, lengths in zip(index, x.chunks):
            found.setdefault(label, []).append(lengths)
    result, numbered = {}, set()
    for label, candidates in found.items():
        long = [c for c in candidates if sum(c) != 1] or candidates[:1]
        if by_number or (by_number is None and len({sum(c) for c in long}) > 1):
            result[label] = _most_blocks(candidates)
            numbered.add(label)
            continue
        if len({sum(c) for c in long}) > 1:
            raise ValueError(f"arrays of lengths {sorted({sum(c) for c in candidates})} along one axis do not go together")
        ends = sorted(set(itertools.chain.from_iterable(itertools.accumulate(c) for c in long)))
        result[label] = tuple(end - begin for begin, end in zip([0, *ends], ends)) if ends and ends[-1] else (0,)
    return result, numbered


def _most_blocks(candidates: list[tuple[int, ...]]) -> tuple[int, ...]:
    longest = max(candidates, key=len)
    for lengths in candidates:
        if len(lengths) not in (1, len(longest)):
            raise ValueError(
                f"arrays of lengths {sorted({sum(c) for c in candidates})} along one axis do not go together: "
                f"they have {len(lengths)} and {len(longest)} blocks"
            )
    return longest


def unify_chunks(*args: Any, **kwargs: Any) -> tuple[dict, list]:
    """Give arrays the same chunks along axes that belong together; as in Dask, arguments are ``x, "ij", y, "jk"``."""
    arrays, indices = list(args[::2]), list(args[1::2])
    pairs = [(x, index) for x, index in zip(arrays, indices) if index is not None and isinstance(x, ARRAY)]
    chunks = common_chunks([x for x, _ in pairs], [index for _, index in pairs])

    def unified(x: Any, index: Any) -> Any:
        if index is None or not isinstance(x, ARRAY):
            return x
        return x.rechunk(tuple(chunks[i] if n != 1 or sum(chunks[i]) == 1 else (1,) for i, n in zip(index, x.shape)))

    return chunks, [unified(x, index) for x, index in zip(arrays, indices)]


def _axis_reads(lengths: tuple[int, ...], n: int, axis: int) -> tuple[int | None, list[tuple[int, int]]]:
    """Give what blocks of these lengths need of an axis of length `n`: their own part, or all of it where it is broadcast."""
    if n == 1 and sum(lengths) != 1:
        return (None, [(0, 1)])
    return (axis, _bounds(lengths))


def _block_reads(x: Any, k: int, label: Any, lengths: dict, numbered: set, place: int) -> tuple[int | None, list[tuple[int, int]]]:
    """Give what blocks of the result need of axis `k` of an array."""
    if label not in numbered:
        return _axis_reads(lengths[label], x.shape[k], place)
    own = x.chunks[k]
    return (None if len(own) == 1 else place, _bounds(own))
