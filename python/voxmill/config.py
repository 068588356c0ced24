"""Settings of a process, of a `with` block, or of one call.

>>> import voxmill as vm
>>> with vm.config.set(threads=2, memory_limit="1GiB"):
...     vm.ones(3).sum().compute()
np.float64(3.0)
"""

from __future__ import annotations

import contextlib
import functools
import operator
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

from voxmill import _native

DEFAULTS: dict[str, Any] = {
    "threads": None,
    "memory_limit": None,
    "scratch": None,
    "scratch_limit": None,
    "progress": "auto",
    "random_tiles": None,
}
"""What can be set. `None` means: chosen from the machine.

threads
    Tasks that compute at the same time. Also from the environment, as it is when the package is imported: ``VOXMILL_THREADS``.
memory_limit
    Bytes that all work may take together, a number or text such as ``"4GiB"``. Also ``VOXMILL_MEMORY_LIMIT``.
scratch, scratch_limit
    Folder for what does not fit memory, and the bytes that may lie there. Also ``VOXMILL_SCRATCH`` and ``VOXMILL_SCRATCH_LIMIT``.
progress
    ``"auto"`` shows a bar for work of more than a second where somebody may look, `True` always, `False` never.
"""

_process = {name: os.environ.get(f"VOXMILL_{name.upper()}", default) for name, default in DEFAULTS.items()}
_changes: list[tuple[weakref.ref, dict[str, Any]]] = []
"""Settings of the process that may yet turn out to be those of a `with` block, newest last."""
_now = dict(_process)
"""Settings of the process with those changes. Never changed, but replaced."""
_lock = threading.RLock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # Another thread may have held it.
_thread = threading.local()


def get(name: str) -> Any:
    """Give the setting `name` as it is now, in this thread."""
    if name not in DEFAULTS:
        raise KeyError(f"there is no setting {name!r}; there are {', '.join(DEFAULTS)}")
    return _settings()[name]


def _settings() -> dict[str, Any]:
    """Give all settings as they are now, in this thread."""
    result = _now
    for layer in getattr(_thread, "layers", ()):
        result = {**result, **layer}
    return result


def _change() -> None:
    """Note that the settings of the process have changed."""
    global _now
    _now = dict(_process)
    for _, change in _changes:
        _now.update(change)


class set:
    """Change settings: for the process at once, and back again at the end of a `with` block.

    >>> with vm.config.set(memory_limit="512MiB"):
    ...     vm.config.get("memory_limit")
    '512MiB'
    """

    def __init__(self, **settings: Any):
        limits(**{**_settings(), **settings})  # Refuses what is wrong here and now.
        self._settings = settings
        with _lock:
            # What nobody holds any more can begin no block.
            while _changes and _changes[0][0]() is None:
                _process.update(_changes.pop(0)[1])
            _changes.append((weakref.ref(self), settings))
            _change()

    def __enter__(self) -> set:
        # Within the block the settings are those of this thread.
        with _lock:
            _changes[:] = [change for change in _changes if change[0]() is not self]
            _change()
        _thread.layers = (*getattr(_thread, "layers", ()), self._settings)
        return self

    def __exit__(self, *_: object) -> None:
        _thread.layers = _thread.layers[:-1]


def layers() -> tuple[dict[str, Any], ...]:
    """Give the settings of `with` blocks around this place, for another thread that works for this one."""
    return getattr(_thread, "layers", ())


@contextlib.contextmanager
def within(settings: tuple[dict[str, Any], ...]) -> Iterator[None]:
    """Work with the settings of another thread's `with` blocks."""
    before = layers()
    _thread.layers = settings
    try:
        yield
    finally:
        _thread.layers = before


def limits(watch: Any = None, **given: Any) -> _native.Limits:
    """Give the limits of one call: what it says, else the settings."""
    settings = _settings()
    if given:
        settings = {**settings, **{name: value for name, value in _understood(given).items() if value is not None}}
    threads, memory, scratch = settings["threads"], settings["memory_limit"], settings["scratch"]
    quota, seed = settings["scratch_limit"], settings["random_tiles"]
    usual = _machine()
    return _native.Limits(
        usual.threads if threads is None else _threads(threads),
        str(usual.memory_limit if memory is None else memory),
        None if scratch is None else os.fspath(scratch),
        None if quota is None else str(quota),
        watch,
        None if seed is None else int(seed),
    )


@functools.cache
def _machine() -> _native.Limits:
    """Give what the machine has. To ask it takes longer than many a computation."""
    return _native.Limits()


_ONE_THREAD = ("synchronous", "sync", "single-threaded")
_SCHEDULERS = (None, "threads", "threading", "processes", "multiprocessing", *_ONE_THREAD)


def _understood(given: dict[str, Any]) -> dict[str, Any]:
    """Give settings by their own names: Dask's words for threads are understood, too."""
    given = dict(given)
    scheduler, workers = given.pop("scheduler", None), given.pop("num_workers", None)
    given.pop("optimize_graph", None)
    if isinstance(scheduler, str) and scheduler not in _SCHEDULERS:
        raise ValueError(f"there is no scheduler {scheduler!r}: work is done by threads, whose number is threads=")
    if scheduler in _ONE_THREAD:
        workers = 1
    if workers is not None:
        given.setdefault("threads", workers)
    for name in given:
        if name not in DEFAULTS:
            raise TypeError(f"there is no setting {name!r}; there are {', '.join(DEFAULTS)}")
    progress = given.get("progress")
    if not (progress is None or isinstance(progress, bool) or callable(progress) or progress in ("auto", "True", "False")):
        raise ValueError(f"progress must be True, False or 'auto', not {progress!r}")
    return given


def _threads(value: Any) -> int:
    try:
        threads = int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"threads must be a whole number, not {value!r}") from None
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    return threads
