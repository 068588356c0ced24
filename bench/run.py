#!/usr/bin/env python3
"""Benchmarks of Voxmill beside its peers. See README.md in this folder."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import harness

PEERS = ["numpy", "scipy", "dask", "zarr", "zarrs", "tensorstore", "numba", "numcodecs"]
PEERS += ["opencv-python-headless", "scikit-image", "edt", "connected-components-3d", "dask-image", "itk-filtering"]


def arguments() -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voxmill-bench"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="W", help=f"which (default all): {' '.join(harness.WORKLOADS)}")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the data; the bars are stated for 1.0")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each contender; the best counts")
    parser.add_argument("--threads", type=int, default=2, help="threads, and CPUs, of every contender")
    parser.add_argument("--out", type=Path, default=harness.BENCH / "out", help="folder of the tables and JSON")
    parser.add_argument("--data", type=Path, default=cache, help="folder of the data, kept between runs")
    parser.add_argument("--only", default="", help="regular expression on 'case contender'")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds after which a contender is stopped")
    args = parser.parse_args()
    unknown = [w for w in args.workloads if w not in harness.WORKLOADS]
    if unknown:
        parser.error(f"unknown workload {unknown[0]!r}; there are: {' '.join(harness.WORKLOADS)}")
    asked = [name for given in args.workloads for name in harness.GROUPS.get(given, [given])]
    args.workloads = list(dict.fromkeys(asked))
    if args.scale <= 0 or args.repeat < 1 or args.threads < 1:
        parser.error("--scale, --repeat and --threads must be positive")
    return args


def pin_cpus(threads: int) -> None:
    """Children inherit the affinity, so that no contender can use more CPUs than `threads`."""
    allowed = sorted(os.sched_getaffinity(0))
    if threads > len(allowed):
        say(f"only {len(allowed)} CPUs for {threads} threads")
    os.sched_setaffinity(0, allowed[:threads])


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def versions() -> dict[str, str]:
    found = {}
    for name in PEERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "missing"
    binary = harness.voxmill_binary()
    found["voxmill"] = "missing"
    if binary:
        asked = subprocess.run([binary, "--version"], capture_output=True, text=True)
        found["voxmill"] = asked.stdout.strip() or "unknown"
    return found


def main() -> int:
    args = arguments()
    # Stopped from outside, the harness still ends its child and removes its work folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pin_cpus(args.threads)
    work = args.data.resolve() / f"work-{os.getpid()}"
    work.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    ctx = harness.Context(args.data.resolve(), work, args.scale, args.threads)
    head = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": harness.machine(),
        "versions": versions(),
        "scale": args.scale,
        "repeat": args.repeat,
        "threads": args.threads,
    }
    if head["versions"]["voxmill"] == "missing":
        say("no voxmill binary (VOXMILL_BIN or target/release/voxmill): its rows will say missing")
    if harness.python_package() is None:
        say("no native module (VOXMILL_PYTHON or python/voxmill/_native*.so): the rows through Python will say missing")
    words: list[str] = []
    try:
        for name in args.workloads or harness.WORKLOADS:
            result = harness.run_workload(ctx, name, args.repeat, args.timeout, args.only, say)
            text = harness.table(result)
            text += f"\nvoxmill: {head['versions']['voxmill']}; {args.threads} threads; best of {args.repeat}.\n"
            if args.scale != 1.0:
                text += f"\nScale {args.scale:g}: the bars are stated for scale 1; verdicts here are only a hint.\n"
            print(text, flush=True)
            (args.out / f"{name}.md").write_text(text)
            (args.out / f"{name}.json").write_text(json.dumps({**head, **harness.as_json(result)}, indent=1) + "\n")
            words += [verdict.word for _, verdict in result.verdicts]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say(f"bars: {words.count('PASS')} passed, {words.count('FAIL')} failed, {words.count('-')} not judged")
    return 1 if "FAIL" in words else 0


if __name__ == "__main__":
    sys.exit(main())
