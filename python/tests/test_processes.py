"""The package in processes: what starting, forking, threads, Ctrl-C, terminals and settings do, and what is left at the end."""

from __future__ import annotations

import os
import pickle
import pty
import re
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import voxmill as vm

PACKAGE = str(Path(vm.__file__).parent.parent)
SLOW = 3 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
"""Times are given with this margin: machines that run tests are busy, some more than others."""


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOXMILL_")}
    return {**kept, "PYTHONPATH": PACKAGE, **more}


def start(body, *, stderr=subprocess.PIPE, **more):
    """Start a script."""
    script = "import os, sys, threading, time\nimport numpy as np\nimport voxmill as vm\n" + textwrap.dedent(body)
    # A shell that runs the tests in the background makes them, and all they start, deaf to interrupts.
    hears = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    command = [sys.executable, "-c", script]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment(**more), preexec_fn=hears)


def run(body, *, timeout=60, **more):
    """Run a script that must end well; give what it printed."""
    process = start(body, **more)
    out, error = process.communicate(timeout=timeout)
    assert process.returncode == 0, error
    assert not error, error
    return out.split("\n")[:-1]


# Importing


def test_import_loads_nothing_heavy():
    heavy = "dask distributed scipy xarray pandas zarr numcodecs h5py tifffile matplotlib skimage cloudpickle IPython numba asyncio".split()
    (loaded,) = run(f"print([name for name in {heavy} if name in sys.modules])")
    assert loaded == "[]"


def test_import_is_quick(tmp_path):
    """150 ms with NumPy, of the processor's time, since machines that run tests are busy; the best of five counts.

    The first import compiles the modules, which happens once after an installation.
    """
    script = "import time; start = time.process_time(); import voxmill; print(time.process_time() - start)"
    more = environment(PYTHONPYCACHEPREFIX=str(tmp_path))
    more.pop("PYTHONDONTWRITEBYTECODE", None)
    imports = [subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=more, check=True) for _ in range(6)]
    times = [float(made.stdout) for made in imports[1:]]
    assert min(times) < 0.150 * SLOW, times


def test_import_starts_nothing():
    before, after = run("""
        def tasks():
            return len(os.listdir("/proc/self/task"))
        print(tasks())
        import voxmill.interop, voxmill.linalg
        print(tasks())
    """)
    assert before == after


def test_import_creates_nothing(tmp_path):
    run("pass", HOME=str(tmp_path), TMPDIR=str(tmp_path), XDG_CACHE_HOME=str(tmp_path))
    assert not list(tmp_path.iterdir())


# The end


def test_nothing_is_left_at_the_end(tmp_path):
    """No scratch, no temporary files, and a process that ends at once."""
    scratch, temporary = tmp_path / "scratch", tmp_path / "tmp"
    scratch.mkdir()
    temporary.mkdir()
    start_of_end, files = run(f"""
        import atexit
        vm.config.set(scratch={str(scratch)!r}, memory_limit="64MiB", threads=2)
        x = vm.random.default_rng(0).random((3000, 3000), chunks=(3000, 100))
        y = (x - x.mean(axis=0)).rechunk((100, 3000))
        y.to_zarr({str(tmp_path / 'y.zarr')!r})
        vm.map_blocks(np.negative, y).sum().compute()
        vm.gather(vm.map(abs, range(10)))
        vm.delayed(abs)(-1).compute()
        print(time.time())
        print(sorted(os.listdir({str(tmp_path)!r})))
    """, TMPDIR=str(temporary))
    assert time.time() - float(start_of_end) < 1 * SLOW
    assert "y.zarr'" in files
    assert not list(temporary.iterdir())
    assert not list(scratch.iterdir())
    assert {path.name for path in tmp_path.iterdir()} <= {"y.zarr", "tmp", "scratch"}


def test_threads_end():
    """Threads of a computation wait some seconds for another one and go then, those of futures after a moment."""
    names, more = run("""
        def tasks():
            return len(os.listdir("/proc/self/task"))
        before = tasks()
        (vm.ones((2000, 2000), chunks=100) + 1).sum().compute(threads=4)
        vm.gather(vm.map(abs, range(10)))
        vm.compute(*[vm.delayed(abs)(k) for k in range(10)])
        time.sleep(0.5)
        print([thread.name for thread in threading.enumerate()])
        deadline = time.time() + 30
        while tasks() > before and time.time() < deadline:
            time.sleep(0.1)
        print(tasks() - before)
    """)
    assert names == "['MainThread']" and more == "0"


def test_leaving_while_something_runs():
    """Work that was begun is finished, as with other pools of threads; the process does not hang, and complains of nothing."""
    lines = run("""
        futures = vm.map(lambda k: time.sleep(0.05) or os.write(1, b"%d\\n" % k), range(4))
        time.sleep(0.01)
    """)
    assert sorted(lines) == ["0", "1", "2", "3"]


def test_leaving_with_lazy_arrays():
    run("""
        x = vm.map_blocks(lambda b: b + 1, vm.ones((100, 100), chunks=10))
        held = [x, x.sum(), vm.delayed(x), vm.from_delayed(vm.delayed(np.ones)(3), (3,), float)]
        sys.modules[__name__].keep = held
    """)


def test_leaving_from_a_thread_that_computes():
    run("""
        slow = vm.map_blocks(lambda b: time.sleep(0.05) or b, vm.zeros(8, chunks=1), dtype=float)
        thread = threading.Thread(target=slow.compute)
        thread.start()
        time.sleep(0.1)
    """)


# Forks and other processes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_after_computing():
    lines = run("""
        import warnings
        warnings.simplefilter("ignore")
        def work():
            y = vm.map_blocks(np.negative, vm.ones((500, 500), chunks=50))
            total = float((y + vm.ones((500, 500), chunks=30)).sum().compute(threads=2))
            return total + vm.submit(abs, -1).result() + vm.delayed(abs)(-1).compute()
        print(work(), flush=True)
        child = os.fork()
        if child == 0:
            print(work(), flush=True)
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0 if work() == 2 else 1)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), work())
    """)
    assert lines == ["2.0", "2.0", "0 2.0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_another_thread_computes():
    lines = run("""
        import warnings
        warnings.simplefilter("ignore")
        stop = threading.Event()
        def busy():
            while not stop.is_set():
                vm.map_blocks(np.negative, vm.ones((200, 200), chunks=20), dtype=float).sum().compute(threads=2)
        thread = threading.Thread(target=busy)
        thread.start()
        for _ in range(10):
            time.sleep(0.02)
            child = os.fork()
            if child == 0:
                os._exit(0 if vm.ones((200, 200), chunks=20).sum().compute(threads=2) == 40000 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        thread.join()
    """)
    assert lines == ["0"] * 10


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method, tmp_path):
    (tmp_path / "work.py").write_text(textwrap.dedent("""
        import voxmill as vm

        def total(n):
            return float((vm.ones((200, 200), chunks=20) * n).sum().compute(threads=2))

        def computed(x):
            return x.compute()
    """))
    script = tmp_path / "main.py"
    script.write_text(textwrap.dedent(f"""
        import multiprocessing, sys, warnings
        sys.path.insert(0, {str(tmp_path)!r})
        warnings.simplefilter("ignore")
        import work
        import numpy as np
        import voxmill as vm

        if __name__ == "__main__":
            vm.ones((500, 500), chunks=50).sum().compute(threads=2)
            scale = 3
            arrays = [vm.map_blocks(lambda b: b * scale, vm.arange(6, chunks=4)), vm.from_array(np.arange(3.0)) + 1]
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                print(pool.map(work.total, range(3)))
                print([made.tolist() for made in pool.map(work.computed, arrays)])
    """))
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment(), timeout=120)
    assert made.returncode == 0 and not made.stderr, made.stderr
    assert made.stdout.split("\n")[:2] == ["[0.0, 40000.0, 80000.0]", "[[0, 3, 6, 9, 12, 15], [1.0, 2.0, 3.0]]"]


# Threads of users


def test_computing_in_a_thread():
    made = []

    def work():
        y = vm.map_blocks(lambda b: b + 1, vm.ones((300, 300), chunks=30))
        made.append(float(y.sum().compute()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert made == [180_000.0]


def test_several_threads_at_once():
    x = vm.from_array(np.arange(40_000.0).reshape(200, 200), chunks=23)
    y = vm.map_blocks(np.negative, x, dtype=float)
    made, errors = [], []

    def work(k):
        try:
            for _ in range(5):
                total, high = vm.compute((x * k).sum(), y.max())
                made.append(total == k * np.arange(40_000.0).sum() and high == 0)
                with pytest.raises(ZeroDivisionError):
                    vm.map_blocks(lambda b: 1 / 0, x, dtype=float).compute()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and made == [True] * 30


def test_building_in_several_threads():
    x = vm.ones((100, 100), chunks=10)
    made = []

    def work():
        y = x
        for _ in range(200):
            y = (y + 1)[::-1].T - 1
        made.append(float(y.sum().compute()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [10_000.0] * 4


def test_exceptions_of_threads_do_not_mix():
    wrong = []

    def work(kind):
        def fails(block):
            time.sleep(0.001)
            raise kind(kind.__name__)

        for _ in range(10):
            try:
                vm.map_blocks(fails, vm.zeros(6, chunks=1), dtype=float).compute(threads=2)
            except kind as error:
                if str(error).strip("'") != kind.__name__:
                    wrong.append(error)
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(kind,)) for kind in (ValueError, KeyError, IndexError, OSError)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Ctrl-C


def interrupted(body, delay=0.7, **more):
    """Run a script until it says that it is ready, press Ctrl-C a little later; give seconds, output and errors."""
    process = start(body, **more)
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    return time.monotonic() - pressed, out, error


READY = "print('ready', flush=True)\n"

LONG = {
    "native": "vm.sin(vm.arange(10**12, dtype=float)).sum().compute()",
    "fused filters": "vm.ndimage.gaussian_filter(vm.ones((20_000, 20_000, 200), chunks=500), 3).sum().compute()",
    "functions": "vm.map_blocks(lambda b: time.sleep(0.05) or b, vm.zeros(10_000, chunks=1), dtype=float).compute()",
    "functions on one thread": "vm.map_blocks(lambda b: time.sleep(0.05) or b, vm.zeros(10_000, chunks=1), dtype=float).compute(threads=1)",
    "a function that does not end": "vm.map_blocks(lambda b: time.sleep(600) or b, vm.zeros(100, chunks=1), dtype=float).compute()",
    "delayed": "vm.compute(*[vm.delayed(time.sleep)(0.05) for _ in range(10_000)])",
    "chain": "vm.delayed(time.sleep)(vm.delayed(lambda: [time.sleep(0.01) for _ in range(10_000)])()).compute()",
    "submit": "futures = [vm.submit(time.sleep, 0.05) for _ in range(10_000)]\ntime.sleep(60)",
    "gather": "vm.gather(vm.map(time.sleep, [0.05] * 10_000))",
    "as_completed": "list(vm.as_completed(vm.map(time.sleep, [0.05] * 10_000)))",
    "persist": "vm.persist(vm.map_blocks(lambda b: time.sleep(0.05) or b, vm.zeros(10_000, chunks=1), dtype=float))",
}


@pytest.mark.parametrize("name", LONG)
def test_interrupt(name):
    seconds, _, error = interrupted(READY + LONG[name])
    assert error.rstrip().endswith("KeyboardInterrupt"), error
    assert seconds < 1 * SLOW


def test_work_goes_on_after_an_interrupt():
    body = """
        print("ready", flush=True)
        try:
            vm.sin(vm.arange(10**12, dtype=float)).sum().compute()
        except KeyboardInterrupt:
            print("stopped")
        try:
            vm.gather(vm.map(abs, range(3)))
            print(vm.map_blocks(np.negative, vm.ones((100, 100), chunks=10)).sum().compute())
        except BaseException as error:
            print(repr(error))
    """
    _, out, error = interrupted(body)
    assert out.split("\n")[:2] == ["stopped", "-10000.0"] and not error


@pytest.mark.parametrize("array", [
    "vm.sin(vm.arange(20_000_000, dtype=float, chunks=200_000))",
    "vm.map_blocks(lambda b: time.sleep(0.02) or b * 2, vm.arange(20_000, dtype=float, chunks=100), dtype=float)",
])  # fmt: skip
def test_interrupt_while_writing(array, tmp_path):
    """What is written to can be written to again, and is whole then."""
    target = str(tmp_path / "x.zarr")
    body = f"""
        y = {array}
        slow = vm.map_blocks(lambda b: time.sleep(0.02) or b, y, dtype=float)
        print("ready", flush=True)
        try:
            slow.to_zarr({target!r}, threads=2)
        except KeyboardInterrupt:
            print("stopped")
            y.to_zarr({target!r}, mode="w")
            print(bool((vm.open({target!r}) == y).all().compute()))
    """
    seconds, out, error = interrupted(body, delay=0.4)
    assert out.split("\n")[:2] == ["stopped", "True"], error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.zarr"]


STOPPED = """
    def slow(block):
        open({log!r}, "a").write("x")
        time.sleep(0.02)
        return block + {step}
    print("ready", flush=True)
    vm.map_blocks(slow, vm.arange(100, chunks=1), dtype=int).to_zarr({out!r}, chunks=(1,), overwrite={overwrite})
"""


def calls_after_a_stop(tmp_path, step, overwrite):
    """Kill a script in the middle, run it again, perhaps with another function; give how often its function was called then."""
    log, out = str(tmp_path / "log"), str(tmp_path / "out.zarr")
    process = start(STOPPED.format(log=log, out=out, step=1, overwrite=False))
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.8)
    process.kill()
    process.wait()
    os.unlink(log)
    run(STOPPED.format(log=log, out=out, step=step, overwrite=overwrite))
    np.testing.assert_array_equal(vm.open(out).compute(), np.arange(100) + step)
    return len((tmp_path / "log").read_text())


def test_functions_go_on_where_they_were_stopped(tmp_path):
    assert calls_after_a_stop(tmp_path, 1, overwrite=False) < 95


def test_another_function_begins_anew(tmp_path):
    assert calls_after_a_stop(tmp_path, 2, overwrite=True) == 100


def test_interrupted_twice_then_finished(tmp_path):
    target = str(tmp_path / "x.zarr")
    body = f"""
        y = vm.map_blocks(lambda b: time.sleep(0.01) or b + 1, vm.arange(1000, dtype=float, chunks=10), dtype=float)
        print("ready", flush=True)
        y.to_zarr({target!r}, threads=2)
        print(vm.open({target!r}).sum().compute())
    """
    for _ in range(2):
        seconds, _, error = interrupted(body, delay=0.2)
        assert error.rstrip().endswith("KeyboardInterrupt") and seconds < 1 * SLOW
    process = start(body)
    out, error = process.communicate(timeout=60)
    assert out.split("\n")[1] == "500500.0", error


# The progress bar

WORK = "vm.map_blocks(lambda b: time.sleep(0.1) or b, vm.zeros({n}, chunks=1), dtype=float).compute(threads=2{more})"
BAR = re.compile(r"\[#* *\] \| +\d+%")


def on_a_terminal(body):
    """Run a script whose errors go to a terminal; give what is seen there."""
    ours, theirs = pty.openpty()
    process = start(body, stderr=theirs)
    os.close(theirs)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        elif process.poll() is not None:
            break
    os.close(ours)
    process.communicate(timeout=30)
    assert process.returncode == 0, seen.decode()
    return seen.decode()


def test_bar_appears_for_long_work():
    seen = on_a_terminal(WORK.format(n=50, more=""))
    assert BAR.search(seen) and "100%" in seen and "50 of 50 tiles" in seen
    assert seen.endswith("\n")


def test_no_bar_for_short_work():
    assert on_a_terminal(WORK.format(n=4, more="")) == ""


def test_no_bar_if_nobody_wants_it():
    assert on_a_terminal(WORK.format(n=40, more=", progress=False")) == ""
    assert on_a_terminal("vm.config.set(progress=False)\n" + WORK.format(n=40, more="")) == ""


def test_bar_for_delayed_work():
    seen = on_a_terminal("vm.compute(*[vm.delayed(time.sleep)(0.1) for _ in range(40)], threads=2)")
    assert BAR.search(seen) and "40 of 40 calls" in seen and "/s" not in seen


def test_no_bar_in_files_and_pipes():
    assert run(WORK.format(n=40, more="")) == []


def test_bar_on_demand():
    """For short work, too: even if it was over before anything was known about it."""
    for n, words in ((20, "20 of 20 tiles"), (2, "100%")):
        work = WORK.format(n=n, more="")
        for body in (
            f"with vm.ProgressBar(out=sys.stdout):\n    {work}",
            f"bar = vm.ProgressBar(out=sys.stdout)\nbar.register()\n{work}\nbar.unregister()\n{work}",
        ):
            out = "\n".join(run(body))
            assert words in out and out.count("100%") <= 2
        assert run(f"with vm.ProgressBar(minimum=5, out=sys.stdout):\n    {work}") == []
        process = start(WORK.format(n=n, more=", progress=True"))
        assert words in process.communicate(timeout=60)[1]
    assert run("with vm.ProgressBar(out=sys.stdout):\n    try:\n        vm.map_blocks(lambda b: 1 / 0, vm.ones(2), dtype=float).compute()\n"
               "    except ZeroDivisionError:\n        pass") == []  # fmt: skip


def test_own_function_for_progress():
    seen = []
    vm.map_blocks(lambda b: time.sleep(0.02) or b, vm.zeros(30, chunks=1), dtype=float).compute(threads=2, progress=seen.append)
    assert seen[-1]["finished"] and seen[-1]["done"] == seen[-1]["tasks"] == 30
    assert [now["done"] for now in seen] == sorted(now["done"] for now in seen)

    def fails(now):
        raise ValueError("the bar is broken")

    with pytest.raises(ValueError, match="broken"):
        vm.map_blocks(lambda b: time.sleep(0.02) or b, vm.zeros(30, chunks=1), dtype=float).compute(progress=fails)


# Settings


@pytest.fixture
def settings_restored():
    before = {name: vm.config.get(name) for name in vm.config.DEFAULTS}
    yield
    vm.config.set(**before)


def test_settings_of_the_process(settings_restored):
    vm.config.set(threads=3, memory_limit="1GiB")
    assert vm.config.get("threads") == 3
    limits = vm.config.limits()
    assert limits.threads == 3 and limits.memory_limit == 1 << 30
    seen = []
    thread = threading.Thread(target=lambda: seen.append(vm.config.get("threads")))
    thread.start()
    thread.join()
    assert seen == [3]


def test_settings_of_a_block(settings_restored):
    with vm.config.set(threads=2):
        with vm.config.set(memory_limit=2**20, threads=5):
            assert vm.config.limits().threads == 5
        assert vm.config.limits().threads == 2 and vm.config.get("memory_limit") is None
        seen = []
        thread = threading.Thread(target=lambda: seen.append(vm.config.get("threads")))
        thread.start()
        thread.join()
        assert seen == [None]
        with pytest.raises(KeyError), vm.config.set(threads=9):
            raise KeyError
        assert vm.config.get("threads") == 2
    assert vm.config.get("threads") is None


def test_settings_of_blocks_in_several_threads(settings_restored):
    wrong = []

    def work(k):
        for _ in range(200):
            with vm.config.set(threads=k):
                if vm.config.get("threads") != k:
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and vm.config.get("threads") is None


def test_settings_of_a_call():
    x = vm.map_blocks(lambda b: np.full(b.shape, threading.get_ident() % 2**31), vm.zeros(200, chunks=1), dtype=int)
    assert len(set(x.compute(threads=1).tolist())) == 1
    assert x.compute(scheduler="synchronous").shape == x.compute(num_workers=2).shape == (200,)
    with pytest.raises(ValueError, match="no scheduler 'cluster'"):
        x.compute(scheduler="cluster")


@pytest.mark.parametrize("settings, kind, words", [
    ({"threads": 0}, ValueError, "at least 1"), ({"threads": "two"}, ValueError, "'two'"), ({"threads": 2.5}, TypeError, "2.5"),
    ({"memory_limit": "lots"}, ValueError, "'lots' is not a number of bytes"), ({"memory_limit": -1}, ValueError, "-1"),
    ({"scratch": 3}, TypeError, "int"), ({"scratch_limit": "x"}, ValueError, "'x'"), ({"progress": "maybe"}, ValueError, "'maybe'"),
    ({"thread": 1}, TypeError, "no setting 'thread'; there are threads"),
])  # fmt: skip
def test_wrong_settings(settings, kind, words):
    before = {name: vm.config.get(name) for name in vm.config.DEFAULTS}
    with pytest.raises(kind, match=words):
        vm.config.set(**settings)
    assert {name: vm.config.get(name) for name in vm.config.DEFAULTS} == before
    if "progress" not in settings:
        with pytest.raises(kind, match=words):
            vm.ones(3).compute(**settings)
        with pytest.raises(kind, match=words):
            vm.compute(vm.delayed(abs)(1), **settings)
    with pytest.raises(KeyError, match="no setting 'thread'"):
        vm.config.get("thread")


def test_settings_from_the_environment(tmp_path):
    body = """
        limits = vm.config.limits()
        print(limits.threads, limits.memory_limit, vm.config.get("scratch"))
        print(vm.ones(9).sum().compute())
    """
    given = {"VOXMILL_THREADS": "3", "VOXMILL_MEMORY_LIMIT": "512MiB", "VOXMILL_SCRATCH": str(tmp_path), "VOXMILL_PROGRESS": "False"}
    lines = run(body, **given)
    assert lines == [f"3 {512 << 20} {tmp_path}", "9.0"]


# Limits


def test_memory_limit():
    x = vm.ones((2000, 2000), chunks=2000)
    with pytest.raises(MemoryError, match="result of 32.0 MiB does not fit the memory limit of 1.00 MiB"):
        x.compute(memory_limit="1MiB")
    y = x.map_blocks(np.negative, dtype=float)
    with pytest.raises(MemoryError, match=r"limit of 10.0 MiB is too small.*needs .* MiB at 'negative'"):
        y.sum().compute(memory_limit="10MiB")
    with vm.config.set(memory_limit="10MiB"), pytest.raises(MemoryError):
        y.sum().compute()
    assert y.sum().compute(memory_limit="1GiB") == -4_000_000
    small = x.rechunk(100).map_blocks(np.negative, dtype=float)
    assert small.sum().compute(memory_limit="16MiB") == -4_000_000


def test_memory_stays_below_the_limit():
    """A function over blocks of 8 MiB, 1 GiB in all, in 128 MiB."""
    (peak,) = run("""
        import resource
        y = vm.map_blocks(lambda b: b * 2, vm.ones((1 << 14, 1 << 13), chunks=1024), dtype=float)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert y.sum().compute(memory_limit="128MiB", threads=2) == 2 << 27
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
    """)
    assert int(peak) < 128


def test_scratch_is_used_and_removed(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    x = vm.map_blocks(lambda b: b + 1, vm.zeros((2000, 2000), chunks=(2000, 50)), dtype=float)
    y = vm.map_blocks(lambda b: b, x.rechunk((50, 2000)), dtype=float)
    assert y.sum().compute(memory_limit="12MiB", scratch=scratch, threads=2) == 4_000_000
    assert not list(scratch.iterdir())
    with pytest.raises(FileNotFoundError, match="nowhere"):
        y.sum().compute(memory_limit="12MiB", scratch=tmp_path / "nowhere", threads=2)


# Kinds of exceptions


def test_kinds_of_exceptions(tmp_path):
    x = vm.ones((4, 4), chunks=2)
    vm.ones(3).to_zarr(tmp_path / "there.zarr")
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY\x01\x00junk")
    (tmp_path / "file").write_text("text")
    (tmp_path / "no.zarr").mkdir()
    (tmp_path / "no.zarr" / "zarr.json").write_text("{")
    for kind, attempt in [
        (ValueError, lambda: x + vm.ones(3)),
        (ValueError, lambda: x.reshape(5)),
        (ValueError, lambda: vm.ones(3, chunks=0)),
        (ValueError, lambda: vm.ones(3, chunks=-2)),
        (ValueError, lambda: vm.ones(3, chunks=((1, 1),))),
        (ValueError, lambda: vm.asarray([[1], [2, 3]])),
        (TypeError, lambda: vm.asarray(["a"])),
        (TypeError, lambda: vm.ones(3, dtype=object)),
        (TypeError, lambda: x + "a"),
        (IndexError, lambda: x[7]),
        (IndexError, lambda: x[0, 0, 0]),
        (np.exceptions.AxisError, lambda: x.sum(axis=2)),
        (MemoryError, lambda: x.compute(memory_limit=8)),
        (FileNotFoundError, lambda: vm.open(tmp_path / "nothing.zarr")),
        (FileExistsError, lambda: vm.ones(3).to_zarr(tmp_path / "there.zarr")),
        (OSError, lambda: vm.open(tmp_path / "broken.npy")),
        (OSError, lambda: vm.open(tmp_path / "no.zarr")),
        (OSError, lambda: vm.ones(3).to_zarr(tmp_path / "file" / "x.zarr")),
    ]:
        with pytest.raises(kind) as caught:
            attempt()
        assert str(caught.value)
        assert isinstance(pickle.loads(pickle.dumps(caught.value)), kind)
