"""Distances between the rows of a matrix in memory, against the Gram matrix of NumPy, scipy and a loop of numba."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Callable

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "distances between samples in memory"


@dataclasses.dataclass
class Case:
    name: str
    metric: str
    rows: int
    dtype: str = "float32"
    p: float = 2.0


SINGLE = Case("euclidean 2000 x 100000, float32", "euclidean", 2000)
BYTES = Case("euclidean 2000 x 100000, int8", "euclidean", 2000, "int8")
BLOCKS, POWERS = Case("cityblock 500 x 100000", "cityblock", 500), Case("minkowski p=3, 150 x 100000", "minkowski", 150, p=3)
CASES = [SINGLE, BYTES, BLOCKS, POWERS]
FEATURES = 100_000


def case_of(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def shape(ctx: Context, case: Case) -> tuple[int, int]:
    return (ctx.scaled(case.rows, least=60), ctx.scaled(FEATURES, least=4000))


def source(ctx: Context, case: Case) -> Path:
    return ctx.data / f"distance-{case.dtype}-{peers.shape_name(shape(ctx, case))}.npy"


def data(ctx: Context) -> None:
    for case in CASES:

        def write(path: Path) -> None:
            rng = np.random.default_rng(41)
            with open(path, "wb") as file:
                np.save(file, rng.integers(0, 3, shape(ctx, case), dtype=np.int8).astype(case.dtype))

        peers.make(ctx, source(ctx, case), write)


# ---------------------------------------------------------------- contenders


def timed(case: Case, prepare: Callable[[Context, Case], Callable[[np.ndarray], Any]]):
    """A contender that does the work some times, of which the quickest counts."""

    def run(ctx: Context, clock, out: Path) -> dict:
        work = prepare(ctx, case)
        values = np.load(source(ctx, case))
        work(values[:8])
        times: list[float] = []
        while len(times) < 3 and sum(times) < 3:
            with clock:
                answer = work(values)
            times.append(clock.seconds)
        np.save(out, np.asarray(answer))
        return {"seconds": min(times)}

    return run


def voxmill_way(ctx: Context, case: Case):
    vm = peers.use_voxmill(ctx)
    return lambda values: vm.distance.pairwise_distance(vm.asarray(values), case.metric, p=case.p, missing=None).compute()


def gram_way(ctx: Context, case: Case):
    def distances(values: np.ndarray) -> np.ndarray:
        x = values.astype(np.float32, copy=False)
        product = x @ x.T
        squares = np.diag(product)
        return np.sqrt(np.maximum(squares[:, None] + squares - 2 * product, 0))

    return distances


def scipy_way(ctx: Context, case: Case):
    from scipy.spatial.distance import pdist, squareform

    given = {"p": case.p} if case.metric == "minkowski" else {}
    return lambda values: squareform(pdist(values, case.metric, **given))


def numba_way(ctx: Context, case: Case):
    """Rows of single precision, each pair once; features in pieces that stay in cache, rows dealt out to threads."""
    from concurrent.futures import ThreadPoolExecutor

    import numba

    cubes = case.metric == "minkowski"
    pool = ThreadPoolExecutor(ctx.threads)

    @numba.njit(nogil=True, fastmath=True)
    def add_rows(x, first, step, out):
        n, m = x.shape
        piece = 2048
        for begin in range(0, m, piece):
            for i in range(first, n, step):
                a = x[i, begin : begin + piece]
                for j in range(i + 1, n):
                    b = x[j, begin : begin + piece]
                    total = np.float32(0)
                    for k in range(a.size):
                        d = abs(a[k] - b[k])
                        total += d * d * d if cubes else d
                    out[i, j] += total

    def distances(values: np.ndarray) -> np.ndarray:
        x = values.astype(np.float32, copy=False)
        upper = np.zeros((len(x), len(x)))
        list(pool.map(lambda first: add_rows(x, first, ctx.threads, upper), range(ctx.threads)))
        full = upper + upper.T
        return np.cbrt(full) if cubes else full

    return distances


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case in CASES:
        if case.metric == "euclidean":
            rows.append(Contender(case.name, "numpy gram", run=timed(case, gram_way)))
        else:
            rows.append(Contender(case.name, "scipy", run=timed(case, scipy_way)))
            rows.append(Contender(case.name, "numba", run=timed(case, numba_way)))
        rows.append(Contender(case.name, "voxmill python", python=timed(case, voxmill_way)))
    return rows


# ---------------------------------------------------------------- answers and bars


def check(ctx: Context, case_name: str, answer: Path, report: dict) -> tuple[bool, str]:
    """As scipy's in double precision, for some rows."""
    case, found = case_of(case_name), np.load(answer)
    key = f"distance-{case.metric}-{case.dtype}-{peers.shape_name(shape(ctx, case))}"

    def compute() -> np.ndarray:
        from scipy.spatial.distance import cdist

        values = np.load(source(ctx, case))
        given = {"p": case.p} if case.metric == "minkowski" else {}
        return cdist(values[:20], values, case.metric, **given)

    expected = peers.reference(ctx, key, compute)
    return peers.agree(found[:20], expected, 1e-4 if case.metric == "euclidean" else 1e-5)


def bars(ctx: Context) -> list[harness.Bar]:
    ours = "voxmill python"
    rows = [
        harness.at_most(SINGLE.name, ours, ["numpy gram"], 1.0, "not slower than the Gram matrix of NumPy"),
        harness.times_faster(BYTES.name, ours, ["numpy gram"], 2.0, ">= 2x faster than the Gram matrix of NumPy"),
    ]
    for case in (BLOCKS, POWERS):
        rows.append(harness.at_most(case.name, ours, ["numba"], 1.0, "not slower than a loop of numba"))
        rows.append(harness.times_faster(case.name, ours, ["scipy"], 5.0, ">= 5x faster than scipy"))
    return rows
