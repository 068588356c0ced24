"""Time slices to pixel columns, Zarr to Zarr, under a memory limit."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "rechunk 4.3 GB u16 from time slices (1, 1024, 1024) to pixel columns (T, 32, 32), blosc-lz4"
RECHUNK = "time slices to pixel columns"
COLUMN = 32
SLICE = (1, 1024, 1024)


def shape(ctx: Context) -> tuple[int, int, int]:
    return (ctx.scaled(2048, multiple=16, least=64), 1024, 1024)


def columns(ctx: Context) -> tuple[int, int, int]:
    return (shape(ctx)[0], COLUMN, COLUMN)


def limit(ctx: Context) -> int:
    """1 GiB for 4.3 GB; a small run keeps a limit that a process can start in."""
    return max(int(harness.GIB * ctx.scale), 128 * harness.MIB)


def source(ctx: Context) -> Path:
    return ctx.data / f"slices-{peers.shape_name(shape(ctx))}.zarr"


def data(ctx: Context) -> None:
    def write(path: Path) -> None:
        array = peers.ts_create(ctx, path, shape(ctx), SLICE, "uint16")
        for start, block in peers.planes(shape(ctx), "uint16", 6, seed=12, step=16):
            array[start : start + len(block)].write(block).result()

    peers.make(ctx, source(ctx), write)


def dask_rechunk(zarrs: bool):
    def run(ctx: Context, clock, out: Path) -> None:
        da = peers.use_dask(ctx, zarrs)
        with clock:
            x = da.from_zarr(str(source(ctx))).rechunk(columns(ctx))
            target = peers.zarr_create(out, x.shape, columns(ctx), "uint16")
            da.store(x, target, lock=False)

    return run


def tensorstore_whole(ctx: Context, clock, out: Path) -> None:
    import tensorstore  # noqa: F401

    with clock:
        x = peers.ts_open(ctx, source(ctx)).read().result()
        peers.ts_create(ctx, out, x.shape, columns(ctx), "uint16").write(x).result()


def tensorstore_slabs(ctx: Context, clock, out: Path) -> None:
    """Four passes over the source, each for a quarter of the rows."""
    import tensorstore  # noqa: F401

    with clock:
        store = peers.ts_open(ctx, source(ctx))
        target = peers.ts_create(ctx, out, store.shape, columns(ctx), "uint16")
        for row in range(0, 1024, 256):
            target[:, row : row + 256].write(store[:, row : row + 256].read().result()).result()


def voxmill_rechunk(ctx: Context, clock, out: Path) -> None:
    vm = peers.use_voxmill(ctx, limit(ctx))
    with clock:
        vm.open(source(ctx)).rechunk(columns(ctx)).to_zarr(out, chunks=columns(ctx), compressors="blosc-lz4")


def contenders(ctx: Context) -> list[Contender]:
    reads = [source(ctx)]
    ways = {
        "dask threads, no limit": dask_rechunk(zarrs=False),
        "dask threads + zarrs, no limit": dask_rechunk(zarrs=True),
        "tensorstore in RAM, no limit": tensorstore_whole,
        "tensorstore, 4 passes": tensorstore_slabs,
    }
    rows = [Contender(RECHUNK, name, run=run, out="zarr", reads=reads) for name, run in ways.items()]
    grid = ",".join(str(n) for n in columns(ctx))
    expr = f'rechunk(open("{source(ctx)}"), chunks=[{grid}])'
    bounded = ["--memory-limit", str(limit(ctx))]
    out_args = ["--chunks", grid, "--codec", "blosc-lz4"]
    rows.append(Contender(RECHUNK, "voxmill", voxmill=["eval", expr, *bounded], out="zarr", out_args=out_args, reads=reads))
    rows.append(Contender(RECHUNK, "voxmill python", python=voxmill_rechunk, out="zarr", reads=reads))
    rows.append(
        Contender("copy unchanged", "voxmill copy", voxmill=["copy", str(source(ctx))], out="zarr", out_args=bounded, reads=reads)
    )
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    """Every plane by its sum, and one band of rows value by value."""
    chunks = columns(ctx) if case == RECHUNK else SLICE
    problem = peers.check_layout(answer, shape(ctx), chunks, "uint16")
    if problem:
        return False, problem
    mine, theirs = peers.ts_open(ctx, answer), peers.ts_open(ctx, source(ctx))
    expected = peers.reference(ctx, f"sums-{source(ctx).stem}", lambda: plane_sums(theirs))
    if not np.array_equal(plane_sums(mine), expected):
        return False, "sums of planes differ"
    rows = slice(480, 512)
    if not np.array_equal(mine[:, rows].read().result(), theirs[:, rows].read().result()):
        return False, "values differ"
    return True, "sums and a band equal"


def plane_sums(store) -> np.ndarray:
    """Read in bands of rows, which suits pixel columns and costs little for slices in the page cache."""
    bands = (store[:, row : row + 256].read().result() for row in range(0, 1024, 256))
    return sum(band.sum(axis=(1, 2), dtype=np.uint64) for band in bands)


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for ours, how in harness.OURS.items():
        rows += [
            harness.at_most(RECHUNK, ours, ["dask threads, no limit"], 1.0, "faster than dask threads without a limit" + how),
            harness.at_most(RECHUNK, ours, ["dask threads + zarrs, no limit"], 1.0, "beside dask + zarrs" + how, info=True),
            harness.at_most("*", ours, ["voxmill copy"], 2.0, "<= 2x the time to copy the same bytes unchanged" + how),
            harness.peak_at_most(RECHUNK, ours, int(limit(ctx) * 1.1), "peak RSS <= limit + 10%" + how),
        ]
    return rows
