#!/usr/bin/env python3
"""A stand-in for the `voxmill` binary and its examples, made of NumPy, to test the harness. Its times mean nothing.

It holds whole arrays in memory and knows just enough of the command line for the workloads.
STAND_IN=wrong makes every answer wrong, STAND_IN=die makes every call fail.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

MODE = os.environ.get("STAND_IN", "")


def open_array(path: str) -> np.ndarray:
    if path.endswith(".npy"):
        return np.load(path, mmap_mode="r")
    import zarr

    return zarr.open_array(path, mode="r")[...]


def names() -> dict:
    from scipy import fft, ndimage

    return {
        "open": open_array,
        "abs": np.abs,
        "rechunk": lambda x, chunks: x,
        "rfft": fft.rfft,
        "zeros": lambda shape, dtype, chunks: np.zeros(shape, dtype),
        "random_normal": lambda shape, seed: np.random.default_rng(seed).standard_normal(shape),
        "gaussian_filter": ndimage.gaussian_filter,
        "maximum_filter": ndimage.maximum_filter,
        "label": lambda x: ndimage.label(x)[0],
        "cumsum": lambda x, axis: np.cumsum(x, axis=axis, dtype="u8"),
        "percentile": np.percentile,
        "concatenate": np.concatenate,
    }


def evaluate(text: str) -> np.ndarray:
    *assignments, last = [part.strip() for part in text.split(";")]
    scope = names()
    for assignment in assignments:
        exec(assignment, scope)
    return np.asarray(eval(last, scope))


def save(path: str, values: np.ndarray, chunks: tuple | None, codec: str) -> None:
    if MODE == "wrong":
        values = (values * 1.1 + 1).astype(values.dtype)
    if path.endswith(".npy"):
        np.save(path, values)
        return
    import peers

    peers.zarr_create(Path(path), values.shape, chunks or values.shape, str(values.dtype), codec)[...] = values


def report(args: argparse.Namespace, start: float, **more: object) -> None:
    text = json.dumps({"seconds": time.perf_counter() - start, "peak_rss_bytes": 0, **more})
    if getattr(args, "stats_json", None):
        Path(args.stats_json).write_text(text)
    else:
        print(text)


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    for flag in ("--threads", "--memory-limit", "--chunks", "--stats-json", "--from", "--tiles"):
        parser.add_argument(flag)
    parser.add_argument("--codec", default="blosc-lz4")
    parser.add_argument("-o", dest="out")
    for flag in ("--overwrite", "--quiet", "--dry-run", "--version"):
        parser.add_argument(flag, action="store_true")
    return parser.parse_args(argv)


def main() -> int:
    args = parse(sys.argv[1:])
    if args.version:
        print("stand-in made of NumPy, not voxmill")
        return 0
    if MODE == "die":
        print("told to die", file=sys.stderr)
        return 3
    chunks = tuple(int(c) for c in args.chunks.split(",")) if args.chunks else None
    start = time.perf_counter()
    verb = args.words[0] if args.words else "tiles"
    if verb == "tiles":
        report(args, start, tasks=int(args.tiles))
    elif verb == "read":
        values = open_array(args.words[1])
        report(args, start, sum=int(values.sum(dtype="u8")) + (MODE == "wrong"))
    elif verb == "write":
        save(args.words[1], np.load(getattr(args, "from")), chunks, args.codec)
        report(args, start)
    elif verb == "copy":
        import zarr

        given = zarr.open_array(args.words[1], mode="r")
        save(args.words[2], given[...], chunks or given.chunks, args.codec)
        report(args, start, tasks=1)
    elif args.dry_run:
        report(args, start, tasks=10**7, plan_seconds=0.0)
    else:
        values = evaluate(args.words[1])
        if args.out:
            save(args.out, values, chunks, args.codec)
        report(args, start, tasks=1, plan_seconds=0.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
