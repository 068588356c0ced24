"""Delayed values: what they depend on, and how they are pickled and computed."""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
import operator
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from voxmill import config
from voxmill._calls import name_of
from voxmill._core import ARRAY
from voxmill._progress import watcher
from voxmill._run import RUNS, compute_exprs

_numbers = itertools.count()


class FUTURE:
    """What `Future` is made from: enough to tell futures from other things, in modules that `Future` itself needs."""

    __slots__ = ()


# Values and what they depend on


class Node:
    """One call: a function, its arguments, and the nodes among these."""

    __slots__ = ("function", "args", "kwargs", "deps", "name", "uses", "number", "__weakref__")

    def __init__(self, function: Callable, args: tuple, kwargs: dict, name: str):
        found: list[Node] = []
        self.function, self.name, self.number = function, name, next(_numbers)
        self.args = tuple([template(arg, found) for arg in args])
        self.kwargs = {key: template(value, found) for key, value in kwargs.items()}
        self.deps = tuple(dict.fromkeys(found))
        self.uses = 0
        for dep in self.deps:
            dep.uses += 1

    def run(self, values: dict[Node, Any]) -> Any:
        """Call the function; its dependencies have their values."""
        args = [filled(arg, values) for arg in self.args]
        kwargs = {key: filled(value, values) for key, value in self.kwargs.items()}
        try:
            return self.function(*args, **kwargs)
        except Exception as error:
            if self.function is not _same:
                error.add_note(f"in the delayed call of {self.name}")
            raise


class ArrayNode(Node):
    """The values of an array."""

    __slots__ = ("array",)

    def __init__(self, array: Any):
        super().__init__(_same, (), {}, "array")
        self.array = array

    def run(self, values: dict[Node, Any]) -> Any:
        return _values_of([self.array], {})[0]


class FutureNode(Node):
    """The result of a future."""

    __slots__ = ("future",)

    def __init__(self, future: Any):
        super().__init__(_same, (), {}, "future")
        self.future = future

    def run(self, values: dict[Node, Any]) -> Any:
        return self.future.result()


def _same(value: Any = None) -> Any:
    return value


def _values_of(arrays: Sequence, given: dict[str, Any]) -> list[Any]:
    made = compute_exprs([array._expr for array in arrays], False, **given)
    return [values[()] if values.ndim == 0 else values for values in made]


class _Parts:
    """A container with nodes in it."""

    __slots__ = ("build", "parts")

    def __init__(self, build: Callable[[list], Any], parts: list):
        self.build, self.parts = build, parts


class _Dict:
    """Builds a dict from keys and values one after the other."""

    def __init__(self, kind: type):
        self.kind = kind

    def __call__(self, parts: list) -> Any:
        return self.kind(zip(parts[::2], parts[1::2]))


class _Fields:
    """Builds a dataclass from the values of its fields."""

    def __init__(self, value: Any, names: list[str]):
        self.value, self.names = value, names

    def __call__(self, parts: list) -> Any:
        return dataclasses.replace(self.value, **dict(zip(self.names, parts)))


class _Splat:
    """Builds a named tuple, or a slice."""

    def __init__(self, kind: Callable):
        self.kind = kind

    def __call__(self, parts: list) -> Any:
        return self.kind(*parts)


def template(value: Any, found: list[Node]) -> Any:
    """Give a value with nodes in the places of delayed values, arrays and futures, which are added to `found`."""
    kind = type(value)
    if isinstance(value, Delayed):
        found.append(value._node)
        return value._node
    if isinstance(value, ARRAY):
        found.append(ArrayNode(value))
        return found[-1]
    if isinstance(value, FUTURE):
        found.append(FutureNode(value))
        return found[-1]
    if kind in (list, tuple, set, frozenset):
        build, parts = kind, list(value)
    elif kind is dict:
        build, parts = _Dict(kind), list(itertools.chain.from_iterable(value.items()))
    elif kind is slice:
        build, parts = _Splat(slice), [value.start, value.stop, value.step]
    elif isinstance(value, tuple) and hasattr(kind, "_fields"):
        build, parts = _Splat(kind), list(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        build, parts = _Fields(value, names), [getattr(value, name) for name in names]
    else:
        return value
    before = len(found)
    parts = [template(part, found) for part in parts]
    return _Parts(build, parts) if len(found) > before else value


def filled(value: Any, values: dict[Node, Any]) -> Any:
    """Give a template with values in the places of nodes."""
    if isinstance(value, Node):
        return values[value]
    if type(value) is _Parts:
        return value.build([filled(part, values) for part in value.parts])
    return value


# What users hold


class Delayed:
    """A value that is computed later: a call of a function, which may depend on other such values.

    What one does with it is noted, too: operators, indexing, attributes, and calls of its methods give delayed values. See `delayed`.
    """

    __slots__ = ("_node", "_length", "__weakref__")
    __voxmill_delayed__ = True

    def __init__(self, node: Node, length: int | None = None):
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_length", length)

    @property
    def key(self) -> str:
        """A name that no other delayed value has."""
        return f"{self._node.name}-{self._node.number}"

    def compute(self, *, progress: Any = None, **limits: Any) -> Any:
        """Compute the value, and all that it depends on, each once.

        Calls that do not depend on each other run at the same time, on as many threads as `voxmill.config` says.
        """
        return compute_delayed([self], progress, **limits)[0]

    def persist(self, **limits: Any) -> Delayed:
        """Compute the value now, and keep it."""
        return delayed(self.compute(**limits), traverse=False)

    def __call__(self, *args: Any, dask_key_name: str | None = None, pure: bool | None = None, **kwargs: Any) -> Delayed:
        return _call(dask_key_name or self._node.name, operator.call, self, *args, **kwargs)

    def __getattr__(self, name: str) -> Delayed:
        if name.startswith("_"):
            raise AttributeError(f"a delayed value has no attribute {name!r}: names with an underscore are not delayed")
        return _call(name, getattr, self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError("delayed values cannot be changed")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("delayed values cannot be changed")

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __iter__(self) -> Iterator[Delayed]:
        if self._length is None:
            raise TypeError("a delayed value cannot be iterated over unless its length is known: pass nout= to delayed")
        return (self[k] for k in range(self._length))

    def __len__(self) -> int:
        if self._length is None:
            raise TypeError("the length of a delayed value is not known: pass nout= to delayed")
        return self._length

    def __bool__(self) -> bool:
        raise TypeError("whether a delayed value is true is not known before it is computed: call compute()")

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return f"Delayed({self.key!r})"

    def __reduce__(self) -> tuple:
        return _unpickled, (_pickled(self._node), self._length)

    def __copy__(self) -> Delayed:
        return self

    def __deepcopy__(self, memo: Any) -> Delayed:
        return self


def _call(name: str, function: Callable, /, *args: Any, **kwargs: Any) -> Delayed:
    return Delayed(Node(function, args, kwargs, name))


def _add_operators() -> None:
    """Give `Delayed` Python's operators, also with the delayed value on the right."""

    def forward(name: str, function: Callable) -> Callable:
        return lambda self, *others: _call(name, function, self, *others)

    def backward(name: str, function: Callable) -> Callable:
        return lambda self, other: _call(name, function, other, self)

    for name in ("abs", "neg", "pos", "invert", "eq", "ne", "lt", "le", "gt", "ge", "getitem"):
        setattr(Delayed, f"__{name}__", forward(name, getattr(operator, name)))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
        word = name.rstrip("_")
        setattr(Delayed, f"__{word}__", forward(word, getattr(operator, name)))
        setattr(Delayed, f"__r{word}__", backward(word, getattr(operator, name)))
    Delayed.__divmod__ = forward("divmod", divmod)  # type: ignore[attr-defined]
    Delayed.__rdivmod__ = backward("divmod", divmod)  # type: ignore[attr-defined]


_add_operators()


class DelayedFunction(Delayed):
    """A function whose calls are delayed."""

    def __init__(self, function: Callable, name: str, length: int | None):
        super().__init__(Node(_same, (function,), {}, name), length)
        object.__setattr__(self, "__name__", name)
        object.__setattr__(self, "__doc__", getattr(function, "__doc__", None))
        object.__setattr__(self, "__wrapped__", function)

    def __call__(self, *args: Any, dask_key_name: str | None = None, pure: bool | None = None, **kwargs: Any) -> Delayed:
        return Delayed(Node(self.__wrapped__, args, kwargs, dask_key_name or self.__name__), self._length)

    def __len__(self) -> int:
        raise TypeError("a delayed function has no length")

    def __iter__(self) -> Iterator[Delayed]:
        raise TypeError("a delayed function cannot be iterated over: call it first")

    def __reduce__(self) -> tuple:
        import cloudpickle

        return _unpickled_function, (cloudpickle.dumps(self.__wrapped__), self.__name__, self._length)


def _unpickled_function(function: bytes, name: str, length: int | None) -> DelayedFunction:
    import pickle

    return DelayedFunction(pickle.loads(function), name, length)


def delayed(obj: Any = None, name: str | None = None, pure: bool | None = None, nout: int | None = None, traverse: bool = True) -> Any:
    """Delay calls of a function, or wrap a value: nothing is called until `compute`.

    Parameters
    ----------
    obj : callable or object
        A function: each call of the result notes the call and its arguments. Anything else becomes a delayed value; delayed values
        and arrays in lists, tuples, sets, dicts, slices and dataclasses are found. May be left out to use the rest as a decorator.
    name : str, optional
        What the calls are called in messages.
    pure : bool, optional
        Accepted for Dask's sake: calls are never merged.
    nout : int, optional
        Number of values that the function gives, so that a result can be unpacked: ``a, b = f(x)``.
    traverse : bool
        False to take `obj` as it is, without looking into it.

    Returns
    -------
    Delayed

    Examples
    --------
    >>> @vm.delayed
    ... def square(x):
    ...     return x * x
    >>> total = sum([square(k) for k in range(4)])
    >>> total.compute()
    14
    """
    if obj is None and (name is not None or pure is not None or nout is not None):
        return functools.partial(delayed, name=name, pure=pure, nout=nout, traverse=traverse)
    if nout is not None and (isinstance(nout, bool) or not isinstance(nout, (int, np.integer)) or nout < 0):
        raise ValueError(f"nout must be a number of results, not {nout!r}")
    if isinstance(obj, Delayed):
        return obj
    if isinstance(obj, (ARRAY, FUTURE)):
        return Delayed(template(obj, []), nout)
    if callable(obj) and not isinstance(obj, np.ndarray):
        return DelayedFunction(obj, name or name_of(obj), nout)
    node = Node(_same, (obj if traverse else _Opaque(obj),), {}, name or type(obj).__name__)
    if not traverse:
        node.function = _opened
    return Delayed(node, nout)


class _Opaque:
    """Keeps a value from being looked into."""

    def __init__(self, value: Any):
        self.value = value


def _opened(held: _Opaque) -> Any:
    return held.value


# Pickling: a chain of thousands of calls is a list, not a tree


class _Ref(NamedTuple):
    """Stands for a node of the list."""

    number: int


def _pickled(node: Node) -> bytes:
    import cloudpickle

    order = _order([node])
    place = {node: _Ref(k) for k, node in enumerate(order)}

    def flat(value: Any) -> Any:
        if isinstance(value, Node):
            return place[value]
        return _Parts(value.build, [flat(part) for part in value.parts]) if type(value) is _Parts else value

    def entry(node: Node) -> tuple:
        if isinstance(node, ArrayNode):
            return ("array", node.array)
        if isinstance(node, FutureNode):
            raise TypeError("a delayed value that depends on a future cannot be pickled; wait for the result first")
        return (node.function, [flat(arg) for arg in node.args], {key: flat(value) for key, value in node.kwargs.items()}, node.name)

    return cloudpickle.dumps([entry(node) for node in order])


def _unpickled(data: bytes, length: int | None) -> Delayed:
    import pickle

    nodes: list[Delayed] = []

    def whole(value: Any) -> Any:
        if type(value) is _Ref:
            return nodes[value.number]
        return value.build([whole(part) for part in value.parts]) if type(value) is _Parts else value

    for entry in pickle.loads(data):
        if entry[0] == "array":
            nodes.append(Delayed(ArrayNode(entry[1])))
            continue
        function, args, kwargs, name = entry
        arguments = tuple([whole(arg) for arg in args])
        nodes.append(Delayed(Node(function, arguments, {key: whole(value) for key, value in kwargs.items()}, name)))
    return Delayed(nodes[-1]._node, length)


# Computing


def compute_delayed(values: Sequence, progress: Any = None, **given: Any) -> list[Any]:
    """Compute delayed values and futures together: each call once, independent ones at the same time."""
    found: list[Node] = []
    targets = [template(value, found) for value in values]
    limits = config.limits(**given)
    watch, finish = watcher(config.get("progress") if progress is None else progress)
    order = _order(targets)
    given.pop("progress", None)
    RUNS.begin()
    try:
        return _Graph(order, targets, given, watch).compute(limits.threads)
    finally:
        RUNS.end()
        finish()


def _order(targets: Sequence[Node]) -> list[Node]:
    """Give nodes such that each comes after those it depends on, and few values wait for others: what has most behind it goes first."""
    height: dict[Node, int] = {}
    for node in _walk(targets, lambda node: node.deps):
        height[node] = 1 + max([height[dep] for dep in node.deps], default=0)
    return _walk(targets, lambda node: sorted(node.deps, key=height.__getitem__, reverse=True) if len(node.deps) > 1 else node.deps)


def _walk(targets: Sequence[Node], deps_of: Callable[[Node], Sequence[Node]]) -> list[Node]:
    order: list[Node] = []
    seen: set[Node] = set()
    stack = [(node, False) for node in reversed(targets)]
    while stack:
        node, deps_are_in = stack.pop()
        if deps_are_in:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend([(dep, False) for dep in reversed(deps_of(node)) if dep not in seen])
    return order


class _Graph:
    """The calls of one computation: which are ready, which are done, and whose values are still wanted."""

    BATCH_BYTES = 256 << 20
    """Most bytes of arrays that are computed together."""

    def __init__(self, order: list[Node], targets: Sequence[Node], given: dict[str, Any], watch: Callable | None):
        self.order, self.targets, self.given, self.watch = order, targets, given, watch
        self.layers = config.layers()
        self.changed = threading.Condition()
        self.values: dict[Node, Any] = {}
        self.done = 0
        self.stopped: BaseException | None = None
        self.place = {node: k for k, node in enumerate(order)}
        self.users: dict[Node, list[Node]] = {node: [] for node in order}
        self.wanted: dict[Node, int] = dict.fromkeys(order, 0)
        self.missing: dict[Node, int] = {}
        for node in order:
            self.missing[node] = len(node.deps)
            for dep in node.deps:
                self.users[dep].append(node)
                self.wanted[dep] += 1
        for node in targets:
            self.wanted[node] += 1
        self.ready = [self.place[node] for node in order if not node.deps]
        self.running = 0
        self.batch_of = self._batches([node for node in order if isinstance(node, ArrayNode)])
        self.batch_lock = threading.Lock()

    def _batches(self, nodes: list[ArrayNode]) -> dict[Node, list[ArrayNode]]:
        """Put arrays together that are wanted one after the other: what they have in common is computed once."""
        batches: dict[Node, list[ArrayNode]] = {}
        batch: list[ArrayNode] = []
        size = 0
        for node in nodes:
            if batch and size + node.array.nbytes > self.BATCH_BYTES:
                batch, size = [], 0
            batch.append(node)
            size += node.array.nbytes
            batches[node] = batch
        return batches

    def compute(self, threads: int) -> list[Any]:
        """Compute everything on this thread and some helpers; give the values of the targets."""
        helpers = [threading.Thread(target=self._help, name="voxmill-delayed") for _ in range(self._helpers(threads))]
        try:
            for helper in helpers:
                helper.start()
            self._work(True)
        except KeyboardInterrupt as stop:
            # Functions that are running cannot be stopped; nobody waits for them.
            self._stop(stop)
            raise
        except BaseException as error:
            self._stop(error)
        for helper in helpers:
            helper.join()
        if self.stopped is not None:
            raise self.stopped
        return [self.values[node] for node in self.targets]

    def _helpers(self, threads: int) -> int:
        """Give the number of threads that are of use besides this one: none for a chain."""
        if all(len(users) < 2 for users in self.users.values()) and len(self.ready) < 2:
            return 0
        return min(threads, len(self.order)) - 1

    def _help(self) -> None:
        with config.within(self.layers):
            try:
                self._work(False)
            except BaseException as error:
                self._stop(error)

    def _stop(self, error: BaseException) -> None:
        with self.changed:
            if self.stopped is None:
                self.stopped = error
            self.changed.notify_all()

    def _work(self, main: bool) -> None:
        while (node := self._next(main)) is not None:
            value = self._value(node)
            self._finish(node, value)
            if main:
                self._tell()

    def _next(self, main: bool) -> Node | None:
        with self.changed:
            while self.stopped is None and self.done < len(self.order):
                if self.ready:
                    return self.order[heapq.heappop(self.ready)]
                self.changed.wait(0.1 if main and self.watch else None)
                if main:
                    self._tell()
            return None

    def _value(self, node: Node) -> Any:
        if not isinstance(node, ArrayNode):
            values = {dep: self.values[dep] for dep in node.deps}
            return node.run(values)
        # One batch at a time: the engine has threads of its own.
        with self.batch_lock:
            if node not in self.values:
                self._compute_batch(self.batch_of[node])
            return self.values[node]

    def _compute_batch(self, batch: list[ArrayNode]) -> None:
        unique = {node.array._expr.key(): node.array for node in batch}
        made = dict(zip(unique, _values_of(list(unique.values()), self.given)))
        with self.changed:
            self.values.update((node, made[node.array._expr.key()]) for node in batch)

    def _finish(self, node: Node, value: Any) -> None:
        with self.changed:
            self.done += 1
            if self.wanted[node]:
                self.values[node] = value
            for dep in node.deps:
                self.wanted[dep] -= 1
                if not self.wanted[dep]:
                    self.values.pop(dep, None)
            more = 0
            for user in self.users[node]:
                self.missing[user] -= 1
                if not self.missing[user]:
                    heapq.heappush(self.ready, self.place[user])
                    more += 1
            if self.done == len(self.order):
                self.changed.notify_all()
            elif more > 1:
                self.changed.notify(more - 1)

    def _tell(self) -> None:
        if self.watch is not None:
            self.watch({
                "tasks": len(self.order), "done": self.done, "unit": "calls", "bytes_read": 0, "bytes_written": 0, "memory": 0,
                "memory_limit": 0, "finished": self.done == len(self.order),
            })  # fmt: skip
