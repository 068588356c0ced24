"""Computing: results into memory and into stores, under the limits of a call."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from voxmill import _native, config
from voxmill._core import ARRAY, dtype_of, wrap
from voxmill._progress import watcher


def numpy_of(memory: _native.Memory) -> np.ndarray:
    """Look at a result with NumPy, without copying."""
    values = np.asarray(memory)
    # NumPy has two names for integers of eight bytes; it takes the less usual one for memory that is not its own.
    if values.dtype.char in "qQ":
        return values.view(np.int64 if values.dtype.char == "q" else np.uint64)
    return values.view(dtype_of("bfloat16")) if memory.dtype == "bfloat16" else values


class Runs:
    """The runs that are under way, and what is kept for their time: values that several functions of theirs share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.kept: dict[Any, Any] = {}

    def begin(self) -> None:
        """Note that a run begins."""
        with self.lock:
            self.count += 1

    def end(self) -> None:
        """Note that a run ends; forget what was kept if it was the last one."""
        with self.lock:
            self.count -= 1
            if not self.count and self.kept:
                self.kept = {}


RUNS = Runs()

# A process that is forked while another thread holds the lock could never take it.
os.register_at_fork(after_in_child=RUNS.__init__)


def limited(progress: Any, given: dict[str, Any]) -> tuple[_native.Limits, Callable[[], None]]:
    """Give the limits of a run that begins now, and what to do at its end."""
    watch, finish = watcher(config.get("progress") if progress is None else progress)
    limits = config.limits(watch, **given)
    RUNS.begin()

    def end() -> None:
        RUNS.end()
        finish()

    return limits, end


def compute_exprs(exprs: list[_native.Expr], progress: Any = None, **given: Any) -> list[np.ndarray]:
    """Compute expressions together."""
    limits, finish = limited(progress, given)
    try:
        return [numpy_of(memory) for memory in _native.compute(exprs, limits)]
    finally:
        finish()


def compute(*args: Any, traverse: bool = True, progress: Any = None, **given: Any) -> tuple:
    """Compute several arrays together, so that what they have in common is done once.

    Arrays are found in lists, tuples, dicts and dataclasses, too; everything else is given back as it is.

    Parameters
    ----------
    *args
        Arrays, delayed values, and containers of these.
    traverse : bool
        False to look at the arguments only, not into them.
    progress : bool, optional
        Whether to show a progress bar. By default one appears for work of more than a second, in terminals and notebooks.
    threads, memory_limit, scratch, scratch_limit
        As in `voxmill.config`, for this call.

    Returns
    -------
    tuple
        One result for each argument; arrays as NumPy arrays.

    Examples
    --------
    >>> x = vm.arange(10)
    >>> low, high = vm.compute(x.min(), x.max())
    >>> int(low), int(high)
    (0, 9)
    """
    found: list[Any] = []
    recipe = [_collect(arg, found, traverse) for arg in args]
    lazy = [item for item in found if not isinstance(item, ARRAY)]
    arrays = [item for item in found if isinstance(item, ARRAY)]
    values: dict[int, Any] = {}
    if arrays:
        results = compute_exprs([array._expr for array in arrays], progress, **given)
        values.update((id(array), _scalar_or_array(result)) for array, result in zip(arrays, results))
    if lazy:
        from voxmill._graph import compute_delayed

        values.update((id(item), value) for item, value in zip(lazy, compute_delayed(lazy, progress, **given)))
    return tuple(make(values) for make in recipe)


def _scalar_or_array(values: np.ndarray) -> Any:
    return values[()] if values.ndim == 0 else values


def _is_lazy(value: Any) -> bool:
    return isinstance(value, ARRAY) or hasattr(type(value), "__voxmill_delayed__")


def _collect(value: Any, found: list[Any], traverse: bool) -> Callable[[dict[int, Any]], Any]:
    """Note the lazy things in `value`; give the function that puts their values in their places."""
    if _is_lazy(value):
        found.append(value)
        return lambda values: values[id(value)]
    if traverse and type(value) in (list, tuple, set):
        parts = [_collect(part, found, True) for part in value]
        return lambda values: type(value)(part(values) for part in parts)
    if traverse and type(value) is dict:
        entries = {key: _collect(part, found, True) for key, part in value.items()}
        return lambda values: {key: part(values) for key, part in entries.items()}
    if traverse and dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _collect(getattr(value, f.name), found, True) for f in dataclasses.fields(value) if f.init}
        return lambda values: dataclasses.replace(value, **{name: part(values) for name, part in fields.items()})
    return lambda values: value


def persist(*arrays: Any, traverse: bool = True, progress: Any = None, **given: Any) -> tuple:
    """Compute arrays now and keep them in memory, as arrays to go on with. Arguments are as in `compute`.

    Examples
    --------
    >>> x = (vm.arange(4) * 2).compute()
    >>> (y,) = vm.persist(vm.arange(4) * 2)
    >>> y
    voxmill.Array<shape=(4,), dtype=int64, chunks=(4,)>
    """
    found: list[Any] = []
    recipe = [_collect(arg, found, traverse) for arg in arrays]
    chosen = [item for item in found if isinstance(item, ARRAY)]
    lazy = [item for item in found if not isinstance(item, ARRAY)]
    limits, finish = limited(progress, given)
    try:
        kept = _native.persist([array._expr for array in chosen], limits) if chosen else []
    finally:
        finish()
    values = {id(array): wrap(expr) for array, expr in zip(chosen, kept)}
    if lazy:
        from voxmill._graph import compute_delayed, delayed

        values.update((id(item), delayed(value, traverse=False)) for item, value in zip(lazy, compute_delayed(lazy, progress, **given)))
    return tuple(make(values) for make in recipe)


def explain(*arrays: Any, **given: Any) -> str:
    """Say how arrays would be computed: stages, fused ops, tiles, bytes read and held, promised memory.

    Examples
    --------
    >>> print(vm.explain(vm.ones((4, 4)).sum()))  # doctest: +ELLIPSIS
    plan: ...
    """
    return _native.explain([array._expr for array in arrays], config.limits(**given))
