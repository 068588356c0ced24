"""The same reduction on the same values, stored in chunks of 64 KiB to 256 MiB."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context, Verdict

TITLE = "mean(axis=0) of 2 GiB u16 stored in chunks of four sizes, blosc-lz4"
CHUNKS = {
    "64 KiB": (32, 32, 32),
    "1 MiB": (64, 64, 128),
    "16 MiB": (128, 256, 256),
    "256 MiB": (512, 512, 512),
}
TOLERANCE = 1e-6


def shape(ctx: Context) -> tuple[int, int, int]:
    return (ctx.scaled(1024, multiple=64), 1024, 1024)


def chunk_shape(ctx: Context, case: str) -> tuple[int, ...]:
    """The chunk, cut to the array where a small scale makes the array thinner than the chunk."""
    return tuple(min(c, n) for c, n in zip(CHUNKS[case], shape(ctx)))


def source(ctx: Context, case: str) -> Path:
    return ctx.data / f"chunks-{peers.shape_name(shape(ctx))}-by-{peers.shape_name(chunk_shape(ctx, case))}.zarr"


def data(ctx: Context) -> None:
    for case in CHUNKS:

        def write(path: Path) -> None:
            step = chunk_shape(ctx, "256 MiB")[0]
            array = peers.ts_create(ctx, path, shape(ctx), chunk_shape(ctx, case), "uint16")
            for start, block in peers.planes(shape(ctx), "uint16", 6, seed=5, step=step):
                array[start : start + len(block)].write(block).result()

        peers.make(ctx, source(ctx, case), write)


def dask_mean(case: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        da = peers.use_dask(ctx)
        with clock:
            return da.from_zarr(str(source(ctx, case))).mean(axis=0).compute()

    return run


def tensorstore_slabs(case: str):
    """Slabs of whole chunks along time, summed by numba."""

    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import tensorstore  # noqa: F401

        import kernels

        kernels.add_planes(np.zeros((2, 2, 2), np.uint16), np.zeros((2, 2), np.uint32))
        with clock:
            store = peers.ts_open(ctx, source(ctx, case))
            total = np.zeros(store.shape[1:], np.uint32)
            step = chunk_shape(ctx, case)[0]
            starts = list(range(0, store.shape[0], step))
            for _, slab in peers.ahead(starts, lambda s: store[s : s + step].read(), 1):
                kernels.add_planes(slab, total)
            return total / store.shape[0]

    return run


def raw_read(case: str):
    """What the file system alone costs: every file of the array read once, on all threads."""

    def run(ctx: Context, clock, out: Path) -> dict:
        from concurrent.futures import ThreadPoolExecutor

        files = harness.files_under(source(ctx, case))
        with clock, ThreadPoolExecutor(ctx.threads) as pool:
            read = sum(pool.map(lambda file: len(file.read_bytes()), files, chunksize=16))
        return {"read_bytes": read, "files": len(files)}

    return run


def voxmill_mean(case: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        vm = peers.use_voxmill(ctx)
        with clock:
            return vm.open(source(ctx, case)).mean(axis=0).compute()

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case in CHUNKS:
        path = source(ctx, case)
        rows += [
            Contender(case, "dask", run=dask_mean(case), reads=[path]),
            Contender(case, f"voxmill {case}", voxmill=["eval", f'open("{path}").mean(axis=0)'], reads=[path]),
            Contender(case, f"voxmill python {case}", python=voxmill_mean(case), reads=[path]),
            Contender(case, "tensorstore -> numba", run=tensorstore_slabs(case), reads=[path]),
            Contender(case, f"raw read of the files {case}", run=raw_read(case), out="", reads=[path], aside=True),
        ]
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    if str(answer) == "-":
        return True, f"{report['files']} files, {report['read_bytes'] / 1e6:.0f} MB"

    def compute() -> np.ndarray:
        blocks = (block for _, block in peers.planes(shape(ctx), "uint16", 6, seed=5, step=chunk_shape(ctx, "256 MiB")[0]))
        return sum(block.sum(axis=0, dtype=np.uint64) for block in blocks) / shape(ctx)[0]

    expected = peers.reference(ctx, f"chunks-{peers.shape_name(shape(ctx))}", compute)
    return peers.agree(np.load(answer), expected, TOLERANCE)


def even(ours: str, how: str) -> harness.Bar:
    def judge(rows: dict[str, harness.Row]) -> Verdict:
        missing = harness.needs(rows, [f"{ours} {case}" for case in CHUNKS], [])
        if missing:
            return missing
        by_time = sorted(CHUNKS, key=lambda case: rows[f"{ours} {case}"].seconds)
        fast, slow = by_time[0], by_time[-1]
        ratio = rows[f"{ours} {slow}"].seconds / rows[f"{ours} {fast}"].seconds
        # The raw times tell a reader what the file system allows; the verdict makes no allowance for them.
        raw = {case: rows.get(f"raw read of the files {case}") for case in CHUNKS}
        beside = ", ".join(f"{case} {row.seconds:.2f} s" for case, row in raw.items() if row and row.ok)
        return Verdict("PASS" if ratio <= 2 else "FAIL", f"{ratio:.2f} ({slow} / {fast}); raw reads: {beside}")

    return harness.Bar("*", "slowest / fastest <= 2 where the file system allows" + how, judge)


def bars(ctx: Context) -> list[harness.Bar]:
    return [even(ours, how) for ours, how in harness.OURS.items()]
