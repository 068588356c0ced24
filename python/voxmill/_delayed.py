"""Functions that are called later: delayed values with what they depend on, and futures that are computed at once."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from voxmill._blocks import _called
from voxmill._calls import UserCall
from voxmill._futures import Future, as_completed, gather, map, submit, wait
from voxmill._graph import ArrayNode, Delayed, Node, _Graph, _order, delayed, template
from voxmill._index import _bounds, basic
from voxmill._run import RUNS

__all__ = ["Delayed", "Future", "as_completed", "delayed", "from_delayed", "gather", "map", "submit", "wait"]


# Arrays and delayed values


def from_delayed(value: Any, shape: Any, dtype: Any = None, meta: Any = None, name: str | None = None) -> Any:
    """Give an array of one block that a delayed value makes.

    Parameters
    ----------
    value : Delayed or Future
        Gives a NumPy array.
    shape : tuple of int
    dtype : dtype, optional
        Element type; if neither it nor `meta` is given, the value is computed now, and kept for its first use.
    name : str, optional
        What it is called in messages.

    Examples
    --------
    >>> load = vm.delayed(lambda k: np.full((2, 2), k))
    >>> images = [vm.from_delayed(load(k), shape=(2, 2), dtype=int) for k in range(3)]
    >>> vm.stack(images).max(axis=(1, 2)).compute()
    array([0, 1, 2])
    """
    from voxmill._create import _shape

    if not isinstance(value, (Delayed, Future)):
        value = delayed(value)
    if dtype is None and meta is not None:
        dtype = meta.dtype
    shape = _shape(shape)
    node = template(value, [])
    node.uses += 1
    user = UserCall(_Made(node, len(shape)), [], {}, name or node.name)
    return _called(user, {}, [], [], tuple((n,) for n in shape), None if dtype is None else np.dtype(dtype), True)


class _Made:
    """Computes a delayed value for a block. What several of them depend on is computed once in a run."""

    def __init__(self, node: Node, rank: int):
        self.node, self.rank = node, rank

    def __call__(self) -> Any:
        return _obtain(self.node) if RUNS.count else _Graph(_order([self.node]), [self.node], {}, None).compute(1)[0]

    def __reduce__(self) -> tuple:
        return _made_again, (Delayed(self.node), self.rank)


def _made_again(value: Delayed, rank: int) -> _Made:
    return _Made(value._node, rank)


class _Slot:
    """A value that somebody computes, for all who want it in this run."""

    def __init__(self, uses: int):
        self.ready = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None
        self.left = uses

    def get(self) -> Any:
        self.ready.wait()
        if self.error is not None:
            raise self.error
        return self.value


def _obtain(root: Node) -> Any:
    """Compute a node for a run that is under way. Nodes with several users are kept as long as some of these may come.

    Such a node is computed together with what only it needs, by one thread, while others wait. It takes hold of the node only after all
    shared nodes behind it have their values: so nobody waits for anybody who waits.
    """
    have: dict[Node, Any] = {}
    plans: dict[Node, tuple[list[Node], list[Node]]] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        slot = RUNS.kept.get(node)
        if node in have or slot is not None:
            if node not in have:
                have[node] = slot.get()
            stack.pop()
            continue
        if node not in plans:
            plans[node] = _private(node)
        own, shared = plans[node]
        missing = [dep for dep in shared if dep not in have]
        if missing:
            stack.extend(missing)
            continue
        slot, mine = _claimed(node)
        if not mine:
            continue
        try:
            slot.value = have[node] = _run_private(own, have)
        except BaseException as error:
            slot.error = error
            raise
        finally:
            slot.ready.set()
        stack.pop()
    _used(root)
    return have[root]


def _claimed(node: Node) -> tuple[_Slot, bool]:
    with RUNS.lock:
        slot = RUNS.kept.get(node)
        if slot is not None:
            return slot, False
        RUNS.kept[node] = slot = _Slot(node.uses)
        return slot, True


def _private(node: Node) -> tuple[list[Node], list[Node]]:
    """Give the nodes that are computed for `node` only, in order and with itself; and the shared ones that these need."""
    own: list[Node] = []
    shared: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [(node, False)]
    while stack:
        at, deps_are_in = stack.pop()
        if deps_are_in:
            own.append(at)
        elif at is not node and at.uses > 1:
            shared[at] = None
        elif at not in seen:
            seen.add(at)
            stack.append((at, True))
            stack.extend([(dep, False) for dep in at.deps])
    return own, list(shared)


def _run_private(own: list[Node], have: dict[Node, Any]) -> Any:
    values: dict[Node, Any] = {}
    for node in own:
        values[node] = node.run({dep: values[dep] if dep in values else have[dep] for dep in node.deps})
        for dep in node.deps:
            if dep not in values:
                _used(dep)
            else:
                del values[dep]
    return values[own[-1]]


def _used(node: Node) -> None:
    """Note that one of its users has had the value of a node."""
    with RUNS.lock:
        slot = RUNS.kept.get(node)
        if slot is not None:
            slot.left -= 1
            if slot.left <= 0:
                del RUNS.kept[node]


def blocks_of(x: Any) -> np.ndarray:
    """Give one delayed value for each declared chunk, in an object array."""
    blocks = np.empty(x.numblocks, dtype=object)
    bounds = [_bounds(lengths) for lengths in x.chunks]
    for number in np.ndindex(*x.numblocks):
        box = basic(x, tuple(slice(*axis[k]) for axis, k in zip(bounds, number)))
        blocks[number] = Delayed(ArrayNode(box))
    return blocks
