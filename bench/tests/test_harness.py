"""Tests of the harness itself: `python -m unittest discover bench/tests`. No `voxmill` needed, only NumPy, scipy, zarr, tensorstore."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))

import harness  # noqa: E402
from harness import Contender, Row, Run  # noqa: E402


def row(name: str, seconds: float, status: str = "ok", peak: int = 0) -> Row:
    return Row(Contender("c", name), [Run(status, seconds=seconds, peak=peak)])


def judge(bar: harness.Bar, *rows: Row) -> str:
    return bar.judge({r.contender.name: r for r in rows}).word


class Bars(unittest.TestCase):
    def test_speed(self):
        bar = harness.times_faster("c", "voxmill", ["dask", "other"], 2.0, "")
        self.assertEqual(judge(bar, row("voxmill", 1.0), row("dask", 2.0)), "PASS")
        self.assertEqual(judge(bar, row("voxmill", 1.0), row("dask", 1.9)), "FAIL")
        self.assertEqual(judge(bar, row("voxmill", 1.0), row("dask", 9.0), row("other", 1.5)), "FAIL", "the fastest counts")

    def test_limit_of_time(self):
        bar = harness.at_most("c", "voxmill", ["numba"], 1.3, "")
        self.assertEqual(judge(bar, row("voxmill", 1.3), row("numba", 1.0)), "PASS")
        self.assertEqual(judge(bar, row("voxmill", 1.4), row("numba", 1.0)), "FAIL")

    def test_nothing_passes_unmeasured(self):
        bar = harness.at_most("c", "voxmill", ["numba"], 1.3, "")
        self.assertEqual(judge(bar, row("numba", 1.0)), "-")
        self.assertEqual(judge(bar, row("voxmill", 0.1, "missing"), row("numba", 1.0)), "-")
        self.assertEqual(judge(bar, row("voxmill", 0.1, "wrong"), row("numba", 1.0)), "FAIL")
        self.assertEqual(judge(bar, row("voxmill", 0.1, "failed"), row("numba", 1.0)), "FAIL")
        self.assertEqual(judge(bar, row("voxmill", 0.1), row("numba", 1.0, "failed")), "-")
        self.assertEqual(judge(harness.peak_at_most("c", "voxmill", 100, ""), row("voxmill", 1.0, peak=0)), "-")

    def test_worst_memory_and_best_time_count(self):
        both = Row(Contender("c", "voxmill"), [Run("ok", 1.0, peak=50), Run("ok", 2.0, peak=101)])
        self.assertEqual(both.seconds, 1.0)
        self.assertEqual(judge(harness.peak_at_most("c", "voxmill", 100, ""), both), "FAIL")

    def test_one_wrong_run_is_wrong(self):
        mixed = Row(Contender("c", "voxmill"), [Run("ok", 1.0), Run("wrong", 0.5)])
        self.assertEqual(mixed.status, "wrong")
        self.assertIn("WRONG", harness._line(mixed, 1.0, 1.0))


class Order(unittest.TestCase):
    def test_by_turns(self):
        names = lambda rows: [r.contender.name for r in rows]
        ours = Row(Contender("c", "v", voxmill=["eval"]))
        peers = [Row(Contender("c", n)) for n in "ABC"]
        self.assertEqual(names(harness.interleaved([*peers, ours])), ["A", "v", "B", "C"])


class Memory(unittest.TestCase):
    def test_peak_is_that_of_the_child(self):
        with tempfile.TemporaryDirectory() as folder:
            ctx = harness.Context(Path(folder), Path(folder), 1.0, 1)
            ballast = bytearray(os.urandom(1)) * (300 * harness.MIB)
            code = "import time; x = bytearray(b'1') * (100 << 20); time.sleep(0.2)"
            status, _, _, run = harness.execute([sys.executable, "-c", code], ctx, 60)
            del ballast
        self.assertEqual(status, 0)
        self.assertGreater(run.peak, 100 * harness.MIB)
        self.assertLess(run.peak, 200 * harness.MIB)

    def test_a_hanging_program_is_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            ctx = harness.Context(Path(folder), Path(folder), 1.0, 1)
            status, _, err, _ = harness.execute([sys.executable, "-c", "import time; time.sleep(60)"], ctx, 0.5)
        self.assertNotEqual(status, 0)
        self.assertIn("stopped after", err)


class EndToEnd(unittest.TestCase):
    """The whole harness on small data, with a NumPy stand-in in the place of the binary."""

    def bench(self, mode: str, *args: str) -> tuple[int, dict]:
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder) / "voxmill"
            binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{BENCH / "tests" / "stand_in.py"}" "$@"\n')
            binary.chmod(0o755)
            program = "absent" if mode == "missing" else str(binary)
            # Only the stand-in is Voxmill here, not a Python package that happens to be built.
            env = {**os.environ, "VOXMILL_BIN": program, "VOXMILL_PYTHON": "absent", "STAND_IN": mode}
            command = [sys.executable, BENCH / "run.py", "standardize", "--scale", "0.005", "--repeat", "1"]
            command += ["--only", "voxmill|numpy", "--data", folder, "--out", folder, *args]
            done = subprocess.run(command, env=env, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            return done.returncode, json.loads((Path(folder) / "standardize.json").read_text())

    def status(self, report: dict, name: str) -> str:
        return next(r["status"] for r in report["rows"] if r["contender"] == name)

    def test_right_answer(self):
        _, report = self.bench("")
        self.assertEqual(self.status(report, "voxmill"), "ok")
        self.assertEqual(self.status(report, "numpy in 16 MB blocks"), "ok")

    def test_wrong_answer_is_seen(self):
        code, report = self.bench("wrong")
        self.assertEqual(self.status(report, "voxmill"), "wrong")
        self.assertEqual(code, 1)

    def test_dying_is_a_failure(self):
        code, report = self.bench("die")
        self.assertEqual(self.status(report, "voxmill"), "failed")
        self.assertEqual(code, 1)

    def test_missing_binary_passes_and_fails_nothing(self):
        code, report = self.bench("missing")
        self.assertEqual(self.status(report, "voxmill"), "missing")
        self.assertEqual(self.status(report, "numpy in 16 MB blocks"), "ok")
        self.assertEqual({bar["verdict"] for bar in report["bars"]}, {"-"})
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
