"""The array that users see: NumPy's and Dask's names around an expression of the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from voxmill import _assign, _index, _run
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, axis_in, call, dtype_name, dtype_of, wrap
from voxmill._operators import Operators


class Array(Operators):
    """A lazy array: what to compute, not the result.

    Arrays come from `open`, `from_zarr`, `from_array`, the creation functions, and from other arrays. Building one checks shapes and
    dtypes and reads nothing. `compute` gives a NumPy array, `to_zarr` writes the result piece by piece.

    Examples
    --------
    >>> x = vm.arange(12, chunks=4).reshape(3, 4)
    >>> ((x - x.mean()) / x.std()).sum(axis=0).compute().round(3)
    array([-1.304, -0.435,  0.435,  1.304])
    """

    __slots__ = ()
    __array_priority__ = 1000

    def __init__(self, values: Any, chunks: Any = "auto"):
        from voxmill._create import from_array

        self._expr = from_array(values, chunks=chunks)._expr

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self._expr.shape

    @property
    def dtype(self) -> np.dtype:
        """Element type."""
        return dtype_of(self._expr.dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._expr.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._expr.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """Lengths of the declared chunks, per axis."""
        return self._expr.chunks

    @property
    def chunksize(self) -> tuple[int, ...]:
        """Length of the longest declared chunk, per axis."""
        return tuple(max(axis) for axis in self.chunks)

    @property
    def numblocks(self) -> tuple[int, ...]:
        """Number of declared chunks, per axis."""
        return tuple(len(axis) for axis in self.chunks)

    @property
    def npartitions(self) -> int:
        """Number of declared chunks."""
        return math.prod(self.numblocks)

    @property
    def name(self) -> str:
        """A word for the last op."""
        return self._expr.op

    @property
    def device(self) -> str:
        """Where it is computed."""
        return "cpu"

    @property
    def T(self) -> Array:
        """The array with its axes reversed."""
        return call("transpose", (self,))

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("mT needs at least two axes")
        return call("swapaxes", (self,), {"axis1": -2, "axis2": -1})

    @property
    def real(self) -> Array:
        """Real part."""
        return call("real", (self,))

    @property
    def imag(self) -> Array:
        """Imaginary part."""
        return call("imag", (self,))

    @property
    def flat(self) -> _index.Flat:
        """The elements one by one, in C order: to loop over, and to be indexed and assigned to."""
        return _index.Flat(self)

    @property
    def blocks(self) -> _index.Blocks:
        """The declared chunks: ``x.blocks[0, 1]`` is a block, ``x.blocks[:2]`` two rows of them."""
        return _index.Blocks(self)

    partitions = blocks

    @property
    def vindex(self) -> _index.Points:
        """Elements one by one: ``x.vindex[[0, 1], [2, 3]]`` are the two elements at (0, 2) and (1, 3)."""
        return _index.Points(self)

    # Results

    def compute(self, *, progress: Any = None, **limits: Any) -> Any:
        """Compute the array.

        Parameters
        ----------
        progress : bool, optional
            Whether to show a progress bar; by default for work of more than a second where somebody may look.
        threads, memory_limit, scratch, scratch_limit
            As in `voxmill.config`, for this call.

        Returns
        -------
        numpy.ndarray
            The elements; a NumPy number for an array without axes.

        Examples
        --------
        >>> vm.arange(5).sum().compute()
        np.int64(10)
        """
        values = _run.compute_exprs([self._expr], progress, **limits)[0]
        return values[()] if values.ndim == 0 else values

    def persist(self, **limits: Any) -> Array:
        """Compute the array now and keep it in memory, to go on with."""
        return _run.persist(self, **limits)[0]

    def explain(self, **limits: Any) -> str:
        """Say how the array would be computed: stages, tiles, bytes read and held, promised memory."""
        return _run.explain(self, **limits)

    def visualize(self, filename: Any = None, format: str | None = None, **limits: Any) -> Any:
        """Draw how the array is made, as SVG: into a file, or to look at in a notebook."""
        from voxmill._picture import visualize

        return visualize(self, filename, format, **limits)

    def to_zarr(self, *args: Any, **kwargs: Any) -> Any:
        """Write the array to Zarr; see `voxmill.to_zarr`."""
        from voxmill._store import to_zarr

        return to_zarr(self, *args, **kwargs)

    def to_npy(self, path: Any, *, overwrite: bool = False, **limits: Any) -> None:
        """Write the array to a file in NumPy's .npy format."""
        from voxmill._store import to_npy

        to_npy(self, path, overwrite=overwrite, **limits)

    def to_hdf5(self, filename: Any, datapath: str, **kwargs: Any) -> None:
        """Write the array to a dataset of an HDF5 file; keyword arguments are those of h5py's `create_dataset`."""
        from voxmill._store import to_hdf5

        to_hdf5(self, filename, datapath, **kwargs)

    def store(self, target: Any, **kwargs: Any) -> Any:
        """Write the array into something with `[...]`; see `voxmill.store`."""
        from voxmill._store import store

        return store(self, target, **kwargs)

    def to_dask(self) -> Any:
        """Give the array as a Dask array whose chunks the engine computes."""
        from voxmill.interop import to_dask

        return to_dask(self)

    to_dask_array = to_dask

    def to_delayed(self) -> Any:
        """Give one delayed value for each declared chunk, in an object array."""
        from voxmill._delayed import blocks_of

        return blocks_of(self)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """Give the array itself: there is one device, "cpu"."""
        if device != "cpu":
            raise ValueError(f"there is no device {device!r}, only 'cpu'")
        return self

    # As NumPy sees it

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a lazy array has no memory to share: computing makes a new array, so copy=False is not possible")
        values = _run.compute_exprs([self._expr])[0]
        return values if dtype is None else values.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from voxmill._numpy import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from voxmill._numpy import apply_function

        return apply_function(func, types, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        import voxmill

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"version {api_version} of the array API is not known; 2024.12 is supported")
        return voxmill

    def __dlpack__(self, **kwargs: Any) -> Any:
        return np.asarray(self).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __bool__(self) -> bool:
        if self.size != 1:
            how_many = "more than one element" if self.size else "no elements"
            raise ValueError(f"the truth value of an array with {how_many} is ambiguous; use x.any(), x.all() or x.size")
        return bool(np.asarray(self).reshape(())[()])

    def __int__(self) -> int:
        return int(self._number("int"))

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError(f"only integer scalar arrays can be converted to a scalar index, not {self.dtype} of shape {self.shape}")
        return int(self.compute())

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def _number(self, kind: str) -> Any:
        if self.ndim:
            raise TypeError(f"only 0-dimensional arrays can be converted to Python scalars, this one has shape {self.shape}")
        if self.dtype.kind == "c" and kind != "complex":
            raise TypeError(f"can't convert complex to {kind}; take the real part first: x.real")
        return self.compute()

    def item(self, *args: Any) -> Any:
        """Give an element as a Python number: the only one, or the one at a position. Only that element is computed."""
        if len(args) == 1 and isinstance(args[0], tuple):
            (args,) = args
        if not args:
            if self.size != 1:
                raise ValueError(f"can only convert an array of size 1 to a Python scalar, this one has shape {self.shape}")
            return np.asarray(self).item()
        if len(args) not in (1, self.ndim):
            raise ValueError(f"incorrect number of indices for array: {len(args)} for {self.ndim} axes")
        place = self.ravel() if len(args) == 1 and self.ndim != 1 else self
        return np.asarray(_index.basic(place, args)).item()

    def tolist(self) -> Any:
        """Give all elements as nested lists of Python numbers."""
        return self.compute().tolist()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator:
        if not self.shape:
            raise TypeError("iteration over an array without axes")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    # As for NumPy's arrays: == compares elements, so there is no hash that goes with it.
    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return wrap, (self._expr,)

    def __copy__(self) -> Array:
        return wrap(self._expr)

    def __deepcopy__(self, memo: Any) -> Array:
        return wrap(self._expr)

    def __repr__(self) -> str:
        return f"voxmill.Array<shape={self.shape}, dtype={self.dtype}, chunks={self.chunksize}>"

    def _repr_html_(self) -> str:
        from voxmill._picture import array_html

        return array_html(self)

    # Indexing

    def __getitem__(self, index: Any) -> Array:
        return _index.get(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._expr = _assign.put(self, index, value)._expr

    # Element types and chunks

    def astype(self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Array:
        """Cast to another element type; see `numpy.ndarray.astype`."""
        if np.dtype(dtype) == self.dtype:
            return wrap(self._expr) if copy else self
        if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
            raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'")
        if not np.can_cast(self.dtype, np.dtype(dtype), casting):
            raise TypeError(f"cannot cast from {self.dtype} to {np.dtype(dtype)} according to the rule {casting!r}")
        return call("astype", (self,), {"dtype": dtype_name(dtype)})

    def view(self, dtype: Any = None) -> Array:
        """Look at the bytes as another element type of the same size, or of a size that divides the last axis."""
        from voxmill._host import view_as

        return wrap(self._expr) if dtype is None else view_as(self, np.dtype(dtype))

    def rechunk(
        self,
        chunks: Any = "auto",
        threshold: Any = None,
        block_size_limit: int | None = None,
        balance: bool = False,
        method: str | None = None,
    ) -> Array:
        """Declare other chunks: the blocks of `map_blocks`, and how `to_zarr` lays out the result.

        Elements stay where they are until something needs the new chunks.

        Parameters
        ----------
        chunks : int, tuple, dict or str
            As in `from_array`; None keeps the chunks of an axis, and so does a dict for axes that it does not name.
        block_size_limit : int, optional
            Most bytes of a chunk, for "auto".
        balance : bool
            True for chunks that differ by at most one element.
        threshold, method
            Accepted for Dask's sake.

        Examples
        --------
        >>> vm.ones((10, 10)).rechunk({0: 5}).chunks
        ((5, 5), (10,))
        """
        # None keeps the chunks of an axis, as in Dask.
        if isinstance(chunks, dict):
            chunks = {axis: entry for axis, entry in chunks.items() if entry is not None}
        elif isinstance(chunks, (tuple, list)) and len(chunks) == self.ndim:
            chunks = tuple(own if entry is None else entry for entry, own in zip(chunks, self.chunks))
        if isinstance(chunks, dict):
            chunks = {axis_in(axis, self.ndim): entry for axis, entry in chunks.items()}
            chunks = tuple(self.chunks[k] if chunks.get(k) is None else chunks[k] for k in range(self.ndim))
        elif isinstance(chunks, (tuple, list)) and len(chunks) == self.ndim:
            chunks = tuple(own if entry is None else entry for entry, own in zip(chunks, self.chunks))
        lengths = normalize_chunks(chunks, self.shape, limit=block_size_limit, dtype=self.dtype, previous_chunks=self.chunks)
        if balance:
            lengths = tuple(_balanced(axis) for axis in lengths)
        return wrap(self._expr.with_chunks(lengths))

    # Functions that are methods, too

    def copy(self, order: str = "C") -> Array:
        """Give the array as an object of its own: assigning to one does not change the other."""
        return wrap(self._expr)

    def transpose(self, *axes: Any) -> Array:
        """Give the array with its axes in another order."""
        from voxmill._shape import transpose

        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            (axes,) = axes
        return transpose(self, axes or None)

    def reshape(self, *shape: Any, merge_chunks: bool = True, limit: Any = None, order: str = "C", copy: bool | None = None) -> Array:
        """Give the same elements, in C order, under another shape."""
        from voxmill._shape import reshape

        return reshape(self, shape[0] if len(shape) == 1 else shape, order=order)

    def ravel(self, order: str = "C") -> Array:
        """Give all elements in one axis."""
        return self.reshape(-1, order="C" if order in ("K", "A") else order)

    flatten = ravel

    def squeeze(self, axis: Any = None) -> Array:
        """Give the array without axes of length 1."""
        from voxmill._shape import squeeze

        return squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Give the array with two axes exchanged."""
        return call("swapaxes", (self,), {"axis1": axis_in(axis1, self.ndim), "axis2": axis_in(axis2, self.ndim)})

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """Give each element several times along an axis."""
        return _top("repeat")(self, repeats, axis=axis)

    def take(self, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
        """Give the elements at some positions of an axis."""
        return _assign.into(out, _top("take")(self, indices, axis=axis, mode=mode), "take")

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Array:
        """Give the positions of an axis where a condition is true."""
        return _assign.into(out, _top("compress")(condition, self, axis=axis), "compress")

    def choose(self, choices: Any, out: Any = None, mode: str = "raise") -> Array:
        """Give, for each element, the element of the choice it names."""
        return _assign.into(out, _top("choose")(self, choices, mode=mode), "choose")

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Array:
        """Limit all elements to a range."""
        return _assign.into(out, _top("clip")(self, min, max), "clip")

    def round(self, decimals: int = 0, out: Any = None) -> Array:
        """Round to a number of decimals, halves to even."""
        return _assign.into(out, _top("round")(self, decimals), "round")

    def conj(self) -> Array:
        """Give the complex conjugate."""
        return call("conj", (self,))

    conjugate = conj

    def dot(self, other: Any, out: Any = None) -> Array:
        """Multiply as `numpy.dot` does."""
        return _assign.into(out, _top("dot")(self, other), "dot")

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
        """Sum a diagonal."""
        return _assign.into(out, _top("trace")(self, offset, axis1, axis2, dtype), "trace")

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """Give a diagonal."""
        return _top("diagonal")(self, offset, axis1, axis2)

    def nonzero(self) -> tuple[Array, ...]:
        """Give the positions of the elements that are not zero. Computes them now: their number is the shape of the result."""
        return _top("nonzero")(self)

    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
        """Give the positions that sort an axis."""
        return _top("argsort")(self, axis)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """Sort along an axis, in place."""
        self._expr = _top("sort")(self, axis)._expr

    def argpartition(self, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
        """Give the positions that put the elements at `kth` where sorting would put them."""
        return _top("argpartition")(self, kth, axis)

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        """Put the elements at `kth` where sorting would put them, smaller ones before them, in place."""
        self._expr = _top("partition")(self, kth, axis)._expr

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Array:
        """Give the positions where values would go in this sorted array."""
        return _top("searchsorted")(self, v, side, sorter)

    def topk(self, k: int, axis: int = -1, split_every: Any = None) -> Array:
        """Give the k largest elements along an axis, or the smallest for a negative k."""
        return _top("topk")(self, k, axis)

    def argtopk(self, k: int, axis: int = -1, split_every: Any = None) -> Array:
        """Give the positions of the k largest elements along an axis."""
        return _top("argtopk")(self, k, axis)

    def fill(self, value: Any) -> None:
        """Set all elements to one value, in place."""
        self[...] = value

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Set elements at positions counted in C order, in place; values are repeated as needed."""
        _assign.put_flat(self, indices, values, mode)

    def byteswap(self, inplace: bool = False) -> Array:
        """Exchange the bytes of each element."""
        from voxmill._along import elementwise

        result = elementwise(np.ndarray.byteswap, self, dtype=self.dtype, name="byteswap")
        return _assign.into(self, result, "byteswap") if inplace else result

    def tobytes(self, order: str | None = "C") -> bytes:
        """Give all elements as bytes."""
        return np.asarray(self).tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the bytes of all elements to a file, piece by piece and in C order; `to_npy` also writes shape and dtype."""
        from voxmill._store import to_raw

        to_raw(self, fid, sep)

    def compute_chunk_sizes(self) -> Array:
        """Give the array itself: chunks are always known here."""
        return self

    def map_blocks(self, func: Any, *args: Any, **kwargs: Any) -> Array:
        """Call a function for each block; see `voxmill.map_blocks`."""
        return _top("map_blocks")(func, self, *args, **kwargs)

    def map_overlap(self, func: Any, depth: Any = None, boundary: Any = None, trim: bool = True, **kwargs: Any) -> Array:
        """Call a function for each block and its neighbourhood; see `voxmill.map_overlap`."""
        return _top("map_overlap")(func, self, depth=depth, boundary=boundary, trim=trim, **kwargs)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Sum over axes."""
        return _assign.into(out, _top("sum")(self, axis=axis, dtype=dtype, keepdims=keepdims), "sum")

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Product over axes."""
        return _assign.into(out, _top("prod")(self, axis=axis, dtype=dtype, keepdims=keepdims), "prod")

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Arithmetic mean over axes."""
        return _assign.into(out, _top("mean")(self, axis=axis, dtype=dtype, keepdims=keepdims), "mean")

    def min(self, axis: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Smallest element over axes."""
        return _assign.into(out, _top("min")(self, axis=axis, keepdims=keepdims), "min")

    def max(self, axis: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Largest element over axes."""
        return _assign.into(out, _top("max")(self, axis=axis, keepdims=keepdims), "max")

    def any(self, axis: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """True where any element over axes is not zero."""
        return _assign.into(out, _top("any")(self, axis=axis, keepdims=keepdims), "any")

    def all(self, axis: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """True where no element over axes is zero."""
        return _assign.into(out, _top("all")(self, axis=axis, keepdims=keepdims), "all")

    def ptp(self, axis: Any = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Largest minus smallest element over axes."""
        return _assign.into(out, _top("ptp")(self, axis=axis, keepdims=keepdims), "ptp")

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        keepdims: bool = False,
        ddof: float = 0,
        split_every: Any = None,
        out: Any = None,
        *,
        correction: float | None = None,
    ) -> Array:
        """Variance over axes; `correction` is another name for `ddof`."""
        ddof = ddof if correction is None else correction
        return _assign.into(out, _top("var")(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims), "var")

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        keepdims: bool = False,
        ddof: float = 0,
        split_every: Any = None,
        out: Any = None,
        *,
        correction: float | None = None,
    ) -> Array:
        """Standard deviation over axes; `correction` is another name for `ddof`."""
        ddof = ddof if correction is None else correction
        return _assign.into(out, _top("std")(self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims), "std")

    def argmin(self, axis: int | None = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Position of the first smallest element."""
        return _assign.into(out, _top("argmin")(self, axis=axis, keepdims=keepdims), "argmin")

    def argmax(self, axis: int | None = None, keepdims: bool = False, split_every: Any = None, out: Any = None) -> Array:
        """Position of the first largest element."""
        return _assign.into(out, _top("argmax")(self, axis=axis, keepdims=keepdims), "argmax")

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: Any = None) -> Array:
        """Sum of all elements up to each one."""
        return _assign.into(out, _top("cumsum")(self, axis=axis, dtype=dtype), "cumsum")

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: Any = None) -> Array:
        """Product of all elements up to each one."""
        return _assign.into(out, _top("cumprod")(self, axis=axis, dtype=dtype), "cumprod")

    def moment(self, order: int, axis: Any = None, dtype: Any = None, keepdims: bool = False, ddof: int = 0, **_: Any) -> Array:
        """Central moment over axes."""
        return _top("moment")(self, order, axis=axis, dtype=dtype, keepdims=keepdims, ddof=ddof)


def _top(name: str) -> Any:
    """Give a function of the package: those that are methods, too, are written once."""
    import voxmill

    return getattr(voxmill, name)


def _balanced(lengths: tuple[int, ...]) -> tuple[int, ...]:
    n, parts = sum(lengths), len(lengths)
    short, more = divmod(n, parts)
    return (short + 1,) * more + (short,) * (parts - more)


ARRAY.concrete = Array
