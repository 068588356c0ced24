"""The chunk manager that lets xarray work with lazy arrays: ``xr.open_zarr(..., chunked_array_type="voxmill")``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from xarray.namedarray.parallelcompat import ChunkManagerEntrypoint

import voxmill
from voxmill._chunks import AUTO_BYTES, normalize_chunks
from voxmill._core import ARRAY, axis_in, dtype_name

__all__ = ["VoxmillManager", "from_lazily_indexed"]


class VoxmillManager(ChunkManagerEntrypoint["voxmill.Array"]):
    """What xarray calls for arrays of this package. Users name it by ``chunked_array_type="voxmill"``.

    Times and text, which arrays cannot hold, stay as xarray has them. Some things xarray does lazily for Dask only: `ffill`, `bfill` and
    `polyfit` compute at once, and selecting single points (`sel` with arrays of points, `idxmax`) is refused; there is ``x.data.vindex``.

    Examples
    --------
    >>> import xarray as xr
    >>> x = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("y", "x"))
    >>> lazy = x.chunk(x=2, chunked_array_type=VoxmillManager())
    >>> lazy.data
    voxmill.Array<shape=(2, 3), dtype=float64, chunks=(2, 2)>
    """

    array_cls: type[voxmill.Array]
    available = True

    def __init__(self) -> None:
        self.array_cls = voxmill.Array

    # Chunks

    def chunks(self, data: Any) -> tuple[tuple[int, ...], ...]:
        """Give the declared chunks."""
        return data.chunks

    def normalize_chunks(
        self, chunks: Any, shape: Any = None, limit: int | None = None, dtype: Any = None, previous_chunks: Any = None
    ) -> tuple[tuple[int, ...], ...]:
        """Give the lengths of all chunks for what users may say."""
        if previous_chunks is not None:
            previous_chunks = tuple((c,) if isinstance(c, (int, np.integer)) else tuple(c) for c in previous_chunks)
        return normalize_chunks(chunks, shape, limit, dtype, previous_chunks)

    def rechunk(self, data: Any, chunks: Any, **kwargs: Any) -> Any:
        """Declare other chunks."""
        if isinstance(chunks, (tuple, list)):
            chunks = tuple(own if new is None else new for new, own in zip(chunks, data.chunks, strict=True))
        return data.rechunk(chunks)

    def unify_chunks(self, *args: Any, **kwargs: Any) -> tuple[dict, list]:
        """Give arrays the same chunks along axes that belong together."""
        return voxmill.unify_chunks(*args)

    def get_auto_chunk_size(self) -> int:
        """Give the most bytes of a chunk that is chosen by "auto"."""
        return AUTO_BYTES

    # In and out

    def from_array(self, data: Any, chunks: Any, **kwargs: Any) -> Any:
        """Give what xarray holds as a lazy array. Times and text, which arrays cannot hold, stay as they are."""
        try:
            dtype_name(data.dtype)
        except TypeError:
            # xarray does not take variables of two managers together, so that Dask's have to be computed.
            return np.asarray(data) if hasattr(data, "__dask_graph__") else getattr(data, "array", data)
        if isinstance(data, ARRAY):
            return self.rechunk(data, chunks)
        if isinstance(data, np.ndarray) or hasattr(data, "__dask_graph__"):
            return voxmill.from_array(data, chunks=chunks, lock=kwargs.get("lock", False))
        return from_lazily_indexed(data, chunks, lock=kwargs.get("lock", False))

    def compute(self, *data: Any, **kwargs: Any) -> tuple:
        """Compute arrays together, and leave everything else as it is."""
        from voxmill._run import compute_exprs

        arrays = [x for x in data if isinstance(x, ARRAY)]
        progress = kwargs.pop("progress", None)
        values = iter(compute_exprs([x._expr for x in arrays], progress, **_limits(kwargs)) if arrays else [])
        return tuple(next(values) if isinstance(x, ARRAY) else x for x in data)

    def persist(self, *data: Any, **kwargs: Any) -> tuple:
        """Compute arrays and keep them in memory."""
        return voxmill.persist(*data, **_limits(kwargs))

    def store(self, sources: Any, targets: Any, **kwargs: Any) -> Any:
        """Write arrays into what xarray has opened for them."""
        if isinstance(sources, ARRAY):
            sources, targets = [sources], [targets]
        regions = kwargs.pop("regions", None)
        if regions is not None and not isinstance(regions, list):
            regions = [regions] * len(sources)
        lock = kwargs.pop("lock", True)
        kwargs.pop("flush", None)
        write = _Write(list(sources), list(targets), {**kwargs, "lock": True if lock is None else lock, "regions": regions})
        if kwargs.pop("compute", True):
            return write()
        # xarray makes this part of a delayed value of Dask, which would not compute one of ours.
        import dask

        return dask.delayed(write, pure=False)()

    # Functions

    @property
    def array_api(self) -> Any:
        """Give the namespace that has NumPy's functions."""
        return voxmill

    def apply_gufunc(
        self,
        func: Callable,
        signature: str,
        *args: Any,
        axes: Sequence | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        output_dtypes: Any = None,
        output_sizes: Mapping[str, int] | None = None,
        vectorize: bool | None = None,
        allow_rechunk: bool = False,
        meta: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Call a function over loop dimensions."""
        from voxmill._gufunc import apply_gufunc

        func, args = _times_as_integers(func, args)
        return apply_gufunc(
            func, signature, *args, axes=axes, axis=axis, keepdims=keepdims, output_dtypes=output_dtypes, output_sizes=output_sizes,
            vectorize=vectorize, allow_rechunk=allow_rechunk, meta=meta, **kwargs,
        )  # fmt: skip

    def map_blocks(
        self, func: Callable, *args: Any, dtype: Any = None, chunks: Any = None, drop_axis: Any = None, new_axis: Any = None, **kwargs: Any
    ) -> Any:
        """Call a function for each block."""
        return voxmill.map_blocks(func, *args, dtype=dtype, chunks=chunks, drop_axis=drop_axis, new_axis=new_axis, **kwargs)

    def blockwise(self, func: Callable, out_ind: Iterable, *args: Any, **kwargs: Any) -> Any:
        """Call a function over blocks that belong together by the letters of their axes."""
        return voxmill.blockwise(func, out_ind, *args, **kwargs)

    def reduction(
        self,
        arr: Any,
        func: Callable,
        combine_func: Callable | None = None,
        aggregate_func: Callable | None = None,
        axis: Any = None,
        dtype: Any = None,
        keepdims: bool = False,
    ) -> Any:
        """Reduce axes with functions for blocks, groups of blocks, and all of them."""
        last = aggregate_func or combine_func or func
        return voxmill.reduction(arr, func, last, combine=combine_func, axis=axis, dtype=dtype, keepdims=keepdims)

    def scan(
        self, func: Callable, binop: Callable, ident: Any, arr: Any, axis: int | None = None, dtype: Any = None, **kwargs: Any
    ) -> Any:
        """Accumulate along an axis with functions for blocks and for what goes from block to block."""
        if axis is None:
            arr, axis = arr.reshape(-1), 0
        return _scan(func, binop, kwargs.get("preop"), arr, axis_in(axis, arr.ndim), np.dtype(arr.dtype if dtype is None else dtype))

    def shuffle(self, x: Any, indexer: list[list[int]], axis: int, chunks: Any = None) -> Any:
        """Reorder an axis so that groups of positions lie together. Each group becomes part of one chunk."""
        if chunks not in (None, "auto"):
            raise NotImplementedError(f"shuffle chooses the chunks itself, they cannot be {chunks!r}")
        axis = axis_in(axis, x.ndim)
        groups = [np.asarray(group, np.intp) for group in indexer]
        order = np.concatenate(groups) if groups else np.empty(0, np.intp)
        made = voxmill.take(x, order, axis=axis)
        lengths = _joined_groups([len(group) for group in groups], max(x.chunks[axis], default=1))
        return made.rechunk({axis: lengths})


class _Write:
    """Writes arrays when it is called."""

    def __init__(self, sources: list, targets: list, options: dict):
        self.sources, self.targets, self.options = sources, targets, options

    def __call__(self) -> Any:
        return voxmill.store(self.sources, self.targets, **{**self.options, "compute": True})


def _times_as_integers(func: Callable, args: tuple) -> tuple[Callable, tuple]:
    """Pass arguments that are times as integers, which arrays can hold, and let the function see times again."""
    times = {k: arg.dtype for k, arg in enumerate(args) if isinstance(arg, np.ndarray) and arg.dtype.kind in "mM"}
    if not times:
        return func, args
    return _SeesTimes(func, times), tuple(arg.view(np.int64) if k in times else arg for k, arg in enumerate(args))


class _SeesTimes:
    """Calls a function with some integers as times."""

    def __init__(self, function: Callable, times: dict[int, np.dtype]):
        self.function, self.times = function, times

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*(arg.view(self.times[k]) if k in self.times else arg for k, arg in enumerate(args)), **kwargs)


def _limits(kwargs: Mapping) -> dict:
    """Keep what `compute` knows: users may pass arguments that are for Dask."""
    known = ("threads", "memory_limit", "scratch", "scratch_limit")
    return {key: value for key, value in kwargs.items() if key in known}


def _joined_groups(lengths: list[int], most: int) -> tuple[int, ...]:
    """Join neighbouring groups to chunks of at most this length, unless one group is longer."""
    joined: list[int] = []
    for n in lengths:
        if joined and joined[-1] + n <= most:
            joined[-1] += n
        elif n:
            joined.append(n)
    return tuple(joined) or (0,)


# Cumulative functions


def _scan(func: Callable, binop: Callable, preop: Callable | None, x: Any, axis: int, dtype: np.dtype) -> Any:
    """Accumulate each block; then what all blocks before leave, block by block; then put both together."""
    from voxmill._along import map_whole
    from voxmill._calls import BOX, UserCall
    from voxmill._host import host
    from voxmill._index import _bounds

    own = _Accumulated(func, axis, dtype)
    reads = [(k, _bounds(lengths)) for k, lengths in enumerate(x.chunks)]
    n = len(x.chunks[axis])
    if n == 1:
        return host(UserCall(own, [BOX], {}, "scan"), "scan", [x], [reads], x.shape, dtype, x.chunks)
    ones = tuple((1,) * n if k == axis else lengths for k, lengths in enumerate(x.chunks))
    lasts = host(
        UserCall(_Last(own, preop, axis, dtype), [BOX], {}, "scan-last"), "scan-last", [x], [reads], tuple(map(sum, ones)), dtype, ones
    )
    carried = map_whole(_Carry(binop, axis), lasts, [axis], dtype, name="scan-carry")
    before = [(k, [(max(b - 1, 0), max(b, 1)) for b in range(n)] if k == axis else bounds) for k, bounds in reads]
    return host(_Finish(own, binop, axis), "scan", [x, carried], [reads, before], x.shape, dtype, x.chunks)


class _Accumulated:
    """Accumulates within a block."""

    def __init__(self, function: Callable, axis: int, dtype: np.dtype):
        from voxmill._calls import takes

        self.function, self.axis, self.dtype = function, axis, dtype
        self.more = {"dtype": dtype} if takes(function, "dtype") else {}

    def __call__(self, box: np.ndarray) -> np.ndarray:
        return np.asarray(self.function(box, axis=self.axis, **self.more)).astype(self.dtype, copy=False)


class _Last:
    """Gives what a block leaves to the next ones."""

    def __init__(self, own: _Accumulated, preop: Callable | None, axis: int, dtype: np.dtype):
        self.own, self.preop, self.axis, self.dtype = own, preop, axis, dtype

    def __call__(self, box: np.ndarray) -> np.ndarray:
        if self.preop is None:
            return np.take(self.own(box), [-1], axis=self.axis)
        return np.asarray(self.preop(box, axis=self.axis, keepdims=True)).astype(self.dtype, copy=False)


class _Carry:
    """Puts together what blocks leave, one after the other."""

    def __init__(self, binop: Callable, axis: int):
        self.binop, self.axis = binop, axis

    def __call__(self, lasts: np.ndarray) -> np.ndarray:
        rows = np.moveaxis(lasts, self.axis, 0)
        for k in range(1, len(rows)):
            rows[k] = self.binop(rows[k - 1], rows[k])
        return lasts


class _Finish:
    """Puts what came before to a block; the first one has nothing before it."""

    def __init__(self, own: _Accumulated, binop: Callable, axis: int):
        self.own, self.binop, self.axis = own, binop, axis

    def __call__(self, block: tuple[int, ...], box: np.ndarray, before: np.ndarray) -> np.ndarray:
        made = self.own(box)
        if block[self.axis] == 0:
            return made
        return np.asarray(self.binop(before, made)).astype(made.dtype, copy=False)


# What xarray reads from files


def from_lazily_indexed(data: Any, chunks: Any = "auto", lock: Any = False) -> Any:
    """Give an array that xarray reads from a file as a lazy array. A Zarr array is read by the engine itself."""
    native = _without_xarray(data)
    if native is not None and native.shape == tuple(data.shape) and native.dtype == np.dtype(data.dtype).newbyteorder("="):
        return native.rechunk(_filled(chunks, native.shape))
    return voxmill.from_array(_Boxes(getattr(data, "array", data)), chunks=_filled(chunks, data.shape), lock=lock)


def _filled(chunks: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(chunks, Mapping):
        chunks = tuple(chunks.get(k) for k in range(len(shape)))
    if chunks is None:
        return tuple((n,) for n in shape)
    return chunks


class _Boxes:
    """Reads boxes through xarray's own indexing, whatever the file is."""

    def __init__(self, array: Any):
        self.array = array
        self.shape, self.dtype = tuple(array.shape), np.dtype(array.dtype).newbyteorder("=")

    def __getitem__(self, index: tuple[slice, ...]) -> np.ndarray:
        from xarray.core.indexing import ImplicitToExplicitIndexingAdapter, OuterIndexer

        return np.asarray(ImplicitToExplicitIndexingAdapter(self.array, OuterIndexer)[index], self.dtype)


def _without_xarray(data: Any) -> Any:
    """Give what lies under xarray's lazy indexing as a lazy array; None if there is something that only xarray knows."""
    kind = type(data).__name__
    if kind in ("ImplicitToExplicitIndexingAdapter", "CopyOnWriteArray", "MemoryCachedArray"):
        return _without_xarray(data.array)
    if kind == "LazilyIndexedArray":
        inner = _without_xarray(data.array)
        key = getattr(data.key, "tuple", None)
        if inner is None or key is None or not all(isinstance(k, (int, np.integer, slice)) for k in key):
            return None
        return inner if all(k == slice(None) for k in key) else inner[key]
    if kind == "_ElementwiseFunctionArray":
        inner = _without_xarray(data.array)
        if inner is None:
            return None
        # Blocks are whole stored chunks, so that none is read twice.
        blocks = normalize_chunks("auto", inner.shape, 1 << 23, inner.dtype, inner.chunks)
        return voxmill.map_blocks(_Elementwise(data.func, data.dtype), inner.rechunk(blocks), dtype=data.dtype, name="decode")
    if kind == "ZarrArrayWrapper":
        from voxmill._create import open_zarr_array

        return open_zarr_array(data.get_array())
    if kind == "NumpyIndexingAdapter":
        return voxmill.asarray(data.array)
    return None


class _Elementwise:
    """Calls what xarray decodes files with: fill values, scales, offsets."""

    def __init__(self, function: Callable, dtype: Any):
        self.function, self.dtype = function, np.dtype(dtype)

    def __call__(self, box: np.ndarray) -> np.ndarray:
        return np.asarray(self.function(box)).astype(self.dtype, copy=False)
