"""How often, when and where functions of users are called."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
import voxmill as vm
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

from differential import EXAMPLES  # noqa: E402

RANDOM = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def both(a, chunks):
    """Give an array for the package and one for Dask."""
    return vm.from_array(a, chunks=chunks), da.from_array(a, chunks=chunks)


def values(shape, dtype=float):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def same(mine, theirs):
    """Expect equal shapes, chunks, dtypes and elements."""
    expected = np.asarray(theirs)
    found = mine.compute()
    assert mine.shape == expected.shape
    assert found.dtype == expected.dtype == mine.dtype
    np.testing.assert_array_equal(found, expected)
    if isinstance(theirs, da.Array):
        assert mine.chunks == theirs.chunks


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls, self.lock = function, [], threading.Lock()
        self.__name__ = "counted"

    def __call__(self, *args, **kwargs):
        with self.lock:
            self.calls.append([np.shape(arg) for arg in args])
        return self.function(*args, **kwargs)


def test_first_block_is_not_run_twice():
    function = Counted(np.negative)
    y = vm.map_blocks(function, vm.from_array(values((6, 6)), chunks=2))
    assert len(function.calls) == 1
    y.compute()
    assert len(function.calls) == 9
    y.compute()
    assert len(function.calls) == 18


def test_first_blocks_of_a_chain_are_not_run_twice():
    functions = [Counted(np.negative) for _ in range(4)]
    y = vm.from_array(values((6, 6)), chunks=3)
    for k, function in enumerate(functions):
        y = vm.map_blocks(function, y, dtype=float) if k == 2 else vm.map_blocks(function, y)
    y.compute()
    assert [len(function.calls) for function in functions] == [4, 4, 4, 4]


def test_first_overlap_is_not_run_twice():
    before, after = Counted(np.negative), Counted(lambda b: b)
    y = vm.map_overlap(after, vm.map_blocks(before, vm.from_array(values((12,)), chunks=3)), depth=1, boundary="periodic")
    np.testing.assert_array_equal(y.compute(), -values((12,)))
    assert len(before.calls) == len(after.calls) == 4


def test_nothing_is_called_before_compute_if_dtypes_are_declared():
    function = Counted(np.negative)
    x = vm.from_array(values((6, 6)), chunks=2)
    vm.map_blocks(function, x, dtype=float)
    vm.map_overlap(function, x, depth=1, dtype=float)
    vm.map_overlap(function, x, depth=1, trim=False, dtype=float)
    vm.blockwise(function, "ij", x, "ij", dtype=float)
    vm.reduction(x, function, function, dtype=float)
    vm.apply_gufunc(function, "()->()", x, output_dtypes=float)
    vm.apply_along_axis(function, 0, x, dtype=float, shape=(6,))
    vm.ndimage.generic_filter(x, function, 3)
    assert not function.calls


def test_functions_get_real_blocks_only():
    """Nobody calls them with arrays that are made up."""
    function = Counted(lambda b: b + 0)
    x = vm.from_array(values((6, 5)), chunks=(4, 5))
    for y in (vm.map_blocks(function, x), vm.blockwise(function, "ij", x, "ij"), vm.apply_gufunc(function, "(i)->(i)", x)):
        y.compute()
    assert {tuple(shapes[0]) for shapes in function.calls} == {(4, 5), (2, 5)}


def test_work_is_shared():
    function = Counted(np.negative)
    y = vm.map_blocks(function, vm.from_array(values((6, 6)), chunks=2), dtype=float)
    vm.compute(y.sum(), y.max(), y + y.mean(), y.T)
    assert len(function.calls) == 9


def test_only_what_is_asked_for():
    function = Counted(np.negative)
    y = vm.map_blocks(function, vm.from_array(values((100, 100)), chunks=10), dtype=float)
    y[5, 5].compute()
    assert len(function.calls) == 1


def test_functions_that_wait_run_at_the_same_time():
    def nap(block):
        time.sleep(0.3)
        return block

    y = vm.map_blocks(nap, vm.from_array(values((4,)), chunks=2), dtype=float)
    start = time.perf_counter()
    y.compute(threads=2)
    assert time.perf_counter() - start < 0.5
    start = time.perf_counter()
    y.compute(threads=1)
    assert time.perf_counter() - start > 0.55


def test_numba_functions_without_the_lock():
    numba = pytest.importorskip("numba")
    together, most = [0], [0]
    lock = threading.Lock()

    @numba.njit(nogil=True)
    def spin(n):
        total = 0.0
        for k in range(n):
            total += k % 7
        return total

    spin(1)

    def busy(block):
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        result = block + 0 * spin(30_000_000)
        with lock:
            together[0] -= 1
        return result

    x = vm.from_array(values((8,)), chunks=1)
    same(x.map_blocks(busy, dtype=float), values((8,)))
    assert most[0] == 2 or vm.config.limits().threads < 2
    same(x.map_blocks(numba.njit(nogil=True)(lambda b: b * 2)), values((8,)) * 2)


def test_functions_may_compute():
    def inner(block):
        return block + vm.ones((50, 50), chunks=10).sum().compute()

    same(vm.from_array(values((6,)), chunks=1).map_blocks(inner), values((6,)) + 2500)


def test_functions_may_use_threads():
    def threaded(block):
        made = []
        helper = threading.Thread(target=lambda: made.append(block * 2))
        helper.start()
        helper.join()
        return made[0]

    same(vm.from_array(values((6,)), chunks=1).map_blocks(threaded), values((6,)) * 2)


@pytest.mark.parametrize("dtype", ["bool", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_every_dtype(dtype):
    a = values((5, 4)).astype(dtype)
    seen = Counted(lambda b: b)
    seen.function = lambda b: seen.calls.append(b.dtype) or b
    same(vm.from_array(a, chunks=2).map_blocks(seen), a)
    assert {d for d in seen.calls if isinstance(d, np.dtype)} == {a.dtype}
    assert all(d is a.dtype for d in seen.calls if isinstance(d, np.dtype))


def test_brain_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = values((6,)).astype(ml_dtypes.bfloat16)
    seen = []
    y = vm.from_array(a, chunks=2).map_blocks(lambda b: seen.append(b.dtype) or b * 2)
    np.testing.assert_array_equal(y.compute().astype(float), values((6,)) * 2)
    assert set(seen) == {a.dtype}


def test_explain_names_functions():
    def my_function(block):
        return block

    assert "my_function" in vm.explain(vm.map_blocks(my_function, vm.zeros(6, chunks=2), dtype=float).sum())


def test_other_byte_orders_and_layouts():
    x = vm.from_array(values((6, 4)), chunks=(2, 4))
    same(x.map_blocks(lambda b: b.astype(">f8"), dtype=">f8"), values((6, 4)))
    same(x.map_blocks(lambda b: b.astype(">f8")), values((6, 4)))
    same(x.map_blocks(lambda b: np.asfortranarray(b)), values((6, 4)))
    same(x.map_blocks(lambda b: b[:, ::-1]), values((6, 4))[:, ::-1])
    same(x.map_blocks(lambda b: b.tolist()), values((6, 4)))
    same(x.map_blocks(lambda b: np.broadcast_to(b[:1, :1], b.shape)), np.repeat(np.repeat(values((6, 4))[::2, :1], 2, 0), 4, 1))


def test_arrays_without_axes():
    x = vm.asarray(3.0)
    same(x.map_blocks(lambda b: b * 2), np.float64(6))
    same(vm.map_blocks(np.add, vm.from_array(values((4,)), chunks=2), x), values((4,)) + 3)
    same(vm.from_array(values((4,)), chunks=2).map_blocks(lambda b: b.sum(), drop_axis=0), np.float64(6))
