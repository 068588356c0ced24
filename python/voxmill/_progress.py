"""The progress bar: in terminals on standard error, in notebooks below the cell."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

_shown = threading.local()


def watcher(wish: Any) -> tuple[Callable[[dict], None] | None, Callable[[], None]]:
    """Give what is told about a run as it goes, and what ends the bar. `wish` is True, False, "auto" or a function of one's own."""
    if callable(wish):
        return wish, lambda: None
    bar = getattr(_shown, "bar", None)
    if bar is None and (wish is True or wish == "True"):
        bar = ProgressBar(minimum=0)
    if bar is None and wish == "auto" and _somebody_looks():
        bar = ProgressBar(minimum=1)
    if bar is None:
        return None, lambda: None
    bar._begin()
    return bar._update, bar._end


def _somebody_looks() -> bool:
    return _notebook() is not None or sys.stderr.isatty()


def _notebook() -> Any:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running if running is not None and "kernel" in type(running).__module__ + type(running).__name__.lower() else None


class ProgressBar:
    """Show how far computations in a `with` block are.

    Parameters
    ----------
    minimum : float
        Seconds before the bar appears.
    width : int
        Characters of the bar itself.
    dt : float
        Seconds between two updates.
    out : file, optional
        Where it goes; standard error by default.

    Examples
    --------
    >>> with vm.ProgressBar(out=sys.stdout):  # doctest: +SKIP
    ...     x.mean().compute()
    [########################################] | 100% | 12 of 12 tiles | 1.9 GB/s | 212 MiB of 4.0 GiB | 1.3s
    """

    def __init__(self, minimum: float = 0, width: int = 40, dt: float = 0.1, out: TextIO | None = None):
        self._minimum, self._width, self._dt = minimum, width, dt
        self._out = out
        self._outer: ProgressBar | None = None
        self._display: Any = None

    def register(self) -> None:
        """Show the bar for all work of this thread from now on."""
        self._outer, _shown.bar = getattr(_shown, "bar", None), self

    def unregister(self) -> None:
        """Stop showing it."""
        _shown.bar = self._outer

    def __enter__(self) -> ProgressBar:
        self.register()
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    def _begin(self) -> None:
        self._started = self._last = time.monotonic()
        self._visible = False

    def _update(self, now: dict) -> None:
        at = time.monotonic()
        due = at - self._last >= self._dt or now["finished"]
        if at - self._started < self._minimum or not due:
            return
        self._last, self._visible = at, True
        self._show(self._line(now, at - self._started))

    def _line(self, now: dict, seconds: float) -> str:
        share = 1.0 if now["finished"] else min(now["done"] / max(now["tasks"], 1), 1.0)
        full = int(share * self._width)
        left = "" if share in (0, 1) else f" | {_clock(seconds / share - seconds)} left"
        parts = [f"[{'#' * full}{' ' * (self._width - full)}]", f"{share:4.0%}"]
        if now["tasks"]:
            parts.append(f"{now['done']} of {now['tasks']} {now.get('unit', 'tiles')}")
        if now["memory_limit"]:
            parts.append(f"{_size((now['bytes_read'] + now['bytes_written']) / max(seconds, 1e-9), 1000)}/s")
            parts.append(f"{_size(now['memory'])} of {_size(now['memory_limit'])}")
        return " | ".join([*parts, f"{_clock(seconds)}{left}"])

    def _show(self, line: str) -> None:
        if self._out is None and (shell := _notebook()) is not None:
            self._show_in(shell, line)
            return
        out = self._out or sys.stderr
        out.write(f"\r{line}\x1b[K" if out.isatty() else f"\r{line}")
        out.flush()

    def _show_in(self, shell: Any, line: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": line}
        if self._display is None:
            self._display = display(bundle, raw=True, display_id=True)
        else:
            self._display.update(bundle, raw=True)

    def _end(self) -> None:
        if not self._visible and not self._minimum and sys.exc_info()[0] is None:
            # Work that was over before anything was told of it: who asked for a bar gets one.
            self._update({"tasks": 0, "done": 0, "memory_limit": 0, "finished": True})
        if self._visible and self._display is None:
            print(file=self._out or sys.stderr)
        self._display = None


def _size(count: float, base: int = 1024) -> str:
    units = ["B", "KiB", "MiB", "GiB", "TiB"] if base == 1024 else ["B", "kB", "MB", "GB", "TB"]
    for unit in units:
        if count < base or unit == units[-1]:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= base
    raise AssertionError


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m" if hours else f"{minutes}m {seconds:02d}s"
