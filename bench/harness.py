"""Runs contenders in fresh processes, measures them, checks their answers and judges the bars.

Every contender, every check and the making of data run in processes of their own (`child.py`), so
that the peak memory of a contender is its own and the measuring process does nothing but wait.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

BENCH = Path(__file__).resolve().parent
REPO = BENCH.parent
MIB = 1 << 20
GIB = 1 << 30

# Other processes using more than this many cores during a run mark its time with "!".
NOISE_CORES = 0.3
# A contender whose first run takes longer than this is run twice at most.
LONG_RUN_SECONDS = 60.0

WORKLOADS = [
    "overhead",
    "standardize",
    "means",
    "rechunk",
    "spectrum",
    "chunks",
    "throughput",
    "bounded",
    "slice",
    "python",
    "imaging",
    "objects",
    "volumes",
    "distance",
]

# Workloads that a name stands for beside its own.
GROUPS = {"imaging": ["imaging", "objects", "volumes", "distance"]}

# The ways into Voxmill that have the same bars, and how the text of a bar tells them apart.
OURS = {"voxmill": "", "voxmill python": " (through Python)"}


@dataclasses.dataclass
class Context:
    """What a workload may know about this run."""

    data: Path
    work: Path
    scale: float
    threads: int

    def to_json(self) -> str:
        return json.dumps({"data": str(self.data), "work": str(self.work), "scale": self.scale, "threads": self.threads})

    @staticmethod
    def from_json(text: str) -> "Context":
        raw = json.loads(text)
        return Context(Path(raw["data"]), Path(raw["work"]), raw["scale"], raw["threads"])

    def scaled(self, n: int, multiple: int = 1, least: int | None = None) -> int:
        """`n` times the scale, rounded to a multiple, at least `least` (default: one multiple)."""
        rounded = round(n * self.scale / multiple) * multiple
        return max(rounded, least if least is not None else multiple)


@dataclasses.dataclass
class Contender:
    """One way to do the work of one case.

    Exactly one of these says how it runs:
      run      a function `run(ctx, clock, out)` called in a fresh Python process; it wraps the timed
               part in `with clock:` and returns a small answer, or writes the path `out`
      python   a function like `run` that does the work with Voxmill's Python package
      voxmill  arguments of the `voxmill` binary; the harness adds -o, --threads and --stats-json
      example  (name, arguments) of a cargo example that prints one JSON line with "seconds"
    """

    case: str
    name: str
    run: Callable[..., Any] | None = None
    python: Callable[..., Any] | None = None
    voxmill: list[str] | None = None
    example: tuple[str, list[str]] | None = None
    # "npy": a small answer; "zarr": an array on disk; "": nothing to check.
    out: str = "npy"
    # Extra output arguments of voxmill, such as --chunks and --codec.
    out_args: list[str] = dataclasses.field(default_factory=list)
    # Files read into the page cache before every run, so that every contender starts warm.
    reads: list[Path] = dataclasses.field(default_factory=list)
    # Shown beside the others but not a rival: raw file reads and the like.
    aside: bool = False

    @property
    def is_voxmill(self) -> bool:
        return any(way is not None for way in (self.voxmill, self.example, self.python))

    @property
    def slug(self) -> str:
        return re.sub(r"[^A-Za-z0-9]+", "-", f"{self.case}-{self.name}").strip("-").lower()


@dataclasses.dataclass
class Run:
    """One measured process."""

    status: str  # "ok", "missing", "failed", "wrong"
    seconds: float = math.nan
    wall: float = math.nan
    peak: int = 0
    anon: int = 0
    out_bytes: int = 0
    noisy: bool = False
    checked: str = ""
    note: str = ""
    extra: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Row:
    """All runs of one contender: the best time, the worst memory."""

    contender: Contender
    runs: list[Run] = dataclasses.field(default_factory=list)

    @property
    def status(self) -> str:
        # One wrong or failed run is enough: a result that is right two times out of three is wrong.
        found = {run.status for run in self.runs}
        return next((s for s in ("wrong", "failed", "missing") if s in found), "ok" if found else "missing")

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def best(self) -> Run:
        return min((r for r in self.runs if r.status in ("ok", "wrong")), key=lambda r: r.seconds, default=self.runs[0])

    @property
    def seconds(self) -> float:
        return self.best.seconds if self.ok else math.nan

    @property
    def peak(self) -> int:
        return max((r.peak for r in self.runs), default=0)

    @property
    def anon(self) -> int:
        return max((r.anon for r in self.runs), default=0)

    @property
    def note(self) -> str:
        return next((r.note for r in self.runs if r.note and r.status != "ok"), self.best.note)


@dataclasses.dataclass
class Verdict:
    word: str  # PASS, FAIL, INFO, or "-" when it could not be judged
    measured: str


@dataclasses.dataclass
class Bar:
    """One promise of the project, judged from the rows of a case, or of all cases where it is "*"."""

    case: str
    text: str
    judge: Callable[[dict[str, Row]], Verdict]


# ---------------------------------------------------------------- bars


def needs(rows: dict[str, Row], ours: list[str], peers: list[str]) -> Verdict | None:
    """The verdict when a row is not there to be judged; None when all are."""
    for name in ours:
        if name not in rows or rows[name].status == "missing":
            return Verdict("-", f"{name}: missing")
        if not rows[name].ok:
            return Verdict("FAIL", f"{name}: {rows[name].status}")
    if peers and not any(name in rows and rows[name].ok for name in peers):
        return Verdict("-", "no peer ran: " + ", ".join(peers))
    return None


def _best_peer(rows: dict[str, Row], peers: list[str]) -> Row:
    return min((rows[p] for p in peers if p in rows and rows[p].ok), key=lambda row: row.seconds)


def at_most(case: str, ours: str, peers: list[str], factor: float, text: str, info: bool = False) -> Bar:
    """`ours` takes at most `factor` times as long as the fastest of `peers`."""

    def judge(rows: dict[str, Row]) -> Verdict:
        missing = needs(rows, [ours], peers)
        if missing:
            return Verdict("INFO", missing.measured) if info and missing.word == "FAIL" else missing
        peer = _best_peer(rows, peers)
        ratio = rows[ours].seconds / peer.seconds
        word = "INFO" if info else ("PASS" if ratio <= factor else "FAIL")
        return Verdict(word, f"{ratio:.2f}x the time of {peer.contender.name} (bar {factor:g}x)")

    return Bar(case, text, judge)


def times_faster(case: str, ours: str, peers: list[str], factor: float, text: str, info: bool = False) -> Bar:
    """`ours` is at least `factor` times faster than the fastest of `peers`."""

    def judge(rows: dict[str, Row]) -> Verdict:
        missing = needs(rows, [ours], peers)
        if missing:
            return Verdict("INFO", missing.measured) if info and missing.word == "FAIL" else missing
        peer = _best_peer(rows, peers)
        ratio = peer.seconds / rows[ours].seconds
        word = "INFO" if info else ("PASS" if ratio >= factor else "FAIL")
        return Verdict(word, f"{ratio:.2f}x faster than {peer.contender.name} (bar {factor:g}x)")

    return Bar(case, text, judge)


def peak_at_most(case: str, ours: str, limit: int, text: str) -> Bar:
    """The worst peak resident memory of `ours` stays at or under `limit` bytes."""

    def judge(rows: dict[str, Row]) -> Verdict:
        missing = needs(rows, [ours], [])
        if missing:
            return missing
        peak = rows[ours].peak
        if peak <= 0:
            return Verdict("-", "peak not measured")
        return Verdict("PASS" if peak <= limit else "FAIL", f"{peak / MIB:.0f} MiB (bar {limit / MIB:.0f} MiB)")

    return Bar(case, text, judge)


# ---------------------------------------------------------------- finding programs


def voxmill_binary() -> Path | None:
    return _program(os.environ.get("VOXMILL_BIN"), "voxmill")


def example_binary(name: str) -> Path | None:
    variable = "VOXMILL_" + name.replace("_", "").upper()
    return _program(os.environ.get(variable), f"examples/{name}")


def python_package() -> Path | None:
    """The folder to import `voxmill` from, if its native module has been built there."""
    folder = Path(os.environ.get("VOXMILL_PYTHON") or REPO / "python").absolute()
    return folder if any(folder.glob("voxmill/_native*.so")) else None


def _program(given: str | None, built: str) -> Path | None:
    if given:
        return Path(given) if os.access(given, os.X_OK) else None
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPO / "target"))
    path = target / "release" / built
    return path if os.access(path, os.X_OK) else None


# ---------------------------------------------------------------- running one process


class MemoryWatch(threading.Thread):
    """Follows a process in /proc until it ends.

    VmHWM belongs to the memory map, so it starts at zero after exec; ru_maxrss does not (it
    keeps the size of the parent at fork) and would make a small program look large.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.status_file = f"/proc/{pid}/status"
        self.stopped = threading.Event()
        self.peak = 0
        self.anon = 0

    def run(self) -> None:
        while not self.stopped.wait(0.005):
            try:
                with open(self.status_file) as file:
                    text = file.read()
            except OSError:
                return
            self.peak = max(self.peak, self._field(text, "VmHWM"))
            self.anon = max(self.anon, self._field(text, "RssAnon"))

    @staticmethod
    def _field(text: str, name: str) -> int:
        found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
        return int(found.group(1)) * 1024 if found else 0


def _busy_seconds() -> float:
    """CPU seconds used by all processes of the machine since boot (user, nice, system, irq, softirq)."""
    with open("/proc/stat") as file:
        fields = [int(word) for word in file.readline().split()[1:]]
    return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) / os.sysconf("SC_CLK_TCK")


def environment(ctx: Context) -> dict[str, str]:
    """The environment of every contender: the thread count where libraries look for it."""
    env = dict(os.environ)
    names = "OMP OPENBLAS MKL BLIS NUMEXPR NUMBA RAYON VECLIB".split()
    env.update({f"{name}_NUM_THREADS": str(ctx.threads) for name in names})
    env["NUMBA_CACHE_DIR"] = str(ctx.data / "numba-cache")
    env["PYTHONPATH"] = os.pathsep.join(str(folder) for folder in (BENCH, python_package()) if folder)
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return env


def execute(argv: list[str], ctx: Context, timeout: float) -> tuple[int, str, str, Run]:
    """Runs a program to its end. Returns exit code, standard output, tail of standard error, measures."""
    out_path, err_path = ctx.work / "stdout.txt", ctx.work / "stderr.txt"
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        busy, start = _busy_seconds(), time.perf_counter()
        process = subprocess.Popen(argv, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment(ctx), cwd=ctx.work)
        watch = MemoryWatch(process.pid)
        watch.start()
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        finally:
            killer.cancel()
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    watch.stopped.set()
    watch.join()
    others = (_busy_seconds() - busy - usage.ru_utime - usage.ru_stime) / max(wall, 1e-3)
    run = Run("ok", wall=wall, peak=watch.peak, anon=watch.anon, noisy=wall > 0.1 and others > NOISE_CORES)
    err_text = err_path.read_text(errors="replace").strip()
    if process.returncode == -9 and wall >= timeout:
        err_text = f"stopped after {timeout:.0f} s"
    return process.returncode, out_path.read_text(errors="replace"), err_text, run


def child(ctx: Context, *args: str) -> list[str]:
    return [sys.executable, str(BENCH / "child.py"), ctx.to_json(), *args]


def _failed(run: Run, code: int, err: str) -> Run:
    run.status = "failed"
    run.note = (err.splitlines() or [f"exit code {code}"])[-1][:160]
    run.extra["stderr"] = err[-2000:]
    return run


def run_contender(ctx: Context, workload: str, contender: Contender, timeout: float) -> Run:
    """Prepares, runs and checks a contender once."""
    argv = _command(ctx, workload, contender)
    if argv is None:
        return Run("missing", note="not built")
    answer = answer_path(ctx, contender)
    _remove(answer)
    stats = ctx.work / "stats.json"
    _remove(stats)
    # Pages that the last contender left dirty would be written back on this one's time.
    os.sync()
    warm(contender.reads)
    code, out, err, run = execute(argv, ctx, timeout)
    if code != 0:
        return _failed(run, code, err)
    try:
        report = json.loads(out.strip().splitlines()[-1]) if contender.example else json.loads(stats.read_text())
        run.seconds = float(report.pop("seconds"))
    except (OSError, ValueError, KeyError, IndexError) as problem:
        return _failed(run, code, f"no report of its time: {problem!r}")
    # Both may miss the top: the sample ends some ms early, and a program may know only its own heap.
    run.peak = max(run.peak, int(report.pop("peak_rss_bytes", 0)))
    run.extra.update(report)
    # A native program starts in milliseconds: time outside its own clock would be work left uncounted.
    if contender.voxmill and run.wall - run.seconds > 0.2 + 0.2 * run.wall:
        run.note = f"its own clock misses {run.wall - run.seconds:.2f} s of the process"
    return _checked(ctx, workload, contender, answer, run, timeout)


def _command(ctx: Context, workload: str, contender: Contender) -> list[str] | None:
    answer = str(answer_path(ctx, contender))
    if contender.python is not None and python_package() is None:
        return None
    if contender.run is not None or contender.python is not None:
        return child(ctx, "run", workload, contender.slug, answer)
    if contender.example is not None:
        name, args = contender.example
        binary = example_binary(name)
        args = [answer if arg == "{out}" else arg for arg in args]
        return binary and [str(binary), *args, "--threads", str(ctx.threads)]
    binary = voxmill_binary()
    if binary is None:
        return None
    args = list(contender.voxmill or [])
    if args[0] == "copy":
        args.append(answer)
    elif contender.out:
        args += ["-o", answer, "--overwrite"]
    args += [*contender.out_args, "--threads", str(ctx.threads), "--stats-json", str(ctx.work / "stats.json"), "--quiet"]
    return [str(binary), *args]


def answer_path(ctx: Context, contender: Contender) -> Path:
    return ctx.work / f"{contender.slug}.{contender.out or 'none'}"


def _checked(ctx: Context, workload: str, contender: Contender, answer: Path, run: Run, timeout: float) -> Run:
    if contender.out == "zarr":
        run.out_bytes = sum(f.stat().st_size for f in answer.rglob("*") if f.is_file())
    elif not contender.out:
        answer = Path("-")
    report = json.dumps(run.extra)
    code, out, err, _ = execute(child(ctx, "check", workload, contender.case, str(answer), report), ctx, timeout)
    if code != 0:
        run.status, run.note = "wrong", "check died: " + (err.splitlines() or ["?"])[-1][:160]
        return run
    verdict = json.loads(out.strip().splitlines()[-1])
    run.checked = verdict["detail"]
    if not verdict["ok"]:
        run.status, run.note = "wrong", verdict["detail"]
    return run


def _put_away(ctx: Context, path: Path) -> None:
    """Frees the space of an answer. Its emptied files stay until the end: ext4 is slow to create files where many were just deleted."""
    if not path.is_dir():
        return _remove(path)
    for file in files_under(path):
        os.truncate(file, 0)
    gone = ctx.work / "gone"
    gone.mkdir(exist_ok=True)
    path.rename(gone / str(len(list(gone.iterdir()))))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def files_under(path: Path) -> list[Path]:
    return sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]


def warm(paths: list[Path]) -> None:
    buffer = bytearray(4 * MIB)
    for path in paths:
        for file in files_under(path):
            with open(file, "rb", buffering=0) as raw:
                while raw.readinto(buffer):
                    pass


# ---------------------------------------------------------------- running a workload


@dataclasses.dataclass
class Result:
    """A finished workload."""

    name: str
    title: str
    rows: list[Row]
    verdicts: list[tuple[Bar, Verdict]]


def load(workload: str) -> Any:
    return importlib.import_module(f"workloads.{workload}")


def run_workload(ctx: Context, name: str, repeat: int, timeout: float, only: str, say: Callable[[str], None]) -> Result:
    module = load(name)
    say(f"{name}: making data")
    code, _, err, _ = execute(child(ctx, "data", name), ctx, timeout=24 * 3600)
    if code != 0:
        raise RuntimeError(f"{name}: making data failed:\n{err[-2000:]}")
    contenders = [c for c in module.contenders(ctx) if re.search(only, f"{c.case} {c.name}")]
    slugs = [c.slug for c in contenders]
    if len(set(slugs)) != len(slugs):
        raise RuntimeError(f"{name}: two contenders share a name")
    rows = [Row(c) for c in contenders]
    for case in dict.fromkeys(c.case for c in contenders):
        _run_case(ctx, name, interleaved([r for r in rows if r.contender.case == case]), repeat, timeout, say)
    by_case = lambda case: {r.contender.name: r for r in rows if r.contender.case == case or case == "*"}
    verdicts = [(bar, bar.judge(by_case(bar.case))) for bar in module.bars(ctx)]
    return Result(name, module.TITLE, rows, verdicts)


def interleaved(rows: list[Row]) -> list[Row]:
    """Peers and Voxmill by turns: peer A, Voxmill, peer B, ..."""
    peers = [r for r in rows if not r.contender.is_voxmill]
    ours = [r for r in rows if r.contender.is_voxmill]
    mixed: list[Row] = []
    while peers or ours:
        mixed += peers[:1] + ours[:1]
        peers, ours = peers[1:], ours[1:]
    return mixed


def _run_case(ctx: Context, name: str, rows: list[Row], repeat: int, timeout: float, say: Callable[[str], None]) -> None:
    for turn in range(repeat):
        for row in rows:
            if _enough(row, turn):
                continue
            run = run_contender(ctx, name, row.contender, timeout)
            row.runs.append(run)
            say(f"{name}: {row.contender.case}: {row.contender.name}: {describe(run)}")
            # A failed run keeps nothing, and a written array may be gigabytes.
            _put_away(ctx, answer_path(ctx, row.contender))


def _enough(row: Row, turn: int) -> bool:
    if turn == 0:
        return False
    if not row.ok:
        return True
    return turn >= 2 and row.runs[0].wall > LONG_RUN_SECONDS


def describe(run: Run) -> str:
    if run.status == "ok":
        return f"{run.seconds:.4g} s{'!' if run.noisy else ''}, {run.peak / MIB:.0f} MiB"
    return f"{run.status.upper()} {run.note}".strip()


# ---------------------------------------------------------------- printing


def table(result: Result) -> str:
    lines = [f"## {result.name}: {result.title}", ""]
    for case in dict.fromkeys(r.contender.case for r in result.rows):
        rows = [r for r in result.rows if r.contender.case == case]
        lines += [f"### {case}", "", *_case_table(rows), ""]
    if result.verdicts:
        lines += ["| case | bar | measured | verdict |", "|---|---|---|---|"]
        lines += [f"| {'all' if bar.case == '*' else bar.case} | {bar.text} | {v.measured} | {v.word} |" for bar, v in result.verdicts]
    return "\n".join(lines) + "\n"


def _case_table(rows: list[Row]) -> list[str]:
    rivals = [r for r in rows if r.ok and not r.contender.aside]
    best = min((r.seconds for r in rivals), default=math.nan)
    ours = min((r.seconds for r in rivals if r.contender.is_voxmill), default=math.nan)
    lines = [
        "| contender | s | process s | / best | voxmill / it | peak MB | anon MB | out MB | note |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    order = sorted(rows, key=lambda r: (not r.ok, r.seconds if r.ok else 0.0))
    return lines + [_line(row, best, ours) for row in order]


def _line(row: Row, best: float, ours: float) -> str:
    name = row.contender.name
    if not row.ok:
        word = row.status.upper() if row.status == "wrong" else row.status
        return f"| {name} | {word} | - | - | - | {_mb(row.peak)} | {_mb(row.anon)} | - | {row.note} |"
    run = row.best
    seconds = f"{run.seconds:.4g}{'!' if run.noisy else ''}"
    against = "-" if row.contender.is_voxmill else _ratio(ours / run.seconds)
    to_best = "-" if row.contender.aside else _ratio(run.seconds / best)
    extras = ", ".join(f"{k} {_short(v)}" for k, v in run.extra.items() if k in ("tasks", "plan_seconds"))
    note = "; ".join(part for part in (run.checked, extras, run.note) if part)
    return (
        f"| {name} | {seconds} | {run.wall:.3g} | {to_best} | {against} "
        f"| {_mb(row.peak)} | {_mb(row.anon)} | {_mb(run.out_bytes)} | {note} |"
    )


def _ratio(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _mb(value: int) -> str:
    return f"{value / 1e6:.0f}" if value else "-"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def as_json(result: Result) -> dict[str, Any]:
    return {
        "workload": result.name,
        "title": result.title,
        "rows": [
            {
                "case": row.contender.case,
                "contender": row.contender.name,
                "status": row.status,
                "seconds": None if math.isnan(row.seconds) else row.seconds,
                "peak_bytes": row.peak,
                "anon_bytes": row.anon,
                "runs": [_clean(dataclasses.asdict(run)) for run in row.runs],
            }
            for row in result.rows
        ],
        "bars": [
            {"case": bar.case, "bar": bar.text, "measured": v.measured, "verdict": v.word} for bar, v in result.verdicts
        ],
    }


def _clean(value: Any) -> Any:
    """NaN is not JSON."""
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def machine() -> dict[str, Any]:
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
        model = found.group(1) if found else model
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_gib": round(pages / GIB, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
