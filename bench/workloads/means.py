"""Means along time and over the frame of a compressed u8 Zarr stack."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "means of a u8 Zarr stack (400, 1000, 1000), chunks (20, 1000, 1000), blosc-lz4"
AXES = {"mean(axis=0)": 0, "mean(axis=(1,2))": (1, 2)}
TOLERANCE = 1e-6
CHUNK = 20


def source(ctx: Context) -> Path:
    return peers.em_path(ctx)


def data(ctx: Context) -> None:
    peers.em_stack(ctx)


def tensorstore_numba(axis):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import kernels
        import tensorstore  # noqa: F401  (imported before the clock)

        frame = np.zeros((2, 2), np.uint32)
        kernels.add_planes(np.zeros((2, 2, 2), np.uint8), frame)
        kernels.plane_sums(np.zeros((2, 2, 2), np.uint8), np.zeros(2, np.uint32))
        with clock:
            store = peers.ts_open(ctx, source(ctx))
            depth, height, width = store.shape
            frame, sums = np.zeros((height, width), np.uint32), np.zeros(depth, np.uint32)
            starts = list(range(0, depth, CHUNK))
            # One slab ahead was the fastest of none to three: more only adds fresh pages to touch.
            for start, slab in peers.ahead(starts, lambda s: store[s : s + CHUNK].read(), 1):
                if axis == 0:
                    kernels.add_planes(slab, frame)
                else:
                    kernels.plane_sums(slab, sums[start : start + CHUNK])
            return frame / depth if axis == 0 else sums / (height * width)

    return run


def tensorstore_whole(axis):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import tensorstore  # noqa: F401

        with clock:
            return peers.ts_open(ctx, source(ctx)).read().result().mean(axis=axis)

    return run


def dask_mean(axis, zarrs: bool):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        da = peers.use_dask(ctx, zarrs)
        with clock:
            return da.from_zarr(str(source(ctx))).mean(axis=axis).compute()

    return run


def voxmill_mean(axis):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        vm = peers.use_voxmill(ctx)
        with clock:
            return vm.open(source(ctx)).mean(axis=axis).compute()

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for case, axis in AXES.items():
        expr = f'open("{source(ctx)}").{case}'
        ways = {
            "dask": dask_mean(axis, zarrs=False),
            "dask + zarrs": dask_mean(axis, zarrs=True),
            "tensorstore -> numba": tensorstore_numba(axis),
            "tensorstore -> numpy": tensorstore_whole(axis),
        }
        rows += [Contender(case, name, run=run, reads=[source(ctx)]) for name, run in ways.items()]
        rows.append(Contender(case, "voxmill", voxmill=["eval", expr], reads=[source(ctx)]))
        rows.append(Contender(case, "voxmill python", python=voxmill_mean(axis), reads=[source(ctx)]))
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    key = "means-{}-{}".format(source(ctx).stem, 0 if AXES[case] == 0 else 12)
    expected = peers.reference(ctx, key, lambda: peers.read_all(source(ctx)).mean(axis=AXES[case]))
    return peers.agree(np.load(answer), expected, TOLERANCE)


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for case in AXES:
        for ours, how in harness.OURS.items():
            rows += [
                harness.at_most(case, ours, ["tensorstore -> numba"], 1.0, "not slower than tensorstore feeding numba" + how),
                harness.times_faster(case, ours, ["dask"], 2, ">= 2x faster than dask" + how),
            ]
    return rows
