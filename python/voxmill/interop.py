"""Arrays of Dask and xarray as arrays of this package, and the way back."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voxmill._core import ARRAY, dtype_name

__all__ = ["from_dask", "from_xarray", "to_dask", "to_xarray"]

SMALL = 1 << 20
"""Most bytes of a result of Dask that is kept because several blocks need it."""

KEPT = 1 << 26
"""Most bytes of all results that are kept."""


# Dask


def from_dask(x: Any, chunks: Any = None) -> Any:
    """Give a Dask array as a lazy array. Nothing is computed yet.

    An array that Dask only reads, from `da.from_zarr` or `da.from_array`, is read from its source without Dask. Otherwise each block is
    computed by Dask's tasks when it is needed, on the threads that need it, or on the cluster if there is a `distributed` client.

    Parameters
    ----------
    x : dask.array.Array
        Its chunks become the blocks; they must be known. A column of a Dask dataframe is accepted, too: its partitions are counted first.
    chunks : optional
        Declared chunks of the result, if others are wanted.

    See Also
    --------
    to_dask : the way back.

    Examples
    --------
    >>> import dask.array as da
    >>> x = vm.from_dask(da.arange(6, chunks=3) + 1)
    >>> x.chunks
    ((3, 3),)
    >>> x.sum().compute()
    np.int64(21)
    """
    if isinstance(x, ARRAY):
        result = x
    else:
        x = _dask_array(x)
        result = _from_dask_source(x)
        result = _from_dask_blocks(x) if result is None else result
    return result if chunks is None else result.rechunk(chunks)


def _dask_array(x: Any) -> Any:
    if not hasattr(x, "__dask_graph__"):
        raise TypeError(f"from_dask takes a Dask array, not {type(x).__name__}; use from_array for other things")
    if hasattr(x, "to_dask_array"):
        x = x.to_dask_array(lengths=True)
    if not hasattr(x, "chunks") or not hasattr(x, "__dask_keys__"):
        raise TypeError(f"from_dask takes a Dask array, not {type(x).__name__}")
    if any(np.isnan(n) for axis in x.chunks for n in axis):
        raise ValueError("from_dask needs chunks of known lengths, these are NaN: call x.compute_chunk_sizes() first")
    dtype_name(x.dtype)
    if isinstance(getattr(x, "_meta", None), np.ma.MaskedArray):
        raise TypeError("from_dask does not take masked arrays: fill them first, with da.ma.filled(x, value)")
    return x


def _from_dask_source(x: Any) -> Any:
    """Give what a Dask array reads, if it does nothing but read."""
    from voxmill._create import from_array

    layers = getattr(x.__dask_graph__(), "layers", {})
    name = f"original-{x.name}"
    if set(layers) != {x.name, name}:
        return None
    source = layers[name].get(name)
    source = getattr(source, "value", source)
    task = getattr(layers[x.name], "task", None)
    if not getattr(getattr(task, "func", None), "__name__", "").startswith("getter"):
        return None
    if tuple(getattr(source, "shape", ())) != x.shape or getattr(source, "dtype", None) != x.dtype:
        return None
    lock = next((arg for arg in map(_plain_value, task.args) if hasattr(arg, "acquire")), False)
    return from_array(source, chunks=_whole_numbers(x.chunks), lock=lock)


def _plain_value(arg: Any) -> Any:
    return getattr(arg, "value", arg)


def _whole_numbers(chunks: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(n) for n in axis) for axis in chunks)


def _from_dask_blocks(x: Any) -> Any:
    from voxmill._host import host

    name = f"dask {x.name.rsplit('-', 1)[0]}"
    return host(DaskBlocks(x, name), name, [], [], x.shape, x.dtype, _whole_numbers(x.chunks))


class DaskBlocks:
    """Computes blocks of a Dask array one by one. Small results that several blocks need are kept while a run lasts."""

    def __init__(self, x: Any, name: str):
        self.x, self.name = x, name
        self._start()

    def _start(self) -> None:
        self.lock = threading.Lock()
        self.graph: dict[Any, Any] = {}
        self.shared: set[Any] = set()
        self.keys = ""

    def __getstate__(self) -> dict:
        return {"x": self.x, "name": self.name}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._start()

    def __call__(self, block: tuple[int, ...]) -> np.ndarray:
        try:
            if _has_client():
                made = (self.x.blocks[block] if block else self.x).compute()
            else:
                made = self._block(block)
        except Exception as error:
            error.add_note(f"in block {block} of {self.name}")
            raise
        made = made.todense() if hasattr(made, "todense") else made
        return np.asarray(made).astype(self.x.dtype, copy=False)

    def _block(self, number: tuple[int, ...]) -> Any:
        from voxmill._run import RUNS

        with self.lock:
            if not self.graph:
                self._prepare()
            kept = RUNS.kept.get(self)
            if kept is None:
                # The first block of a run is computed alone: what all blocks need is then computed once, not by all threads at once.
                RUNS.kept[self] = kept = Kept()
                return self._run((self.keys, *number), kept)
        return self._run((self.keys, *number), kept)

    def _prepare(self) -> None:
        import dask
        from dask._task_spec import convert_legacy_graph

        (x,) = dask.optimize(self.x)
        graph = convert_legacy_graph(dict(x.__dask_graph__()))
        uses: dict[Any, int] = {}
        for node in graph.values():
            for key in node.dependencies:
                uses[key] = uses.get(key, 0) + 1
        self.shared = {key for key, count in uses.items() if count > 1}
        self.keys, self.graph = x.name, graph

    def _needed(self, key: Any, kept: Kept) -> dict[Any, Any]:
        """Give the part of the graph that a key needs, down to results that were kept."""
        from dask._task_spec import DataNode

        needed: dict[Any, Any] = {}
        stack = [key]
        while stack:
            key = stack.pop()
            if key in needed:
                continue
            value = kept.values.get(key, _NOTHING)
            needed[key] = node = self.graph[key] if value is _NOTHING else DataNode(key, value)
            stack.extend(node.dependencies)
        return needed

    def _run(self, key: Any, kept: Kept) -> Any:
        """Run tasks in Dask's own order, and let go of each result after its last use."""
        from dask.order import order

        needed = self._needed(key, kept)
        uses: dict[Any, int] = {key: 1}
        for node in needed.values():
            for used in node.dependencies:
                uses[used] = uses.get(used, 0) + 1
        ranks = order(needed)
        values: dict[Any, Any] = {}
        for name in sorted(needed, key=ranks.__getitem__):
            node = needed[name]
            values[name] = node({used: values[used] for used in node.dependencies})
            if name in self.shared and node.dependencies:
                kept.add(name, values[name])
            for used in node.dependencies:
                uses[used] -= 1
                if not uses[used]:
                    del values[used]
        return values[key]


class Kept:
    """Results that other blocks will need, too."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self.bytes = 0

    def add(self, key: Any, value: Any) -> None:
        """Keep a result if it is small, and there are not too many."""
        from dask.sizeof import sizeof

        size = sizeof(value)
        if size <= SMALL and self.bytes + size <= KEPT and key not in self.values:
            self.values[key] = value
            self.bytes += size


_NOTHING = object()


def _has_client() -> bool:
    """True if this process is connected to a cluster."""
    import sys

    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_client()
    except ValueError:
        return False
    return True


def to_dask(x: Any) -> Any:
    """Give an array as a Dask array. Each of its chunks is a task that the engine computes.

    Tasks are computed on their own: what they have in common, a mean over everything for example, is computed by each of them. `persist`
    such parts first.

    Parameters
    ----------
    x : Array
        Its declared chunks become Dask's; see `Array.rechunk`.

    Returns
    -------
    dask.array.Array
        It can be pickled, and so be sent to the workers of a cluster, if `x` can.

    Examples
    --------
    >>> y = vm.arange(6, chunks=2).to_dask()
    >>> y.chunks
    ((2, 2, 2),)
    >>> int((y * 2).sum().compute())
    30
    """
    import itertools
    import uuid

    dask_array = imported("dask.array", "to_dask", "dask[array]")
    from dask.highlevelgraph import HighLevelGraph

    from voxmill._create import asarray
    from voxmill._index import _bounds

    x = asarray(x)
    name = f"voxmill-{uuid.uuid4().hex}"
    source, threads = f"{name}-source", _threads_per_block(x.npartitions)
    bounds = [_bounds(axis) for axis in x.chunks]
    graph: dict[Any, Any] = {source: _Whole(x)}
    for number in itertools.product(*map(range, x.numblocks)):
        box = tuple(slice(*axis[n]) for axis, n in zip(bounds, number))
        graph[(name, *number)] = (block_of, source, box, threads)
    graph = HighLevelGraph.from_collections(name, graph, dependencies=[])
    return dask_array.Array(graph, name, x.chunks, dtype=x.dtype)


class _Whole:
    """Holds an array in a graph of Dask, which would look into it otherwise."""

    def __init__(self, array: Any):
        self.array = array

    def __dask_tokenize__(self) -> int:
        return id(self.array)


def block_of(whole: _Whole, box: tuple[slice, ...], threads: int) -> np.ndarray:
    """Compute a box of an array: what a task of Dask does."""
    from voxmill._index import basic
    from voxmill._run import compute_exprs

    return compute_exprs([basic(whole.array, box)._expr], False, threads=threads)[0]


def _threads_per_block(blocks: int) -> int:
    """Give each task its share: Dask runs one on each processor already, if there are enough of them."""
    import os

    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(processors // max(blocks, 1), 1)


def imported(module: str, function: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{function} needs {package}: pip install '{package}'") from error


# xarray


def from_xarray(x: Any, chunks: Any = None) -> Any:
    """Give the elements of an xarray DataArray or Variable as a lazy array. Nothing is read yet.

    Parameters
    ----------
    x : xarray.DataArray or xarray.Variable
        Backed by NumPy, Dask, this package, or a file that xarray has opened.
    chunks : optional
        Declared chunks; by default those of the data, or of the file.

    See Also
    --------
    to_xarray : the way back. Names of dimensions and coordinates stay with `x`, as ``x.dims`` and ``x.coords``.

    Examples
    --------
    >>> import xarray as xr
    >>> vm.from_xarray(xr.DataArray(np.arange(4), dims="t")).sum().compute()
    np.int64(6)
    """
    variable = getattr(x, "variable", x)
    if not hasattr(variable, "dims") or not hasattr(variable, "encoding"):
        raise TypeError(f"from_xarray takes a DataArray or a Variable, not {type(x).__name__}")
    if not hasattr(variable, "_data"):
        raise TypeError("from_xarray takes one variable of a Dataset: from_xarray(dataset['name'])")
    from voxmill._create import from_array

    dtype_name(variable.dtype)
    data = variable._data
    if isinstance(data, (ARRAY, np.ndarray)) or hasattr(data, "__dask_graph__"):
        return from_array(data, chunks="auto" if chunks is None else chunks)
    from voxmill.xarray import from_lazily_indexed

    preferred = variable.encoding.get("preferred_chunks")
    if chunks is None and preferred:
        chunks = tuple(preferred.get(dim, -1) for dim in variable.dims)
    return from_lazily_indexed(data, "auto" if chunks is None else chunks)


def to_xarray(
    x: Any,
    dims: Sequence | str | None = None,
    coords: Mapping | Sequence | None = None,
    name: Any = None,
    attrs: Mapping | None = None,
) -> Any:
    """Give an array as an xarray DataArray, still lazy.

    Parameters
    ----------
    x : Array
    dims : sequence of str, optional
        Names of the axes; by default those that were stored with the array, if any.
    coords, name, attrs
        As in `xarray.DataArray`.

    Examples
    --------
    >>> vm.to_xarray(vm.ones((2, 3)), dims=("y", "x")).mean("x").dims
    ('y',)
    """
    xarray = imported("xarray", "to_xarray", "xarray")
    from voxmill._create import asarray

    x = asarray(x)
    if dims is None and coords is None:
        stored = [*x._expr.axes, *[None] * x.ndim][: x.ndim]
        dims = [f"dim_{k}" if axis is None else axis for k, axis in enumerate(stored)]
    result = xarray.DataArray(x, dims=dims, coords=coords, attrs=attrs)
    # Without a name of its own, xarray would call it by the last op.
    result.name = name
    return result
