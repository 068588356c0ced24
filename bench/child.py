"""What runs in the measured process: `child.py CONTEXT (data W | run W SLUG OUT | check W CASE ANSWER REPORT)`.

The workload module is imported before the clock starts, and `with clock:` times only the work.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import harness


class Clock:
    """Times the one `with` block of a contender."""

    seconds = float("nan")

    def __enter__(self) -> "Clock":
        self.start = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self.start


def run(ctx: harness.Context, workload: str, slug: str, out: str) -> None:
    import numpy as np

    module = harness.load(workload)
    contender = next(c for c in module.contenders(ctx) if c.slug == slug)
    clock = Clock()
    answer = (contender.run or contender.python)(ctx, clock, Path(out))
    report = {"seconds": clock.seconds}
    if isinstance(answer, dict):
        report.update(answer)
    elif contender.out == "npy":
        np.save(out, np.asarray(answer))
    (ctx.work / "stats.json").write_text(json.dumps(report))


def check(ctx: harness.Context, workload: str, case: str, answer: str, report: str) -> None:
    problem_or_fine = harness.load(workload).check(ctx, case, Path(answer), json.loads(report))
    ok, detail = problem_or_fine
    print(json.dumps({"ok": bool(ok), "detail": detail}))


def main() -> None:
    ctx = harness.Context.from_json(sys.argv[1])
    verb, *args = sys.argv[2:]
    if verb == "data":
        harness.load(*args).data(ctx)
    else:
        {"run": run, "check": check}[verb](ctx, *args)


if __name__ == "__main__":
    main()
