"""Arrays from elsewhere: NumPy, files, anything that can be indexed, functions."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voxmill import _native
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, call, dtype_name, memory, wrap


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    chunks: Any = None,
    device: Any = None,
    like: Any = None,
):
    """Give `a` as an array: NumPy arrays share their memory, arrays stay what they are, lists and numbers are read.

    Parameters
    ----------
    a : array_like
        Anything that NumPy can make an array of, or that has `shape`, `dtype` and `[...]`.
    dtype : dtype, optional
        Element type; that of `a` by default.
    copy : bool, optional
        True to copy memory that could be shared; False to refuse where it cannot be.
    chunks : optional
        Declared chunks, as in `from_array`.
    order, device, like
        Accepted for the sake of NumPy and the array API.

    Examples
    --------
    >>> vm.asarray([1, 2, 3]).sum().compute()
    np.int64(6)
    """
    check_device(device)
    if isinstance(a, ARRAY):
        result = wrap(a._expr) if copy else a
    elif _is_numpy_like(a):
        result = wrap(_shared(a, dtype, copy, chunks))
        chunks = None
    else:
        result = from_array(a, chunks="auto" if chunks is None else chunks)
        chunks = None
    if dtype is not None and np.dtype(dtype) != result.dtype:
        if copy is False:
            raise ValueError(f"a copy cannot be avoided: {result.dtype} has to become {np.dtype(dtype)}")
        result = result.astype(dtype)
    return result if chunks is None else result.rechunk(chunks)


def _shared(a: Any, dtype: Any, copy: bool | None, chunks: Any) -> _native.Expr:
    """Give things in memory as an expression, without copying where that is possible."""
    refuse_masked(a)
    is_array = isinstance(a, (np.ndarray, np.generic)) or hasattr(a, "__dlpack__") or hasattr(a, "__array__")
    if copy is False and not is_array:
        raise ValueError(f"a copy cannot be avoided: {type(a).__name__} is no array yet")
    if is_array:
        values = _numpy_from(a)
    else:
        # Numbers must fit the type that is asked for, as in NumPy.
        values = np.asarray(a, dtype=None if dtype is None else np.dtype(dtype))
    if copy and is_array:
        values = values.copy()
    _refuse_ragged(a, values)
    return memory(values, None if chunks is None else normalize_chunks(chunks, values.shape, dtype=values.dtype))


def refuse_masked(a: Any) -> None:
    """Refuse NumPy's masked arrays, whose mask would be lost."""
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("masked arrays are not supported: their mask would be lost; fill them first, x.filled(0), or use NaN")


def check_device(device: Any) -> None:
    """Refuse devices that are not there."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, only 'cpu'")


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
    chunks: Any = None,
):
    """Give a new array; memory of NumPy arrays is copied, so that later changes are not seen. See `asarray` for sharing it.

    Examples
    --------
    >>> vm.array([1, 2, 3], ndmin=2).shape
    (1, 3)
    """
    result = asarray(object, dtype, copy=copy, chunks=chunks)
    return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def asanyarray(a: Any, dtype: Any = None, order: str | None = None, *, like: Any = None, chunks: Any = None):
    """Give `a` as an array; see `asarray`."""
    return asarray(a, dtype, chunks=chunks)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None, chunks: Any = None):
    """Give `a` as an array of at least one axis; results are always contiguous."""
    result = asarray(a, dtype, chunks=chunks)
    return result if result.ndim else result.reshape(1)


def _is_numpy_like(a: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic, list, tuple, int, float, complex, memoryview, range)):
        return True
    # Large things that are read box by box say so by having chunks, or by being no array yet.
    lazy = hasattr(a, "chunks") or hasattr(a, "__dask_graph__") or hasattr(a, "domain") or _is_xarray(a)
    held = any(hasattr(a, name) for name in ("__array__", "__array_interface__", "__array_struct__", "__dlpack__"))
    return not (hasattr(a, "shape") and hasattr(a, "dtype") and hasattr(a, "__getitem__") and (lazy or not held))


def _is_xarray(a: Any) -> bool:
    """True for xarray's DataArray and Variable."""
    return hasattr(a, "dims") and hasattr(a, "encoding") and hasattr(a, "shape")


def _numpy_from(a: Any) -> np.ndarray:
    """Share the memory of an array of another library, or copy what is none yet."""
    own = hasattr(a, "__array__") or hasattr(a, "__array_interface__") or hasattr(a, "__array_struct__")
    return np.from_dlpack(a) if hasattr(a, "__dlpack__") and not own else np.asarray(a)


def _refuse_ragged(a: Any, values: np.ndarray) -> None:
    if values.dtype == object and not isinstance(a, np.ndarray):
        raise TypeError(f"{type(a).__name__} does not hold numbers only; arrays of objects are not supported")


def from_array(
    x: Any,
    chunks: Any = "auto",
    name: Any = None,
    lock: Any = False,
    asarray: Any = None,
    fancy: bool = True,
    getitem: Any = None,
    meta: Any = None,
    inline_array: bool = False,
):
    """Give anything with `shape`, `dtype` and `[...]` as an array: h5py, zarr, tensorstore, memory maps, your own class.

    A NumPy array is shared, not copied: changing it later changes what is computed. Files are read box by box, when their elements
    are needed.

    Parameters
    ----------
    x : array_like
        What to read from.
    chunks : int, tuple, dict or str
        Declared chunks, as in Dask; by default those of `x`, if it has any. They are the blocks of `map_blocks` and the default layout
        of `to_zarr`; speed does not depend on them.
    lock : bool or lock
        True if `x` must not be read by several threads at once.
    name, asarray, fancy, getitem, meta, inline_array
        Accepted for Dask's sake.

    Examples
    --------
    >>> x = vm.from_array(np.arange(12).reshape(3, 4), chunks=(2, 2))
    >>> x.chunks
    ((2, 1), (2, 2))
    """
    if isinstance(x, ARRAY):
        return x if isinstance(chunks, str) and chunks == "auto" else x.rechunk(chunks)
    if isinstance(x, (list, tuple, np.generic, int, float, complex, memoryview)):
        x = np.asarray(x)
    if isinstance(x, np.ndarray):
        refuse_masked(x)
        dtype_name(x.dtype)  # Says what is wrong before chunks are cut.
        return wrap(memory(x, normalize_chunks(chunks, x.shape, dtype=x.dtype)))
    if _is_xarray(x):
        from voxmill.interop import from_xarray

        return from_xarray(x, chunks=None if isinstance(chunks, str) and chunks == "auto" else chunks)
    if hasattr(x, "__dask_graph__") and hasattr(x, "to_delayed"):
        from voxmill.interop import from_dask

        return from_dask(x, chunks=None if isinstance(chunks, str) and chunks == "auto" else chunks)
    for attribute in ("shape", "dtype", "__getitem__"):
        if not hasattr(x, attribute):
            raise TypeError(f"{type(x).__name__} has no {attribute}; an array needs shape, dtype and []")
    stored = _stored_chunks(x) if isinstance(chunks, str) and chunks == "auto" else None
    chunks = chunks if stored is None else stored
    native = open_zarr_array(x) if getitem is None and not lock else None
    if native is not None:
        return native.rechunk(chunks)
    source = Source(_from_origin(x), lock, getitem)
    source.chunks = normalize_chunks(chunks, source.shape, dtype=source.dtype)
    return wrap(_wrap_object(source))


def _from_origin(x: Any) -> Any:
    """Count positions of a TensorStore from 0, wherever its domain begins."""
    if any(getattr(getattr(x, "domain", None), "origin", ())):
        import tensorstore

        return x[tensorstore.d[:].translate_to[0]]
    return x


class Source:
    """An object that is read box by box. Can be pickled if the object can."""

    def __init__(self, x: Any, lock: Any, getitem: Any):
        self.x, self.getitem = x, getitem
        self.shape = _shape(x.shape)
        self.dtype = np.dtype(x.dtype.numpy_dtype if hasattr(x.dtype, "numpy_dtype") else x.dtype)
        self.chunks: tuple = ()
        self.lock = threading.Lock() if lock is True else lock or None

    def read(self, index: tuple[slice, ...]) -> np.ndarray:
        """Give a box as NumPy array of the declared dtype."""
        if self.lock is None:
            return self._read(index)
        with self.lock:
            return self._read(index)

    def _read(self, index: tuple[slice, ...]) -> np.ndarray:
        values = self.getitem(self.x, index) if self.getitem else self.x[index]
        values = np.asarray(values.read().result() if hasattr(values, "domain") else values)
        want = tuple(part.stop - part.start for part in index)
        if values.shape != want or values.dtype != self.dtype:
            raise ValueError(
                f"{type(self.x).__name__} gave {values.dtype} of shape {values.shape} for [{_words(index)}], "
                f"which should be {self.dtype} of shape {want}"
            )
        return plain(values)

    def write(self, index: tuple[slice, ...], values: Any) -> None:
        """Set a box."""
        if self.lock is None:
            self.x[index] = np.asarray(values)
        else:
            with self.lock:
                self.x[index] = np.asarray(values)

    def __getstate__(self) -> dict:
        return {**self.__dict__, "lock": self.lock is not None}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self.lock = threading.Lock() if state["lock"] else None


def plain(values: np.ndarray) -> np.ndarray:
    """Give elements in the machine's own byte order, in a form whose memory the engine can look at."""
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    values = values.reshape(1) if values.ndim == 0 else values
    return values.view(np.uint16) if values.dtype.name == "bfloat16" else values


def _words(index: tuple[slice, ...]) -> str:
    return ", ".join(f"{part.start}:{part.stop}" for part in index)


def _stored_chunks(x: Any) -> Any:
    """Give the chunks of a file: those of zarr and h5py, or TensorStore's read chunks."""
    chunks = getattr(x, "chunks", None)
    if chunks is None:
        chunks = getattr(getattr(getattr(x, "chunk_layout", None), "read_chunk", None), "shape", None)
    if callable(chunks) or not chunks or len(chunks) != len(x.shape):
        return None
    return tuple(chunks) if all(chunks) else None


def _wrap_object(source: Source) -> _native.Expr:
    write = source.write if hasattr(source.x, "__setitem__") else None
    name = type(source.x).__name__
    return _native.host_store(source, source.read, write, source.shape, dtype_name(source.dtype), source.chunks, name)


def open(location: str | os.PathLike, component: str | None = None):
    """Open the array in a file or at a URL: Zarr 2 and 3, and NumPy's .npy.

    Parameters
    ----------
    location : path or str
        A path, or a URL: ``https://``, ``s3://``, ``gs://``, ``az://``.
    component : str, optional
        The path of the array inside a Zarr group: ``"0"``, ``"labels/cells/0"``.
    """
    text = os.fspath(location)
    return wrap(_native.open(f"{text.rstrip('/')}/{component}" if component else text))


def from_zarr(
    url: Any,
    component: str | None = None,
    storage_options: dict | None = None,
    chunks: Any = None,
    name: Any = None,
    inline_array: bool = False,
    **kwargs: Any,
):
    """Open a Zarr array, by its location or as zarr-python's object. Nothing is read yet.

    Parameters
    ----------
    url : path, str, zarr.Array, zarr.Group or store of zarr-python
    component : str, optional
        The path of the array inside a group.
    storage_options : dict, optional
        For fsspec: zarr-python then reads the chunks. Without them, credentials come from the environment.
    chunks : optional
        Declared chunks; those of the file by default.
    name, inline_array
        Accepted for Dask's sake.

    Examples
    --------
    >>> vm.ones((4, 4), chunks=2).to_zarr(tmp / "ones.zarr")
    >>> vm.from_zarr(tmp / "ones.zarr").sum().compute()
    np.float64(16.0)
    """
    if kwargs:
        raise TypeError(f"from_zarr has no parameter {next(iter(kwargs))!r}")
    if hasattr(url, "shape") and component is None:
        result = from_array(url)
    else:
        from voxmill._zarr import Place

        result = Place.of(url, component, storage_options, "from_zarr reads").readable()
    return result if chunks is None else result.rechunk(chunks)


def open_zarr_array(x: Any):
    """Give a zarr-python array that the engine can read itself; None for other things, other stores, and codecs that it lacks."""
    location = _location_of_zarr(x)
    if location is None:
        return None
    try:
        result = open(location)
    except (OSError, TypeError, ValueError, NotImplementedError):
        return None
    return result if result.shape == tuple(x.shape) and result.dtype == x.dtype.newbyteorder("=") else None


def _location_of_zarr(x: Any) -> str | None:
    """Where a zarr-python array lies, if the engine can read it there itself."""
    root = getattr(getattr(getattr(x, "store", None), "root", None), "__fspath__", None)
    return os.path.join(root(), x.path) if root is not None and hasattr(x, "path") else None


def from_npy(path: str | os.PathLike):
    """Open a file in NumPy's .npy format. It is mapped, not read."""
    return open(path)


def _creation(name: str, shape: Any, dtype: Any, chunks: Any, device: Any, **params: Any):
    check_device(device)
    shape = _shape(shape)
    dtype = np.dtype(float if dtype is None else dtype)
    result = call(name, (), {"shape": shape, "dtype": dtype_name(dtype), **params})
    return wrap(result._expr.with_chunks(normalize_chunks(chunks, shape, dtype=dtype)))


def _shape(shape: Any) -> tuple[int, ...]:
    """Give a shape as a tuple of lengths, from a number or a sequence."""
    import operator

    if isinstance(shape, ARRAY):
        shape = shape.compute()
    if not isinstance(shape, (tuple, list, np.ndarray)) or np.ndim(shape) == 0:
        shape = (shape,)
    try:
        lengths = tuple(operator.index(n) for n in shape)
    except TypeError:
        raise TypeError(f"a shape is made of integers, not {shape!r}") from None
    if any(n < 0 for n in lengths):
        raise ValueError(f"negative dimensions are not allowed: {lengths}")
    if len(lengths) > 64:
        raise ValueError(f"maximum supported dimension for an array is 64, found {len(lengths)}")
    if any(n >= 1 << 63 for n in lengths):
        raise ValueError(f"an array of shape {lengths} is too large to be addressed")
    return lengths


def zeros(shape: Any, dtype: Any = None, order: str = "C", *, chunks: Any = "auto", device: Any = None, name: Any = None):
    """Give an array of zeros.

    Examples
    --------
    >>> vm.zeros((2, 3), dtype="u1").compute()
    array([[0, 0, 0],
           [0, 0, 0]], dtype=uint8)
    """
    return _creation("zeros", shape, dtype, chunks, device)


def ones(shape: Any, dtype: Any = None, order: str = "C", *, chunks: Any = "auto", device: Any = None, name: Any = None):
    """Give an array of ones.

    Examples
    --------
    >>> vm.ones((2000, 2000, 2000)).sum().compute()
    np.float64(8000000000.0)
    """
    return _creation("ones", shape, dtype, chunks, device)


def empty(shape: Any, dtype: Any = None, order: str = "C", *, chunks: Any = "auto", device: Any = None, name: Any = None):
    """Give an array whose values do not matter."""
    return _creation("empty", shape, dtype, chunks, device)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, chunks: Any = "auto", device: Any = None, name: Any = None):
    """Give an array of one value.

    Examples
    --------
    >>> vm.full(3, 7).compute()
    array([7, 7, 7])
    """
    if isinstance(fill_value, ARRAY):
        fill_value = fill_value if fill_value.ndim else fill_value.compute()
    if np.ndim(fill_value):
        value = asarray(fill_value, dtype)
        shape = _shape(shape)
        return call("broadcast_to", (value,), {"shape": shape}).rechunk(normalize_chunks(chunks, shape, dtype=value.dtype))
    if dtype is None:
        dtype = np.asarray(fill_value).dtype
    dtype_name(dtype)
    # As NumPy casts: plain numbers must fit, those with a type of their own are cut to size.
    value = np.full((), fill_value, dtype).item() if 0 not in _shape(shape) else 0
    return _creation("full", shape, dtype, chunks, device, fill_value=value)


def _like(make: Callable, a: Any, dtype: Any, shape: Any, chunks: Any, device: Any, *more: Any):
    a = asarray(a)
    if chunks is None:
        chunks = a.chunks if shape is None else "auto"
    return make(a.shape if shape is None else shape, *more, a.dtype if dtype is None else dtype, chunks=chunks, device=device)


def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    chunks: Any = None,
    device: Any = None,
    name: Any = None,
):
    """Give zeros with the shape, chunks and dtype of `a`."""
    return _like(zeros, a, dtype, shape, chunks, device)


def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    chunks: Any = None,
    device: Any = None,
    name: Any = None,
):
    """Give ones with the shape, chunks and dtype of `a`."""
    return _like(ones, a, dtype, shape, chunks, device)


def empty_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    chunks: Any = None,
    device: Any = None,
    name: Any = None,
):
    """Give an array like `a` whose values do not matter."""
    return _like(empty, a, dtype, shape, chunks, device)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    chunks: Any = None,
    device: Any = None,
    name: Any = None,
):
    """Give one value with the shape, chunks and dtype of `a`."""
    return _like(full, a, dtype, shape, chunks, device, fill_value)


def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    chunks: Any = "auto",
    device: Any = None,
    like: Any = None,
    name: Any = None,
):
    """Give evenly spaced values in an interval, its end left out.

    Examples
    --------
    >>> vm.arange(2, 10, 3).compute()
    array([2, 5, 8])
    """
    check_device(device)
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise TypeError("arange() requires stop to be specified")
    step = 1 if step is None else step
    start, stop, step = (_number(value, "arange") for value in (0 if start is None else start, stop, step))
    if step == 0:
        raise ZeroDivisionError("the step of arange must not be 0")
    if dtype is None:
        # The type follows from the types of the ends and the step, not from their values.
        dtype = np.arange(
            *(np.zeros_like(v)[()] if isinstance(v, np.generic) else type(v)(0) for v in (start, stop)), np.ones_like(step)[()]
        ).dtype
    narrow = any(isinstance(value, np.floating) and value.itemsize < 8 for value in (start, stop, step))
    count, second = (np.ceil((stop - start) / step), start + step) if narrow else (0, 0)
    start, stop, step = (_plain_number(value) for value in (start, stop, step))
    if np.dtype(dtype) == bool and abs(stop - start) > 2 * abs(step):
        raise TypeError("arange() is only supported for booleans when the result has at most length 2")
    if max(abs(v) for v in (start, stop)) > 1e300 or any(v != v for v in (start, stop, step)):
        raise ValueError(f"arange from {start} to {stop} has too many values")
    try:
        if narrow:
            # As NumPy does: length and step come out in the narrower type, elements in the type of the result.
            first, second = (np.asarray(value).astype(dtype)[()] for value in (start, second))
            numbers = call("arange", (), {"start": 0, "stop": max(int(count), 0), "step": 1, "dtype": dtype_name(dtype)})
            result = numbers * (second - first) + first
        else:
            result = call("arange", (), {"start": start, "stop": stop, "step": step, "dtype": dtype_name(dtype)})
    except OverflowError:
        raise ValueError(f"arange from {start} to {stop} has too many values") from None
    return wrap(result._expr.with_chunks(normalize_chunks(chunks, result.shape, dtype=result.dtype)))


def _plain_number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _number(value: Any, name: str) -> Any:
    """Give one number; arrays without axes are computed."""
    if isinstance(value, (ARRAY, np.ndarray)):
        if value.ndim:
            raise TypeError(f"{name} takes numbers, not an array of shape {value.shape}")
        value = np.asarray(value)[()]
    if not isinstance(value, (int, float, complex, np.number, np.bool_)):
        raise TypeError(f"{name} takes numbers, not {value!r}")
    return value


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    chunks: Any = "auto",
    device: Any = None,
):
    """Give a number of evenly spaced values from start to stop; for arrays of ends, along a new axis.

    Examples
    --------
    >>> vm.linspace(0, 1, 5).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    import operator

    check_device(device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    if np.ndim(start) or np.ndim(stop):
        samples = [np.zeros(1, end.dtype) if hasattr(end, "dtype") else end for end in (start, stop)]
        kind = np.linspace(*samples, 0).dtype
        result, step = _linspace_between(asarray(start), asarray(stop), kind, num, parts, bool(endpoint), dtype, axis)
    else:
        start, stop = (_number(value, "linspace") for value in (start, stop))
        kind = np.linspace(start, stop, 0).dtype
        step = np.divide(kind.type(stop) - kind.type(start), parts) if parts > 0 else np.nan
        if kind != np.float64:
            result, _ = _linspace_between(asarray(start), asarray(stop), kind, num, parts, bool(endpoint), dtype, axis)
        else:
            ends = {"start": _plain_number(start), "stop": _plain_number(stop)}
            result = call(
                "linspace", (), {**ends, "num": num, "endpoint": bool(endpoint), "dtype": dtype_name(kind if dtype is None else dtype)}
            )
    result = wrap(result._expr.with_chunks(normalize_chunks(chunks, result.shape, dtype=result.dtype)))
    return (result, step) if retstep else result


def _linspace_between(start: Any, stop: Any, kind: np.dtype, num: int, parts: int, endpoint: bool, dtype: Any, axis: int) -> tuple:
    """Give evenly spaced values between arrays, in the order of operations that NumPy has."""
    import voxmill

    start, stop = start.astype(kind), stop.astype(kind)
    delta = stop - start
    count = arange(num, dtype=kind.type(0).real.dtype).reshape((num,) + (1,) * delta.ndim)
    step = delta / parts if parts > 0 else np.nan
    if parts > 0:
        values = voxmill.where((step == 0).any(), count / parts * delta, count * step)
    else:
        values = count * delta
    values = values + start
    if endpoint and num > 1:
        values = voxmill.concatenate([values[:-1], voxmill.broadcast_to(stop, delta.shape)[None].astype(values.dtype)])
    if dtype is not None and np.dtype(dtype).kind in "iu":
        values = voxmill.floor(values)
    values = voxmill.moveaxis(values, 0, axis) if axis else values
    return values.astype(kind if dtype is None else dtype, copy=False), step


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float, *, chunks: Any = "auto", device: Any = None, order: str = "C"):
    """Give a matrix with ones on a diagonal and zeros elsewhere.

    Examples
    --------
    >>> vm.eye(3, k=1, dtype=int).compute()
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    import operator

    check_device(device)
    rows, columns = _shape((N, N if M is None else M))
    params = {"N": rows, "M": columns, "k": operator.index(k), "dtype": dtype_name(float if dtype is None else dtype)}
    result = call("eye", (), params)
    return wrap(result._expr.with_chunks(normalize_chunks(chunks, result.shape, dtype=result.dtype)))


def identity(n: int, dtype: Any = float, *, chunks: Any = "auto"):
    """Give the identity matrix."""
    return eye(n, dtype=dtype, chunks=chunks)


def from_function(function: Callable, shape: Any, dtype: Any = None, chunks: Any = "auto", **kwargs: Any):
    """Give an array whose blocks a function makes.

    Parameters
    ----------
    function : callable
        Called for each block with its box, a tuple of slices, and `kwargs`; gives the block as NumPy array. If it has a parameter
        called `block_id`, it also gets the number of the block, a tuple.
    shape : tuple of int
    dtype : dtype, optional
        Element type; that of the first block if not given.
    chunks : optional
        The blocks, as in `from_array`.

    Examples
    --------
    >>> def ramp(box):
    ...     return np.arange(box[0].start, box[0].stop)
    >>> vm.from_function(ramp, 6, dtype=int, chunks=2).compute()
    array([0, 1, 2, 3, 4, 5])
    """
    from voxmill._along import make_blocks

    shape = _shape(shape)
    chunks = normalize_chunks(chunks, shape, dtype=float if dtype is None else dtype)
    return make_blocks(function, shape, dtype, chunks, kwargs)


def from_map(function: Callable, items: Sequence, *args: Any, shape: Any = None, dtype: Any = None, **kwargs: Any):
    """Give one array of what a function makes of each item, along a new first axis: ``from_map(imread, files)``.

    All results must have the same shape and dtype. Where these are not given, the first item is read to see them; it is not read
    again.

    Examples
    --------
    >>> vm.from_map(lambda n: np.full((2, 2), n), [1, 2, 3]).sum(axis=(1, 2)).compute()
    array([ 4,  8, 12])
    """
    from voxmill._along import Items, make_blocks

    items = list(items)
    if not items:
        raise ValueError("from_map needs at least one item")
    function = Items(function, items, args, kwargs)
    if shape is None:
        first = function.first()
        shape, dtype = first.shape, first.dtype if dtype is None else dtype
    shape = (len(items), *_shape(shape))
    chunks = ((1,) * len(items), *((n,) for n in shape[1:]))
    return make_blocks(function, shape, dtype, chunks, {})
