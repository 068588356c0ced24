"""Functions of users that do what they should not: each says what is wrong, where, and leaves the rest as it was."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import traceback

import cloudpickle
import numpy as np
import pytest

import voxmill as vm


def blocks(n=12, size=3):
    return vm.from_array(np.arange(float(n)), chunks=size)


def still_works():
    """After all that went wrong, work goes on."""
    np.testing.assert_array_equal(blocks().map_blocks(np.negative, dtype=float).compute(), -np.arange(12.0))


# Functions that raise


class Own(Exception):
    """An exception of the user's, with arguments of its own."""

    def __init__(self, code, *, detail):
        super().__init__(code)
        self.code, self.detail = code, detail


@pytest.mark.parametrize("dtype", [float, None])
@pytest.mark.parametrize("threads", [1, 2])
def test_exception_shows_line_and_block(dtype, threads):
    def fails(block):
        if block[0] == 6:
            raise Own(7, detail="the user's own")  # This line must be in the traceback.
        return block

    with pytest.raises(Own) as caught:
        vm.map_blocks(fails, blocks(), dtype=dtype).compute(threads=threads)
    assert caught.value.code == 7 and caught.value.detail == "the user's own"
    text = "".join(traceback.format_exception(caught.value))
    assert "This line must be in the traceback." in text
    assert "in block (2,) of fails" in text
    assert __file__ in text
    still_works()


def test_exception_in_the_first_block():
    def fails(block):
        raise KeyError("first")

    with pytest.raises(KeyError, match="first") as caught:
        vm.map_blocks(fails, blocks())
    assert "in block (0,) of fails" in caught.value.__notes__
    with pytest.raises(KeyError, match="first"):
        vm.map_blocks(fails, blocks(), dtype=float).compute()


@pytest.mark.parametrize("kind", [ValueError, TypeError, IndexError, MemoryError, ZeroDivisionError, StopIteration, OSError])
def test_exceptions_keep_their_kind(kind):
    def fails(block):
        raise kind("mine")

    for array in (
        vm.map_blocks(fails, blocks(), dtype=float),
        vm.map_overlap(fails, blocks(), depth=1, dtype=float),
        vm.blockwise(fails, "i", blocks(), "i", dtype=float),
        vm.apply_gufunc(fails, "()->()", blocks(), output_dtypes=float),
        vm.from_function(fails, 6, dtype=float, chunks=2),
        vm.from_map(fails, [1, 2], shape=(2,), dtype=float),
        vm.from_delayed(vm.delayed(fails)(1), (2,), float),
    ):
        with pytest.raises(kind, match="mine") as caught:
            array.compute()
        assert any("in block" in note for note in caught.value.__notes__)


def test_exceptions_on_their_way_into_a_store(tmp_path):
    def fails(block, block_id=None):
        if block_id == (3,):
            raise ValueError("not this one")
        return block

    y = vm.map_blocks(fails, blocks(), dtype=float)
    with pytest.raises(ValueError, match="not this one"):
        y.to_zarr(tmp_path / "x.zarr")
    target = np.zeros(12)
    with pytest.raises(ValueError, match="not this one"):
        vm.store(y, target)
    with pytest.raises(ValueError, match="not this one"):
        y.persist()
    with pytest.raises(ValueError, match="not this one"):
        y.sum().compute()


def test_exceptions_of_several_threads():
    """One of them is raised; none is lost in between, and none comes up later."""
    def fails(block, block_id=None):
        raise ValueError(f"block {block_id}")

    for _ in range(20):
        with pytest.raises(ValueError, match="block"):
            vm.map_blocks(fails, blocks(100, 1), dtype=float).compute(threads=2)
    still_works()


def test_leaving_from_a_function():
    def leaves(block):
        sys.exit(3)

    with pytest.raises(SystemExit):
        vm.map_blocks(leaves, blocks(), dtype=float).compute()

    def interrupts(block):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vm.map_blocks(interrupts, blocks(100, 1), dtype=float).compute()
    still_works()


def test_endless_recursion():
    def deeper(block):
        return deeper(block)

    with pytest.raises(RecursionError):
        vm.map_blocks(deeper, blocks(), dtype=float).compute()
    still_works()


def test_notes_say_for_which_step():
    def chunk(block, axis, keepdims):
        raise ValueError("no")

    with pytest.raises(ValueError) as caught:
        vm.reduction(blocks(), chunk, np.sum, dtype=float).compute()
    assert any("of chunk-chunk" in note for note in caught.value.__notes__)


# Functions that give something wrong


def test_nothing():
    def gives_nothing(block):
        block + 1

    with pytest.raises(TypeError, match=r"gives_nothing gave None for block \(0,\)"):
        vm.map_blocks(gives_nothing, blocks())
    with pytest.raises(TypeError, match=r"gave None for block .*an array of shape \(3,\)"):
        vm.map_blocks(gives_nothing, blocks(), dtype=float).compute()


def test_wrong_shape():
    def one_less(block):
        return block[1:]

    with pytest.raises(ValueError, match=r"one_less gave an array of shape \(2,\) for block \(\d,\), which should be \(3,\); .*chunks="):
        vm.map_blocks(one_less, blocks(), dtype=float).compute()
    with pytest.raises(ValueError, match=r"changes the length of axis 0 from 3 to 2, and blocks differ"):
        vm.map_blocks(one_less, blocks(11))
    with pytest.raises(ValueError, match=r"gave an array of 2 axes .* should have 1; .*new_axis="):
        vm.map_blocks(lambda b: b[None], blocks())
    with pytest.raises(ValueError, match=r"should be \(5,\)"):
        vm.map_blocks(one_less, blocks(), chunks=(5,))
    with pytest.raises(ValueError, match=r"shape \(2,\) for block \(3,\)"):
        vm.map_blocks(lambda b: b[: 2 if b[0] == 9 else 3], blocks()).compute()
    with pytest.raises(ValueError, match=r"should be \(\)"):
        vm.map_blocks(lambda b: b, blocks(), drop_axis=0, dtype=float).compute()


def test_wrong_dtype():
    def to_int(block):
        return block.astype(int)

    with pytest.raises(TypeError, match=r"to_int gave int64 for block \(\d,\), but float64 was announced; pass dtype='int64'"):
        vm.map_blocks(to_int, blocks(), dtype=float).compute()

    def sometimes(block):
        return block if block[0] < 6 else block.astype("f4")

    with pytest.raises(TypeError, match=r"gave float32 for block \([23],\), but float64"):
        vm.map_blocks(sometimes, blocks()).compute()


NO_NUMBERS = [object(), "text", {"a": 1}, np.array(["a", "b", "c"]), np.array([None] * 3), lambda: 1, np.zeros(3, "M8[s]")]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=range(len(NO_NUMBERS)))
def test_no_numbers(value):
    with pytest.raises((TypeError, ValueError)):
        vm.map_blocks(lambda block: value, blocks())
    with pytest.raises((TypeError, ValueError)):
        vm.map_blocks(lambda block: value, blocks(), dtype=float).compute()
    still_works()


def test_ragged_lists():
    with pytest.raises(ValueError):
        vm.map_blocks(lambda block: [[1], [2, 3]], blocks(), dtype=float).compute()


def test_dtypes_that_arrays_do_not_hold():
    for dtype in (object, "U3", "M8[s]", [("a", int)]):
        with pytest.raises(TypeError, match="not supported"):
            vm.map_blocks(np.negative, blocks(), dtype=dtype)


def test_not_a_function():
    for name in ("map_blocks", "map_overlap"):
        with pytest.raises(TypeError, match="int"):
            getattr(vm, name)(3, blocks())
    with pytest.raises(TypeError, match="function"):
        vm.apply_gufunc("f", "()->()", blocks())


def test_wrong_arguments():
    x = blocks()
    with pytest.raises(TypeError):
        vm.map_blocks(lambda b: b, x, more=1, dtype=float).compute()
    with pytest.raises(ValueError, match="axes"):
        vm.map_blocks(np.negative, x, chunks=(1, 2), new_axis=(), dtype=float)
    with pytest.raises(ValueError, match="blocks"):
        vm.map_blocks(np.negative, x, chunks=((3, 3),), dtype=float)
    with pytest.raises(ValueError, match="negative"):
        vm.map_blocks(np.negative, x, chunks=(-1,), dtype=float)
    with pytest.raises(np.exceptions.AxisError):
        vm.map_blocks(np.negative, x, drop_axis=1, dtype=float)
    with pytest.raises(ValueError, match="boundary 'mirrored'"):
        vm.map_overlap(np.negative, x, depth=1, boundary="mirrored")
    with pytest.raises(ValueError, match="depth"):
        vm.map_overlap(np.negative, x, depth=-1)
    with pytest.raises(ValueError, match="2 entries"):
        vm.map_overlap(np.negative, x, depth=(1, 2))
    with pytest.raises(ValueError, match="list of 2"):
        vm.map_overlap(np.negative, x, depth=[1, 2])
    with pytest.raises(TypeError, match="at least one array"):
        vm.map_overlap(np.negative, 3, depth=1)


# Functions that change what they get


def spoil(block):
    block *= -1
    return block


def test_changing_the_input():
    a = np.arange(12.0)
    x = vm.from_array(a, chunks=3)
    y = vm.map_blocks(spoil, x)
    z, again = vm.compute(y, x + 1)
    np.testing.assert_array_equal(z, -np.arange(12.0))
    np.testing.assert_array_equal(again, np.arange(12.0) + 1)
    np.testing.assert_array_equal(a, np.arange(12.0))
    for _ in range(3):
        np.testing.assert_array_equal(y.compute(), -np.arange(12.0))


def test_changing_what_others_read_too():
    x = vm.from_array(np.arange(12.0), chunks=3)
    middle = vm.map_blocks(lambda b: b + 1, x)
    first, second = vm.map_blocks(spoil, middle), vm.map_overlap(spoil, middle, depth=2, boundary="reflect")
    results = vm.compute(first, second, middle, middle.sum())
    for result, expected in zip(results, (-1, -1, 1, None)):
        np.testing.assert_array_equal(result, 78 if expected is None else (np.arange(12.0) + 1) * expected)


def test_changing_a_persisted_array():
    (x,) = vm.persist(vm.arange(12.0, chunks=3))
    vm.map_blocks(spoil, x).compute()
    np.testing.assert_array_equal(x.compute(), np.arange(12.0))


def test_keeping_the_input():
    """A function may keep its blocks: they are its own."""
    kept = []
    y = vm.map_blocks(lambda b: kept.append(b) or b, blocks(), dtype=float)
    y.compute()
    (y * 2).compute()
    assert sorted(float(b[0]) for b in kept) == [0, 0, 3, 3, 6, 6, 9, 9]


def test_changing_the_result_later():
    shared = np.zeros(3)

    def fill(block):
        with lock:
            shared[:] = block
            return shared.copy() if block[0] else shared

    lock = threading.Lock()
    y = vm.map_blocks(fill, blocks(), dtype=float).compute(threads=1)
    np.testing.assert_array_equal(y, np.arange(12.0))


# NumPy arrays that are changed after they were wrapped


def test_changing_a_wrapped_array():
    """Memory is shared, not copied: an array that is changed between two computations shows the change; a result never does."""
    a = np.arange(6.0)
    x = vm.from_array(a, chunks=2)
    before = x.compute()
    a[0] = 100
    assert x.compute()[0] == 100 and before[0] == 0
    assert vm.asarray(a, copy=True)[0].compute() == 100
    held = vm.asarray(a, copy=True)
    a[0] = 7
    assert held[0].compute() == 100


def test_results_do_not_share_memory_with_their_source():
    a = np.arange(6.0)
    result = vm.from_array(a, chunks=6).compute()
    result[:] = 0
    np.testing.assert_array_equal(a, np.arange(6.0))
    assert not np.shares_memory(vm.from_array(a, chunks=3)[1:4].compute(), a)


def test_a_wrapped_array_stays_alive():
    x = vm.from_array(np.arange(100_000.0), chunks=1000)
    np.zeros(100_000)
    assert x.sum().compute() == np.arange(100_000.0).sum()


# Functions that do other things


def test_printing(capfd):
    def talks(block):
        print(f"block {int(block[0])}\n", end="")
        return block

    vm.map_blocks(talks, blocks(), dtype=float).compute()
    out = capfd.readouterr().out.split()
    assert sorted(out) == sorted(["block", "0", "block", "3", "block", "6", "block", "9"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forking():
    def forks(block):
        child = os.fork()
        if child == 0:
            os._exit(int(block[0]))
        _, status = os.waitpid(child, 0)
        return np.full(3, os.waitstatus_to_exitcode(status), float)

    y = vm.map_blocks(forks, blocks(), dtype=float).compute(threads=2)
    np.testing.assert_array_equal(y, np.repeat([0.0, 3, 6, 9], 3))


def test_starting_processes():
    def starts(block):
        made = subprocess.run([sys.executable, "-c", f"print({block[0]} + 1)"], capture_output=True, text=True, check=True)
        return np.full(3, float(made.stdout))

    np.testing.assert_array_equal(vm.map_blocks(starts, blocks(6), dtype=float).compute(), [1, 1, 1, 4, 4, 4])


def test_warnings():
    def warns(block):
        with np.errstate(divide="warn"):
            return 1 / (block - 3)

    with pytest.warns(RuntimeWarning):
        vm.map_blocks(warns, blocks(), dtype=float).compute(threads=1)


# Pickling


def test_pickled_functions():
    scale = 3

    def closure(block):
        return block * scale

    for function in (lambda b: b * 3, closure, np.positive):
        y = vm.map_blocks(function, blocks(), dtype=float)
        for copied in (pickle.loads(pickle.dumps(y)), cloudpickle.loads(cloudpickle.dumps(y)), copy.deepcopy(y), copy.copy(y)):
            np.testing.assert_array_equal(copied.compute(), y.compute())
            assert copied.chunks == y.chunks and copied.dtype == y.dtype


@pytest.mark.parametrize("make", [
    lambda x: vm.map_overlap(lambda b: b * 2, x, depth=2, boundary="reflect"),
    lambda x: vm.blockwise(lambda b: b * 2, "i", x, "i"),
    lambda x: vm.reduction(x, lambda b, axis, keepdims: b.sum(axis=axis, keepdims=keepdims), np.sum, dtype=float),
    lambda x: vm.apply_along_axis(lambda row: row[::-1], 0, x),
    lambda x: vm.apply_gufunc(lambda b: (b.sum(-1), b.max(-1)), "(i)->(),()", x)[1],
    lambda x: vm.vectorize(lambda v: v * 2)(x),
    lambda x: x.map_blocks(lambda b, low: b - low, low=x.min()),
    lambda x: x.map_blocks(lambda b, t: b - t, vm.delayed(lambda: 3.0)()),
    lambda x: vm.ndimage.generic_filter(x, lambda b: b.max(), 3),
    lambda x: vm.from_delayed(vm.delayed(lambda n: np.ones(n))(4), (4,), float),
    lambda x: vm.from_map(lambda n: np.full(2, n), [1, 2, 3]),
    lambda x: vm.from_function(lambda box: np.zeros(box[0].stop - box[0].start), 6, chunks=4),
])  # fmt: skip
def test_everything_can_be_pickled(make):
    y = make(blocks())
    data = pickle.dumps(y)
    assert len(data) < 20_000
    np.testing.assert_array_equal(pickle.loads(data).compute(), y.compute())


def test_a_first_block_does_not_travel():
    y = vm.map_blocks(lambda b: b + 1, vm.zeros(1_000_000, chunks=500_000))
    assert len(pickle.dumps(y)) < 20_000


def test_functions_that_cannot_be_pickled():
    lock = threading.Lock()
    y = vm.map_blocks(lambda b: b if lock else b, blocks(), dtype=float)
    np.testing.assert_array_equal(y.compute(), np.arange(12.0))
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(y)


def test_functions_that_cannot_be_unpickled(tmp_path, monkeypatch):
    """A function of a module that is not there says which function, and what is missing."""
    (tmp_path / "mine_only.py").write_text("def scaled(block):\n    return block * 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    import mine_only

    data = pickle.dumps(vm.map_blocks(mine_only.scaled, blocks(), dtype=float))
    script = textwrap.dedent("""
        import pickle, sys
        try:
            pickle.loads(bytes.fromhex(sys.stdin.read()))
        except ModuleNotFoundError as error:
            print(error, *error.__notes__)
    """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path and str(tmp_path) not in path)}
    made = subprocess.run([sys.executable, "-c", script], input=data.hex(), capture_output=True, text=True, env=environment)
    assert "mine_only" in made.stdout and "'scaled'" in made.stdout, made.stderr


def test_damaged_pickles():
    data = pickle.dumps(vm.map_blocks(np.negative, blocks(), dtype=float))
    with pytest.raises(Exception):  # noqa: B017 - any exception of pickle's, but no crash.
        pickle.loads(data[: len(data) // 2])
