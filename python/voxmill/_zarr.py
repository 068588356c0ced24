"""Zarr arrays: where they lie, how new ones are laid out, and their codecs, for the engine or for zarr-python."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from voxmill._chunks import normalize_chunks
from voxmill._create import open

DEFAULT_CODEC = "blosc-lz4"


def _target_of(x: Any) -> Any:
    from voxmill._store import _target

    return _target(x)


# Where a Zarr array lies


class Place:
    """Where a Zarr array lies: at a location that the engine knows, or in a store that only zarr-python knows."""

    def __init__(self, location: str | None, store: Any, path: str, root: str | None = None):
        self.location, self.store, self.path, self.root = location, store, path, root

    @classmethod
    def of(cls, url: Any, component: str | None, storage_options: dict | None, purpose: str = "to_zarr writes to") -> Place:
        """Understand what users pass as a place."""
        component = (component or "").strip("/")
        if isinstance(url, (str, os.PathLike)):
            text = os.fspath(url)
            if storage_options:
                zarr = zarr_python("storage_options")
                return cls(None, zarr.storage.FsspecStore.from_url(text, storage_options=storage_options), component)
            return cls._at(text, component)
        if hasattr(url, "store") and hasattr(url, "path"):
            component = "/".join(part for part in (url.path, component) if part)
            url = url.store
        folder = getattr(url, "root", None)
        if isinstance(folder, (str, os.PathLike)):
            return cls._at(os.fspath(folder), component)
        if isinstance(url, Mapping) or type(url).__module__.split(".")[0] in ("zarr", "fsspec"):
            return cls(None, url, component)
        raise TypeError(f"{purpose} a path, a URL, a store or group of zarr-python, or an open zarr array, not {type(url).__name__}")

    @classmethod
    def _at(cls, text: str, component: str) -> Place:
        return cls(f"{text.rstrip('/')}/{component}" if component else text, None, component, text)

    def target(self) -> Any:
        """Open the array that is there."""
        if self.location is None:
            return _target_of(zarr_python("this store").open_array(self.store, path=self.path, mode="r+"))
        try:
            return open(self.location)
        except TypeError:
            return _target_of(zarr_python("this array").open_array(self.location, mode="r+"))

    def readable(self) -> Any:
        """Open the array that is there for reading; zarr-python reads it where the engine lacks a codec."""
        from voxmill._create import from_array

        if self.location is None:
            return from_array(zarr_python("this store").open_array(self.store, path=self.path, mode="r"))
        try:
            return open(self.location)
        except TypeError as error:
            try:
                return from_array(zarr_python("this array").open_array(self.location, mode="r"))
            except Exception:
                raise error from None

    def format(self) -> int:
        """Give the version of the group around a new array; 3 where there is none."""
        for folder in reversed(self._folders()):
            if (folder / "zarr.json").exists():
                return 3
            if (folder / ".zgroup").exists():
                return 2
        return 3

    def _folders(self) -> list[Path]:
        """Give the folders of the groups around a local array, outermost first."""
        if self.root is None or not self.path or "://" in self.root.removeprefix("file://"):
            return []
        parts = self.path.split("/")
        return [Path(self.root.removeprefix("file://")).joinpath(*parts[:k]) for k in range(len(parts))]

    def make_parents(self, zarr_format: int) -> None:
        """Create the groups around a new array where there is nothing yet, as zarr-python does."""
        name, content = (
            ("zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": {}})
            if zarr_format == 3
            else (".zgroup", {"zarr_format": 2})
        )
        for folder in self._folders():
            if (folder / ".zarray").exists() or _node_type(folder / "zarr.json") == "array":
                raise FileExistsError(f"'{folder}' is an array already, so there can be nothing inside it; choose another component")
            if any((folder / head).exists() for head in ("zarr.json", ".zgroup")):
                continue
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps(content))


def _node_type(path: Path) -> str | None:
    try:
        return json.loads(path.read_text()).get("node_type")
    except (OSError, ValueError):
        return None


def zarr_python(what: str) -> Any:
    """Import zarr-python, which does what the engine does not."""
    try:
        import zarr
        import zarr.storage
    except ImportError:
        raise ImportError(f"{what} needs the package zarr, version 3 or later: pip install zarr") from None
    return zarr


# How a new Zarr array is laid out


class Layout:
    """The keywords of a new Zarr array, for the engine where it knows them all, else for zarr-python."""

    def __init__(
        self,
        arr: Any,
        *,
        zarr_format: int,
        chunks: Any,
        shards: Any,
        compressors: Any,
        filters: Any,
        serializer: Any,
        fill_value: Any,
        dimension_names: Any,
        attributes: Any,
        keys: Any,
        separator: str | None,
        order: str | None,
        overwrite: bool,
    ):
        self.arr, self.compressors, self.overwrite = arr, compressors, overwrite
        self.zarr_format = int(zarr_format)
        if self.zarr_format not in (2, 3):
            raise ValueError(f"zarr_format must be 2 or 3, not {zarr_format!r}")
        if order not in (None, "C", "F"):
            raise ValueError(f"order must be 'C' or 'F', not {order!r}")
        self.shards = _sides(shards, "shards", arr)
        if self.shards is not None and self.zarr_format == 2:
            raise ValueError("shards need zarr_format=3; version 2 of Zarr has none")
        self.chunks = chunk_sides(chunks, arr, self.shards)
        self.filters = [] if filters is None or (isinstance(filters, str) and filters == "auto") else _as_list(filters)
        self.serializer = None if isinstance(serializer, str) and serializer == "auto" else serializer
        # In version 3, order is no property of the file.
        self.order = order if self.zarr_format == 2 and order == "F" else "C"
        self.fill_value = None if fill_value is None else _fill(fill_value, arr.dtype)
        names = dimension_names if dimension_names is not None else arr._expr.axes
        self.names = list(names) if names is not None and any(name is not None for name in names) else []
        if self.names and len(self.names) != arr.ndim:
            raise ValueError(f"dimension_names has {len(self.names)} names for {arr.ndim} axes")
        self.attributes = dict(attributes or {})
        kind, given = _keys(keys)
        self.kind, self.separator = kind, separator or given or ("." if self.zarr_format == 2 or kind == "v2" else "/")

    def native(self) -> dict[str, Any] | None:
        """Give what the engine needs to create the array; None where it cannot."""
        simple = self.serializer is None or _is_little(self.serializer, self.arr.itemsize)
        if self.filters or not simple or self.order == "F" or (self.kind == "v2" and self.zarr_format == 3):
            return None
        try:
            codec = codec_text(self.compressors, self.arr.itemsize)
        except _Uncommon:
            return None
        options: dict[str, Any] = {"overwrite": self.overwrite, "zarr_format": self.zarr_format, "separator": self.separator}
        if codec is not None:
            options["codec"] = codec
        if self.chunks is not None:
            options["chunks"] = self.chunks
        if self.shards is not None:
            options["shards"] = self.shards
        if self.fill_value is not None:
            options["fill_value"] = self.fill_value.item()
        if self.names:
            options["dimension_names"] = self.names
        if self.attributes:
            options["attributes"] = self.attributes
        return options

    def create(self, place: Place) -> Any:
        """Let zarr-python create the array."""
        zarr = zarr_python("these settings")
        attributes = dict(self.attributes)
        if self.names and self.zarr_format == 2:
            attributes.setdefault("_ARRAY_DIMENSIONS", [name or f"dim_{k}" for k, name in enumerate(self.names)])
        more: dict[str, Any] = {}
        if self.serializer is not None:
            more["serializer"] = self.serializer
        if self.fill_value is not None:
            more["fill_value"] = self.fill_value
        if self.zarr_format == 2:
            more["order"] = self.order
        try:
            return zarr.create_array(
                place.store if place.location is None else place.root,
                name=place.path or None,
                shape=self.arr.shape,
                dtype=self.arr.dtype,
                chunks="auto" if self.chunks is None else tuple(self.chunks),
                shards=None if self.shards is None else tuple(self.shards),
                filters=[_for_zarr(codec, self.zarr_format, self.arr.itemsize) for codec in self.filters] or None,
                compressors=self._compressors(),
                zarr_format=self.zarr_format,
                attributes=attributes or None,
                chunk_key_encoding={"name": self.kind or ("v2" if self.zarr_format == 2 else "default"), "separator": self.separator},
                dimension_names=self.names if self.names and self.zarr_format == 3 else None,
                overwrite=self.overwrite,
                **more,
            )
        except (zarr.errors.ContainsArrayError, zarr.errors.ContainsGroupError) as error:
            raise FileExistsError(f"{error} Set overwrite=True to replace it, or choose another name.") from None

    def _compressors(self) -> Any:
        given = DEFAULT_CODEC if isinstance(self.compressors, str) and self.compressors == "auto" else self.compressors
        codecs = [
            _for_zarr(codec, self.zarr_format, self.arr.itemsize) for codec in _as_list(given) if codec is not None and codec != "none"
        ]
        if self.zarr_format == 3:
            return codecs or None
        if len(codecs) > 1:
            raise ValueError(f"version 2 of Zarr has one compressor, not {len(codecs)}; pass the others as filters")
        return codecs[0] if codecs else None


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def config_order(config: Any) -> str | None:
    """Give the order of elements in zarr-python's `config`, if there is one."""
    if config is None:
        return None
    return config.get("order") if isinstance(config, Mapping) else getattr(config, "order", None)


def _fill(value: Any, dtype: np.dtype) -> np.generic:
    try:
        return np.asarray(value, dtype=dtype)[()]
    except (OverflowError, TypeError, ValueError) as error:
        raise type(error)(f"fill_value {value!r} does not fit {dtype}: {error}") from None


def _sides(given: Any, name: str, arr: Any) -> list[int] | None:
    """Give one length per axis from a number or a sequence."""
    if given is None or given is False or (isinstance(given, str) and given == "auto"):
        return None
    if isinstance(given, Mapping):
        given = given["shape"]
    sides = [int(n) for n in given] if isinstance(given, (tuple, list, np.ndarray)) else [int(given)] * arr.ndim
    if len(sides) != arr.ndim:
        raise ValueError(f"{name} {tuple(sides)} are for {len(sides)} axes, the array has {arr.ndim}")
    sides = [n if side == -1 else side for side, n in zip(sides, arr.shape)]
    if any(side < 1 for side in sides):
        raise ValueError(f"{name} must be at least 1 long, not {tuple(sides)}; -1 stands for the whole axis")
    return sides


def chunk_sides(chunks: Any, arr: Any, shards: list[int] | None) -> list[int] | None:
    """Give the shape of stored chunks: as given, or the declared chunks where these are even and of a size that suits a file."""
    if chunks is None or (isinstance(chunks, str) and chunks == "auto"):
        even = all(len(set(axis[:-1])) <= 1 and axis[-1] <= axis[0] for axis in arr.chunks)
        size = int(np.prod(arr.chunksize, dtype=np.int64)) * arr.itemsize
        wanted = list(arr.chunksize) if chunks is None and even and arr.npartitions > 1 and 4 << 10 <= size < 512 << 20 else None
        if shards is None:
            return wanted
        # Shards are made of whole chunks.
        return [_divisor(shard, want) for shard, want in zip(shards, wanted or [64] * arr.ndim)]
    if isinstance(chunks, (tuple, list)) and len(chunks) == arr.ndim and all(isinstance(n, (int, np.integer)) and n > 0 for n in chunks):
        return [int(n) for n in chunks]
    lengths = normalize_chunks(chunks, arr.shape, dtype=arr.dtype)
    if any(len(set(axis[:-1])) > 1 or axis[-1] > axis[0] for axis in lengths):
        raise ValueError(f"stored chunks must be even, not {lengths}")
    return [max(axis[0], 1) for axis in lengths]


def _divisor(n: int, most: int) -> int:
    """Give the largest number up to `most` that divides `n`."""
    return next(k for k in range(max(min(n, most), 1), 0, -1) if n % k == 0)


def _keys(encoding: Any) -> tuple[str | None, str | None]:
    """Give name and separator of a chunk key encoding."""
    if encoding is None:
        return None, None
    if hasattr(encoding, "to_dict"):
        encoding = encoding.to_dict()
    if not isinstance(encoding, Mapping):
        return getattr(encoding, "name", None), getattr(encoding, "separator", None)
    return encoding.get("name"), encoding.get("separator") or encoding.get("configuration", {}).get("separator")


# Codecs


class _Uncommon(ValueError):
    """A codec that the engine does not create arrays with by itself."""


def _is_little(serializer: Any, itemsize: int) -> bool:
    """Say whether a serializer is the usual one: elements as they are, least byte first."""
    found = serializer.to_dict() if hasattr(serializer, "to_dict") else serializer
    if not isinstance(found, Mapping) or found.get("name") != "bytes":
        return False
    endian = found.get("configuration", {}).get("endian", "little")
    return itemsize == 1 or getattr(endian, "value", endian) == "little"


def _codec_dict(codec: Any, itemsize: int) -> dict[str, Any]:
    """Give a codec of zarr-python or numcodecs, its dict in either version's form, or text, as one flat dict."""
    if isinstance(codec, str):
        name, *rest = codec.split(":")
        flat: dict[str, Any] = {"name": "blosc", "cname": name.removeprefix("blosc-")} if name.startswith("blosc-") else {"name": name}
        for key, value in zip(("clevel", "shuffle") if flat["name"] == "blosc" else ("level",), rest):
            flat[key] = int(value) if key != "shuffle" else value
        return flat
    tunable = getattr(codec, "_tunable_attrs", ())
    if hasattr(codec, "to_dict"):
        codec = codec.to_dict()
    elif hasattr(codec, "get_config"):
        codec = codec.get_config()
    if not isinstance(codec, Mapping) or not ("id" in codec or "name" in codec):
        raise TypeError(f"{codec!r} is no codec: pass one of zarr-python or numcodecs, its dict, or text such as 'zstd:3'")
    flat = {key: value for key, value in {**codec, **codec.get("configuration", {})}.items() if key not in ("id", "configuration")}
    flat["name"] = str(codec.get("id") or codec["name"]).removeprefix("numcodecs.")
    flat = {key: getattr(value, "value", value) for key, value in flat.items()}
    if flat["name"] == "blosc" and ("shuffle" in tunable or flat.get("shuffle") == -1):
        flat["shuffle"] = "bitshuffle" if itemsize == 1 else "shuffle"
    return flat


_SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")


def codec_text(codec: Any, itemsize: int = 2) -> str | None:
    """Give a codec of zarr-python or numcodecs as the engine's text; None for the default."""
    if isinstance(codec, str):
        return None if codec == "auto" else codec
    if codec is None or (isinstance(codec, (tuple, list)) and not codec):
        return "none"
    if isinstance(codec, (tuple, list)):
        if len(codec) > 1:
            raise _Uncommon
        return codec_text(codec[0], itemsize)
    flat = _codec_dict(codec, itemsize)
    name, level = flat["name"], flat.get("level")
    if name == "blosc" and not flat.get("blocksize"):
        shuffle = flat.get("shuffle", 1)
        shuffle = shuffle if isinstance(shuffle, str) else _SHUFFLES[shuffle]
        return f"blosc-{flat.get('cname', 'lz4')}:{flat.get('clevel', 5)}:{shuffle}"
    if name == "zstd" and not flat.get("checksum"):
        return f"zstd:{level or 0}"
    if name in ("gzip", "zlib", "bz2"):
        return f"{name}:{1 if level is None else level}"
    if name == "lz4" and flat.get("acceleration", 1) == 1:
        return "lz4"
    raise _Uncommon


def _for_zarr(codec: Any, zarr_format: int, itemsize: int) -> Any:
    """Give a codec in the form that zarr-python takes for a version of the format."""
    is_own = hasattr(codec, "to_dict") if zarr_format == 3 else hasattr(codec, "get_config")
    if is_own:
        return codec
    flat = _codec_dict(codec, itemsize)
    name = flat.pop("name")
    if name == "blosc":
        shuffle = flat.get("shuffle", 1)
        shuffle = _SHUFFLES.index(shuffle) if isinstance(shuffle, str) else shuffle
        flat |= {"shuffle": _SHUFFLES[shuffle] if zarr_format == 3 else shuffle}
        flat.pop("typesize", None)
    if zarr_format == 2:
        import numcodecs

        return numcodecs.get_codec({"id": name, **flat})
    known = ("blosc", "zstd", "gzip", "crc32c", "transpose", "bytes", "sharding_indexed", "cast_value", "scale_offset")
    return {"name": name if name in known else f"numcodecs.{name}", "configuration": flat}
