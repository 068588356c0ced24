"""Functions that run in the background."""

from __future__ import annotations

import collections
import heapq
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from voxmill import config
from voxmill._calls import name_of
from voxmill._graph import FUTURE, FutureNode, Node, _Dict, _Graph, _numbers, _order, _Parts, filled, template

# Futures


_state = threading.RLock()
"""Guards the state of all futures: what is done under it is short."""


def _cancelled(future: Future) -> Exception:
    from concurrent.futures import CancelledError

    return CancelledError(future.key)


class Future(FUTURE):
    """The result of a function that other threads compute; see `submit`."""

    __slots__ = ("key", "_status", "_value", "_error", "_callbacks", "_event", "_task", "_missing", "_limit", "_priority", "__weakref__")
    __voxmill_delayed__ = True

    def __init__(self, key: str, task: _Task, priority: float):
        self.key, self._task, self._priority = key, task, priority
        self._limit = config.limits().threads
        self._status = "pending"
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future], Any]] = []
        self._event: threading.Event | None = None
        self._missing = 0

    @property
    def status(self) -> str:
        """One of "pending" (which includes running), "finished", "error" and "cancelled"."""
        return "pending" if self._status == "running" else self._status

    def done(self) -> bool:
        """Whether it is over, in one way or another."""
        return self._status in ("finished", "error", "cancelled")

    def running(self) -> bool:
        """Whether its function is being called."""
        return self._status == "running"

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._status == "cancelled"

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result; raise what the function raised."""
        self._wait(timeout)
        if self._status == "cancelled":
            raise _cancelled(self)
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait; give what the function raised, or None."""
        self._wait(timeout)
        if self._status == "cancelled":
            raise _cancelled(self)
        return self._error

    def traceback(self, timeout: float | None = None) -> Any:
        """Wait; give the traceback of what the function raised, or None."""
        error = self.exception(timeout)
        return None if error is None else error.__traceback__

    def cancel(self) -> bool:
        """Do not call the function; False if it is being called or was called already."""
        with _state:
            if self._status != "pending":
                return self._status == "cancelled"
        self._end("cancelled")
        return True

    def add_done_callback(self, function: Callable[[Future], Any]) -> None:
        """Call a function with the future when it is over; at once if it is."""
        with _state:
            if not self.done():
                self._callbacks.append(function)
                return
        function(self)

    def __repr__(self) -> str:
        return f"<Future: {self.status}, key: {self.key}>"

    def __reduce__(self) -> tuple:
        raise TypeError("a future cannot be pickled: its result belongs to this process; wait for it first")

    def _wait(self, timeout: float | None) -> None:
        with _state:
            if self.done():
                return
            event = self._event = self._event or threading.Event()
        try:
            with _pool.blocked():
                over = event.wait(timeout)
        except KeyboardInterrupt:
            self.cancel()
            raise
        if not over:
            raise TimeoutError(f"{self.key} was not over after {timeout} s")

    def _end(self, status: str, value: Any = None, error: BaseException | None = None) -> None:
        with _state:
            if self.done():
                return
            self._status, self._value, self._error = status, value, error
            callbacks, self._callbacks, self._task = self._callbacks, [], None
            if self._event is not None:
                self._event.set()
        for function in callbacks:
            try:
                function(self)
            except Exception:  # As in the standard library: the one who waits is not to blame.
                import logging

                logging.getLogger("voxmill").exception("a function that was to be called at the end of %s failed", self.key)

    def _begin(self) -> bool:
        with _state:
            if self._status != "pending":
                return False
            self._status = "running"
            return True


class _Task:
    """A call that a thread of the pool makes."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict, retries: int):
        self.node = Node(function, args, kwargs, name_of(function))
        self.retries = retries
        self.layers = config.layers()

    @property
    def futures(self) -> list[Future]:
        """What must be over before."""
        return [dep.future for dep in self.node.deps if isinstance(dep, FutureNode)]

    def run(self) -> Any:
        """Call the function."""
        with config.within(self.layers):
            values = {dep: dep.future._value for dep in self.node.deps if isinstance(dep, FutureNode)}
            lazy = [dep for dep in self.node.deps if dep not in values]
            if lazy:
                values.update(zip(lazy, _Graph(_order(lazy), lazy, {}, None).compute(1)))
            for tries_left in range(self.retries, -1, -1):
                try:
                    return self.node.run(values)
                except Exception:
                    if not tries_left:
                        raise


class _Pool:
    """Threads that live as long as there is something to do, and a moment longer."""

    LINGER = 0.05
    """Seconds that a thread waits for more: the end of a process waits for its threads."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.queue: list[tuple[float, int, Future]] = []
        self.threads: set[threading.Thread] = set()
        self.idle = 0
        self.busy = 0
        self.open: weakref.WeakSet[Future] = weakref.WeakSet()

    def add(self, future: Future) -> None:
        """Queue a future."""
        with self.changed:
            heapq.heappush(self.queue, (-future._priority, next(_numbers), future))
            self._staff()

    def _has_work(self) -> bool:
        return bool(self.queue) and self.busy < self.queue[0][2]._limit

    def _staff(self) -> None:
        """Wake a thread, and start one if those that are idle will not do."""
        if not self._has_work():
            return
        self.changed.notify()
        if self.idle < len(self.queue) and self.idle + self.busy < self.queue[0][2]._limit:
            thread = threading.Thread(target=self._work, name="voxmill-future")
            self.threads.add(thread)
            self.idle += 1
            thread.start()

    class _Blocked:
        def __init__(self, pool: _Pool):
            self.pool = pool
            self.mine = threading.current_thread() in pool.threads

        def __enter__(self) -> None:
            if self.mine:
                with self.pool.changed:
                    self.pool.busy -= 1
                    self.pool._staff()

        def __exit__(self, *_: object) -> None:
            if self.mine:
                with self.pool.changed:
                    self.pool.busy += 1

    def blocked(self) -> _Blocked:
        """While a thread of the pool waits for another task, one more may work: or all could wait for what nobody does."""
        return self._Blocked(self)

    def _work(self) -> None:
        while (future := self._next()) is not None:
            self._run(future)
            del future  # Its result may be large, and the thread may wait.
            with self.changed:
                self.busy -= 1
                self.idle += 1

    def _run(self, future: Future) -> None:
        task = future._task
        if task is None or not future._begin():
            return
        try:
            value = task.run()
        except BaseException as error:
            future._end("error", error=error)
        else:
            future._end("finished", value)

    def _next(self) -> Future | None:
        with self.changed:
            while not self._has_work():
                if not self.changed.wait(self.LINGER) and not self._has_work():
                    self.idle -= 1
                    self.threads.discard(threading.current_thread())
                    return None
            self.idle -= 1
            self.busy += 1
            future = heapq.heappop(self.queue)[2]
        if _leaving():
            future.cancel()
        return future


def _leaving() -> bool:
    """Whether the process is about to end because of Ctrl-C: what is not begun then is not wanted any more."""
    return getattr(sys, "last_type", None) is KeyboardInterrupt and not threading.main_thread().is_alive()


_pool = _Pool()


def _after_fork() -> None:
    """In a forked process no thread works any more: what was under way will not be over."""
    global _pool, _state
    left, _pool, _state = list(_pool.open), _Pool(), threading.RLock()
    for future in left:
        future._end("cancelled")


os.register_at_fork(after_in_child=_after_fork)


def submit(
    func: Callable,
    *args: Any,
    key: str | None = None,
    pure: bool | None = None,
    retries: int | None = None,
    priority: float = 0,
    **kwargs: Any,
) -> Future:
    """Call a function on another thread, and give its result as a future.

    As many functions run at the same time as `voxmill.config` has threads.

    Parameters
    ----------
    func : callable
    *args, **kwargs
        Passed on. Futures among them, also in containers, are replaced by their results: the function is called when these are there.
        Delayed values and arrays are computed.
    key : str, optional
        A name for it.
    pure : bool, optional
        Accepted for Dask's sake.
    retries : int, optional
        How often to call the function again if it raises.
    priority : float
        What has a higher one is called first.

    Returns
    -------
    Future

    Examples
    --------
    >>> total = vm.submit(sum, [1, 2, 3])
    >>> vm.submit(pow, total, 2).result()
    36
    """
    if not callable(func):
        raise TypeError(f"the first argument of submit must be a function, not {type(func).__name__}")
    task = _Task(func, args, kwargs, int(retries or 0))
    future = Future(key or f"{name_of(func)}-{next(_numbers)}", task, priority)
    _pool.open.add(future)
    before = [other for other in task.futures if not (other.done() and other.status == "finished")]
    future._missing = len(before) + 1

    def one_less(over: Future | None) -> None:
        if over is not None and over.status != "finished":
            future._end(over.status, error=over._error)
            return
        with _state:
            future._missing -= 1
            ready = not future._missing
        if ready and not future.done():
            _pool.add(future)

    for other in before:
        other.add_done_callback(one_less)
    one_less(None)
    return future


def map(
    func: Callable,
    *iterables: Iterable,
    key: str | None = None,
    pure: bool | None = None,
    retries: int | None = None,
    priority: float = 0,
    **kwargs: Any,
) -> list[Future]:
    """Call a function for each item, or for the items of several sequences together; see `submit`.

    Examples
    --------
    >>> vm.gather(vm.map(lambda a, b: a + b, [1, 2], [10, 20]))
    [11, 22]
    """
    if not iterables:
        raise TypeError("map needs something to call the function with")
    futures: list[Future] = []
    try:
        for k, row in enumerate(zip(*iterables)):
            name = None if key is None else f"{key}-{k}"
            futures.append(submit(func, *row, key=name, retries=retries, priority=priority, **kwargs))
    except KeyboardInterrupt:
        for future in futures:
            future.cancel()
        raise
    return futures


def gather(futures: Any, errors: str = "raise") -> Any:
    """Wait for futures, and give their results in the same containers.

    Parameters
    ----------
    futures : Future, or lists, tuples, sets, dicts and so on of them
    errors : str
        ``"raise"`` to raise what a function raised; ``"skip"`` to leave such futures out of lists.

    Examples
    --------
    >>> vm.gather({"a": vm.submit(abs, -1), "b": [vm.submit(abs, -2)]})
    {'a': 1, 'b': [2]}
    """
    if errors not in ("raise", "skip"):
        raise ValueError(f"errors must be 'raise' or 'skip', not {errors!r}")
    found: list[Node] = []
    whole = template(futures, found)
    waited = [node for node in found if isinstance(node, FutureNode)]
    try:
        for node in waited:
            node.future._wait(None)
    except KeyboardInterrupt:
        for node in waited:
            node.future.cancel()
        raise
    if errors == "skip":
        return _skipped(whole)
    lazy = [node for node in dict.fromkeys(found) if not isinstance(node, FutureNode)]
    values = {node: node.future.result() for node in waited}
    values.update(zip(lazy, _Graph(_order(lazy), lazy, {}, None).compute(1)) if lazy else ())
    return filled(whole, values)


def _skipped(value: Any) -> Any:
    """Give results without those of futures that failed."""
    if isinstance(value, FutureNode):
        return value.future._value
    if type(value) is not _Parts:
        return value
    failed = [isinstance(part, FutureNode) and part.future.status != "finished" for part in value.parts]
    if isinstance(value.build, _Dict):
        failed = [flag or failed[k ^ 1] for k, flag in enumerate(failed)]
    return value.build([_skipped(part) for part, flag in zip(value.parts, failed) if not flag])


class DoneAndNotDone(NamedTuple):
    """What `wait` gives."""

    done: set[Future]
    not_done: set[Future]


def wait(fs: Any, timeout: float | None = None, return_when: str = "ALL_COMPLETED") -> DoneAndNotDone:
    """Wait until futures are over.

    Parameters
    ----------
    fs : Future or iterable of futures
    timeout : float, optional
        Seconds, after which TimeoutError is raised.
    return_when : str
        ``"ALL_COMPLETED"``, or ``"FIRST_COMPLETED"`` to return when one is over.

    Returns
    -------
    DoneAndNotDone
        Two sets of futures, `done` and `not_done`.
    """
    if return_when not in ("ALL_COMPLETED", "FIRST_COMPLETED"):
        raise ValueError(f"return_when must be 'ALL_COMPLETED' or 'FIRST_COMPLETED', not {return_when!r}")
    futures = [fs] if isinstance(fs, Future) else list(fs)
    wanted = len(futures) if return_when == "ALL_COMPLETED" else min(len(futures), 1)
    waiting = as_completed(futures, timeout=timeout)
    for _ in range(wanted):
        next(waiting)
    done = {future for future in futures if future.done()}
    return DoneAndNotDone(done, set(futures) - done)


class as_completed:
    """Give futures in the order in which they are over.

    Parameters
    ----------
    futures : iterable of futures, optional
    with_results : bool
        True to give pairs of a future and its result.
    raise_errors : bool
        With `with_results`: whether to raise what a function raised, or to give it as the result.
    timeout : float, optional
        Seconds from now, after which TimeoutError is raised.

    Examples
    --------
    >>> sorted(future.result() for future in vm.as_completed(vm.map(abs, [-1, -2, -3])))
    [1, 2, 3]
    """

    def __init__(
        self, futures: Iterable[Future] = (), with_results: bool = False, raise_errors: bool = True, *, timeout: float | None = None
    ):
        self._over: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._left: collections.Counter[Future] = collections.Counter()
        self._with_results, self._raise_errors = with_results, raise_errors
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self.update(futures)

    def add(self, future: Future) -> None:
        """Wait for one more future."""
        if not isinstance(future, Future):
            raise TypeError(f"as_completed takes futures, not {type(future).__name__}")
        self._left[future] += 1
        future.add_done_callback(self._over.put)

    def update(self, futures: Iterable[Future]) -> None:
        """Wait for more futures."""
        for future in futures:
            self.add(future)

    def count(self) -> int:
        """Give the number of futures that were not given yet."""
        return self._left.total()

    def is_empty(self) -> bool:
        """Say whether all futures were given."""
        return not self._left

    def __iter__(self) -> as_completed:
        return self

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        try:
            with _pool.blocked():
                future = self._over.get(timeout=None if self._end is None else max(self._end - time.monotonic(), 0))
        except queue.Empty:
            raise TimeoutError(f"{len(self._left)} futures were not over after {self._timeout} s") from None
        except KeyboardInterrupt:
            for other in self._left:
                other.cancel()
            raise
        self._left[future] -= 1
        if not self._left[future]:
            del self._left[future]
        if not self._with_results:
            return future
        if self._raise_errors:
            return future, future.result()
        return future, future._value if future.status == "finished" else future._error
