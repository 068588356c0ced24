"""Functions of users over blocks: the boxes they get, the blocks they give, and what is said when these are wrong."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from voxmill._calls import BOX, BlockInfo, UserCall, _block_reads, _matched, name_of
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, axis_in, dtype_name
from voxmill._host import Reads, _keeping, host
from voxmill._index import basic


def map_blocks(
    func: Callable,
    *args: Any,
    name: str | None = None,
    token: Any = None,
    dtype: Any = None,
    chunks: Any = None,
    drop_axis: int | Iterable[int] | None = None,
    new_axis: int | Iterable[int] | None = None,
    enforce_ndim: bool = False,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a function for each block of some arrays, and make an array of what it gives.

    Parameters
    ----------
    func : callable
        Gets the blocks as NumPy arrays, which it may change and keep. If it has parameters called `block_id` or `block_info`, it also
        gets the number of the block, or a dict that says where it lies.
    *args
        Arrays, whose blocks are taken together (shorter ranks and axes of length 1 are broadcast), and anything else, which is passed
        on. Blocks are the declared chunks: see `Array.rechunk`.
    dtype : dtype, optional
        Element type of the result. If it is not given, the function is called for the first block, to see; that call is not
        repeated: what it gave is kept until it is needed.
    chunks : tuple, optional
        Shape of the resulting blocks, if it is another than that of the inputs: one length per axis, or all lengths.
    drop_axis, new_axis : int or tuple of int, optional
        Axes that the function removes (it then gets them whole), and adds.
    name, token, enforce_ndim, meta
        Accepted for Dask's sake; the dtype of `meta` is used.
    **kwargs
        Passed on to `func`. Arrays among them are computed first.

    Examples
    --------
    >>> x = vm.arange(6, chunks=3)
    >>> vm.map_blocks(lambda block: block[::-1], x, dtype=x.dtype).compute()
    array([2, 1, 0, 5, 4, 3])
    """
    if not callable(func):
        raise TypeError(f"the first argument of map_blocks must be a function, not {type(func).__name__}")
    name = name or token or name_of(func)
    arrays = [arg for arg in args if isinstance(arg, ARRAY)]
    user = UserCall(func, [BOX if isinstance(arg, ARRAY) else arg for arg in args], kwargs, name)
    dtype = _announced(dtype, meta)
    if not arrays:
        if chunks is None:
            raise ValueError("map_blocks needs at least one array, or chunks= for a function that makes blocks from nothing")
        return _called(user, {}, [], [], normalize_chunks(chunks), dtype, True)
    rank = max(x.ndim for x in arrays)
    indices = [tuple(range(rank - x.ndim, rank)) for x in arrays]
    lengths, numbered = _matched(arrays, indices, None)
    dropped, behind = _result_axes(rank, drop_axis, new_axis, chunks)
    place = {axis: k for k, axis in enumerate(behind) if axis is not None}
    reads = []
    for x, index in zip(arrays, indices):
        reads.append([
            (None, [(0, x.shape[k])]) if axis in dropped else _block_reads(x, k, axis, lengths, numbered, place[axis])
            for k, axis in enumerate(index)
        ])  # fmt: skip
    natural = tuple(_new_blocks(chunks, k) if axis is None else lengths[axis] for k, axis in enumerate(behind))
    positions = [p for p, arg in enumerate(args) if isinstance(arg, ARRAY)]
    info = {p: (x.shape, r) for p, x, r in zip(positions, arrays, reads)}
    return _called(user, info, arrays, reads, _declared(chunks, natural), dtype, chunks is not None)


def _result_axes(rank: int, drop_axis: Any, new_axis: Any, chunks: Any) -> tuple[set[int], list[int | None]]:
    """Give the axes that a function removes, and the axis of the inputs behind each axis of the result; None for new ones."""
    dropped = _axis_set(drop_axis, rank)
    behind: list[int | None] = [axis for axis in range(rank) if axis not in dropped]
    if new_axis is None and isinstance(chunks, (tuple, list)) and len(chunks) > len(behind):
        new_axis = range(len(chunks) - len(behind))
    for axis in sorted(_axis_set(new_axis, len(behind) + len(_axis_list(new_axis)))):
        behind.insert(axis, None)
    return dropped, behind


def _new_blocks(chunks: Any, axis: int) -> tuple[int, ...]:
    """Give the blocks along an axis that only the result has: one of length 1, if nothing else is said."""
    given = chunks[axis] if isinstance(chunks, (tuple, list)) and axis < len(chunks) else 1
    return tuple(given) if isinstance(given, (tuple, list)) else (1,)


def _called(user: UserCall, info: dict, arrays: Sequence, reads: list[Reads], lengths: tuple, dtype: Any, fixed: bool) -> Any:
    """Give the array that a user's function makes; what is not known yet, its first block tells."""
    user.info = BlockInfo(info, lengths, dtype)
    arrays, reads = user.inputs(arrays, reads)
    kept = None
    if dtype is None:
        made, kept = _see_first(user, arrays, reads, lengths)
        dtype = made.dtype
        if not fixed:
            lengths = _seen_lengths(user, made.shape, lengths)
        user.info.declare(lengths, dtype)
    return host(user, user.name, arrays, reads, tuple(sum(axis) for axis in lengths), dtype, lengths, kept)


def _announced(dtype: Any, meta: Any) -> np.dtype | None:
    if dtype is None and meta is not None and hasattr(meta, "dtype"):
        dtype = meta.dtype
    return None if dtype is None else np.dtype(dtype)


def _axis_list(axes: Any) -> list[int]:
    if axes is None:
        return []
    return [axes] if isinstance(axes, numbers.Integral) else list(axes)


def _axis_set(axes: Any, rank: int) -> set[int]:
    return {axis_in(axis, rank) for axis in _axis_list(axes)}


def _declared(chunks: Any, natural: tuple) -> tuple:
    """Give the chunks of the result: those that were given, or the ones that follow from the inputs."""
    if chunks is None:
        return natural
    if not isinstance(chunks, (tuple, list)):
        chunks = (chunks,) * len(natural)
    if len(chunks) != len(natural):
        raise ValueError(f"chunks {tuple(chunks)} have {len(chunks)} axes, the result has {len(natural)}: use drop_axis or new_axis")
    result = []
    for axis, (given, own) in enumerate(zip(chunks, natural)):
        lengths = tuple(given) if isinstance(given, (tuple, list)) else (int(given),) * len(own)
        if len(lengths) != len(own):
            raise ValueError(f"chunks {lengths} of axis {axis} are {len(lengths)} blocks, the inputs have {len(own)}")
        if any(n < 0 for n in lengths):
            raise ValueError(f"chunks must not be negative: {lengths} (axis {axis})")
        result.append(lengths)
    return tuple(result)


def first_boxes(arrays: Sequence, reads: list[Reads], block: tuple[int, ...]) -> list[np.ndarray]:
    """Compute what one block needs."""
    from voxmill._run import compute_exprs

    def part(x: Any, axes: Reads) -> Any:
        return basic(x, tuple(slice(*bounds[0 if axis is None else block[axis]]) for axis, bounds in axes))

    boxes = [part(x, axes)._expr for x, axes in zip(arrays, reads)]
    with _keeping(boxes):
        return [np.array(values) for values in compute_exprs(boxes, False)] if boxes else []


def _first_block(lengths: tuple) -> tuple[int, ...]:
    """Give the number of the first block that has elements."""
    return tuple(next((number for number, n in enumerate(axis) if n), 0) for axis in lengths)


def _see_first(user: UserCall, arrays: Sequence, reads: list[Reads], lengths: tuple) -> tuple[np.ndarray, dict]:
    """Call the function for the first real block: its result says what was not declared. It is kept for the run that needs it."""
    block = _first_block(lengths)
    empty = any(sum(axis) == 0 for axis in lengths)
    boxes = first_boxes(arrays, reads, block)
    try:
        made = user(block, *boxes)
    except Exception as error:
        if not empty:
            raise
        raise ValueError(f"{user.name} cannot be called for an empty array to see its dtype; pass dtype=") from error
    if made is None:
        raise TypeError(f"{user.name} gave None for block {block}; it must return an array")
    made = np.asarray(made)
    dtype_name(made.dtype)
    made = made.astype(made.dtype.newbyteorder("="), copy=False)
    return made, {} if empty else {block: made}


def _seen_lengths(user: UserCall, seen: tuple[int, ...], lengths: tuple) -> tuple:
    """Give the blocks of a result whose first block may have another shape than its inputs."""
    block = _first_block(lengths)
    if len(seen) != len(lengths):
        raise ValueError(
            f"{user.name} gave an array of {len(seen)} axes for block {block}, which should have {len(lengths)}; "
            "say so with drop_axis= or new_axis="
        )
    result = []
    for axis, (n, own, number) in enumerate(zip(seen, lengths, block)):
        if n != own[number] and len(set(own)) > 1:
            raise ValueError(
                f"{user.name} changes the length of axis {axis} from {own[number]} to {n}, and blocks differ in length; "
                "say what comes out with chunks="
            )
        result.append(own if n == own[number] else (n,) * len(own))
    return tuple(result)


