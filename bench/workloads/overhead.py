"""What a task costs, and what planning many tiles costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import harness
import peers
from harness import MIB, Bar, Contender, Context, Row, Verdict

TITLE = "task overhead and planning"
RUN = "trivial tiles"
PLAN = "plan an element-wise chain"
TILE = 64  # bytes of a trivial tile
CHUNK = 256  # a planned tile is 256^3 f32 = 64 MiB: too large to be merged with its neighbours
MICROSECONDS = 5.0


def tiles(ctx: Context) -> int:
    return ctx.scaled(100_000, multiple=100)


def side(ctx: Context) -> int:
    """Tiles along each axis of a cube of at least 10^7 tiles."""
    return int(np.ceil(round((1e7 * ctx.scale) ** (1 / 3), 6)))


def data(ctx: Context) -> None:
    pass


def dask_graph(ctx: Context, clock, out: Path) -> int:
    """A ready graph of independent tasks, only executed: the scheduler by itself."""
    from dask._task_spec import Task
    from dask.threaded import get

    def one(i: int) -> int:
        return 1

    graph = {("t", i): Task(("t", i), one, i) for i in range(tiles(ctx))}
    keys = list(graph)
    with clock:
        return sum(get(graph, keys, num_workers=ctx.threads)) * TILE


def dask_array(ctx: Context, clock, out: Path) -> int:
    da = peers.use_dask(ctx)
    with clock:
        x = da.zeros(tiles(ctx) * TILE, dtype="uint8", chunks=TILE)
        return (x + 1).sum().compute()


def thread_pool(ctx: Context, clock, out: Path) -> int:
    from concurrent.futures import ThreadPoolExecutor

    with clock, ThreadPoolExecutor(ctx.threads) as pool:
        return sum(pool.map(lambda i: 1, range(tiles(ctx)))) * TILE


def dask_plan(ctx: Context, clock, out: Path) -> dict:
    """Builds and optimises a graph of a hundredth of the tiles; all of them would not fit in memory."""
    import dask

    da = peers.use_dask(ctx)
    n = max(int(round((1e5 * ctx.scale) ** (1 / 3))), 2)
    with clock:
        x = da.zeros((n * CHUNK,) * 3, dtype="float32", chunks=CHUNK)
        (y,) = dask.optimize(((x + 1) * 2).clip(0, 1).sum())
        count = len(dict(y.__dask_graph__()))
    return {"tasks": count}


def contenders(ctx: Context) -> list[Contender]:
    count = tiles(ctx)
    chain = f'x = zeros([{count * TILE}], dtype="uint8", chunks=[{TILE}]); (x+1).sum()'
    n = side(ctx) * CHUNK
    cube = f'x = zeros([{n},{n},{n}], dtype="float32", chunks=[{CHUNK},{CHUNK},{CHUNK}]); ((x+1)*2).clip(0,1).sum()'
    dry = ["eval", cube, "--dry-run", "--memory-limit", "512MiB"]
    return [
        Contender(RUN, "dask threads, ready graph", run=dask_graph),
        Contender(RUN, "dask.array chain", run=dask_array),
        Contender(RUN, "concurrent.futures map", run=thread_pool),
        Contender(RUN, "voxmill task_bench", example=("task_bench", ["--tiles", str(count)]), out=""),
        Contender(RUN, "voxmill eval", voxmill=["eval", chain]),
        Contender(PLAN, "dask.array, 1/100 of the tiles", run=dask_plan, out="", aside=True),
        Contender(PLAN, "voxmill", voxmill=dry, out=""),
    ]


def check(ctx: Context, case: str, answer: Path, report: dict) -> tuple[bool, str]:
    if str(answer) != "-":
        return peers.agree(np.load(answer).reshape(()), np.asarray(tiles(ctx) * TILE), 0.0)
    return ("tasks" in report), "" if "tasks" in report else "reported no number of tasks"


def per_tile(name: str, count: int, text: str, must_run_all: bool) -> Bar:
    def judge(rows: dict[str, Row]) -> Verdict:
        missing = harness.needs(rows, [name], [])
        if missing:
            return missing
        tasks = rows[name].best.extra.get("tasks", 0)
        if must_run_all and tasks < count:
            return Verdict("FAIL", f"ran {tasks} tasks, not {count}")
        cost = rows[name].seconds / count * 1e6
        return Verdict("PASS" if cost <= MICROSECONDS else "FAIL", f"{cost:.2f} us per tile ({tasks} tasks)")

    return Bar(RUN, text, judge)


def planning(ctx: Context) -> list[Bar]:
    wanted = int(1e7 * ctx.scale)

    def seconds(rows: dict[str, Row]) -> Verdict:
        missing = harness.needs(rows, ["voxmill"], [])
        if missing:
            return missing
        run = rows["voxmill"].best
        taken, tasks = run.extra.get("plan_seconds"), run.extra.get("tasks", 0)
        if taken is None:
            return Verdict("FAIL", "reported no plan_seconds")
        if tasks < wanted:
            return Verdict("FAIL", f"planned {tasks} tasks, not {wanted}: the planner merged tiles, so enlarge CHUNK")
        return Verdict("PASS" if taken < 1 else "FAIL", f"{taken:.3f} s for {tasks} tasks")

    return [
        Bar(PLAN, "a chain over 10^7 tiles in < 1 s", seconds),
        harness.peak_at_most(PLAN, "voxmill", 200 * MIB, "and < 200 MiB"),
    ]


def bars(ctx: Context) -> list[Bar]:
    count = tiles(ctx)
    return [
        per_tile("voxmill task_bench", count, "<= 5 us per task, every tile a task", must_run_all=True),
        per_tile("voxmill eval", count, "<= 5 us per tile through eval (the planner may merge tiles)", must_run_all=False),
        *planning(ctx),
    ]
