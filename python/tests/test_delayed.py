"""Delayed values and futures: each call once, at the same time where it can be, however long the chain."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import operator
import os
import pickle
import threading
import time
import traceback

import cloudpickle
import numpy as np
import pytest

import voxmill as vm


@vm.delayed
def add(a, b):
    return a + b


class Counted:
    """Counts calls, also those of several threads."""

    def __init__(self, function):
        self.function, self.calls, self.lock = function, 0, threading.Lock()

    def __call__(self, *args, **kwargs):
        with self.lock:
            self.calls += 1
        return self.function(*args, **kwargs)


# Delayed values


def test_functions_and_values():
    assert add(1, 2).compute() == 3
    assert add(add(1, 2), add(3, b=4)).compute() == 10
    assert vm.delayed(5).compute() == 5
    assert vm.delayed(len)([1, 2, 3]).compute() == 3
    assert vm.delayed(vm.delayed(3)).compute() == 3
    assert add.__name__ == "add"


def test_nothing_is_called_before_compute():
    function = Counted(operator.add)
    value = vm.delayed(function)(1, vm.delayed(function)(2, 3))
    assert function.calls == 0
    assert value.compute() == 6
    assert function.calls == 2


def test_decorator_forms():
    @vm.delayed(nout=2)
    def pair(x):
        return x, -x

    @vm.delayed(pure=True)
    def one(x):
        """Docs stay."""
        return x

    a, b = pair(3)
    assert vm.compute(a, b) == (3, -3)
    assert len(pair(3)) == 2
    assert one(4).compute() == 4 and one.__doc__ == "Docs stay."
    assert vm.delayed(lambda: 1, name="mine")().key.startswith("mine-")


def test_methods_can_be_delayed():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @vm.delayed
        def apply(self, x):
            return self.factor * x

    assert Scale(3).apply(4).compute() == 12


def test_attributes_methods_and_items():
    text = vm.delayed("hello world")
    assert text.upper().split()[1][:3].compute() == "WOR"
    assert vm.delayed(3 + 4j).imag.compute() == 4
    assert vm.delayed({"a": [1, 2]})["a"][1].compute() == 2
    assert vm.delayed([1, 2, 3])[vm.delayed(0) : vm.delayed(2)].compute() == [1, 2]
    with pytest.raises(AttributeError, match="_hidden"):
        text._hidden
    with pytest.raises(AttributeError, match="nope"):
        text.nope.compute()


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor",
                                  "eq", "ne", "lt", "le", "gt", "ge"])  # fmt: skip
def test_binary_operators(name):
    function = getattr(operator, name)
    for a, b in ((13, 3), (3, 13)):
        for left, right in ((vm.delayed(a), b), (a, vm.delayed(b)), (vm.delayed(a), vm.delayed(b))):
            assert function(left, right).compute() == function(a, b)


def test_other_operators():
    three = vm.delayed(3)
    assert vm.compute(-three, +three, ~three, abs(-three), divmod(three, 2), divmod(7, three)) == (-3, 3, ~3, 3, (1, 1), (2, 1))
    m = np.eye(2)
    np.testing.assert_array_equal((vm.delayed(m) @ m).compute(), m)
    assert three(4).key and sum([three, three]).compute() == 6


def test_values_cannot_be_changed_or_looked_into():
    value = vm.delayed([1, 2])
    with pytest.raises(TypeError, match="changed"):
        value.x = 1
    with pytest.raises(TypeError, match="changed"):
        value[0] = 1
    with pytest.raises(TypeError, match="true"):
        bool(value)
    with pytest.raises(TypeError, match="nout"):
        list(value)
    with pytest.raises(TypeError, match="nout"):
        len(value)
    with pytest.raises(TypeError, match="call it first"):
        list(add)
    with pytest.raises(ValueError, match="nout"):
        vm.delayed(len, nout=-1)
    assert {value: 1}[value] == 1 and "list" in repr(value)


Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Record:
    a: object
    b: object = 0


def test_containers():
    one, two = add(0, 1), add(1, 1)
    same = vm.delayed(lambda value: value)
    for made, expected in [
        ([one, [two, (one,)]], [1, [2, (1,)]]),
        ({"a": one, two: 3}, {"a": 1, 2: 3}),
        ({one, 5}, {1, 5}),
        (Pair(one, 2), Pair(1, 2)),
        (Record(one, [two]), Record(1, [2])),
        (slice(one, two), slice(1, 2)),
    ]:
        assert same(made).compute() == expected
        assert vm.delayed(made).compute() == expected
        assert vm.delayed(lambda *, key: key)(key=made).compute() == expected
    assert vm.compute([one, {"k": (two, 7)}], 8, one) == ([1, {"k": (2, 7)}], 8, 1)
    assert type(vm.delayed([one], traverse=False).compute()[0]) is vm.Delayed


def test_containers_without_delayed_values_are_passed_as_they_are():
    mine = [1, 2]
    assert vm.delayed(lambda value: value is mine)(mine).compute()


def test_arrays_as_arguments():
    x = vm.arange(10, chunks=3)
    value = vm.delayed(lambda a, more: (a, more))(x, {"sum": x.sum(), "n": 1})
    a, more = value.compute()
    np.testing.assert_array_equal(a, np.arange(10))
    assert type(a) is np.ndarray and more == {"sum": 45, "n": 1}
    np.testing.assert_array_equal(vm.delayed(x).compute(), np.arange(10))
    low, total, text = vm.compute(x.min(), add(x.sum(), 1), vm.delayed("a"))
    assert (low, total, text) == (0, 46, "a")


def test_arrays_behind_delayed_values_share_work():
    function = Counted(np.negative)
    x = vm.map_blocks(function, vm.arange(12, chunks=4), dtype=int)
    vm.delayed(max)([x.sum(), x.min(), x.max()]).compute()
    assert function.calls == 3


def test_each_call_once():
    function = Counted(lambda *values: sum(values) + 1)
    call = vm.delayed(function)
    root = call()
    middle = [call(root) for _ in range(10)]
    top = call(*middle, root)
    assert vm.compute(top, middle[0], root) == (22, 2, 1)
    assert function.calls == 12


def test_calls_run_at_the_same_time():
    nap = vm.delayed(lambda x: time.sleep(0.2) or x)
    start = time.perf_counter()
    assert sum([nap(k) for k in range(4)]).compute(threads=4) == 6
    assert time.perf_counter() - start < 0.6
    with vm.config.set(threads=1):
        start = time.perf_counter()
        vm.compute(nap(1), nap(2))
        assert time.perf_counter() - start > 0.39


def test_no_more_calls_than_threads():
    running, most, lock = [0], [0], threading.Lock()

    def busy(k):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return k

    values = [vm.delayed(busy)(k) for k in range(12)]
    assert vm.compute(*values, threads=3) == tuple(range(12))
    assert most[0] == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_long_chains(threads):
    value = vm.delayed(0)
    step = vm.delayed(lambda x: x + 1)
    for _ in range(10_000):
        value = step(value)
    assert value.compute(threads=threads) == 10_000
    assert pickle.loads(pickle.dumps(value)).compute(threads=threads) == 10_000
    total = vm.delayed(0)
    for k in range(3000):
        total = total + k
    assert total.compute(threads=threads) == sum(range(3000))


def test_wide_graphs():
    values = [vm.delayed(int)(k) for k in range(5000)]
    assert vm.delayed(sum)(values).compute() == sum(range(5000))


def test_values_are_dropped_when_nobody_needs_them():
    alive, most, lock = [0], [0], threading.Lock()

    class Big:
        def __init__(self):
            with lock:
                alive[0] += 1
                most[0] = max(most[0], alive[0])

        def __del__(self):
            with lock:
                alive[0] -= 1

    make, use = vm.delayed(lambda k: Big()), vm.delayed(lambda big, before: 1)
    value = vm.delayed(0)
    for k in range(200):
        value = use(make(k), value)
    value.compute(threads=1)
    assert most[0] <= 3 and alive[0] == 0


def test_exceptions():
    calls = Counted(lambda x: x)

    def fails(x):
        raise ValueError("the user's own words")  # This line must be in the traceback.

    with pytest.raises(ValueError, match="own words") as caught:
        vm.delayed(calls)(vm.delayed(fails)(1)).compute()
    text = "".join(traceback.format_exception(caught.value))
    assert "This line must be in the traceback." in text and "in the delayed call of fails" in text
    assert calls.calls == 0
    with pytest.raises(ValueError, match="own words"):
        vm.compute(*[vm.delayed(fails)(k) for k in range(50)], threads=2)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("voxmill-delayed")]


def test_delayed_values_in_delayed_functions():
    def outer(n):
        return vm.compute(*[add(n, k) for k in range(3)])

    assert vm.compute(*[vm.delayed(outer)(n) for n in range(4)], threads=2) == tuple((n, n + 1, n + 2) for n in range(4))


def test_pickled_values():
    x = vm.arange(5)
    value = vm.delayed(lambda a, b, c: (a, b["k"], c.sum()))(1, {"k": add(1, 2)}, x)
    for module in (pickle, cloudpickle):
        assert module.loads(module.dumps(value)).compute() == (1, 3, 10)
        assert module.loads(module.dumps(add))(1, 2).compute() == 3
    with pytest.raises(TypeError, match="future"):
        pickle.dumps(vm.delayed(abs)(vm.submit(abs, -1)))


def test_persist():
    function = Counted(lambda: 3)
    value = vm.delayed(function)()
    kept = value.persist()
    (other, x, same) = vm.persist(value, vm.arange(3), [vm.arange(2)])
    assert kept.compute() + other.compute() == 6 and function.calls == 2
    assert x.sum().compute() == 3 and same[0].sum().compute() == 1


def test_settings_reach_helpers():
    with vm.config.set(threads=2, memory_limit="123MiB"):
        seen = vm.compute(*[vm.delayed(lambda k: time.sleep(0.01) or vm.config.get("memory_limit"))(k) for k in range(8)])
        assert set(seen) == {"123MiB"}
        assert vm.submit(vm.config.get, "memory_limit").result() == "123MiB"
    assert vm.config.get("memory_limit") is None


def test_progress():
    seen = []
    vm.compute(*[vm.delayed(time.sleep)(0.01) for _ in range(5)], progress=seen.append)
    assert seen[-1]["done"] == seen[-1]["tasks"] == 5 and seen[-1]["finished"]


# Arrays of delayed values


def test_from_delayed():
    load = vm.delayed(lambda k: np.full((2, 3), k, float))
    x = vm.from_delayed(load(4), shape=(2, 3), dtype=float)
    assert x.chunks == ((2,), (3,))
    np.testing.assert_array_equal(x.compute(), np.full((2, 3), 4.0))
    stacked = vm.stack([vm.from_delayed(load(k), (2, 3), dtype=float) for k in range(5)])
    np.testing.assert_array_equal(stacked.sum(axis=(1, 2)).compute(), np.arange(5) * 6.0)
    assert vm.from_delayed(load(1), (2, 3), meta=np.empty(0)).dtype == float
    assert vm.from_delayed(vm.delayed(lambda: 3.5)(), ()).compute() == 3.5


def test_from_delayed_computes_what_is_asked_for_once():
    function = Counted(lambda k: np.full(4, k))
    arrays = [vm.from_delayed(vm.delayed(function)(k), (4,), int) for k in range(6)]
    assert function.calls == 0
    y = vm.concatenate(arrays)
    y[5:7].compute()
    assert function.calls == 1
    unknown = vm.from_delayed(vm.delayed(function)(1), (4,))
    assert function.calls == 2 and unknown.dtype == np.array([1]).dtype
    unknown.compute()
    assert function.calls == 2


def test_from_delayed_with_common_ancestors():
    load, read = Counted(lambda: np.arange(8)), Counted(lambda data: data * 2)
    data = vm.delayed(read)(vm.delayed(load)())
    parts = [vm.from_delayed(data[2 * k : 2 * k + 2], (2,), int) for k in range(4)]
    y = vm.concatenate(parts)
    np.testing.assert_array_equal(y.compute(threads=2), np.arange(8) * 2)
    assert load.calls == read.calls == 1
    y.compute(threads=2)
    assert load.calls == read.calls == 2
    from voxmill._run import RUNS

    assert not RUNS.kept


def test_from_delayed_with_common_ancestors_that_fail():
    def fails():
        raise ValueError("not today")

    data = vm.delayed(fails)()
    y = vm.concatenate([vm.from_delayed(data[k], (2,), int) for k in range(4)])
    for _ in range(3):
        with pytest.raises(ValueError, match="not today"):
            y.compute(threads=2)


def test_from_delayed_in_a_diamond():
    function = Counted(lambda *values: np.ones(2) + sum(values))
    call = vm.delayed(function)
    root = call()
    left, right = call(root), call(root)
    top = call(left, right)
    x, y = vm.from_delayed(top, (2,), float), vm.from_delayed(right, (2,), float)
    np.testing.assert_array_equal(vm.compute(x, y, threads=2), [[5, 5], [2, 2]])
    assert function.calls == 4


def test_from_delayed_that_is_wrong():
    with pytest.raises(ValueError, match=r"shape \(3,\).*should be \(2,\)"):
        vm.from_delayed(vm.delayed(np.ones)(3), (2,), float).compute()
    with pytest.raises(TypeError, match="float64.*int64 was announced"):
        vm.from_delayed(vm.delayed(np.ones)(3), (3,), int).compute()
    with pytest.raises(TypeError, match="None"):
        vm.from_delayed(vm.delayed(lambda: None)(), (3,), int).compute()
    with pytest.raises(ValueError, match="negative"):
        vm.from_delayed(vm.delayed(np.ones)(3), (-3,), int)


def test_to_delayed():
    a = np.arange(20).reshape(4, 5)
    x = vm.from_array(a, chunks=(2, 3)) + 1
    parts = x.to_delayed()
    assert parts.shape == (2, 2) and all(isinstance(part, vm.Delayed) for part in parts.flat)
    np.testing.assert_array_equal(parts[1, 1].compute(), a[2:, 3:] + 1)
    np.testing.assert_array_equal(np.block(vm.compute(parts.tolist())[0]), a + 1)
    sums = vm.compute(*[part.sum() for part in parts.flat])
    assert sum(sums) == (a + 1).sum()
    back = vm.block([[vm.from_delayed(part, (2, 3 - k), x.dtype) for k, part in enumerate(row)] for row in parts])
    np.testing.assert_array_equal(back.compute(), a + 1)


def test_blocks_share_work():
    function = Counted(np.negative)
    x = vm.map_blocks(function, vm.arange(40, chunks=10), dtype=int)
    parts = (x - x.min()).to_delayed()
    vm.compute(*[part.sum() for part in parts])
    assert function.calls == 4


# Futures


def test_submit():
    future = vm.submit(pow, 2, 5)
    assert future.result() == 32 and future.done() and future.status == "finished" and future.exception() is None
    assert vm.submit(dict, a=1).result() == {"a": 1}
    assert vm.submit(abs, -1, key="mine").key == "mine" and "abs" in vm.submit(abs, -1).key
    assert vm.submit(abs, -1).traceback() is None


def test_futures_as_arguments():
    one = vm.submit(time.sleep, 0.05)
    first = vm.submit(lambda _: 20, one)
    second = vm.submit(operator.add, first, 1)
    nested = vm.submit(lambda values, more: sum(values) + more["k"], [first, second], more={"k": second})
    assert nested.result() == 62
    assert vm.submit(operator.add, vm.arange(4).sum(), add(1, 2)).result() == 9
    assert add(first, vm.submit(abs, -2)).compute() == 22
    assert vm.compute([first, {"a": second}]) == ([20, {"a": 21}],)
    np.testing.assert_array_equal(vm.from_delayed(vm.submit(np.ones, 3), (3,), float).compute(), np.ones(3))


def test_map_and_gather():
    futures = vm.map(lambda x, y=0: x * x + y, range(10), y=1)
    assert vm.gather(futures) == [k * k + 1 for k in range(10)]
    assert vm.gather(vm.map(pow, [1, 2, 3], [4, 5])) == [1, 32]
    assert vm.gather({"a": futures[2], "b": (futures[3], 7)}) == {"a": 5, "b": (10, 7)}
    assert vm.gather(futures[1]) == 2
    assert [future.key for future in vm.map(abs, [1, 2], key="k")] == ["k-0", "k-1"]
    with pytest.raises(TypeError, match="something"):
        vm.map(abs)
    with pytest.raises(TypeError, match="function"):
        vm.submit(3)


def test_errors_of_futures():
    def fails(x):
        raise KeyError("mine")  # This line must be in the traceback.

    future = vm.submit(fails, 1)
    with pytest.raises(KeyError, match="mine") as caught:
        future.result()
    assert "This line must be in the traceback." in "".join(traceback.format_exception(caught.value))
    assert future.status == "error" and isinstance(future.exception(), KeyError) and future.traceback() is not None
    after = vm.submit(abs, vm.submit(len, [future]))
    with pytest.raises(KeyError):
        after.result()
    with pytest.raises(KeyError):
        vm.gather([vm.submit(abs, -1), future])
    assert vm.gather([vm.submit(abs, -1), future, [future, 2]], errors="skip") == [1, [2]]
    assert vm.gather({"a": future, "b": vm.submit(abs, -1)}, errors="skip") == {"b": 1}
    with pytest.raises(ValueError, match="errors"):
        vm.gather([], errors="ignore")


def test_retries():
    function = Counted(lambda: 1 / 0 if function.calls < 3 else "done")
    assert vm.submit(function, retries=2).result() == "done"
    with pytest.raises(ZeroDivisionError):
        vm.submit(lambda: 1 / 0, retries=3).result()


def test_cancelling():
    with vm.config.set(threads=1):
        gate = threading.Event()
        busy = vm.submit(gate.wait, 5)
        waiting = vm.submit(abs, -1)
        after = vm.submit(abs, waiting)
        while not busy.running():
            time.sleep(0.001)
        assert waiting.cancel() and waiting.cancelled() and waiting.status == "cancelled" and waiting.done()
        assert not busy.cancel() and busy.status == "pending"
        gate.set()
        assert busy.result() is True and not busy.cancel()
        for future in (waiting, after):
            with pytest.raises(concurrent.futures.CancelledError):
                future.result()
        assert vm.submit(abs, -3).result() == 3


def test_waiting_with_a_limit():
    gate = threading.Event()
    future = vm.submit(gate.wait, 5)
    for wait in (lambda: future.result(0.05), lambda: future.exception(0.05), lambda: vm.wait([future], timeout=0.05),
                 lambda: list(vm.as_completed([future], timeout=0.05))):  # fmt: skip
        with pytest.raises(TimeoutError):
            wait()
    gate.set()
    assert future.result(5)


def test_wait():
    with vm.config.set(threads=2):
        gate = threading.Event()
        slow, quick = vm.submit(gate.wait, 5), vm.submit(abs, -1)
        done, not_done = vm.wait([slow, quick], return_when="FIRST_COMPLETED")
        assert done == {quick} and not_done == {slow}
        gate.set()
        assert vm.wait([slow, quick]).done == {slow, quick}
    assert vm.wait(quick).not_done == set() and vm.wait([]).done == set()
    with pytest.raises(ValueError, match="return_when"):
        vm.wait([quick], return_when="SOON")


def test_as_completed():
    with vm.config.set(threads=2):
        gate = threading.Event()
        slow, quick = vm.submit(gate.wait, 5), vm.submit(abs, -1)
        order = vm.as_completed([slow, quick])
        assert next(order) is quick and order.count() == 1
        gate.set()
        assert next(order) is slow and order.is_empty()
        order.add(vm.submit(abs, -5))
        assert [future.result() for future in order] == [5]
    assert sorted(result for _, result in vm.as_completed(vm.map(abs, [-1, -2]), with_results=True)) == [1, 2]
    failed = vm.submit(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(vm.as_completed([failed], with_results=True))
    ((_, error),) = vm.as_completed([failed], with_results=True, raise_errors=False)
    assert isinstance(error, ZeroDivisionError)
    with pytest.raises(TypeError, match="futures"):
        vm.as_completed([3])


def test_callbacks():
    seen = []
    future = vm.submit(time.sleep, 0.05)
    future.add_done_callback(seen.append)
    future.add_done_callback(lambda _: 1 / 0)
    future.result()
    deadline = time.monotonic() + 5
    while not seen and time.monotonic() < deadline:
        time.sleep(0.001)
    future.add_done_callback(seen.append)
    assert seen == [future, future]


def test_priorities():
    with vm.config.set(threads=1):
        gate, order = threading.Event(), []
        first = vm.submit(gate.wait, 5)
        while not first.running():
            time.sleep(0.001)
        futures = [vm.submit(order.append, k, priority=k) for k in (1, 3, 2)]
        gate.set()
        vm.gather(futures)
    assert order == [3, 2, 1]


def test_futures_that_wait_for_futures():
    """Threads that wait do not count: so nothing waits for ever."""
    def fibonacci(n):
        return n if n < 2 else sum(vm.gather([vm.submit(fibonacci, n - 1), vm.submit(fibonacci, n - 2)]))

    with vm.config.set(threads=2):
        assert vm.submit(fibonacci, 9).result(30) == 34


def test_many_futures():
    futures = vm.map(operator.neg, range(5000))
    assert vm.submit(sum, futures).result() == -sum(range(5000))
    chain = vm.submit(int, 0)
    for _ in range(3000):
        chain = vm.submit(lambda x: x + 1, chain)
    assert chain.result() == 3000


def test_threads_go_when_there_is_nothing_to_do():
    vm.gather(vm.map(time.sleep, [0.01] * 10))
    deadline = time.monotonic() + 5
    while any(thread.name == "voxmill-future" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert not any(thread.daemon for thread in threading.enumerate() if thread.name.startswith("voxmill"))


def test_results_are_dropped_with_their_futures():
    import gc
    import weakref

    class Big:
        pass

    future = vm.submit(Big)
    held = weakref.ref(future.result())
    del future
    deadline = time.monotonic() + 5
    while held() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_futures_after_fork():
    gate = threading.Event()
    future = vm.submit(gate.wait, 5)
    child = os.fork()
    if child == 0:
        try:
            good = future.cancelled() and vm.submit(abs, -2).result(5) == 2 and add(1, 1).compute() == 2
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    gate.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert future.result() is True


def test_futures_are_no_pickles():
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(vm.submit(abs, -1))
