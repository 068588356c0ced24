"""One op of each family on 16 GiB under a limit of 512 MiB.

The array on disk repeats one slab of 64 planes, so that the answer for 16 GiB follows from the answer
for a few slabs. Repeated chunks are hard links: the engine reads and decodes 16 GiB, the disk holds 64 MiB.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Callable

import numpy as np

import harness
import peers
from harness import MIB, Contender, Context

TITLE = "16 GiB under a limit of 512 MiB, one op of each family"
SLAB = (64, 1024, 1024)
CHUNK = (64, 256, 256)
BASELINE = 64 * MIB


@dataclasses.dataclass
class Family:
    """`expr` uses `x`; `expected(ctx, slab)` is the answer, or `written(ctx, slab, path)` checks an array on disk."""

    expr: str
    expected: Callable[[Context, np.ndarray], np.ndarray] | None = None
    tolerance: float = 0.0
    written: Callable[[Context, np.ndarray, Path], tuple[bool, str]] | None = None
    chunks: tuple | None = None


def slabs(ctx: Context) -> int:
    return ctx.scaled(128, least=4)


def depth(ctx: Context) -> int:
    return slabs(ctx) * SLAB[0]


def limit(ctx: Context) -> int:
    return max(int(512 * MIB * ctx.scale), 128 * MIB)


def source(ctx: Context) -> Path:
    return ctx.data / f"repeated-{slabs(ctx)}.zarr"


def one_slab() -> np.ndarray:
    return next(block for _, block in peers.planes(SLAB, "uint16", 6, seed=16, step=SLAB[0]))


def data(ctx: Context) -> None:
    def write(path: Path) -> None:
        shape = (depth(ctx), *SLAB[1:])
        peers.ts_create(ctx, path, shape, CHUNK, "uint16")[: SLAB[0]].write(one_slab()).result()
        first = path / "c" / "0"
        for file in harness.files_under(first):
            for i in range(1, slabs(ctx)):
                copy = path / "c" / str(i) / file.relative_to(first)
                copy.parent.mkdir(parents=True, exist_ok=True)
                os.link(file, copy)

    peers.make(ctx, source(ctx), write)


def mean_of_local(filtered: Callable[[np.ndarray], np.ndarray]):
    """The mean of a filter that reaches less than a slab: first slab, last slab, and the inner ones alike."""

    def expected(ctx: Context, slab: np.ndarray) -> np.ndarray:
        sums = filtered(np.concatenate([slab] * 3)).reshape(3, -1).sum(axis=1, dtype="f8")
        return (sums[0] + sums[1] * (slabs(ctx) - 2) + sums[2]) / (slab.size * slabs(ctx))

    return expected


def gaussian(x: np.ndarray) -> np.ndarray:
    from scipy.ndimage import gaussian_filter

    return gaussian_filter(x.astype("f4"), (1, 2, 2))


def mean_power(ctx: Context, slab: np.ndarray) -> np.ndarray:
    """n copies of a signal have a spectrum at every n-th bin only, n times as high."""
    n = slabs(ctx)
    bins = np.fft.rfft(slab.astype("f4"), axis=0)
    return n * n * np.square(np.abs(bins)).sum(dtype="f8") / ((depth(ctx) // 2 + 1) * SLAB[1] * SLAB[2])


def written_planes(ctx: Context, slab: np.ndarray, path: Path) -> tuple[bool, str]:
    store, wanted = peers.ts_open(ctx, path), (slab > 200).astype("uint8")
    for start in range(0, depth(ctx), SLAB[0]):
        if not np.array_equal(store[start : start + SLAB[0]].read().result(), wanted):
            return False, f"planes from {start} differ"
    return True, "all values equal"


def written_columns(ctx: Context, slab: np.ndarray, path: Path) -> tuple[bool, str]:
    problem = peers.check_layout(path, (depth(ctx), *SLAB[1:]), (depth(ctx), 64, 64), "uint8")
    if problem:
        return False, problem
    store, wanted = peers.ts_open(ctx, path), (slab > 200).astype("uint8")
    for row in range(0, SLAB[1], 64):
        band = store[:, row : row + 64].read().result().reshape(slabs(ctx), SLAB[0], 64, SLAB[2])
        if not all(np.array_equal(part, wanted[:, row : row + 64]) for part in band):
            return False, f"rows from {row} differ"
    return True, "all values equal"


def families(ctx: Context) -> dict[str, Family]:
    n, planes = slabs(ctx), depth(ctx)
    f4 = 'x.astype("float32")'
    mask = '(x > 200).astype("uint8")'
    return {
        "element-wise, written": Family(mask, written=written_planes, chunks=CHUNK),
        "creation": Family(f"random_normal([{planes // 4},1024,1024], seed=1).std()", lambda c, s: np.asarray(1.0), 1e-3),
        "reduction": Family("x.std(axis=0)", lambda c, s: s.std(axis=0, dtype="f8"), 1e-5),
        "neighbourhood": Family(f"gaussian_filter({f4}, sigma=[1,2,2]).mean()", mean_of_local(gaussian), 1e-5),
        "rechunk, written": Family(
            f"rechunk({mask}, chunks=[{planes},64,64])", written=written_columns, chunks=(planes, 64, 64)
        ),
        "fft along the long axis": Family(f"(abs(rfft({f4}, axis=0))**2).mean()", mean_power, 1e-4),
        "cumulative": Family("cumsum(x, axis=0)[-1]", lambda c, s: s.sum(axis=0, dtype="u8") * np.uint64(n), 0.0),
        "order statistics": Family("percentile(x, 50)", lambda c, s: np.asarray(np.percentile(s, 50)), 0.0),
        "product": Family(
            f'tensordot({f4}, ones([1024], dtype="float32"), axes=1)',
            lambda c, s: np.tile(s.sum(axis=2, dtype="f8"), (n, 1)),
            1e-5,
        ),
        "structure": Family(
            "concatenate([x, x], axis=0)[:, ::2, ::3].mean()", lambda c, s: np.asarray(s[:, ::2, ::3].mean()), 1e-6
        ),
    }


def voxmill_python(family: Family):
    """The expression is Python text as well: it is evaluated with the names of the package."""

    def run(ctx: Context, clock, out: Path) -> np.ndarray | None:
        vm = peers.use_voxmill(ctx, limit(ctx))
        names = {
            **vars(vm),
            "gaussian_filter": vm.ndimage.gaussian_filter,
            "rfft": vm.fft.rfft,
            "random_normal": lambda shape, seed: vm.random.default_rng(seed).standard_normal(shape),
        }
        with clock:
            y = eval(family.expr, {**names, "x": vm.open(source(ctx))})
            if family.written:
                return y.to_zarr(out, chunks=family.chunks, compressors="blosc-lz4")
            return y.compute()

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case, family in families(ctx).items():
        expr = f'x = open("{source(ctx)}"); {family.expr}' if case != "creation" else family.expr
        out_args = ["--memory-limit", str(limit(ctx))]
        if family.chunks:
            out_args += ["--chunks", ",".join(str(c) for c in family.chunks), "--codec", "blosc-lz4"]
        out = "zarr" if family.written else "npy"
        rows.append(Contender(case, "voxmill", voxmill=["eval", expr], out=out, out_args=out_args))
        rows.append(Contender(case, "voxmill python", python=voxmill_python(family), out=out))
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    family = families(ctx)[case]
    if family.written:
        return family.written(ctx, one_slab(), answer)
    key = f"bounded-{slabs(ctx)}-{case.replace(' ', '-')}"
    expected = peers.reference(ctx, key, lambda: family.expected(ctx, one_slab()))
    return peers.agree(np.load(answer), expected, family.tolerance)


def bars(ctx: Context) -> list[harness.Bar]:
    text = "runs; peak RSS <= limit + 64 MiB"
    ways = [(case, ours, how) for case in families(ctx) for ours, how in harness.OURS.items()]
    return [harness.peak_at_most(case, ours, limit(ctx) + BASELINE, text + how) for case, ours, how in ways]
