"""`gaussian_filter(x)[50]`: only the slice and its halo should be computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context, Verdict

TITLE = "gaussian_filter(x, sigma=[1,9,9])[50] against the whole filter"
SIGMA = (1, 9, 9)
PLANE = 50
REACH = 4  # scipy truncates at four sigma, so one plane needs four on each side
TOLERANCE = 1e-5
SOURCES = ["npy f32 (100, 400, 400)", "zarr u8 (400, 1000, 1000)"]


def volume_shape(ctx: Context) -> tuple[int, int, int]:
    return (ctx.scaled(100, least=60), 400, 400)


def path_of(ctx: Context, source: str) -> Path:
    if source.startswith("zarr"):
        return peers.em_path(ctx)
    return ctx.data / f"foam-f32-{peers.shape_name(volume_shape(ctx))}.npy"


def data(ctx: Context) -> None:
    def write(path: Path) -> None:
        blocks = [block for _, block in peers.planes(volume_shape(ctx), "uint8", 5, seed=3, step=20)]
        with open(path, "wb") as file:
            np.save(file, np.concatenate(blocks).astype(np.float32))

    peers.em_stack(ctx)
    peers.make(ctx, path_of(ctx, SOURCES[0]), write)


def depth(ctx: Context, source: str) -> int:
    return (peers.em_shape(ctx) if source.startswith("zarr") else volume_shape(ctx))[0]


def load(ctx: Context, source: str, planes: slice = slice(None)) -> np.ndarray:
    path = path_of(ctx, source)
    if source.startswith("zarr"):
        return peers.ts_open(ctx, path)[planes].read().result().astype(np.float32)
    return np.array(np.load(path, mmap_mode="r")[planes])


HALO = slice(PLANE - REACH, PLANE + REACH + 1)


def scipy_sliced(source: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import tensorstore  # noqa: F401
        from scipy.ndimage import gaussian_filter

        with clock:
            return gaussian_filter(load(ctx, source, HALO), SIGMA)[REACH]

    return run


def numba_sliced(source: str):
    """By hand: the sum over the halo planes first, then y and x on one plane."""

    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import tensorstore  # noqa: F401

        import kernels

        weights = [gaussian_weights(s) for s in SIGMA]
        kernels.gaussian_plane(np.zeros((9, 99, 99), np.float32), *weights, np.zeros((99, 99), np.float32))
        with clock:
            planes = load(ctx, source, HALO)
            plane = np.empty(planes.shape[1:], np.float32)
            kernels.gaussian_plane(planes, *weights, plane)
            return plane

    return run


def gaussian_weights(sigma: float) -> np.ndarray:
    radius = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


def dask_filter(ctx: Context, source: str):
    import dask.array as da
    from scipy.ndimage import gaussian_filter

    path = path_of(ctx, source)
    if source.startswith("zarr"):
        x = da.from_zarr(str(path)).astype("float32")
    else:
        x = da.from_array(np.load(path, mmap_mode="r"), chunks=(20, 400, 400))
    reach = tuple(int(4 * s + 0.5) for s in SIGMA)
    return x.map_overlap(gaussian_filter, depth=reach, boundary="none", sigma=SIGMA, dtype="float32", meta=np.empty((0, 0, 0), "f4"))


def dask_sliced(source: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        peers.use_dask(ctx)
        with clock:
            return dask_filter(ctx, source)[PLANE].compute()

    return run


def dask_whole(source: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        peers.use_dask(ctx)
        with clock:
            return dask_filter(ctx, source).max(axis=0).compute()

    return run


def scipy_whole(source: str):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        import tensorstore  # noqa: F401
        from scipy.ndimage import gaussian_filter

        with clock:
            return gaussian_filter(load(ctx, source), SIGMA).max(axis=0)

    return run


def voxmill_filter(source: str, finish):
    def run(ctx: Context, clock, out: Path) -> np.ndarray:
        vm = peers.use_voxmill(ctx)
        with clock:
            x = vm.open(path_of(ctx, source)).astype("float32")
            return finish(vm.ndimage.gaussian_filter(x, SIGMA)).compute()

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for source in SOURCES:
        path = path_of(ctx, source)
        x = f'open("{path}").astype("float32")' if source.startswith("zarr") else f'open("{path}")'
        blurred = f"gaussian_filter({x}, sigma={list(SIGMA)})"
        one, whole = f"slice [{PLANE}], {source}", f"whole, max(axis=0), {source}"
        ways = [
            (one, "scipy on the halo planes", scipy_sliced(source)),
            (one, "numba by hand on the halo planes", numba_sliced(source)),
            (one, "dask map_overlap, then [50]", dask_sliced(source)),
            (whole, "scipy", scipy_whole(source)),
            (whole, "dask map_overlap", dask_whole(source)),
        ]
        rows += [Contender(case, name, run=run, reads=[path]) for case, name, run in ways]
        sliced, projected = (lambda y: y[PLANE]), (lambda y: y.max(axis=0))
        rows += [
            Contender(one, f"voxmill python slice {source}", python=voxmill_filter(source, sliced), reads=[path]),
            Contender(whole, f"voxmill python whole {source}", python=voxmill_filter(source, projected), reads=[path]),
            Contender(one, f"voxmill slice {source}", voxmill=["eval", f"{blurred}[{PLANE}]"], reads=[path]),
            Contender(whole, f"voxmill whole {source}", voxmill=["eval", f"{blurred}.max(axis=0)"], reads=[path]),
        ]
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    from scipy.ndimage import gaussian_filter

    source = next(s for s in SOURCES if case.endswith(s))
    stem = path_of(ctx, source).stem
    if case.startswith("slice"):
        # The halo planes hold everything that plane 50 depends on, so this is the answer of the whole.
        compute = lambda: gaussian_filter(load(ctx, source, HALO).astype("f8"), SIGMA)[REACH]
        expected = peers.reference(ctx, f"slice-{stem}", compute)
    else:
        expected = peers.reference(ctx, f"slice-whole-{stem}", lambda: gaussian_filter(load(ctx, source), SIGMA).max(axis=0))
    return peers.agree(np.load(answer), expected, TOLERANCE)


def share_bar(ctx: Context, source: str, ours: str, how: str) -> harness.Bar:
    share = (2 * REACH + 1) / depth(ctx, source)
    one, whole = f"{ours} slice {source}", f"{ours} whole {source}"

    def judge(rows: dict[str, harness.Row]) -> Verdict:
        missing = harness.needs(rows, [one, whole], [])
        if missing:
            return missing
        part = rows[one].seconds / rows[whole].seconds
        word = "PASS" if part <= 2 * share else "FAIL"
        return Verdict(word, f"{source}: {100 * part:.2f}% of the whole (bar {200 * share:.2f}%)")

    return harness.Bar("*", "slice costs <= 2x its halo planes' share of the whole" + how, judge)


def bars(ctx: Context) -> list[harness.Bar]:
    rows = []
    for source in SOURCES:
        case = f"slice [{PLANE}], {source}"
        for ours, how in harness.OURS.items():
            name = f"{ours} slice {source}"
            rows += [
                share_bar(ctx, source, ours, how),
                harness.at_most(case, name, ["scipy on the halo planes"], 1.0, "not slower than scipy cut by hand" + how),
                harness.at_most(case, name, ["numba by hand on the halo planes"], 1.0, "beside numba by hand" + how, info=True),
            ]
    return rows
