"""What the Python front itself costs: importing, building, computing next to nothing, calling functions of users."""

from __future__ import annotations

import os
import subprocess
import sys
import timeit
from pathlib import Path
from typing import Any, Callable

import numpy as np

import harness
import peers
from harness import Bar, Contender, Context, Row, Verdict

TITLE = "overhead of the Python front"
SUM = "x.sum().compute() of 10 elements"
BUILD = "building x + 1"
IMPORT = "import in a fresh process"
BLOCKS = "map_blocks over 10k blocks"
# Bars: how much of which unit, and the unit in seconds.
AT_MOST = {SUM: (100, "us", 1e-6), BUILD: (5, "us", 1e-6), IMPORT: (150, "ms", 1e-3)}
SIDE = 16  # of a block, so small that calling the function costs next to nothing


def data(ctx: Context) -> None:
    pass


def each(call: Callable[[], Any]) -> float:
    """Seconds of one call, after warm-up: the best of ten rounds of some 20 ms."""
    timer = timeit.Timer(call)
    timer.timeit(20)
    number = max(int(0.02 / (timer.timeit(20) / 20)), 5)
    return min(timer.repeat(10, number)) / number


def tiny(open_library: Callable[[Context], Any], compute: Callable[[Any], Any]):
    def run(ctx: Context, clock, out: Path) -> dict:
        x = open_library(ctx).ones(10)
        call = lambda: compute(x.sum())
        return {"seconds": each(call), "value": float(call())}

    return run


def build(open_library: Callable[[Context], Any]):
    def run(ctx: Context, clock, out: Path) -> dict:
        x = open_library(ctx).ones(10)
        call = lambda: x + 1
        return {"seconds": each(call), "value": float(np.asarray(call()).sum())}

    return run


def imported(name: str):
    """From the first line of a program, with what the package itself imports; the files of byte code are there."""

    def run(ctx: Context, clock, out: Path) -> dict:
        code = f"import time; start = time.perf_counter(); import {name}; print(time.perf_counter() - start)"
        env = {**os.environ, "PYTHONPYCACHEPREFIX": str(ctx.data / "pycache")}
        del env["PYTHONDONTWRITEBYTECODE"]
        ask = lambda: float(subprocess.check_output([sys.executable, "-c", code], env=env, text=True))
        ask()
        return {"seconds": min(ask() for _ in range(5))}

    return run


def blocks(open_library: Callable[[Context], Any]):
    def run(ctx: Context, clock, out: Path) -> float:
        library = open_library(ctx)

        def work(side: int) -> np.ndarray:
            x = library.ones((side * SIDE,) * 2, dtype="float32", chunks=(SIDE, SIDE))
            return x.map_blocks(np.negative, dtype="float32", meta=np.empty((0, 0), "float32")).compute()

        work(4)
        with clock:
            answer = work(blocks_along(ctx))
        return float(answer.sum(dtype="f8"))

    return run


def blocks_along(ctx: Context) -> int:
    """Blocks along each of two axes."""
    return max(round(100 * ctx.scale**0.5), 4)


def plain_loop(ctx: Context, clock, out: Path) -> float:
    """The calls alone, which nobody can avoid."""
    n = blocks_along(ctx) ** 2
    block = np.ones((SIDE, SIDE), "float32")
    with clock:
        answers = [np.negative(block) for _ in range(n)]
    return float(sum(a.sum(dtype="f8") for a in answers))


def contenders(ctx: Context) -> list[Contender]:
    numpy, compute = (lambda ctx: np), (lambda x: x.compute())
    return [
        Contender(SUM, "numpy", run=tiny(numpy, lambda x: x), out="", aside=True),
        Contender(SUM, "dask", run=tiny(peers.use_dask, compute), out=""),
        Contender(SUM, "voxmill python", python=tiny(peers.use_voxmill, compute), out=""),
        Contender(BUILD, "numpy", run=build(numpy), out="", aside=True),
        Contender(BUILD, "dask", run=build(peers.use_dask), out=""),
        Contender(BUILD, "voxmill python", python=build(peers.use_voxmill), out=""),
        Contender(IMPORT, "numpy", run=imported("numpy"), out="", aside=True),
        Contender(IMPORT, "dask.array", run=imported("dask.array"), out=""),
        Contender(IMPORT, "voxmill python", python=imported("voxmill"), out=""),
        Contender(BLOCKS, "plain loop", run=plain_loop, aside=True),
        Contender(BLOCKS, "dask threads", run=blocks(peers.use_dask)),
        Contender(BLOCKS, "voxmill python", python=blocks(peers.use_voxmill)),
    ]


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    if case == BLOCKS:
        return peers.agree(np.load(answer), np.asarray(-float((blocks_along(ctx) * SIDE) ** 2)), 0.0)
    expected = {SUM: 10.0, BUILD: 20.0, IMPORT: None}[case]
    return report.get("value") == expected, "" if expected is None else f"value {report.get('value')}"


def quick(case: str) -> Bar:
    most, unit, in_seconds = AT_MOST[case]

    def judge(rows: dict[str, Row]) -> Verdict:
        missing = harness.needs(rows, ["voxmill python"], [])
        if missing:
            return missing
        taken = rows["voxmill python"].seconds / in_seconds
        return Verdict("PASS" if taken <= most else "FAIL", f"{taken:.3g} {unit}")

    return Bar(case, f"<= {most} {unit}", judge)


def bars(ctx: Context) -> list[Bar]:
    # The calls are part of both times, so that the overheads alone differ by more than this says.
    less = harness.times_faster(BLOCKS, "voxmill python", ["dask threads"], 3, ">= 3x less overhead per block than dask threads")
    return [*(quick(case) for case in AT_MOST), less]
