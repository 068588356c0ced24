"""`((x - mean) / std).clip(0, 1).sum()` on 4 GB of float32 in a .npy file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "((x-mean)/std).clip(0,1).sum() on 4 GB f32"
CASE = "standardize"
TOLERANCE = 2e-5
BLOCK = 1 << 22


def size(ctx: Context) -> int:
    return ctx.scaled(1_000_000_000, multiple=BLOCK)


def limit(ctx: Context) -> int:
    """A quarter of the data, as 1 GiB is of 4 GB."""
    return max(int(harness.GIB * ctx.scale), 64 * harness.MIB)


def source(ctx: Context) -> Path:
    return ctx.data / f"normal-f32-{size(ctx)}.npy"


def data(ctx: Context) -> None:
    def write(path: Path) -> None:
        rng = np.random.default_rng(10)
        # NumPy appends ".npy" to other names, and `make` renames what is written.
        array = np.lib.format.open_memmap(path, "w+", np.float32, (size(ctx),))
        for start in range(0, size(ctx), BLOCK):
            array[start : start + BLOCK] = rng.standard_normal(BLOCK, dtype=np.float32) * 3 + 7
        array.flush()

    peers.make(ctx, source(ctx), write)


def numba_two_pass(x: np.ndarray, clock) -> float:
    import kernels

    def work(values: np.ndarray) -> float:
        mean, std = kernels.moments(values)
        return kernels.clipped_sum(values, np.float32(mean), np.float32(std))

    # Compiles for the very type of the input: a read-only map is another type than an array.
    work(x[:1000])
    with clock:
        return work(x)


def numba_mapped(ctx: Context, clock, out: Path) -> float:
    return numba_two_pass(np.asarray(np.load(source(ctx), mmap_mode="r")), clock)


def numba_in_ram(ctx: Context, clock, out: Path) -> float:
    return numba_two_pass(np.load(source(ctx)), clock)


def numpy_blocks(ctx: Context, clock, out: Path) -> float:
    with clock:
        x = np.load(source(ctx), mmap_mode="r")
        blocks = [x[i : i + BLOCK] for i in range(0, x.size, BLOCK)]
        mean = sum(b.sum(dtype="f8") for b in blocks) / x.size
        std = np.sqrt(sum(np.square(b - np.float32(mean)).sum(dtype="f8") for b in blocks) / x.size)
        scaled = ((b - np.float32(mean)) / np.float32(std) for b in blocks)
        return sum(np.clip(s, 0, 1).sum(dtype="f8") for s in scaled)


def dask_sum(x: np.ndarray, ctx: Context, clock) -> float:
    da = peers.use_dask(ctx)
    with clock:
        d = da.from_array(x, chunks=16_000_000)  # 64 MB
        return ((d - d.mean()) / d.std()).clip(0, 1).sum().compute()


def dask_mapped(ctx: Context, clock, out: Path) -> float:
    return dask_sum(np.load(source(ctx), mmap_mode="r"), ctx, clock)


def dask_in_ram(ctx: Context, clock, out: Path) -> float:
    return dask_sum(np.load(source(ctx)), ctx, clock)


def voxmill_sum(ctx: Context, clock, out: Path) -> float:
    vm = peers.use_voxmill(ctx, limit(ctx))
    with clock:
        x = vm.open(source(ctx))
        return ((x - x.mean()) / x.std()).clip(0, 1).sum().compute()


def contenders(ctx: Context) -> list[Contender]:
    reads = [source(ctx)]
    expr = f'x = open("{source(ctx)}"); ((x-x.mean())/x.std()).clip(0,1).sum()'
    return [
        Contender(CASE, "dask threads, mapped file", run=dask_mapped, reads=reads),
        Contender(CASE, "dask threads, in RAM", run=dask_in_ram, reads=reads),
        Contender(CASE, "numba two-pass, mapped file", run=numba_mapped, reads=reads),
        Contender(CASE, "numba two-pass, in RAM", run=numba_in_ram, reads=reads),
        Contender(CASE, "numpy in 16 MB blocks", run=numpy_blocks, reads=reads),
        Contender(CASE, "voxmill", voxmill=["eval", expr, "--memory-limit", str(limit(ctx))], reads=reads),
        Contender(CASE, "voxmill python", python=voxmill_sum, reads=reads),
    ]


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    def compute() -> np.ndarray:
        x = np.load(source(ctx), mmap_mode="r")
        blocks = [slice(i, i + BLOCK) for i in range(0, x.size, BLOCK)]
        mean = sum(x[b].sum(dtype="f8") for b in blocks) / x.size
        std = np.sqrt(sum(np.square(x[b] - mean, dtype="f8").sum() for b in blocks) / x.size)
        return np.asarray(sum(np.clip((x[b] - mean) / std, 0, 1).sum(dtype="f8") for b in blocks))

    expected = peers.reference(ctx, f"standardize-{size(ctx)}", compute)
    return peers.agree(np.load(answer).reshape(()), expected, TOLERANCE)


def bars(ctx: Context) -> list[harness.Bar]:
    dask = ["dask threads, mapped file", "dask threads, in RAM"]
    mapped, in_ram = ["numba two-pass, mapped file"], ["numba two-pass, in RAM"]
    rows = []
    for ours, how in harness.OURS.items():
        rows += [
            harness.times_faster(CASE, ours, dask, 6, ">= 6x faster than dask threads" + how),
            harness.at_most(CASE, ours, mapped, 1.3, "within 1.3x of the numba loop, same file" + how),
            harness.at_most(CASE, ours, in_ram, 1.3, "beside the numba loop on RAM" + how, info=True),
            harness.peak_at_most(CASE, ours, limit(ctx), "peak <= limit" + how),
        ]
    return rows
