"""What goes wrong on real machines: locked folders, lost networks, killed runs, full scratch, damaged files."""

import http.server
import json
import os
import pty
import select
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
import zarr

BIN = os.environ["VOXMILL_BIN"]


def voxmill(*args, cwd, **kwargs):
    return subprocess.run([BIN, *args], cwd=cwd, capture_output=True, text=True, timeout=120, **kwargs)


def fails(done, code, *words):
    """One message with these words, this exit code, and no trace of our own code."""
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stderr.startswith("error: "), done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    assert "panicked" not in done.stderr and "RUST_BACKTRACE" not in done.stderr


@pytest.fixture
def volume(tmp_path):
    data = np.random.default_rng(1).integers(0, 60_000, (40, 90, 70)).astype("u2")
    array = zarr.create_array(str(tmp_path / "raw.zarr"), shape=data.shape, chunks=(16, 32, 32), dtype=data.dtype)
    array[:] = data
    return data


def as_nobody():
    """Root may write everywhere, so the child becomes somebody who may not."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def test_a_locked_folder(tmp_path, volume):
    subprocess.run(["chmod", "-R", "a+rX", str(tmp_path)], check=True)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    for parent in tmp_path.parents:
        if not os.access(parent, os.X_OK) or not (parent.stat().st_mode & 0o001):
            pytest.skip(f"{parent} is closed to other users")
    done = voxmill("eval", 'open("raw.zarr") * 2', "-o", "locked/out.zarr", cwd=tmp_path, preexec_fn=as_nobody)
    fails(done, 7, "locked/out.zarr", "ermission denied")


def test_a_closed_file(tmp_path, volume):
    subprocess.run(["chmod", "-R", "a+rX", str(tmp_path)], check=True)
    for parent in tmp_path.parents:
        if not (parent.stat().st_mode & 0o001):
            pytest.skip(f"{parent} is closed to other users")
    chunk = tmp_path / "raw.zarr" / "c" / "1" / "1" / "1"
    chunk.chmod(0)
    done = voxmill("eval", 'open("raw.zarr").sum()', cwd=tmp_path, preexec_fn=as_nobody)
    fails(done, 7, "1/1/1", "ermission denied")


@pytest.fixture
def web(tmp_path):
    """A web server of the folder, which a test can stop."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(tmp_path))

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def stop():
        server.shutdown()
        server.server_close()
        thread.join()

    server.stop = stop
    yield server
    if thread.is_alive():
        stop()


def test_a_lost_network(tmp_path, web):
    """The server goes away in the middle of a run: an error that names the place, after some patience."""
    zarr.create_array(str(tmp_path / "far.zarr"), shape=(400, 64, 64), chunks=(1, 64, 64), dtype="u1", fill_value=1)[:] = 7
    url = f"http://127.0.0.1:{web.server_port}/far.zarr"
    expression = f'open("{url}").astype("float64").sqrt().sum()'
    assert voxmill("eval", expression, cwd=tmp_path).returncode == 0

    answered = []
    original = web.finish_request

    def finish(request, address):
        answered.append(1)
        if len(answered) == 40:
            threading.Thread(target=web.stop).start()
        original(request, address)

    web.finish_request = finish
    done = voxmill("eval", expression, cwd=tmp_path)
    fails(done, 7, "far.zarr")


def test_nobody_listens(tmp_path):
    started = time.monotonic()
    done = voxmill("eval", 'open("http://127.0.0.1:9/a.zarr").sum()', cwd=tmp_path)
    fails(done, 7, "127.0.0.1:9")
    assert time.monotonic() - started < 60


def test_a_killed_run_leaves_whole_chunks_and_no_scratch(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expression = "random_normal([400, 500, 500], seed=3).transpose()"
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


def test_scratch_has_a_limit(tmp_path):
    expression = "random_normal([200, 500, 500], seed=3).transpose()"
    limits = ["--memory-limit", "64MiB", "--scratch-limit", "50MiB"]
    done = voxmill("eval", expression, "-o", "out.zarr", "--chunks", "50,50,50", *limits, cwd=tmp_path)
    fails(done, 7, "scratch", "50.0 MiB")


def test_scratch_that_is_not_there(tmp_path):
    expression = "random_normal([200, 500, 500], seed=3).transpose()"
    limits = ["--memory-limit", "64MiB", "--scratch", "no/such/folder"]
    done = voxmill("eval", expression, "-o", "out.zarr", "--chunks", "50,50,50", *limits, cwd=tmp_path)
    fails(done, 7, "no/such/folder")


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
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, stderr = process.communicate(timeout=30)
    assert time.monotonic() - started < 2
    assert process.returncode == 130, stderr
