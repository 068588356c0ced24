"""Work that goes on until nothing changes: rounds over arrays that are held between them."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voxmill import config
from voxmill._run import compute, persist

_folders: list[str] = []
_numbers = itertools.count()


def hold(x: Any) -> Any:
    """Compute an array and keep it: in memory if it takes a small part of the limit, else in the scratch folder until the process ends."""
    return _held(x)[0]


def _held(x: Any) -> tuple[Any, Path | None]:
    # Several arrays are held at a time, beside what the work on them takes.
    if x.nbytes <= config.limits().memory_limit // 16:
        return persist(x)[0], None
    from voxmill._create import from_zarr
    from voxmill._store import to_zarr

    path = _folder() / f"{next(_numbers)}.zarr"
    to_zarr(x, path, compressors=None)
    return from_zarr(path), path


def _folder() -> Path:
    if not _folders:
        scratch = config.get("scratch")
        _folders.append(tempfile.mkdtemp(prefix="voxmill-", dir=None if scratch is None else str(scratch)))
        atexit.register(shutil.rmtree, _folders[0], ignore_errors=True)
    return Path(_folders[0])


def until_stable(step: Callable[[Any], Any], x: Any) -> Any:
    """Repeat a step until it changes nothing. What was held for a round is given up after the next one."""
    x, path = _held(x)
    while True:
        new, new_path = _held(step(x))
        (changed,) = compute((new != x).any(), progress=False)
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)
        if not changed:
            return new
        x, path = new, new_path
