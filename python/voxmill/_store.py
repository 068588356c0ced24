"""Writing results: Zarr, .npy, HDF5, and anything with `[...]`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voxmill import _native
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, wrap
from voxmill._create import asarray
from voxmill._run import limited
from voxmill._zarr import Layout, Place, chunk_sides, config_order


def to_zarr(
    arr: Any,
    url: Any,
    component: str | None = None,
    storage_options: dict | None = None,
    region: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    mode: str = "a",
    *,
    chunks: Any = None,
    shards: Any = None,
    compressors: Any = "auto",
    compressor: Any = "auto",
    filters: Any = "auto",
    serializer: Any = "auto",
    fill_value: Any = 0,
    zarr_format: int | None = None,
    dimension_names: Sequence[str | None] | None = None,
    attributes: Mapping | None = None,
    chunk_key_encoding: Any = None,
    dimension_separator: str | None = None,
    order: str | None = None,
    config: Any = None,
    overwrite: bool = False,
    progress: Any = None,
    **limits: Any,
) -> Any:
    """Compute an array and write it to Zarr, piece by piece.

    A run that was stopped goes on where it stopped when the same array is written to the same place again.

    Parameters
    ----------
    arr : Array
    url : path, str, zarr.Array, zarr.Group or store of zarr-python
        Where to create the array: a folder, or a URL (``s3://``, ``gs://``, ``az://``). An open zarr-python array is written into.
    component : str, optional
        Path of the array inside a group, which is created if it is not there.
    storage_options : dict, optional
        For fsspec: zarr-python then writes the chunks. Without them, credentials come from the environment.
    region : tuple of slices, optional
        Write into this part of an array that exists.
    compute : bool
        False to get a delayed value that writes when it is computed.
    return_stored : bool
        True to get the written array, ready to be read.
    mode : str
        ``"a"`` and ``"w-"`` refuse what exists already, ``"w"`` replaces it, ``"r+"`` writes into it.
    chunks, shards : tuple of int, optional
        Layout of the files; the declared chunks by default, and no shards.
    compressors : codec, dict, str or sequence, optional
        zarr-python's or numcodecs' codec objects, their dicts, or text such as ``"zstd:3"`` and ``"blosc-lz4"``; None for no compression.
        The default is the fastest that every reader has, ``"blosc-lz4"``. `compressor` is the older name.
    filters, serializer, order, config, chunk_key_encoding, dimension_separator
        As in ``zarr.create_array``; where they differ from the default, zarr-python creates the array.
    fill_value, zarr_format, dimension_names, attributes, overwrite
        As in ``zarr.create_array``. The format is that of the group around it, else 3.
    progress, threads, memory_limit, scratch, scratch_limit
        As in `Array.compute`.

    Examples
    --------
    >>> x = vm.ones((1000, 1000), chunks=(500, 500), dtype="u1")
    >>> x.to_zarr(tmp / "x.zarr", compressors="zstd:3", attributes={"unit": "counts"})
    >>> vm.open(tmp / "x.zarr").chunks
    ((500, 500), (500, 500))
    """
    arr = arr.value if isinstance(arr, _Held) else asarray(arr)
    if not compute:
        given = {name: value for name, value in locals().items() if name not in ("arr", "url", "limits", "compute")}
        from voxmill._graph import delayed

        return delayed(to_zarr, pure=False)(_Held(arr), url, **given, **limits)
    _check_limits(limits)
    if mode not in ("a", "w", "w-", "x", "r+"):
        raise ValueError(f"mode must be 'a', 'w', 'w-' or 'r+', not {mode!r}")
    if not isinstance(url, (str, os.PathLike)) and hasattr(url, "shape"):
        _into(arr, _target(url), region, progress, limits)
        return _target(url) if return_stored else None
    place = Place.of(url, component, storage_options)
    if region is not None or mode == "r+":
        _into(arr, place.target(), region, progress, limits)
        return place.target() if return_stored else None
    layout = Layout(
        arr,
        zarr_format=place.format() if zarr_format is None else zarr_format,
        chunks=chunks,
        shards=shards,
        compressors=compressor if isinstance(compressors, str) and compressors == "auto" else compressors,
        filters=filters,
        serializer=serializer,
        fill_value=fill_value,
        dimension_names=dimension_names,
        attributes=attributes,
        keys=chunk_key_encoding,
        separator=dimension_separator,
        order=order or config_order(config),
        overwrite=bool(overwrite or mode == "w"),
    )
    options = layout.native() if place.location is not None else None
    if options is None:
        _into(arr, _target(layout.create(place)), None, progress, limits)
    else:
        place.make_parents(layout.zarr_format)
        _new([arr], [place.location], [options], progress, limits)
    return place.target() if return_stored else None


def _check_limits(limits: dict) -> None:
    from voxmill import config

    for name in limits:
        if name not in config.DEFAULTS:
            raise TypeError(f"to_zarr() got an unexpected keyword argument {name!r}")


class _Held:
    """Keeps an array from being computed on its way through a delayed call."""

    def __init__(self, value: Any):
        self.value = value
        self.shape, self.dtype = value.shape, value.dtype


class _Targets:
    """Keeps what is written to from being looked into on its way through a delayed call."""

    def __init__(self, values: Any):
        self.values = values


def _new(arrays: Sequence, locations: list[str], options: list[dict], progress: Any, limits: dict) -> None:
    allowed, finish = limited(progress, limits)
    try:
        _native.write_new([x._expr for x in arrays], locations, options, allowed)
    finally:
        finish()


# Other files


def to_npy(arr: Any, path: Any, *, overwrite: bool = False, progress: Any = None, **limits: Any) -> None:
    """Compute an array and write it to a file in NumPy's .npy format, piece by piece.

    Examples
    --------
    >>> vm.to_npy(vm.arange(4), tmp / "x.npy")
    >>> np.load(tmp / "x.npy")
    array([0, 1, 2, 3])
    """
    path = os.fspath(path)
    if not path.endswith(".npy"):
        raise ValueError(f"the name of a NumPy file ends in .npy, not {path!r}")
    _new([asarray(arr)], [path], [{"overwrite": overwrite}], progress, limits)


def to_raw(arr: Any, file: Any, sep: str = "") -> None:
    """Write the bytes of all elements to a file, piece by piece and in C order."""
    if sep:
        raise TypeError("tofile writes bytes only; for text, use np.savetxt or np.asarray(x).tofile")
    flat, piece = asarray(arr).reshape(-1), 1 << 22
    is_open = hasattr(file, "write")
    stream = file if is_open else Path(file).open("wb")
    try:
        for start in range(0, flat.size, piece):
            stream.write(np.asarray(flat[start : start + piece]).tobytes())
    finally:
        if not is_open:
            stream.close()


def to_hdf5(arr: Any, filename: Any, datapath: str, chunks: Any = True, **kwargs: Any) -> None:
    """Write an array to a dataset of an HDF5 file, which is created if it is not there."""
    import h5py

    arr = asarray(arr)
    if chunks is True:
        chunks = tuple(chunk_sides(None, arr, None) or ()) or None
    with h5py.File(filename, "a") as file:
        dataset = file.require_dataset(datapath, shape=arr.shape, dtype=arr.dtype, chunks=chunks, **kwargs)
        store(arr, dataset)


# Into what exists


def _target(into: Any) -> Any:
    if isinstance(into, ARRAY):
        return into
    return _writable(into, False)


def _into(arr: Any, target: Any, region: Any, progress: Any, limits: dict) -> None:
    """Write into a part of an array that exists."""
    _write_all([(arr, target, region)], progress, limits)


def _write_all(jobs: list[tuple[Any, Any, Any]], progress: Any, limits: dict) -> None:
    exprs, targets, offsets = [], [], []
    for arr, target, region in jobs:
        box, dropped = _box(region, target.shape)
        want = tuple(end - begin for begin, end in box)
        if arr.shape == tuple(n for k, n in enumerate(want) if k not in dropped):
            arr = arr.reshape(want)
        if arr.shape != want:
            raise ValueError(f"an array of shape {arr.shape} does not fit a region of shape {want}")
        if arr.dtype != target.dtype:
            arr = arr.astype(target.dtype)
        exprs.append(arr._expr)
        targets.append(target._expr)
        offsets.append([begin for begin, _ in box])
    allowed, finish = limited(progress, limits)
    try:
        _native.write_into(exprs, targets, offsets, allowed)
    finally:
        finish()


def _box(region: Any, shape: tuple[int, ...]) -> tuple[list[tuple[int, int]], list[int]]:
    """Give a region as bounds per axis, and the axes that an integer chooses one position of."""
    if region is None:
        return [(0, n) for n in shape], []
    region = region if isinstance(region, tuple) else (region,)
    if Ellipsis in region:
        at = region.index(Ellipsis)
        region = region[:at] + (slice(None),) * (len(shape) - len(region) + 1) + region[at + 1 :]
    region += (slice(None),) * (len(shape) - len(region))
    if len(region) != len(shape):
        raise ValueError(f"the region has {len(region)} axes, the array has {len(shape)}")
    box, dropped = [], []
    for axis, (part, n) in enumerate(zip(region, shape)):
        if isinstance(part, slice):
            begin, end, step = part.indices(n)
            if step != 1:
                raise ValueError(f"a region is made of slices with step 1, not {part}")
        else:
            begin = _position(part, n, axis)
            end = begin + 1
            dropped.append(axis)
        box.append((begin, max(begin, end)))
    return box, dropped


def _position(part: Any, n: int, axis: int) -> int:
    try:
        number = part.__index__()
    except AttributeError:
        raise TypeError(f"a region is made of slices and integers, not {part!r}") from None
    if not -n <= number < n:
        raise IndexError(f"position {number} of the region is out of bounds for axis {axis} with size {n}")
    return number % n


def store(
    sources: Any,
    targets: Any,
    lock: Any = True,
    regions: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    load_stored: Any = None,
    progress: Any = None,
    **limits: Any,
) -> Any:
    """Compute arrays and write them into things with `[...]`: NumPy arrays, h5py and zarr arrays, stored arrays.

    Parameters
    ----------
    sources, targets : Array and target, or sequences of these
    lock : bool or lock
        Whether targets may be written by one thread at a time only. Zarr arrays never need that.
    regions : tuple of slices, or sequence of these, optional
        Where in the targets.
    compute : bool
        False to get a delayed value that writes when it is computed.
    return_stored : bool
        True to get the targets as arrays.

    Examples
    --------
    >>> out = np.zeros(4, int)
    >>> vm.store(vm.arange(4) * 2, out)
    >>> out
    array([0, 2, 4, 6])
    """
    if isinstance(sources, ARRAY):
        sources, targets = [sources], [targets]
        regions = [regions] if regions is not None else None
    elif not isinstance(targets, (tuple, list)):
        raise ValueError(f"several sources need as many targets, not one {type(targets).__name__}")
    if len(sources) != len(targets):
        raise ValueError(f"different number of sources ({len(sources)}) and targets ({len(targets)})")
    if not all(isinstance(source, ARRAY) for source in sources):
        raise TypeError("all sources must be voxmill arrays")
    regions = regions if isinstance(regions, list) else [regions] * len(sources)
    if len(regions) != len(sources):
        raise ValueError(f"different number of sources ({len(sources)}) and regions ({len(regions)})")
    if not compute:
        from voxmill._graph import delayed

        held = [_Held(source) for source in sources]
        return delayed(_store_held, pure=False)(held, _Targets(targets), lock, regions, return_stored, progress, limits)
    # Parts of one target may share a chunk, which one run must not write twice at the same time.
    opened = {id(target): _writable(target, lock) for target in targets}
    jobs = [(source, opened[id(target)], region) for source, target, region in zip(sources, targets, regions)]
    rounds: list[list] = []
    for job in jobs:
        place = job[1]._expr.location
        fitting = next((r for r in rounds if all(other[1]._expr.location != place for other in r)), None)
        if fitting is None:
            rounds.append(fitting := [])
        fitting.append(job)
    for some in rounds:
        _write_all(some, progress, limits)
    if return_stored:
        return tuple(target for _, target, _ in jobs)
    return None


def _store_held(held: list, targets: Any, lock: Any, regions: Any, return_stored: bool, progress: Any, limits: dict) -> Any:
    return store([h.value for h in held], targets.values, lock, regions, return_stored=return_stored, progress=progress, **limits)


def _writable(target: Any, lock: Any) -> Any:
    if isinstance(target, ARRAY):
        return target
    from voxmill._create import Source, _stored_chunks, _wrap_object, open_zarr_array

    if isinstance(target, np.ndarray) and not target.flags.writeable:
        raise ValueError("assignment destination is read-only: this NumPy array cannot be written to")
    native = open_zarr_array(target)
    if native is not None:
        return native
    for attribute in ("shape", "dtype", "__setitem__"):
        if not hasattr(target, attribute):
            raise TypeError(f"{type(target).__name__} has no {attribute}; a target needs shape, dtype and [...] = ...")
    source = Source(target, lock, None)
    # What is written as a whole: shards, where a file has them.
    chunks = getattr(target, "shards", None) or _stored_chunks(target)
    source.chunks = normalize_chunks("auto" if chunks is None else chunks, source.shape, dtype=source.dtype)
    return wrap(_wrap_object(source))
