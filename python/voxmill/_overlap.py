"""Functions over blocks with their neighbourhood."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._blocks import _announced, _called, _declared, _first_block, _new_blocks, _result_axes, _see_first, _seen_lengths
from voxmill._calls import BOX, BlockInfo, UserCall, _block_reads, _matched, name_of
from voxmill._core import ARRAY, call
from voxmill._host import Reads, host
from voxmill._index import _bounds

# Overlapping blocks


def map_overlap(
    func: Callable,
    *args: Any,
    depth: Any = None,
    boundary: Any = None,
    trim: bool = True,
    align_arrays: bool = True,
    allow_rechunk: bool = True,
    name: str | None = None,
    dtype: Any = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a function for each block together with its neighbourhood, and cut that off the result.

    Parameters
    ----------
    func : callable
        Gets blocks that are larger by `depth` on each side, as NumPy arrays.
    *args
        Arrays, and anything else, which is passed on. Dask's older order, the array first, is understood, too.
    depth : int, tuple, dict, or list of these
        Number of elements to add on each side of an axis, or a pair (before, after). May be larger than chunks and arrays. One entry
        per axis as a tuple or dict; one such for each array as a list.
    boundary : str, number, tuple, dict, or list of these
        What lies outside the array: ``"none"`` for nothing (blocks at the border are smaller), ``"reflect"`` (edge included),
        ``"nearest"``, ``"periodic"``, or a number.
    trim : bool
        Whether to cut `depth` off the blocks that `func` gives.
    dtype, chunks, drop_axis, new_axis, meta
        As in `map_blocks`.

    Examples
    --------
    >>> x = vm.arange(6, chunks=2)
    >>> vm.map_overlap(lambda b: np.convolve(b, [1, 1, 1], "same"), x, depth=1, boundary="nearest").compute()
    array([ 1,  3,  6,  9, 12, 14])
    """
    if isinstance(func, ARRAY) and args and callable(args[0]):
        func, args = args[0], (func, *args[1:])
        if len(args) > 1 and depth is None:
            depth, *more = args[1:]
            args = (args[0],)
            boundary, trim = (more + [boundary, trim][len(more) :])[:2]
    if not callable(func):
        raise TypeError(f"the function of map_overlap is {type(func).__name__}, which cannot be called")
    arrays = [arg for arg in args if isinstance(arg, ARRAY)]
    if not arrays:
        raise TypeError("map_overlap needs at least one array")
    rank = max(x.ndim for x in arrays)
    depths = [_depth(d, x.ndim) for d, x in zip(_per_array(depth, arrays, "depth"), arrays)]
    edges = [_boundary(b, x.ndim) for b, x in zip(_per_array(boundary, arrays, "boundary"), arrays)]
    indices = [tuple(range(rank - x.ndim, rank)) for x in arrays]
    lengths, numbered = _matched(arrays, indices, None if align_arrays else True)
    dropped, behind = _result_axes(rank, drop_axis, new_axis, chunks)
    place = {axis: k for k, axis in enumerate(behind) if axis is not None}
    padded, reads, places = [], [], []
    for x, index, around, edge in zip(arrays, indices, depths, edges):
        axes, where = [], []
        for k, axis in enumerate(index):
            own = (None, [(0, x.shape[k])]) if axis in dropped else _block_reads(x, k, axis, lengths, numbered, place[axis])
            read, at = _with_halo(own, x.shape[k], around[k], edge[k])
            axes.append(read)
            where.append(at)
        padded.append(_padded(x, around, edge))
        reads.append(axes)
        places.append(where)
    widest = max(range(len(arrays)), key=lambda k: arrays[k].ndim)
    extents = _extents(lengths, indices[widest], depths[widest], edges[widest], arrays[widest].shape)
    extents = [[(0, 0)] * len(_new_blocks(chunks, k)) if axis is None else extents[axis] for k, axis in enumerate(behind)]
    inner = tuple(_new_blocks(chunks, k) if axis is None else lengths[axis] for k, axis in enumerate(behind))
    outer = tuple(tuple(low + n + high for (low, high), n in zip(around, axis)) for around, axis in zip(extents, inner))
    user = UserCall(func, [BOX if isinstance(a, ARRAY) else a for a in args], kwargs, name or name_of(func))
    dtype = _announced(dtype, meta)
    natural = inner
    if trim:
        user.trim = extents
        if chunks is not None:
            natural = tuple(
                tuple(n - low - high for (low, high), n in zip(around, axis)) for around, axis in zip(extents, _declared(chunks, outer))
            )
    elif chunks is not None:
        natural = _declared(chunks, outer)
    positions = [p for p, arg in enumerate(args) if isinstance(arg, ARRAY)]
    info = {p: (x.shape, where) for p, x, where in zip(positions, arrays, places)}
    if dtype is None and not trim and chunks is None:
        # The function may cut its results itself, or leave them as they come: one block shows which.
        return _called_untrimmed(user, info, padded, reads, inner, outer)
    return _called(user, info, padded, reads, natural, dtype, chunks is not None)


def _called_untrimmed(user: UserCall, info: dict, padded: Sequence, reads: list[Reads], inner: tuple, outer: tuple) -> Any:
    user.info = BlockInfo(info, inner, None)
    arrays, reads = user.inputs(padded, reads)
    made, kept = _see_first(user, arrays, reads, inner)
    trims = made.shape == tuple(axis[number] for axis, number in zip(inner, _first_block(inner)))
    lengths = inner if trims else _seen_lengths(user, made.shape, outer)
    user.info.declare(lengths, made.dtype)
    return host(user, user.name, arrays, reads, tuple(map(sum, lengths)), made.dtype, lengths, kept)


def _per_array(given: Any, arrays: Sequence, word: str) -> list:
    each = given if isinstance(given, list) else [given] * len(arrays)
    if len(each) != len(arrays):
        raise ValueError(f"{word} is a list of {len(each)} entries, but there are {len(arrays)} arrays")
    return each


def _with_halo(own: tuple, n: int, depth: tuple[int, int], edge: Any) -> tuple[tuple, tuple]:
    """Give what blocks with their neighbourhood need of a padded axis, and where that lies in the array itself."""
    axis, bounds = own
    low, high = depth
    if edge == "none" or not n:
        read = (axis, [(max(begin - low, 0), min(end + high, n)) for begin, end in bounds])
        return read, read
    return (axis, [(begin, end + low + high) for begin, end in bounds]), (axis, [(begin - low, end + high) for begin, end in bounds])


def _extents(lengths: dict, index: tuple, depth: list, boundary: list, shape: tuple) -> dict[int, list[tuple[int, int]]]:
    """Give, for each block of each axis, how much was added before and after it."""
    result = {}
    for k, axis in enumerate(index):
        low, high = depth[k]
        total = sum(lengths[axis])
        if boundary[k] != "none":
            result[axis] = [(low, high) if shape[k] else (0, 0)] * len(lengths[axis])
        else:
            result[axis] = [(min(low, begin), min(high, total - end)) for begin, end in _bounds(lengths[axis])]
    return result


def _depth(depth: Any, rank: int) -> list[tuple[int, int]]:
    if depth is None:
        depth = 0
    if isinstance(depth, Mapping):
        per_axis = [depth.get(k, depth.get(k - rank, 0)) for k in range(rank)]
    elif isinstance(depth, numbers.Integral):
        per_axis = [depth] * rank
    else:
        per_axis = list(depth)
        if len(per_axis) != rank:
            raise ValueError(f"depth {depth} has {len(per_axis)} entries for {rank} axes")
    pairs = [(int(d), int(d)) if isinstance(d, numbers.Integral) else tuple(int(e) for e in d) for d in per_axis]
    if any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(f"depth must be made of numbers of elements, or pairs of them, not {depth}")
    return pairs


def _boundary(boundary: Any, rank: int) -> list[Any]:
    if isinstance(boundary, Mapping):
        per_axis = [boundary.get(k, boundary.get(k - rank, "none")) for k in range(rank)]
    elif isinstance(boundary, (tuple, list)):
        per_axis = list(boundary)
        if len(per_axis) != rank:
            raise ValueError(f"boundary {boundary} has {len(per_axis)} entries for {rank} axes")
    else:
        per_axis = [boundary] * rank
    known = ("none", "reflect", "mirror", "nearest", "periodic")
    result = ["none" if b is None else b for b in per_axis]
    for b in result:
        if isinstance(b, str) and b not in known:
            raise ValueError(f"boundary {b!r} is not known; there are {', '.join(map(repr, known))} and numbers")
    return result


_PAD_MODES = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "periodic": "wrap"}


def _padded(x: Any, depth: list[tuple[int, int]], edges: list) -> Any:
    """Give an array with what lies outside of it, where that is said."""
    for axis, ((low, high), edge) in enumerate(zip(depth, edges)):
        if edge == "none" or not (low or high) or not x.shape[axis]:
            continue
        params: dict[str, Any] = {"pad_width": [[low, high] if k == axis else [0, 0] for k in range(x.ndim)]}
        if isinstance(edge, str):
            params["mode"] = _PAD_MODES[edge]
        else:
            params |= {"mode": "constant", "constant_values": edge.item() if isinstance(edge, np.generic) else edge}
        x = call("pad", (x,), params)
    return x


def overlap(x: Any, depth: Any, boundary: Any = None, *, allow_rechunk: bool = True) -> Any:
    """Give an array whose blocks are those of `x` with their neighbourhood, one behind the other."""
    pairs, edges = _depth(depth, x.ndim), _boundary(boundary, x.ndim)
    extents = _extents(dict(enumerate(x.chunks)), tuple(range(x.ndim)), pairs, edges, x.shape)
    chunks = tuple(tuple(low + n + high for (low, high), n in zip(extents[k], axis)) for k, axis in enumerate(x.chunks))
    return map_overlap(_same, x, depth=depth, boundary=boundary, trim=False, dtype=x.dtype, chunks=chunks, name="overlap")


def _same(block: np.ndarray) -> np.ndarray:
    return block


def trim_overlap(x: Any, depth: Any, boundary: Any = None) -> Any:
    """Undo `overlap`: cut the neighbourhood off each block."""
    pairs, edges = _depth(depth, x.ndim), _boundary(boundary, x.ndim)
    cuts, chunks = [], []
    for (low, high), edge, lengths in zip(pairs, edges, x.chunks):
        last = len(lengths) - 1
        low_of = [0 if edge == "none" and k == 0 else low for k in range(len(lengths))]
        high_of = [0 if edge == "none" and k == last else high for k in range(len(lengths))]
        cuts.append(list(zip(low_of, high_of)))
        chunks.append(tuple(n - a - b for a, b, n in zip(low_of, high_of, lengths)))
    user = UserCall(_same, [BOX], {}, "trim_overlap")
    user.trim = cuts
    reads = [(k, _bounds(axis)) for k, axis in enumerate(x.chunks)]
    return host(user, "trim_overlap", [x], [reads], tuple(sum(c) for c in chunks), x.dtype, tuple(chunks))


trim_internal = trim_overlap


def _overlap_internal(x: Any, axes: Any) -> Any:
    """Give blocks their neighbourhood inside the array only: Dask's `overlap_internal`."""
    return overlap(x, axes, "none")


# In Dask these are functions of a module called overlap: scripts that call `da.overlap.overlap(x, ...)` go on working.
vars(overlap).update(
    map_overlap=map_overlap, overlap=overlap, overlap_internal=_overlap_internal, trim_internal=trim_internal, trim_overlap=trim_overlap
)
