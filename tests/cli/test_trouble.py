"""What goes wrong on real machines: locked folders, lost networks, killed runs, full scratch, damaged files."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import zarr
from command import BIN, fails, interrupt, volume, voxmill  # noqa: F401

def as_nobody():
    """Root may write everywhere, so the child becomes somebody who may not."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


@pytest.fixture
def public():
    """A folder that other users can read, with a volume and the program in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        zarr.create_array(str(folder / "raw.zarr"), shape=(8, 8), chunks=(4, 4), dtype="u2")[:] = 7
        shutil.copy(BIN, folder / "voxmill")
        subprocess.run(["chmod", "-R", "a+rX", name], check=True)
        yield folder


def test_a_locked_folder(public):
    (public / "locked").mkdir(mode=0o555)
    command = ["./voxmill", "eval", 'open("raw.zarr") * 2', "-o", "locked/out.zarr"]
    done = subprocess.run(command, cwd=public, capture_output=True, text=True, preexec_fn=as_nobody)
    fails(done, 7, "locked/out.zarr", "ermission denied")


def test_a_closed_file(public):
    (public / "raw.zarr" / "c" / "1" / "1").chmod(0)
    command = ["./voxmill", "eval", 'open("raw.zarr").sum()']
    done = subprocess.run(command, cwd=public, capture_output=True, text=True, preexec_fn=as_nobody)
    fails(done, 7, "1/1", "ermission denied")


# A web server that dies in the middle: with its process, all its connections are gone.
SERVER = """
import http.server, os, sys
left = int(sys.argv[1])
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        global left
        left -= 1
        if left < 0:
            os._exit(0)
        super().do_GET()
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_a_lost_network(tmp_path):
    """The server goes away in the middle of a run: an error that names the place, after some patience."""
    zarr.create_array(str(tmp_path / "far.zarr"), shape=(400, 64, 64), chunks=(1, 64, 64), dtype="u1", fill_value=1)[:] = 7
    command = [sys.executable, "-c", SERVER, "100"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        port = server.stdout.readline().strip()
        done = voxmill("eval", f'open("http://127.0.0.1:{port}/far.zarr").astype("float64").sqrt().sum()', cwd=tmp_path)
        assert server.wait() == 0
    fails(done, 7, "far.zarr", "after 6 attempts")


def test_nobody_listens(tmp_path):
    started = time.monotonic()
    done = voxmill("eval", 'open("http://127.0.0.1:9/a.zarr").sum()', cwd=tmp_path)
    fails(done, 7, "127.0.0.1:9")
    assert time.monotonic() - started < 60


def test_a_killed_run_leaves_whole_chunks_and_no_scratch(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expression = "real(fft(fft(random_normal([200, 300, 300], seed=3), axis=0), axis=2))"
    command = [BIN, "eval", expression, "-o", "out.zarr", "--chunks", "50,50,50", "--memory-limit", "64MiB"]
    process = subprocess.Popen([*command, "--scratch", str(scratch), "-q"], cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not any((tmp_path / "out.zarr").rglob("c/*/*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list(scratch.iterdir()) == []
    part = zarr.open_array(str(tmp_path / "out.zarr"), mode="r")[:]
    again = subprocess.run([*command, "--overwrite", "-q"], cwd=tmp_path, timeout=120)
    assert again.returncode == 0
    whole = zarr.open_array(str(tmp_path / "out.zarr"), mode="r")[:]
    assert ((part == whole) | (part == 0)).all()


def stop_halfway(command, cwd, signal_number):
    """Starts a run, and ends it when some of its output is there."""
    process = subprocess.Popen([BIN, *command], cwd=cwd, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    journal = cwd / "out.zarr.progress"
    while not (journal.exists() and journal.read_text().count("\n") > 2) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal_number)
    return process.communicate(timeout=60)[1]


@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("limit", ["96MiB", "300MiB"])
def test_a_stopped_run_goes_on(tmp_path, ended_by, limit):
    work = "gaussian_filter(random_normal([160, 300, 300], seed=3), sigma=4)"
    command = ["eval", work, "-o", "out.zarr", "--chunks", "16,50,50", "--threads", "1"]
    said = stop_halfway([*command, "--memory-limit", "96MiB"], tmp_path, ended_by)
    journal = tmp_path / "out.zarr.progress"
    assert journal.exists()
    assert ended_by != signal.SIGINT or "goes on where" in said
    fails(voxmill("eval", work + " + 1", *command[2:], cwd=tmp_path), 5, "out.zarr")
    there = {path: path.stat().st_mtime_ns for path in (tmp_path / "out.zarr").rglob("c/*/*/*")}
    done = voxmill(*command, "--memory-limit", limit, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "going on with" in done.stderr and not journal.exists()
    # A chunk may be in place and not in the journal: the run was stopped between the two.
    again = [path for path, written in there.items() if path.stat().st_mtime_ns != written]
    assert len(again) < len(there)
    assert voxmill("eval", work, "-o", "whole.npy", "-q", cwd=tmp_path).returncode == 0
    assert (zarr.open_array(str(tmp_path / "out.zarr"), mode="r")[:] == np.load(tmp_path / "whole.npy")).all()


def test_a_changed_source_starts_anew(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((160, 300, 300), "f4"))
    command = ["eval", 'gaussian_filter(open("x.npy"), sigma=4)', "-o", "out.zarr", "--chunks", "16,50,50", "-q"]
    stop_halfway([*command, "--threads", "1", "--memory-limit", "96MiB"], tmp_path, signal.SIGKILL)
    np.save(tmp_path / "x.npy", np.zeros((160, 300, 300), "f4"))
    fails(voxmill(*command, cwd=tmp_path), 5, "out.zarr")
    assert voxmill(*command, "--overwrite", cwd=tmp_path).returncode == 0
    assert (zarr.open_array(str(tmp_path / "out.zarr"), mode="r")[:] == 0).all()


# Each transform needs whole rows, along different axes: the result of the first waits on scratch for the second.
SPILLS = ["eval", "abs(fft(fft(random_normal([200, 300, 300], seed=3), axis=0), axis=2)).max()", "--memory-limit", "64MiB"]


def test_scratch_has_a_limit(tmp_path):
    assert voxmill(*SPILLS, cwd=tmp_path).returncode == 0
    fails(voxmill(*SPILLS, "--scratch-limit", "50MiB", cwd=tmp_path), 7, "scratch", "50.0 MiB")


def test_scratch_that_is_not_there(tmp_path):
    fails(voxmill(*SPILLS, "--scratch", "no/such/folder", cwd=tmp_path), 4, "no/such/folder")


DAMAGE = {
    "cut short": lambda doc: doc[: len(doc) // 2],
    "not JSON": lambda doc: "shape: 3",
    "negative shape": lambda doc: doc.replace('"shape": [\n    40', '"shape": [\n    -40'),
    "unknown dtype": lambda doc: doc.replace("uint16", "uint17"),
    "unknown codec": lambda doc: doc.replace('"zstd"', '"middle-out"'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_metadata(tmp_path, volume, damage):
    path = tmp_path / "raw.zarr" / "zarr.json"
    text = json.dumps(json.loads(path.read_text()), indent=2)
    bent = damage(text)
    assert bent != text
    path.write_text(bent)
    done = voxmill("eval", 'open("raw.zarr").sum()', cwd=tmp_path)
    assert done.returncode in (3, 6, 9), (done.returncode, done.stderr)
    fails(done, done.returncode, "raw.zarr")


def test_the_bar_on_a_terminal(tmp_path, volume):
    """Percent, speed, tiles, memory of the limit, time left; and the cursor comes back."""
    leader, follower = pty.openpty()
    expression = "exp(random_normal([600, 500, 500], seed=1)).mean()"
    process = subprocess.Popen(
        [BIN, "eval", expression, "--memory-limit", "1GiB"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(follower)
    seen = b""
    while True:
        ready, _, _ = select.select([leader], [], [], 60)
        try:
            data = os.read(leader, 65536) if ready else b""
        except OSError:
            data = b""
        if not data:
            break
        seen += data
    assert process.wait() == 0
    text = seen.decode(errors="replace")
    for word in ("%", "/s", "GiB"):
        assert word in text, (word, text[-500:])


def test_a_second_ctrl_c_ends_at_once(tmp_path):
    expression = "exp(random_normal([3000, 1000, 1000], seed=1)).transpose()"
    process = subprocess.Popen(
        [BIN, "eval", expression, "-o", "big.zarr", "--memory-limit", "512MiB"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    time.sleep(1)
    interrupt(process, times=2, within=2)


def test_mapped_files_stay_within_the_limit(tmp_path):
    data = np.ones((512 << 20) // 4, "f4")
    np.save(tmp_path / "x.npy", data)
    del data
    (tmp_path / "x.npy").read_bytes()  # Reading in one go makes the system cache the file in large pieces.
    expr = 'x = open("x.npy"); ((x - x.mean()) + x.std()).clip(0, 1).sum()'
    done = voxmill("eval", expr, "--memory-limit", "64MiB", "--threads", "2", "--stats-json", "stats.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    peak = json.loads((tmp_path / "stats.json").read_text())["peak_rss_bytes"]
    assert peak <= (64 + 64) << 20
