"""Rechunk to pixel columns, FFT along time, power spectrum, to Zarr."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "rechunk + rfft along time + power spectrum of the u8 stack to Zarr, blosc-lz4"
# Columns of pixels in the result, and how much faster than dask Voxmill must be.
CASES = {"(T, 50, 50)": (50, 2.0), "(T, 10, 10)": (10, 6.0)}
TOLERANCE = 1e-4
BAND = 50


def source(ctx: Context) -> Path:
    return peers.em_path(ctx)


def data(ctx: Context) -> None:
    peers.em_stack(ctx)


def out_shape(ctx: Context) -> tuple[int, int, int]:
    depth, height, width = peers.em_shape(ctx)
    return (depth // 2 + 1, height, width)


def by_hand(side: int):
    """The whole u8 stack in RAM, then bands of rows: scipy's f32 rfft on all threads, writes in the background."""

    def run(ctx: Context, clock, out: Path) -> None:
        import scipy.fft
        import tensorstore  # noqa: F401

        import kernels

        kernels.power(np.zeros((1, 1, 1), np.complex64), np.zeros((1, 1, 1), np.float32))
        with clock:
            x = peers.ts_open(ctx, source(ctx)).read().result()
            bins, height, width = out_shape(ctx)
            target = peers.ts_create(ctx, out, out_shape(ctx), (bins, side, side), "float32")
            writes = []
            for row in range(0, height, BAND):
                z = scipy.fft.rfft(x[:, row : row + BAND].astype(np.float32), axis=0, workers=ctx.threads)
                band = np.empty(z.shape, np.float32)
                kernels.power(z, band)
                writes.append(target[:, row : row + BAND].write(band))
                if len(writes) > 2:
                    writes.pop(0).result()
            for write in writes:
                write.result()

    return run


def dask_power(side: int, zarrs: bool, seed_code: bool = False):
    """`seed_code` is what tutorials write: a complex128 fft, of which half is redundant and dropped here."""

    def run(ctx: Context, clock, out: Path) -> None:
        da = peers.use_dask(ctx, zarrs)
        with clock:
            x = da.from_zarr(str(source(ctx))).rechunk((-1, side, side))
            if seed_code:
                y = (abs(da.fft.fft(x, axis=0)) ** 2)[: x.shape[0] // 2 + 1].astype("float32")
            else:
                y = abs(da.fft.rfft(x.astype("float32"), axis=0)) ** 2
            target = peers.zarr_create(out, y.shape, (y.shape[0], side, side), "float32")
            da.store(y.astype("float32"), target, lock=False)

    return run


def voxmill_power(side: int):
    def run(ctx: Context, clock, out: Path) -> None:
        vm = peers.use_voxmill(ctx)
        bins = out_shape(ctx)[0]
        with clock:
            x = vm.open(source(ctx)).astype("float32").rechunk((-1, side, side))
            y = abs(vm.fft.rfft(x, axis=0)) ** 2
            y.to_zarr(out, chunks=(bins, side, side), compressors="blosc-lz4")

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case, (side, _) in CASES.items():
        ways = {
            "dask": dask_power(side, zarrs=False),
            "dask, complex128 fft": dask_power(side, zarrs=False, seed_code=True),
            "dask + zarrs": dask_power(side, zarrs=True),
            "tensorstore + scipy.fft": by_hand(side),
        }
        rows += [Contender(case, name, run=run, out="zarr", reads=[source(ctx)]) for name, run in ways.items()]
        depth = peers.em_shape(ctx)[0]
        columns = f'rechunk(open("{source(ctx)}").astype("float32"), chunks=[{depth},{side},{side}])'
        expr = f"y = rfft({columns}, axis=0); abs(y)**2"
        out_args = ["--chunks", f"{depth // 2 + 1},{side},{side}", "--codec", "blosc-lz4"]
        rows.append(Contender(case, "voxmill", voxmill=["eval", expr], out="zarr", out_args=out_args, reads=[source(ctx)]))
        rows.append(Contender(case, "voxmill python", python=voxmill_power(side), out="zarr", reads=[source(ctx)]))
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    """One band of rows against numpy's double precision FFT, relative to the largest value past bin 0."""
    side = CASES[case][0]
    problem = peers.check_layout(answer, out_shape(ctx), (out_shape(ctx)[0], side, side), "float32")
    if problem:
        return False, problem
    rows = slice(500, 550)

    def compute() -> np.ndarray:
        x = peers.ts_open(ctx, source(ctx))[:, rows].read().result()
        return (np.abs(np.fft.rfft(x.astype("f8"), axis=0)) ** 2).astype("f8")

    expected = peers.reference(ctx, f"spectrum-{source(ctx).stem}", compute)
    band = peers.ts_open(ctx, answer)[:, rows].read().result()
    # Bin 0 is the sum and dwarfs the rest; it is compared by itself.
    ok, detail = peers.agree(band[1:], expected[1:], TOLERANCE)
    first, _ = peers.agree(band[:1], expected[:1], TOLERANCE)
    if not first:
        return False, "bin 0 differs"
    # Every band must be there: an unwritten chunk reads as zeros, and bin 0 is never zero.
    import zarr

    if not np.all(np.asarray(zarr.open_array(answer, mode="r")[0]) > 0):
        return False, "a chunk is empty"
    return ok, detail


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for case, (_, factor) in CASES.items():
        for ours, how in harness.OURS.items():
            rows += [
                harness.at_most(case, ours, ["tensorstore + scipy.fft"], 1.0, "faster than tensorstore + scipy.fft by hand" + how),
                harness.times_faster(case, ours, ["dask"], factor, f">= {factor:g}x faster than dask" + how),
                harness.times_faster(case, ours, ["dask, complex128 fft"], factor, "beside dask as in tutorials" + how, info=True),
            ]
    return rows
