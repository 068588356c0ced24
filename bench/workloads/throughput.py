"""Zarr read and write throughput: two codecs, two chunk sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import Contender, Context

TITLE = "read and write 2 GB u16 Zarr v3 into and from RAM"
CELLS = [(verb, codec, side) for codec in ("blosc-lz4", "zstd") for side in (64, 128) for verb in ("write", "read")]
# The level is named: a bare "zstd" means our own default, which compresses less than the peers do here.
OUR_CODECS = {"blosc-lz4": "blosc-lz4", "zstd": "zstd:3"}
RIVALS = ["tensorstore", "zarr + zarrs"]


def case_name(verb: str, codec: str, side: int) -> str:
    return f"{verb} {codec} {side}^3"


def shape(ctx: Context) -> tuple[int, int, int]:
    return (ctx.scaled(1024, multiple=128), 1024, 1024)


def plain(ctx: Context) -> Path:
    return ctx.data / f"volume-u16-{peers.shape_name(shape(ctx))}.npy"


def source(ctx: Context, codec: str, side: int) -> Path:
    return ctx.data / f"volume-u16-{peers.shape_name(shape(ctx))}-{codec}-{side}.zarr"


def data(ctx: Context) -> None:
    def write_plain(path: Path) -> None:
        array = np.lib.format.open_memmap(path, "w+", np.uint16, shape(ctx))
        for start, block in peers.planes(shape(ctx), "uint16", 6, seed=11, step=64):
            array[start : start + len(block)] = block
        array.flush()

    peers.make(ctx, plain(ctx), write_plain)
    for _, codec, side in CELLS:

        def write(path: Path) -> None:
            array = peers.ts_create(ctx, path, shape(ctx), (side,) * 3, "uint16", codec)
            values = np.load(plain(ctx), mmap_mode="r")
            for start in range(0, shape(ctx)[0], side):
                array[start : start + side].write(values[start : start + side]).result()

        peers.make(ctx, source(ctx, codec, side), write)


def total(values: np.ndarray) -> dict:
    """The answer of a read, taken after the clock has stopped."""
    return {"sum": int(values.sum(dtype=np.uint64))}


def tensorstore_read(codec: str, side: int):
    def run(ctx: Context, clock, out: Path) -> dict:
        import tensorstore  # noqa: F401

        with clock:
            values = peers.ts_open(ctx, source(ctx, codec, side)).read().result()
        return total(values)

    return run


def zarr_read(codec: str, side: int, zarrs: bool):
    def run(ctx: Context, clock, out: Path) -> dict:
        zarr = peers.use_zarr(ctx, zarrs)
        with clock:
            values = zarr.open_array(source(ctx, codec, side), mode="r")[...]
        return total(values)

    return run


def tensorstore_write(codec: str, side: int):
    def run(ctx: Context, clock, out: Path) -> None:
        import tensorstore  # noqa: F401

        values = np.load(plain(ctx))
        with clock:
            peers.ts_create(ctx, out, values.shape, (side,) * 3, "uint16", codec).write(values).result()

    return run


def zarr_write(codec: str, side: int, zarrs: bool):
    def run(ctx: Context, clock, out: Path) -> None:
        peers.use_zarr(ctx, zarrs)
        values = np.load(plain(ctx))
        with clock:
            peers.zarr_create(out, values.shape, (side,) * 3, "uint16", codec)[...] = values

    return run


def voxmill_read(codec: str, side: int):
    def run(ctx: Context, clock, out: Path) -> dict:
        vm = peers.use_voxmill(ctx)
        with clock:
            values = vm.open(source(ctx, codec, side)).compute()
        return total(values)

    return run


def voxmill_write(codec: str, side: int):
    def run(ctx: Context, clock, out: Path) -> None:
        vm = peers.use_voxmill(ctx)
        values = np.load(plain(ctx))
        with clock:
            vm.asarray(values).to_zarr(out, chunks=(side,) * 3, compressors=OUR_CODECS[codec])

    return run


def contenders(ctx: Context) -> list[Contender]:
    rows = []
    for verb, codec, side in CELLS:
        case = case_name(verb, codec, side)
        rows += _reads(ctx, case, codec, side) if verb == "read" else _writes(ctx, case, codec, side)
    return rows


def _reads(ctx: Context, case: str, codec: str, side: int) -> list[Contender]:
    path = source(ctx, codec, side)
    ways = {
        "tensorstore": tensorstore_read(codec, side),
        "zarr + zarrs": zarr_read(codec, side, zarrs=True),
        "zarr-python": zarr_read(codec, side, zarrs=False),
    }
    rows = [Contender(case, name, run=run, out="", reads=[path]) for name, run in ways.items()]
    rows.append(Contender(case, "voxmill", example=("io_bench", ["read", str(path)]), out="", reads=[path]))
    rows.append(Contender(case, "voxmill python", python=voxmill_read(codec, side), out="", reads=[path]))
    # Reads and reduces without holding the array: another task than the rivals', so only beside them.
    expr = f'open("{path}").max()'
    rows.append(Contender(case, "voxmill eval max()", voxmill=["eval", expr], reads=[path], aside=True))
    return rows


def _writes(ctx: Context, case: str, codec: str, side: int) -> list[Contender]:
    reads = [plain(ctx)]
    ways = {
        "tensorstore": tensorstore_write(codec, side),
        "zarr + zarrs": zarr_write(codec, side, zarrs=True),
        "zarr-python": zarr_write(codec, side, zarrs=False),
    }
    rows = [Contender(case, name, run=run, out="zarr", reads=reads) for name, run in ways.items()]
    args = ["write", "{out}", "--from", str(plain(ctx)), "--chunks", f"{side},{side},{side}", "--codec", OUR_CODECS[codec]]
    rows.append(Contender(case, "voxmill", example=("io_bench", args), out="zarr", reads=reads))
    rows.append(Contender(case, "voxmill python", python=voxmill_write(codec, side), out="zarr", reads=reads))
    return rows


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    verb, codec, cube = case.split(" ")
    side = int(cube.removesuffix("^3"))
    values = np.load(plain(ctx), mmap_mode="r")
    if answer.suffix == ".npy":
        return peers.agree(np.load(answer), np.asarray(values.max()), 0.0)
    if verb == "read":
        if "sum" not in report:
            return False, "reported no sum of what was read"
        ok = report["sum"] == int(values.sum(dtype=np.uint64))
        return ok, "sum equal" if ok else "sum differs"
    problem = peers.check_layout(answer, shape(ctx), (side,) * 3, "uint16")
    if problem:
        return False, problem
    # Who compresses less is faster for the wrong reason.
    size, usual = (sum(f.stat().st_size for f in harness.files_under(p)) for p in (answer, source(ctx, codec, side)))
    if size > usual * 1.03:
        return False, f"{size / usual:.2f}x the bytes of the same codec and level elsewhere"
    store = peers.ts_open(ctx, answer)
    starts = range(0, shape(ctx)[0], 128)
    ok = all(np.array_equal(store[s : s + 128].read().result(), values[s : s + 128]) for s in starts)
    return ok, "values equal" if ok else "values differ"


def bars(ctx: Context) -> list[harness.Bar]:
    text = "not slower than the better of tensorstore and zarr + zarrs"
    ways = [(case_name(*cell), ours, how) for cell in CELLS for ours, how in harness.OURS.items()]
    return [harness.at_most(case, ours, RIVALS, 1.0, text + how) for case, ours, how in ways]
